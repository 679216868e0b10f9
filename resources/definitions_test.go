package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

type book struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

func described(t *testing.T, c *catalogue.Catalogue, key string) schema.Description {
	t.Helper()
	coll, err := c.Collection(key)
	if err != nil {
		t.Fatal(err)
	}
	return coll.Description()
}

// TestNewReplaces checks the descriptions of definitions that replace documented ones.
func TestNewReplaces(t *testing.T) {
	own := schema.Description{Name: "volume", Search: []string{"title"}}
	fields := func(d schema.Description, err error) []schema.Field {
		if err != nil {
			t.Fatal(err)
		}
		return d.Fields
	}(schema.DescriptionOf[book]("books"))
	documented := schema.Description{Key: "books", Segment: "books", Name: "book", Actions: schema.List, Vary: "Accept",
		Query: "format=api", Ordering: []ordering.Term{ordering.Asc("id")}, Positions: true}
	typed, replaced := documented, documented
	typed.Fields = fields
	replaced.Name, replaced.Actions, replaced.Query, replaced.Search, replaced.Fields = "volume", schema.AllActions, "", own.Search, fields
	for _, row := range []struct {
		reason string
		books  catalogue.AnyDefinition
		want   schema.Description
	}{
		{"the documented definition", resources.Records("books"), documented},
		{"open records take over the description", catalogue.Define[schema.Record]("books", catalogue.Options{}), documented},
		{"so does a struct, with its fields", catalogue.Define[book]("books", catalogue.Options{}), typed},
		{"a definition keeps its own description", catalogue.Define[book]("books", catalogue.Options{Description: &own}), replaced},
	} {
		c, err := resources.New(row.books)
		if err != nil {
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if diff := cmp.Diff(row.want, described(t, c, "books")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestNewAdds(t *testing.T) {
	c, err := resources.New(catalogue.Define[book]("films", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range c.All() {
		keys = append(keys, key)
	}
	if len(keys) != 40 || keys[0] != "attribute-types" || keys[38] != "faqs" || keys[39] != "films" {
		t.Errorf("keys %q, want the 39 and films", keys)
	}
}

func TestNewRefuses(t *testing.T) {
	books := catalogue.Define[book]("books", catalogue.Options{})
	for _, row := range []struct {
		reason      string
		definitions []catalogue.AnyDefinition
		want        error
	}{
		{"nil", []catalogue.AnyDefinition{nil}, catalogue.ErrInvalidType},
		{"a nil pointer", []catalogue.AnyDefinition{(*catalogue.Definition[book])(nil)}, catalogue.ErrInvalidType},
		{"the zero definition", []catalogue.AnyDefinition{catalogue.Definition[book]{}}, catalogue.ErrUnknownCollection},
		{"a documented key twice", []catalogue.AnyDefinition{books, books}, catalogue.ErrInvalidType},
		{"a type without the documented fields", []catalogue.AnyDefinition{catalogue.Define[book]("events", catalogue.Options{})}, ordering.ErrUnknownField},
	} {
		if c, err := resources.New(row.definitions...); c != nil || !errors.Is(err, row.want) {
			t.Errorf("%s: error %v, want %v", row.reason, err, row.want)
		}
	}
}

// TestAmounts checks that open records order amounts by value.
func TestAmounts(t *testing.T) {
	c, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Load(strings.NewReader(`{"carts":[{"id":1,"total":"9.50"},{"id":2,"total":"10.00"}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	carts, err := resources.Records("carts").In(c)
	if err != nil {
		t.Fatal(err)
	}
	first, err := carts.Where().First(ordering.Asc("total"))
	if err != nil || first.ID != 1 {
		t.Errorf("first %v, %v, want id 1", first, err)
	}
}
