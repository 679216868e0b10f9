package catalogue_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

type (
	spot struct {
		Lat int     `json:"lat"`
		Alt *int    `json:"alt"`
		Geo float64 `json:"geoHash"`
	}
	location struct {
		City   string `json:"city"`
		Postal int    `json:"postalCode"`
		Place  *spot  `json:"place"`
	}
	buyer struct {
		ID    int       `json:"id"`
		Home  location  `json:"homeAddress"`
		Work  *location `json:"work"`
		Price string    `json:"price"`
		Lines []spot    `json:"lines"`
	}
)

const buyersData = `[
{"id":1,"homeAddress":{"city":"Bonn","postalCode":53111,"place":null},"work":null,"price":"","lines":[]},
{"id":2,"homeAddress":{"city":"Rome","postalCode":100,"place":{"lat":41,"alt":null,"geoHash":2.5}},"work":{"city":"Zug","postalCode":6300,"place":null},"price":"","lines":[]},
{"id":3,"homeAddress":{"city":"","postalCode":-1,"place":{"lat":41,"alt":7,"geoHash":-1}},"work":{"city":"Bonn","postalCode":53113,"place":{"lat":50,"alt":60,"geoHash":0}},"price":"","lines":[]},
{"id":4,"homeAddress":{"city":"Bonn","postalCode":53111,"place":{"lat":-3,"alt":0,"geoHash":1}},"work":null,"price":"","lines":[]}]`

// idsOf returns the ids of the records in a view.
func idsOf[T any](t *testing.T, v catalogue.View[T]) (list []int) {
	for i := range v.Len() {
		record := mustHave(v.JSON(i))
		list = append(list, idIn(t, record))
	}
	return list
}

func second[V any](_ V, err error) error { return err }

// The member of an open record that has the whole name takes precedence over the object.
func TestNestedNamesOfOpenRecords(t *testing.T) {
	for _, row := range []struct{ reason, record, name, want string }{
		{"in an object", `{"a":{"b":1}}`, "a__b", "1"},
		{"in an object in an object", `{"a":{"x":2,"b":{"c":1}}}`, "a__b__c", "1"},
		{"camelCase names", `{"someThing":{"otherPart":1}}`, "some_thing__other_part", "1"},
		{"snake_case names", `{"some_thing":{"other_part":1}}`, "some_thing__other_part", "1"},
		{"both forms of a name", `{"a":{"other_part":1,"otherPart":2}}`, "a__other_part", "2"},
		{"escapes in a name", `{"a":{"x\"y":3,"\u0062":1}}`, "a__b", "1"},
		{"the member id of an object", `{"a":{"id":"x"}}`, "a__id", `"x"`},
		{"a member with the name", `{"a__b":1,"a":{"b":2}}`, "a__b", "1"},
		{"a member with the name in camelCase", `{"a":{"b":2},"a_B":1}`, "a__b", "1"},
		{"a member with the rest of the name", `{"a":{"b":{"c":2},"b__c":1}}`, "a__b__c", "1"},
		{"null in a member with the name", `{"a__b":null,"a":{"b":2}}`, "a__b", "null"},
		{"no such member", `{"a":{"c":1}}`, "a__b", "null"},
		{"null", `{"a":null}`, "a__b", "null"},
		{"a list", `{"a":[{"b":1}]}`, "a__b", "null"},
		{"text", `{"a":"{\"b\":1}"}`, "a__b", "null"},
		{"names as in JSON", `{"someThing":{"_id":1}}`, "someThing___id", "1"},
		{"a name that begins with underscores", `{"__typename":"Film"}`, "__typename", `"Film"`},
		{"an empty part", `{"a":{"":{"b":1}}}`, "a____b", "1"},
	} {
		c := mustCollection[schema.Record](t, catalogue.Options{})
		must(t, second(c.Insert(mustRecord(row.record))))
		want := ordering.IsNull(row.name)
		if row.want != "null" {
			var value any
			must(t, json.Unmarshal([]byte(row.want), &value))
			want = ordering.Equal(row.name, value)
		}
		if n, err := c.Where(want).Count(); err != nil || n != 1 {
			t.Errorf("%s: %s is not %s in %s (%v)", row.reason, row.name, row.want, row.record, err)
		}
	}
}

// Requests order records by nested fields only if the description lists them.
func TestRequestsForNestedFields(t *testing.T) {
	fields := []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "work", Kind: schema.JSON, Nullable: true}}
	for _, row := range []struct {
		reason     string
		definition catalogue.AnyDefinition
		order      string
		want       []int
	}{
		{"fields of a struct", catalogue.Define[buyer]("buyers", catalogue.Options{}), "-work__city,-price", []int{4, 3, 2, 1}},
		{"a struct", catalogue.Define[buyer]("buyers", catalogue.Options{}), "work", []int{3, 2, 1, 4}},
		{"a field of a struct that is listed", catalogue.Define[buyer]("buyers", catalogue.Options{
			Description: &schema.Description{Sortable: []string{"work__city"}},
		}), "work__postal_code,-work__city,-price,id", []int{1, 4, 2, 3}},
		{"open records", catalogue.Define[schema.Record]("buyers", catalogue.Options{}), "-work__city,-price", []int{4, 3, 2, 1}},
		{"open records with an index", catalogue.Define[schema.Record]("buyers", catalogue.Options{
			Indexes: [][]ordering.Term{{ordering.Asc("work__city")}}, Unique: [][]string{{"work__place__lat"}},
		}), "-work__city,work__place__lat,-price", []int{4, 3, 2, 1}},
		{"described open records", catalogue.Define[schema.Record]("buyers", catalogue.Options{
			Description: &schema.Description{Fields: fields},
		}), "-work__city,work,id", []int{3, 2, 1, 4}},
		{"a hidden field", catalogue.Define[schema.Record]("buyers", catalogue.Options{
			Description: &schema.Description{Fields: []schema.Field{fields[0], {Name: "price", Kind: schema.Text, Hidden: true}}},
		}), "-price", []int{1, 2, 3, 4}},
		{"open records with a list", catalogue.Define[schema.Record]("buyers", catalogue.Options{
			Description: &schema.Description{Fields: fields, Sortable: []string{"work__city"}},
		}), "price,-work__city", []int{4, 1, 2, 3}},
	} {
		cat := mustCatalogue(t, row.definition)
		must(t, cat.Load(strings.NewReader(`{"buyers":`+buyersData+`}`), catalogue.LoadOptions{}))
		list := mustHave(collectionOf(t, cat, "buyers").List(t.Context(), catalogue.Query{Terms: ordering.Parse(row.order, nil)}))
		equal(t, row.reason, row.want, idsIn(t, list.Records))
	}
}

// An invoice has nested fields of each kind that filters compare by another value than its text.
type (
	invoice struct {
		ID      int      `json:"id"`
		Billing billing  `json:"billingInfo"`
		Ship    *billing `json:"ship"`
	}
	billing struct {
		Total string          `json:"total" backlist:"decimal=8.2"`
		Due   time.Time       `json:"due"`
		Paid  schema.DateTime `json:"paidAt"`
		Name  string          `json:"name"`
		Open  bool            `json:"open"`
	}
)

const invoicesData = `[
{"id":1,"billingInfo":{"total":"9.50","due":"2024-05-01T00:00:00Z","paidAt":"2024-05-01T02:00:00+02:00","name":"Straße","open":true},"ship":null},
{"id":2,"billingInfo":{"total":"10.00","due":"2024-05-02T00:00:00Z","paidAt":"2024-04-30T23:00:00Z","name":"Ada","open":false},
 "ship":{"total":"-1.00","due":"2024-05-01T00:00:00Z","paidAt":"2024-05-01T00:00:00Z","name":"Bob","open":true}},
{"id":3,"billingInfo":{"total":"010.0","due":"2024-05-01T02:00:00+02:00","paidAt":"2024-05-01T00:00:00Z","name":"bo","open":true},"ship":null}]`

// TestNilLists checks that a nil list is stored as an empty one wherever it is and whatever writes it,
// so that a client can send it back, and that the program's value does not change.
func TestNilLists(t *testing.T) {
	type Box struct {
		Tags  []string        `json:"tags"`
		Sizes map[string]int  `json:"sizes"`
		Maybe *[]int          `json:"maybe"`
		Raw   json.RawMessage `json:"raw"`
	}
	type crate struct {
		ID     int            `json:"id"`
		Tags   []string       `json:"tags"`
		Others []int          `json:"others" backlist:"refers=crates"`
		Box    Box            `json:"box"`
		Other  *Box           `json:"other"`
		Boxes  []Box          `json:"boxes"`
		Named  map[string]Box `json:"named"`
		Points []*Box         `json:"points"`
	}
	defined := catalogue.Define[crate]("crates", catalogue.Options{})
	cat := mustCatalogue(t, defined)
	crates, served := mustIn(defined, cat), collectionOf(t, cat, "crates")
	empty := func() crate {
		return crate{ID: 1, Other: &Box{}, Boxes: []Box{{}}, Named: map[string]Box{"a": {}}, Points: []*Box{{}}}
	}
	const box = `{"tags":[],"sizes":{},"maybe":null,"raw":null}`
	const want = `{"id":1,"tags":[],"others":[],"box":` + box + `,"other":` + box + `,"boxes":[` + box + `],"named":{"a":` + box + `},"points":[` + box + `]}`
	given := empty()
	for _, row := range []struct {
		reason string
		write  func() error
	}{
		{"Insert", func() error { _, err := crates.Insert(given); return err }},
		{"Update", func() error { return crates.Update(1, func(c *crate) error { *c = given; return nil }) }},
		{"ReplaceAll", func() error { return crates.ReplaceAll(slices.Values([]crate{given})) }},
		{"a load of null", func() error {
			return crates.Load(strings.NewReader(`[`+strings.NewReplacer("[]", "null", `"sizes":{}`, `"sizes":null`).Replace(want)+`]`), catalogue.LoadOptions{})
		}},
		{"a load of absent members", func() error {
			return crates.Load(strings.NewReader(`[{"id":1,"other":{},"boxes":[{}],"named":{"a":{}},"points":[{}]}]`), catalogue.LoadOptions{})
		}},
	} {
		must(t, row.write())
		record := mustHave(served.Get(t.Context(), "1", schema.Filter{}))
		equal(t, row.reason, want, string(record))
		again := mustHave(served.Update(t.Context(), "1", catalogue.Edit{Body: record}))
		equal(t, "a PUT after "+row.reason, want, string(again))
		stored, err := crates.Get(1)
		if err != nil || stored.Boxes[0].Tags == nil || stored.Named["a"].Sizes == nil {
			t.Errorf("%s: stored %+v, %v", row.reason, stored, err)
		}
	}
	equal(t, "the program's value", empty(), given)
}

// filterInvoices describes all filters of all nested fields.
func filterInvoices(about *schema.Description) {
	about.Search = []string{"^billing_info__name", "ship__name"}
	about.Sortable = []string{"billing_info__total"}
	for _, f := range schema.Nested(about.Fields) {
		for _, lookup := range []string{"", "__in", "__gt", "__lte", "__range", "__isnull", "__istartswith", "__icontains"} {
			if _, _, err := about.Parameter(f.Name + lookup); err == nil {
				about.Filters = append(about.Filters, f.Name+lookup)
			}
		}
	}
}

// Structs that point to each other, as those of API clients do: each has a member of each type.
type (
	mutual struct {
		ID int `json:"id"`
		others
	}
	others struct {
		N int                 `json:"n"`
		A *mutualA            `json:"a"`
		B []mutualB           `json:"b"`
		C map[string]*mutualC `json:"c"`
		D *mutualD            `json:"d"`
		E *mutualE            `json:"e"`
		F *mutualF            `json:"f"`
		G *mutualG            `json:"g"`
		H *mutualH            `json:"h"`
	}
	mutualA struct{ others }
	mutualB struct{ others }
	mutualC struct{ others }
	mutualD struct{ others }
	mutualE struct{ others }
	mutualF struct{ others }
	mutualG struct{ others }
	mutualH struct{ others }
)

// Three structs of which each contains the next.
type (
	writer struct {
		ID      int   `json:"id"`
		Country *land `json:"country"`
	}
	land struct {
		Name    string  `json:"name"`
		Capital *writer `json:"capital"`
		Region  *region `json:"region"`
	}
	region struct {
		Name string `json:"name"`
		Main *land  `json:"main"`
	}
)

// twice[T] has two members of the type T, so that the last of n such types contains the first 2ⁿ times.
type twice[T any] struct {
	L *T `json:"l"`
	R *T `json:"r"`
}

type (
	four    = twice[twice[struct{ N int }]]
	sixteen = twice[twice[four]]
	many    = twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[twice[sixteen]]]]]]]]]]]]
	deep    struct {
		ID int  `json:"id"`
		In many `json:"in"`
	}
)

// TestDepth describes records with structs inside structs, and stores one.
func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		reason string
		define func(t *testing.T) schema.Description
		want   map[string]schema.Kind
	}{
		{"structs that point to each other would have 8! paths", storedAndDescribed(mutual{ID: 1, others: others{A: &mutualA{others{N: 2}}}}), map[string]schema.Kind{
			"a": schema.Object, "a__n": schema.Integer, "a__d__n": schema.Integer, "a__d__e": schema.JSON, "a__d__d": schema.JSON, "h__a__n": schema.Integer,
		}},
		{"a cycle of three structs is small", storedAndDescribed(writer{ID: 1, Country: &land{Name: "Italy"}}), map[string]schema.Kind{
			"country__name": schema.Text, "country__capital": schema.JSON, "country__region__name": schema.Text, "country__region__main": schema.JSON,
		}},
		{"structs with 2¹⁶ paths", storedAndDescribed(deep{ID: 1, In: many{}}), map[string]schema.Kind{
			"in__l__l__l__l__l__l__l": schema.Object, "in__r__r__r__r__r__r__r__r__r": schema.JSON,
		}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			d := tt.define(t)
			kinds, n := map[string]schema.Kind{}, 0
			for _, f := range append(schema.Nested(d.Fields), d.Fields...) {
				n++
				if _, asked := tt.want[ordering.Snake(f.Name)]; asked {
					kinds[ordering.Snake(f.Name)] = f.Kind
				}
			}
			equal(t, "kinds", tt.want, kinds)
			if n > 2000 {
				t.Errorf("%d fields, want at most 2000", n)
			}
		})
	}
}

// storedAndDescribed returns a function that stores a record and returns the description of its type.
func storedAndDescribed[T any](record T) func(t *testing.T) schema.Description {
	return func(t *testing.T) schema.Description {
		records := catalogue.Define[T]("records", catalogue.Options{})
		cat := mustHave(catalogue.New(records))
		c := mustHave(records.In(cat))
		must(t, second(c.Insert(record)))
		got, err := c.Get(1)
		if diff := cmp.Diff(record, got, cmp.AllowUnexported(mutual{}, mutualA{}), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}
		served, _ := cat.Collection("records")
		return served.Description()
	}
}
