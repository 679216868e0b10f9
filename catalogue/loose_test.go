package catalogue_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// looseOptions returns the options of records with a key, which requests write as they like.
func looseOptions() catalogue.Options {
	return catalogue.Options{Description: &schema.Description{
		Loose: true, Lookup: "id", Actions: schema.AllActions,
		Fields: []schema.Field{{Name: "id", Kind: schema.Text, Key: true, Unique: true}, {Name: "n", Kind: schema.Integer}},
	}}
}

// TestLooseOrder checks that records that are Loose remain in the order of a file.
func TestLooseOrder(t *testing.T) {
	cards := catalogue.Define[schema.Record]("cards", looseOptions())
	cat := mustHave(catalogue.New(cards))
	const file = "[\n" + `{"id":"c"},` + "\n" + `{"id":"a","n":"x"},` + "\n" + `{"id":"d"},` + "\n" + `{"id":"b","n":[1]}` + "]\n"
	must(t, cat.Load(strings.NewReader(`{"cards":`+file+`}`), catalogue.LoadOptions{Validate: true}))
	c := mustHave(cards.In(cat))
	keys := func(records []schema.Record) (all string) {
		for _, r := range records {
			text, _ := r.Get("id")
			all += strings.Trim(text, `"`)
		}
		return all
	}
	check := func(what, want string, terms ...ordering.Term) {
		t.Helper()
		equal(t, what, want, keys(listOf(c, terms)))
		equal(t, what+", page by page", want, keys(walked(c, terms)))
	}
	check("the order of the file", "cadb")
	check("by the key", "abcd", ordering.Asc("id"))
	check("lists before text, and ties by the key", "dcba", ordering.Desc("n"))
	must(t, c.By("id").Update("c", func(r *schema.Record) (err error) {
		*r, err = r.With("n", 1)
		return err
	}))
	check("an update moves nothing", "cadb")
	must(t, c.By("id").Delete("a"))
	for _, text := range []string{`{"id":"a"}`, `{"id":"0"}`} {
		r := mustHave(schema.ParseKeyed([]byte(text)))
		must(t, second(c.By("id").Insert(r)))
	}
	check("new ones are the last", "cdba0")

	var saved bytes.Buffer
	must(t, cat.Save(&saved))
	clone := cat.Clone()
	again := mustHave(catalogue.New(cards))
	must(t, again.Load(&saved, catalogue.LoadOptions{}))
	for _, other := range []*catalogue.Catalogue{clone, cat.Snapshot(), again} {
		c = mustHave(cards.In(other))
		check("a copy", "cdba0")
	}
	ordered := looseOptions()
	ordered.Ordering = []ordering.Term{ordering.Desc("id")}
	byKey := catalogue.Define[schema.Record]("cards", ordered)
	cat = mustHave(catalogue.New(byKey))
	must(t, cat.Load(strings.NewReader(`{"cards":`+file+`}`), catalogue.LoadOptions{}))
	c = mustHave(byKey.In(cat))
	check("another default order", "dcba")
	saved.Reset()
	must(t, c.Save(&saved))
	if saved.String() != file {
		t.Errorf("saved: %s, want %s", &saved, file)
	}
}

// TestLooseStructs checks that only open records can be Loose.
func TestLooseStructs(t *testing.T) {
	type card struct {
		ID string `json:"id" backlist:"key"`
	}
	_, err := catalogue.New(catalogue.Define[card]("cards", catalogue.Options{Description: &schema.Description{Loose: true}}))
	if err == nil || !strings.Contains(err.Error(), "cards: invalid record type: the description is Loose: only open records can have any members, not catalogue_test.card") {
		t.Error(err)
	}
}
