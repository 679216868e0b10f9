package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// TestModelHTTP plays random operations as requests to a handler, and compares the answers
// with those of the model.
func TestModelHTTP(t *testing.T) {
	typed := func(o catalogue.Options) catalogue.AnyDefinition {
		return catalogue.DefineBare[playhttp.Listing]("listings", o)
	}
	open := func(o catalogue.Options) catalogue.AnyDefinition {
		return catalogue.Define[schema.Record]("listings", o)
	}
	for _, test := range []struct {
		name   string
		define func(catalogue.Options) catalogue.AnyDefinition
		fold   bool
	}{
		{"typed", typed, false},
		{"open", open, false},
		{"typed, a text without case", typed, true},
		{"open, a text without case", open, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			about := mustDescribe[playhttp.Listing](t, "listings")
			about.Filters = playhttp.Filters()
			seed := modelSeed(t)
			listings, studios := playhttp.Models()
			rng := rand.New(rand.NewPCG(seed, 1))
			verbs := strings.Fields("insert insert update delete get count page page page first")
			r := &model.Random{Rand: rng, Size: 60, Verbs: verbs}
			var ops []model.Op
			for w := model.New(listings, studios); len(ops) < modelSteps(t)/16; {
				op := playhttp.Request(r.Op(w), rng)
				if _, result := w.Do(op); result == "error: invalid condition" {
					op.Where = nil
				}
				w, _ = w.Do(op)
				ops = append(ops, op)
			}
			fails := func(ops []model.Op) string {
				cat := mustCatalogue(t, catalogue.DefineBare[playhttp.Studio]("studios", catalogue.Options{}),
					test.define(catalogue.Options{Description: &about}))
				return failsOverHTTP(t, cat, ops)
			}
			if fails(ops) != "" {
				ops = model.Shrink(ops, func(ops []model.Op) bool { return fails(ops) != "" })
				t.Errorf("BACKLIST_MODEL_SEED=%d: this script fails:\n%s", seed, fails(ops))
			}
		})
	}
}

// failsOverHTTP sends operations until one has a wrong answer. It returns the operations and
// the results, or "" if none exists.
func failsOverHTTP(t *testing.T, cat *catalogue.Catalogue, ops []model.Op) string {
	handler, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	p, script := playhttp.Player{Handler: handler}, ""
	listings, studios := playhttp.Models()
	w, want := model.New(listings, studios), ""
	for _, op := range ops {
		if op.Verb == "insert" { // a script may lack members, which have no default
			c := map[string]*model.Config{"listings": listings, "studios": studios}[op.In]
			op.Records = []string{playhttp.Complete(op.Records[0], c)}
		}
		w, want = w.Do(op)
		script += op.String() + "\n"
		if got := p.Start(op)(); got != want {
			return fmt.Sprintf("%s# got:  %s\n# want: %s", script, got, want)
		}
	}
	must(t, cat.Check())
	return ""
}
