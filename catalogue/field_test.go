package catalogue_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// A login is a text whose type decides that it compares without regard to case.
type login string

func (l login) OrderingKey() sortkey.Key { return sortkey.Fold(string(l)) }

type (
	mailbox struct {
		ID    int    `json:"id"`
		Email string `json:"email" backlist:"unique,fold"`
	}
	user struct {
		Login login  `json:"login" backlist:"key"`
		Home  int    `json:"home"`
		Code  string `json:"code" backlist:"blank"`
	}
	message struct {
		ID   int      `json:"id"`
		To   string   `json:"to" backlist:"refers=mailboxes.email"`
		Copy []string `json:"copy" backlist:"refers=mailboxes.email"`
		By   string   `json:"by" backlist:"refers=accounts"`
	}
	tray struct {
		ID   int     `json:"id"`
		Mail *string `json:"mail" backlist:"refers=mailboxes.email,ondelete=setnull"`
	}
)

// mail returns definitions of collections whose texts compare without regard to case.
func mail() []catalogue.AnyDefinition {
	filters := func(names ...string) catalogue.Options {
		return catalogue.Options{Description: &schema.Description{Filters: names}}
	}
	return []catalogue.AnyDefinition{
		catalogue.Define[mailbox]("mailboxes", filters("email", "email__in", "email__gt", "email__startswith")),
		catalogue.Define[user]("accounts", catalogue.Options{Description: &schema.Description{
			Filters: []string{"login", "login__in", "login__gt", "login__startswith", "login__contains"}, Search: []string{"^login", "code"},
		}}),
		catalogue.DefineBare[message]("messages", filters("to", "copy", "by", "to__id", "by__home")),
		catalogue.DefineBare[tray]("trays", filters("mail")),
	}
}

const mailData = `{
	"mailboxes":[{"id":1,"email":"bob@x.example"},{"id":2,"email":"Ann@x.example"},{"id":3,"email":"carl@x.example"}],
	"accounts":[{"login":"bob","home":1,"code":""},{"login":"Ann","home":2,"code":"b"},{"login":"carl","home":3,"code":""}],
	"messages":[{"id":1,"to":"ANN@x.example","copy":["BOB@x.example"],"by":"BOB"},{"id":2,"to":"bob@x.example","copy":[],"by":"ann"}],
	"trays":[{"id":1,"mail":"CARL@x.example"}]}`

// idsWhere returns the ids, or the keys, of the records that a filter selects.
func idsWhere(t *testing.T, c *catalogue.Catalogue, key, filter, order string) string {
	t.Helper()
	params, _ := url.ParseQuery(filter)
	coll := collectionOf(t, c, key)
	list := mustHave(coll.List(t.Context(), catalogue.Query{Filter: filterOf(t, coll, params), Terms: ordering.Parse(order, nil)}))
	var ids []string
	for _, record := range list.Records {
		id, _, _ := strings.Cut(strings.TrimLeft(string(record), `{"idlogn:`), ",")
		ids = append(ids, strings.Trim(id, `"`))
	}
	return strings.Join(ids, " ")
}

// TestTimesCompareByTheMicrosecond: what requests write and show has no nanoseconds, so that no
// cursor, filter or condition tells times apart that differ only there.
func TestTimesCompareByTheMicrosecond(t *testing.T) {
	type entry struct {
		ID int       `json:"id"`
		At time.Time `json:"at"`
	}
	entries := catalogue.Define[entry]("entries", catalogue.Options{Description: &schema.Description{Filters: []string{"at", "at__gt", "at__lte", "at__time", "at__hour", "at__date", "at__date__gt"}}})
	c := mustCatalogue(t, entries)
	typed := mustIn(entries, c)
	at := time.Date(2026, 11, 27, 12, 0, 0, 123456789, time.UTC)
	for _, later := range []time.Duration{100, 0, time.Microsecond} {
		must(t, second(typed.Insert(entry{At: at.Add(later).In(time.FixedZone("", 2*60*60))}))) // filters compare in UTC
	}
	const shown = "2026-11-27T12:00:00.123456789Z"
	for _, row := range []struct{ filter, order, want, reason string }{
		{"", "at", "1 2 3", "ties in a microsecond break by id"},
		{"at=" + shown, "", "1 2", "the value that is shown"},
		{"at__gt=" + shown, "", "3", "greater"},
		{"at__lte=" + shown, "", "1 2", "at most"},
		{"at__time=12:00:00.123456", "", "1 2", "the time of the day"},
		{"at__hour=12", "", "1 2 3", "its hour"},
		{"at__date=2026-11-27", "", "1 2 3", "the day"},
		{"at__date__gt=2026-11-27", "", "", "the days after it"},
	} {
		if got := idsWhere(t, c, "entries", row.filter, row.order); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
	page, err := typed.Where(ordering.Equal("at", at)).Page(pagination.Window{})
	if diff := cmp.Diff([]time.Time{at.Add(100), at}, []time.Time{page.Records[0].At, page.Records[1].At}); diff != "" || err != nil {
		t.Errorf("records keep the nanoseconds (-want +got):\n%s%v", diff, err)
	}
}

// TestTwoMembersWithOneName: an open record cannot have two members that are one field. Of two in
// an object inside it, orders and conditions read the one in camelCase or, without it, the first.
func TestTwoMembersWithOneName(t *testing.T) {
	c := mustCollection[schema.Record](t, catalogue.Options{})
	for _, row := range []struct{ members, err string }{
		{`"unit_price":9,"unitPrice":1`, `the name of both "unit_price" and "unitPrice" is "unit_price" in snake_case: rename one`},
		{`"line1":1,"a":2,"line_1":3`, `"line1" and "line_1"`},
		{`"URL":1,"url":2`, `"URL" and "url"`},
		{"\"\u212a\":1,\"k\":2", "\"\u212a\" and \"k\""}, // the sign of Kelvin, in lower case
		{`"_x":1,"x":2`, `"_x" and "x"`},
		{`"ab":1,"aB":2,"a_b":3`, `"aB" and "a_b"`},
		{`"_id":1,"Id":2,"ID":3,"_":4,"__":5,"ab":6,"aB":7,"é":8`, ""},
	} {
		err := c.Load(strings.NewReader(`[{"id":1},{"id":2,`+row.members+`}]`), catalogue.LoadOptions{})
		_, inserted := c.Insert(mustRecord("{" + row.members + "}"))
		for _, err := range []error{err, inserted} {
			if row.err == "" && err != nil || row.err != "" && (!errors.Is(err, catalogue.ErrInvalid) || !strings.Contains(err.Error(), row.err)) {
				t.Errorf("%s: %v, want ErrInvalid with %s", row.members, err, row.err)
			}
		}
		if row.err != "" && c.Count() > 0 {
			t.Errorf("%s: %d records are stored", row.members, c.Count())
		}
	}
	must(t, c.Load(strings.NewReader(`[{"id":1,"unitPrice":1},{"id":2,"unitPrice":2},{"id":3,"Unit_price":3},
		{"id":4,"in":{"unit_price":null,"unitPrice":4}},{"id":5,"in":{"Unit_price":null,"unit_price":5}}]`), catalogue.LoadOptions{}))
	for _, row := range []struct {
		c    ordering.Condition
		by   string
		want []int
	}{
		{ordering.AtLeast("unit_price", 1), "unit_price", []int{1, 2, 3}},
		{ordering.Equal("unit_price", 9), "", nil},
		{ordering.AtLeast("in__unit_price", 4), "-in__unit_price", []int{4}},
		{ordering.IsNull("in__unit_price"), "-unit_price", []int{5, 3, 2, 1}},
	} {
		page := mustHave(c.Where(row.c).View(pagination.Window{}, ordering.Parse(row.by, nil)...))
		equal(t, fmt.Sprintf("%v by %q", row.c, row.by), row.want, idsOf(t, page))
	}
}

// A search in a field of another collection does not allocate in proportion to its words
// and to the records of that collection.
func TestSearchAllocates(t *testing.T) {
	cat := ownTyped(t)
	directors := mustIn(catalogue.Define[ownDirector]("directors", ownOptions[ownDirector](t, "directors")), cat)
	films := mustIn(catalogue.Define[ownFilm]("films", ownOptions[ownFilm](t, "films")), cat)
	var words []string
	for i := range 100 {
		words = append(words, fmt.Sprint(i))
	}
	name := strings.Join(words, " ")
	must(t, directors.ReplaceAll(func(yield func(ownDirector) bool) {
		for i := 0; i < 2000 && yield(ownDirector{ID: i + 1, Name: name, Slug: fmt.Sprint("s", i)}); i++ {
		}
	}))
	for i := range 10 {
		must(t, second(films.Insert(ownFilm{ID: i + 1, Slug: fmt.Sprint("f", i), Price: "1.00", Status: "released", Director: 1 + i})))
	}
	c, params := collectionOf(t, cat, "films"), url.Values{"search": {name}}
	search := func() {
		if count, _, err := listed(c.List(t.Context(), catalogue.Query{Filter: filterOf(t, c, params), Window: pagination.Window{Limit: 1}})); count != 10 || err != nil {
			t.Fatalf("%d records, error %v", count, err)
		}
	}
	// 100 maps of 2,000 ids are some 8 MB.
	if size := allocated(search); size > 200_000 {
		t.Errorf("a search for %d words allocates %d bytes", len(words), size)
	}
}

// A searched is a record of the tests of searches, with text, numbers and times.
type searched struct {
	ID      int       `json:"id"`
	Name    string    `json:"name" backlist:"blank"`
	Note    *string   `json:"note"`
	Number  int       `json:"number"`
	Price   string    `json:"price" backlist:"decimal=6.2"`
	At      time.Time `json:"at"`
	Secret  string    `json:"secret" backlist:"hidden,blank"`
	Folded  string    `json:"folded" backlist:"fold,blank"`
	Friends []int     `json:"friends" backlist:"refers=records"`
}

// spelledAny returns a text of letters of which some have another length in upper case, or no other
// case.
func spelledAny(r *rand.Rand, most int) string {
	letters := []string{"a", "b", "A", "B", "ß", "ẞ", "ı", "i", "I", "ſ", "s", "\u212a", "k", "ǆ", "ⱥ", "Ⱥ", "é", "É", "日", "\x00", "\ufffd", " ", "0", "7", "."}
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

func newSearched(r *rand.Rand, id int) searched {
	s := searched{ID: id, Name: spelledAny(r, 8), Number: r.IntN(1000), Price: fmt.Sprintf("%d.%02d", r.IntN(99), r.IntN(100)), Secret: spelledAny(r, 4), Folded: spelledAny(r, 4)}
	s.At = time.Date(2000+r.IntN(30), 1, 1+r.IntN(300), r.IntN(24), 0, 0, 0, time.UTC)
	if r.IntN(3) > 0 {
		note := spelledAny(r, 8)
		s.Note = &note
	}
	for range r.IntN(3) {
		s.Friends = append(s.Friends, 1+r.IntN(9))
	}
	return s
}

// randomTests returns tests of texts, in any letters and in the same.
func randomTests(r *rand.Rand, n int) (tests []schema.Test) {
	for range n {
		t := schema.Test{Field: []string{"name", "note", "number", "price", "at", "secret", "folded", "friends", "id"}[r.IntN(9)]}
		t.Lookup = []string{"icontains", "icontains", "icontains", "istartswith", "iendswith", "iexact", "contains", "startswith", "endswith"}[r.IntN(9)]
		t.Values = []string{spelledAny(r, 2)}
		if r.IntN(9) == 0 {
			t.Values[0] += "\xff" // no text has it
		}
		if r.IntN(8) == 0 {
			t.Values = append(t.Values, spelledAny(r, 1))
		}
		if t.Lookup == "startswith" { // of texts only, and of one value
			t.Field, t.Values = []string{"name", "note", "folded"}[r.IntN(3)], t.Values[:1]
		}
		if r.IntN(8) == 0 {
			t.Lookup, t.Values = "isnull", []string{"true"}
		}
		tests = append(tests, t)
	}
	return tests
}

// recordByRecord returns the filter with functions, which are called with the text of each record.
func recordByRecord(f schema.Filter) schema.Filter {
	each := func(tests []schema.Test) []schema.Test {
		tests = slices.Clone(tests)
		for i, t := range tests {
			if t.Lookup != "isnull" && t.Field != "friends" {
				tests[i].Match = t.MatchesText
			}
		}
		return tests
	}
	f.Tests, f.Search = each(f.Tests), slices.Clone(f.Search)
	for i := range f.Search {
		f.Search[i] = each(f.Search[i])
	}
	return f
}

// TestSearchInTexts compares searches, which read the texts beside the index, with the same tests of each
// record, between random writes, in a snapshot and in a clone, of structs and of open records.
func TestSearchInTexts(t *testing.T) {
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		def := catalogue.Define[searched]("records", catalogue.Options{})
		cat := mustHave(catalogue.New(def))
		records := mustIn(def, cat)
		n := []int{40, 700}[seed]
		for id := 1; id <= n; id++ {
			must(t, second(records.Insert(newSearched(r, id))))
		}
		compare := func(what string, c catalogue.AnyCollection) {
			t.Helper()
			q := catalogue.Query{Window: pagination.Window{Limit: 5, Offset: r.IntN(9)}}
			q.Filter.Tests = randomTests(r, r.IntN(2))
			for range r.IntN(3) {
				q.Filter.Search = append(q.Filter.Search, randomTests(r, 1+r.IntN(2)))
			}
			if r.IntN(2) == 0 {
				q.Terms = []ordering.Term{{Field: []string{"name", "number", "id"}[r.IntN(3)], Desc: r.IntN(2) == 0}}
			}
			got, err := c.List(t.Context(), q)
			plain := q
			plain.Filter = recordByRecord(q.Filter)
			want, err2 := c.List(t.Context(), plain)
			if fmt.Sprint(err) != fmt.Sprint(err2) || got.Count != want.Count || !slices.EqualFunc(got.Records, want.Records, func(a, b []byte) bool { return string(a) == string(b) }) {
				t.Fatalf("%s: %q %q by %v: %d %s %v, want %d %s %v", what, q.Filter.Tests, q.Filter.Search, q.Terms, got.Count, got.Records, err, want.Count, want.Records, err2)
			}
			groups := [][]schema.Test{randomTests(r, 1), nil}
			counts, err := c.Counts(t.Context(), q.Filter, groups)
			equal(t, fmt.Sprint(what, " Counts: ", err), want.Count, append(counts, -1, want.Count)[len(counts)/2])
		}
		for range 60 {
			snapshot, clone := cat.Snapshot(), cat.Clone()
			for range r.IntN(1 + n/8) {
				if id := 1 + r.IntN(n); r.IntN(4) == 0 {
					_ = records.Delete(id)
				} else {
					must(t, second(records.Upsert(newSearched(r, id))))
				}
			}
			for range 4 {
				compare("the catalogue", collectionOf(t, cat, "records"))
				compare("a snapshot", collectionOf(t, snapshot, "records"))
				compare("a clone", collectionOf(t, clone, "records"))
			}
		}
	}
}
