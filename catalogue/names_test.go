package catalogue_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// country has members whose names are not in snake_case, nor what [ordering.Camel] makes of that.
type country struct {
	Serial int     `json:"id"`
	CCA3   string  `json:"cca3" backlist:"unique"`
	Gross  int     `json:"US Gross"`
	Price  float64 `json:"unitPrice"`
	Head   struct {
		Born int `json:"bornIn2"`
	} `json:"head"`
}

// TestNamesInJSON names the fields of structs and of open records as they are written in JSON, in
// whatever takes the name of a field in Go. The answers are those for the names in snake_case.
func TestNamesInJSON(t *testing.T) {
	const data = `[{"id":1,"cca3":"ZWE","US Gross":3,"unitPrice":2.5,"head":{"bornIn2":7}},
		{"id":2,"cca3":"AFG","US Gross":1,"unitPrice":3.5,"head":{"bornIn2":9}},
		{"id":3,"cca3":"NLD","US Gross":2,"unitPrice":1.5,"head":{"bornIn2":8}}]`
	names := func(c catalogue.Options) catalogue.Options {
		c.Ordering = ordering.Parse("-US Gross", nil)
		c.Indexes = [][]ordering.Term{{ordering.Asc("unitPrice"), ordering.Asc("US Gross")}}
		c.Unique = [][]string{{"US Gross", "unitPrice"}, {"cca3"}}
		return c
	}
	t.Run("structs", func(t *testing.T) { testNames(t, mustCollection[country](t, names(catalogue.Options{})), data) })
	t.Run("open", func(t *testing.T) {
		testNames(t, mustCollection[schema.Record](t, names(catalogue.Options{})), data)
	})
}

func testNames[T any](t *testing.T, c *catalogue.Collection[T], data string) {
	must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	checkAtEnd(t, c)
	for _, row := range []struct {
		where []ordering.Condition
		by    string
		want  []int
	}{
		{nil, "", []int{1, 3, 2}},
		{nil, "cca3", []int{2, 3, 1}},
		{nil, "-cca_3", []int{1, 3, 2}},
		{nil, "unitPrice,unit_price,-id", []int{3, 1, 2}},
		{nil, "-head__bornIn2", []int{2, 3, 1}},
		{[]ordering.Condition{ordering.Equal("cca3", "AFG")}, "id", []int{2}},
		{[]ordering.Condition{ordering.AtLeast("US Gross", 2), ordering.AtMost("us _gross", 2)}, "id", []int{3}},
		{[]ordering.Condition{ordering.Greater("head__bornIn2", 7)}, "-unitPrice", []int{2, 3}},
	} {
		page := mustHave(c.Where(row.where...).View(pagination.Window{}, ordering.Parse(row.by, nil)...))
		equal(t, ordering.Format(ordering.Parse(row.by, nil)), row.want, idsOf(t, page))
		records, next, err := c.Where(row.where...).PageAfter("", 2, ordering.Parse(row.by, nil)...)
		must(t, err)
		more, _, err := c.Where(row.where...).PageAfter(next, 2, ordering.Parse(row.by, nil)...)
		if got := len(records) + len(more); err != nil || next != "" && got != len(row.want) {
			t.Errorf("by %q: a walk has %d records, %v, want %d", row.by, got, err, len(row.want))
		}
	}
	for _, name := range []string{"cca3", "cca_3"} {
		if _, err := c.By(name).Get("NLD"); err != nil {
			t.Errorf("By(%s): %v", name, err)
		}
	}
	counts := mustHave(c.Where().Counts("unitPrice"))
	n := 0
	for range counts {
		n++
	}
	equal(t, "Counts", 3, n)
	if _, err := c.Where(ordering.Equal("cca4", "AFG")).Count(); err == nil || !strings.HasSuffix(err.Error(), "did you mean cca_3?") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestNamesInDefinitions: a description has all names in snake_case, whatever the options have.
func TestNamesInDefinitions(t *testing.T) {
	d := catalogue.Define[country]("countries", catalogue.Options{Ordering: ordering.Parse("-US Gross,cca3", nil), Unique: [][]string{{"unitPrice", "US Gross"}}})
	c := mustHave(catalogue.New(d))
	about := collectionOf(t, c, "countries").Description()
	equal(t, "Ordering", ordering.Parse("-us _gross,cca_3", nil), about.Ordering)
	equal(t, "Unique", [][]string{{"unit_price", "us _gross"}}, about.Unique)
}

// TestNamesInQueries names fields as they are written in JSON in whatever takes a Query. The answers,
// and the tokens, are those for the names in snake_case.
func TestNamesInQueries(t *testing.T) {
	type visit struct {
		ID        int `json:"id"`
		UnitPrice int `json:"unitPrice"`
		MadeIn    int `json:"madeIn" backlist:"refers=countries"`
	}
	const data = `{"countries":[{"id":1,"cca3":"ZWE","US Gross":3,"unitPrice":2.5,"head":{"bornIn2":7}},
		{"id":2,"cca3":"AFG","US Gross":1,"unitPrice":3.5,"head":{"bornIn2":9}},{"id":3,"cca3":"NLD","US Gross":2,"unitPrice":1.5,"head":{"bornIn2":8}}],
		"visits":[{"id":1,"unitPrice":3,"madeIn":1},{"id":2,"unitPrice":1,"madeIn":2},{"id":3,"unitPrice":2,"madeIn":3}]}`
	for _, open := range []bool{false, true} {
		for _, sortable := range []map[string][]string{nil, {
			"countries": {"unit_price", "us _gross", "cca_3", "head__born_in_2"},
			"visits":    {"unit_price", "made_in", "made_in__cca_3", "made_in__head__born_in_2"},
		}} {
			set := func(d *schema.Description) { d.Sortable = sortable[d.Key] }
			c := mustCatalogue(t, definitionOf[country](t, "countries", open, set), definitionOf[visit](t, "visits", open, set))
			must(t, c.Load(strings.NewReader(data), catalogue.LoadOptions{}))
			for _, row := range []struct {
				key, by, snake string
				where          schema.Test
				want           []int
			}{
				{"countries", "unitPrice", "unit_price", schema.Test{}, []int{3, 1, 2}},
				{"countries", "-cca3", "-cca_3", schema.Test{}, []int{1, 3, 2}},
				{"countries", "US Gross", "us _gross", schema.Test{Field: "unitPrice", Lookup: "gt", Values: []string{"2"}}, []int{2, 1}},
				{"countries", "head__bornIn2", "head__born_in_2", schema.Test{Field: "head__bornIn2", Lookup: "lt", Values: []string{"9"}}, []int{1, 3}},
				{"visits", "unitPrice,unit_price", "unit_price", schema.Test{Field: "madeIn", Lookup: "in", Values: []string{"1", "2"}}, []int{2, 1}},
				{"visits", "madeIn__cca3", "made_in__cca_3", schema.Test{Field: "madeIn__unitPrice", Lookup: "gt", Values: []string{"2"}}, []int{2, 1}},
				{"visits", "-made_in__head__bornIn2", "-made_in__head__born_in_2", schema.Test{Field: "made_in__US Gross", Lookup: "exact", Values: []string{"1"}}, []int{2}},
			} {
				if sortable == nil && strings.Contains(row.by, "__") {
					continue // fields inside others must be in Sortable
				}
				what := fmt.Sprintf("open %t, sortable %t, %s by %s", open, sortable != nil, row.key, row.by)
				coll, q := collectionOf(t, c, row.key), catalogue.Query{Terms: ordering.Parse(row.by, nil)}
				if row.where.Field != "" {
					q.Filter.Tests = []schema.Test{row.where}
				}
				list := mustHave(coll.List(t.Context(), q))
				equal(t, what, row.want, idsIn(t, list.Records))
				var scanned [][]byte
				for record, err := range coll.All(t.Context(), q) {
					must(t, err)
					scanned = append(scanned, record)
				}
				equal(t, what+": All", row.want, idsIn(t, scanned))
				counts := mustHave(coll.Counts(t.Context(), q.Filter, [][]schema.Test{{}}))
				equal(t, what+": Counts", []int{len(row.want)}, counts)
				q.Place = &pagination.Place{Window: pagination.Window{Limit: 1}}
				first := mustHave(coll.List(t.Context(), q))
				q.Terms, q.Place.Token, q.Place.Limit = ordering.Parse(row.snake, nil), first.Token(0), 9
				rest := mustHave(coll.List(t.Context(), q))
				equal(t, what+": a walk", row.want, append(idsIn(t, first.Records), idsIn(t, rest.Records)...))
			}
		}
	}
}

// idsIn returns the ids in the JSON of records.
func idsIn(t *testing.T, records [][]byte) (ids []int) {
	t.Helper()
	for _, r := range records {
		ids = append(ids, idIn(t, r))
	}
	return ids
}
