package catalogue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/internal/model/play"
	"github.com/gobacklist/backlist/catalogue/internal/model/playhttp"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A modelCase is a collection for the tests of the model.
type modelCase struct {
	name  string
	share int // of 100 operations
	size  int // about the number of records
	play  func(...*model.Config) (*play.Player, error)
	model []*model.Config
}

func playFilms(c ...*model.Config) (*play.Player, error) {
	return play.New[play.Film](c[0])
}

func playOpen(c ...*model.Config) (*play.Player, error) {
	return play.New[schema.Record](c[0])
}

func playCatalogue(c ...*model.Config) (*play.Player, error) {
	return play.NewCatalogue(
		play.Of[play.Film](c[0], nil), play.Of[schema.Record](c[1], nil))
}

// playKeyed plays films with keys in place of ids.
func playKeyed[K any](c ...*model.Config) (*play.Player, error) {
	return play.New[play.Keyed[K]](c[0])
}

// one returns a model that is changed by some functions.
func one(c *model.Config, changes ...func(*model.Config)) []*model.Config {
	for _, change := range changes {
		change(c)
	}
	return []*model.Config{c}
}

// keyed returns the model of a collection in a catalogue, where structs have empty lists and
// maps instead of null.
func keyed(key string, c *model.Config, changes ...func(*model.Config)) *model.Config {
	c.Key = key
	for i, f := range c.Fields {
		if f.Zero != "" && (f.Like == "[]" || f.Like == "{}") {
			c.Fields[i].Zero = f.Like
			c.Fields[i].Values = slices.DeleteFunc(f.Values, func(s string) bool { return s == "null" })
		}
	}
	return one(c, changes...)[0]
}

// options returns a function that sets options. The fields of a unique set are joined by commas.
func options(order string, history int, unique ...string) func(*model.Config) {
	return func(c *model.Config) {
		c.Order, c.History = order, history
		for _, set := range unique {
			c.Unique = append(c.Unique, strings.Split(set, ","))
		}
	}
}

// withKeys makes keys stand for ids.
func withKeys(c *model.Config) { c.Keyed = true }

// more returns a function that adds values of a field.
func more(field, format string, n int) func(*model.Config) {
	return func(c *model.Config) {
		i := slices.IndexFunc(c.Fields, func(f model.Field) bool { return f.Name == field })
		for value := range n {
			c.Fields[i].Values = append(c.Fields[i].Values, fmt.Sprintf(format, value))
		}
	}
}

func modelCases() []modelCase {
	long := `"` + strings.Repeat("x", 900) + `%d"`
	return []modelCase{
		{"typed", 22, 30, playFilms, one(play.Films())},
		{"typed, with an order and history", 15, 30, playFilms, one(play.Films(), options("-color,price", 40))},
		{"typed, many records", 2, 600, playFilms, one(play.Films())},
		{"typed, keys too large for an index", 3, 30, playFilms,
			one(play.Films(), more("tagline", long, 3), more("title", long, 3))},
		{"typed, unique fields", 12, 20, playFilms, one(play.Films(),
			options("", 7, "barcode", "director", "tagline", "price"),
			more("barcode", "%d", 100), more("director", `"Name %d"`, 100), more("price", `"%d.0"`, 100))},
		{"typed, unique sets", 8, 20, playFilms, one(play.Films(),
			options("", 7, "rating,genre", "director,year,released_at", "price"),
			more("price", `"%d.0"`, 100))},
		{"text keys", 12, 30, playKeyed[string], one(play.Films(), withKeys, options("-color,price", 40))},
		{"UUIDs", 12, 30, playKeyed[play.UUID], one(play.Films(), withKeys, options("-color,price", 40))},
		{"many text keys", 2, 600, playKeyed[string], one(play.Films(), withKeys)},
		{"open", 22, 30, playOpen, one(play.OpenFilms())},
		{"open, with an order and history", 12, 30, playOpen, one(play.OpenFilms(), options("x,-title", 200))},
		{"open, keys too large for an index", 3, 30, playOpen, one(play.OpenFilms(), more("x", long, 30))},
		{"open, unique fields", 9, 20, playOpen, one(play.OpenFilms(), options("", 1, "price", "released_on"),
			more("price", "%d.0", 100))},
		{"open, unique sets", 6, 20, playOpen, one(play.OpenFilms(), options("", 1, "price,released_on", "x,title"))},
		{"a catalogue", 15, 20, playCatalogue, []*model.Config{
			keyed("films", play.Films(), options("-color,price", 300)),
			keyed("reels", play.OpenFilms(), options("x,-title", 1<<30)),
		}},
	}
}

// variable returns the number in an environment variable, or usual.
func variable(t *testing.T, name string, usual uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func modelSteps(t *testing.T) int {
	return int(variable(t, "BACKLIST_MODEL_STEPS", uint64(scaled(40_000))))
}

func modelSeed(t *testing.T) uint64 { return variable(t, "BACKLIST_MODEL_SEED", rand.Uint64()) }

// TestModel makes random operations and compares their results with those of a model. A
// failure is reported as a short script, which can be added to testdata/model.txtar.
// BACKLIST_MODEL_STEPS is the number of operations and BACKLIST_MODEL_SEED repeats a run.
func TestModel(t *testing.T) {
	steps, seed := modelSteps(t), modelSeed(t)
	for i, test := range modelCases() {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := &model.Random{
				Rand: rand.New(rand.NewPCG(seed, uint64(i))), Size: test.size, Verbs: slices.Concat(model.Writes, model.Reads), Copies: true,
			}
			var ops []model.Op
			for w := model.New(test.model...); len(ops) < steps*test.share/100; {
				op := r.Op(w)
				w, _ = w.Do(op)
				ops = append(ops, op)
			}
			if test.fails(t, ops) == "" {
				return
			}
			ops = model.Shrink(ops, func(ops []model.Op) bool { return test.fails(t, ops) != "" })
			t.Errorf("BACKLIST_MODEL_SEED=%d: this script fails:\n%s", seed, test.fails(t, ops))
		})
	}
}

// TestModelScripts plays the scripts in testdata/model.txtar.
func TestModelScripts(t *testing.T) {
	for _, text := range txtar.Read(t, "model.txtar") {
		name, _, _ := strings.Cut(text.Name, ":")
		i := slices.IndexFunc(modelCases(), func(c modelCase) bool { return c.name == name })
		ops, err := model.Parse(text.Data)
		if i < 0 || err != nil {
			t.Fatalf("%s: case %d, %v", text.Name, i, err)
		}
		if script := modelCases()[i].fails(t, ops); script != "" {
			t.Errorf("%s:\n%s", text.Name, script)
		}
	}
}

// fails performs operations until one has a wrong result. It returns the operations and the
// results, or "" if none exists.
func (test modelCase) fails(t *testing.T, ops []model.Op) string {
	t.Helper()
	p := mustHave(test.play(test.model...))
	var script strings.Builder
	w, want := model.New(test.model...), ""
	for i, op := range ops {
		w, want = w.Do(op)
		fmt.Fprintln(&script, op)
		if got := p.Do(op); got != want {
			return fmt.Sprintf("%s# got:  %s\n# want: %s\n", &script, got, want)
		}
		if i%50 == 0 || i+1 == len(ops) {
			if err := p.Check(); err != nil {
				return fmt.Sprintf("%s# %v\n", &script, err)
			}
		}
	}
	return ""
}

// TestModelReaders makes random reads beside a writer that often empties and refills the
// collection. The result of a read must be that in one of the states between the last
// write that had ended before the read and the last one that began before its end.
func TestModelReaders(t *testing.T) {
	writes, seed := modelSteps(t)/20, modelSeed(t)
	for i, test := range modelCases() {
		if strings.Contains(test.name, "many records") {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			states, ops := emptied(test.model, rand.New(rand.NewPCG(seed, uint64(i))), writes)
			p := mustHave(test.play(test.model...))
			var begun, ended atomic.Int64
			var group sync.WaitGroup
			follow(t, &group, p, test.model, states[writes])
			for reader := range 2 {
				rng := rand.New(rand.NewPCG(seed, uint64(reader)))
				r := &model.Random{Rand: rng, Size: 8, Verbs: model.Reads}
				group.Go(func() {
					for ended.Load() < int64(writes) && !t.Failed() {
						from := ended.Load()
						op := r.Op(states[from])
						if r.IntN(4) == 0 {
							op = copied(r, states[from])
						}
						got := p.Do(op)
						possible := states[from : begun.Load()+1]
						if !slices.ContainsFunc(possible, func(w model.World) bool {
							_, want := w.Do(op)
							return got == want
						}) {
							_, want := possible[0].Do(op)
							t.Errorf("BACKLIST_MODEL_SEED=%d: during writes %d to %d: %v\ngot:  %s\nwant: %s, or that of the last state\n%v",
								seed, from, len(possible), op, got, want, ops[max(0, from-3):int(from)+len(possible)-1])
						}
					}
				})
			}
			for i, op := range ops {
				begun.Store(int64(i + 1))
				_, want := states[i].Do(op)
				if got := p.Do(op); got != want {
					t.Errorf("BACKLIST_MODEL_SEED=%d: write %d: %v\ngot:  %s\nwant: %s", seed, i, op, got, want)
				}
				ended.Store(int64(i + 1))
			}
			group.Wait()
			must(t, p.Check())
		})
	}
}

// follow iterates over the changes of each collection from the beginning, until they are those
// that led to the last state, if they are kept until then.
func follow(t *testing.T, group *sync.WaitGroup, p *play.Player, models []*model.Config, last model.World) {
	for _, c := range models {
		_, want := last.Do(model.Op{In: c.Key, Verb: "since"})
		if want == "error: trimmed" {
			continue
		}
		_, want, _ = strings.Cut(want, ", ")
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got := ""
			for text, err := range p.Changes(ctx, c.Key, 0) {
				if got = strings.TrimPrefix(got+", "+text, ", "); err != nil || len(got) >= len(want) {
					break
				}
			}
			if got != want {
				t.Errorf("changes of %q:\ngot:  %s\nwant: %s", c.Key, got, want)
			}
		})
	}
}

// copied returns an operation that copies all collections and reads the copy.
func copied(r *model.Random, w model.World) model.Op {
	op := model.Op{Verb: []string{"snapshot", "clone", "save"}[r.IntN(3)], Name: "copy"}
	for at := range w {
		op.Ops = append(op.Ops, model.Op{In: at.Key, Verb: "view"}, r.On(w, at, "page"))
		if op.Verb != "snapshot" {
			op.Ops = append(op.Ops, r.On(w, at, "insert"), model.Op{In: at.Key, Verb: "all"})
		}
	}
	return op
}

// emptied returns n writes, which empty a collection again and again, and the states before
// and after them.
func emptied(models []*model.Config, rng *rand.Rand, n int) (states []model.World, ops []model.Op) {
	r := &model.Random{Rand: rng, Size: 8, Verbs: model.Writes}
	states = append(states, model.New(models...))
	for len(ops) < n {
		op := r.Op(states[len(ops)])
		if rng.IntN(4) == 0 {
			op = model.Op{In: op.In, Verb: []string{"replace", "load"}[rng.IntN(2)]}
		}
		next, _ := states[len(ops)].Do(op)
		states, ops = append(states, next), append(ops, op)
	}
	return states, ops
}

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
	handler := mustHave(httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll}))
	p, script := playhttp.Player{Handler: handler}, ""
	listings, studios := playhttp.Models()
	w, want := model.New(listings, studios), ""
	for _, op := range ops {
		if op.Verb == "insert" { // a script may lack members, which have no default
			c := map[string]*model.Config{"listings": listings, "studios": studios}[op.In]
			op.Records = []string{c.Complete(op.Records[0])}
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
