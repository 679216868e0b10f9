package catalogue_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

type pressing struct {
	ID         int    `json:"id"`
	Slug       string `json:"slug"`
	ReleasedOn string `json:"releasedOn"`
	Price      string `json:"price"`
}

// TestInvalidOptionMessages checks that the error names the option and the remedy.
func TestInvalidOptionMessages(t *testing.T) {
	index := func(orders ...string) catalogue.Options {
		opts := catalogue.Options{Name: "films"}
		for _, order := range orders {
			opts.Indexes = append(opts.Indexes, ordering.Parse(order, nil))
		}
		return opts
	}
	for _, test := range []struct {
		why  string
		err  error
		is   error
		want string
	}{
		{"an unknown field of the order", refusal[pressing](catalogue.Options{Name: "films", Ordering: ordering.Parse("-prcie", nil)}),
			ordering.ErrUnknownField, `films: default ordering: unknown field: "prcie": did you mean price?`},
		{"an unknown unique field", refusal[pressing](catalogue.Options{Name: "films", Unique: [][]string{{"slgu"}}}),
			ordering.ErrUnknownField, `films: Options.Unique: unknown field: "slgu": did you mean slug?`},
		{"a unique set without fields", refusal[pressing](catalogue.Options{Name: "films", Unique: [][]string{{}}}),
			catalogue.ErrInvalidType, `films: Options.Unique: invalid record type: a set has no fields`},
		{"a unique set with a field twice", refusal[pressing](catalogue.Options{Name: "films", Unique: [][]string{{"slug", "slug"}}}),
			catalogue.ErrInvalidType, `films: Options.Unique: invalid record type: field "slug" is repeated`},
		{"an order without a field", refusal[schema.Record](catalogue.Options{Name: "films", Ordering: []ordering.Term{{}}}),
			ordering.ErrUnknownField, `films: default ordering: unknown field: "": there are none`},
		{"members of a struct", refusal[pressing](catalogue.Options{Name: "films", Members: []schema.Field{{Name: "price", Kind: schema.Decimal}}}),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Members are for open records: give the fields of the struct the tag backlist"},
		{"an id with an order", refusal[struct {
			ID negative `json:"id"`
		}](catalogue.Options{Name: "films"}),
			catalogue.ErrInvalidType, "films: invalid record type: struct { ID catalogue_test.negative \"json:\\\"id\\\"\" }: the id must be an integer without methods for JSON or orderings, or a text: ID is catalogue_test.negative"},
		{"a text that has two orders", refusal[struct {
			ID   int     `json:"id"`
			Code reverse `json:"code" backlist:"fold"`
		}](catalogue.Options{Name: "films"}),
			catalogue.ErrInvalidType, "films: invalid record type: field code: catalogue_test.reverse has a method OrderingKey, so that it cannot compare without regard to case"},
		{"an index by an unknown field", refusal[pressing](index("slug,prcie")),
			ordering.ErrUnknownField, `films: Options.Indexes: unknown field: "prcie": did you mean price?`},
		{"an index without terms", refusal[pressing](index("")),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: an index needs a term"},
		{"an index by id", refusal[pressing](index("-id,slug")),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: the index by id always exists"},
		{"an index with a field twice", refusal[pressing](catalogue.Options{Name: "films", Indexes: [][]ordering.Term{{ordering.Asc("slug"), ordering.Desc("slug")}}}),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: slug,-slug has slug twice"},
		{"an index and its reverse", refusal[pressing](index("slug,price", "-slug,-price")),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: -slug,-price is there twice; an index also serves the reverse order"},
		{"an index with two directions", refusal[pressing](index("slug,-price")),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: slug,-price has two directions, so it serves no query with conditions on its first fields in the order of the others: declare slug,price, which serves both directions, or end it with id to declare the order itself"},
		{"an index with both names of a field", refusal[schema.Record](index("releasedOn,released_on")),
			catalogue.ErrInvalidType, "films: invalid record type: Options.Indexes: released_on,released_on has released_on twice"},
		{"a unique set with both names of a field", refusal[schema.Record](catalogue.Options{Name: "films", Unique: [][]string{{"releasedOn", "released_on"}}}),
			catalogue.ErrInvalidType, `films: Options.Unique: invalid record type: field "released_on" is repeated`},
		{"members of open records with one name", refusal[schema.Record](catalogue.Options{Name: "films", Members: []schema.Field{{Name: "a", Kind: schema.Text}, {Name: "A", Kind: schema.Text}}}),
			catalogue.ErrInvalidType, `films: invalid record type: Options.Members: schema: invalid description of "members": fields "a" and "A" are both "a" in snake_case`},
	} {
		if !errors.Is(test.err, test.is) || test.err.Error() != test.want {
			t.Errorf("%s:\n got %v\nwant %s", test.why, test.err, test.want)
		}
	}
	if err := refusal[pressing](index("slug,-price,id")); err != nil {
		t.Errorf("an order of two directions with the id: %v", err)
	}
}

type premiere struct{ time.Time }

// TestSelectionMessages checks the errors of reads of selections, also of open records, whose fields
// and types depend on the records.
func TestSelectionMessages(t *testing.T) {
	c := mustCollection[pressing](t, catalogue.Options{Name: "films"})
	open := mustCollection[schema.Record](t, catalogue.Options{Name: "reels"})
	_, empty := c.Where().First()
	_, unknown := open.Where(ordering.Equal("title", "x")).First()
	must(t, c.ReplaceAll(slices.Values([]pressing{{Slug: "a"}, {Slug: "b"}})))
	must(t, open.ReplaceAll(slices.Values([]schema.Record{mustRecord(`{"title":"Rope","shownAt":"1948-08-26T00:00:00Z"}`)})))
	position := func(id int, where ...ordering.Condition) error { return second(c.Where(where...).Position(id)) }
	first := func(where ordering.Condition) error { return second(open.Where(where).First()) }
	for _, test := range []struct {
		why  string
		err  error
		is   error
		want string
	}{
		{"an empty collection", empty, catalogue.ErrNotFound, "films: no such record: there are none"},
		{"an empty collection, whose fields are unknown", unknown, catalogue.ErrNotFound, "reels: no such record: none satisfies the conditions"},
		{"no record satisfies the conditions",
			second(c.Where(ordering.Equal("slug", "c"), ordering.AtLeast("price", ""), ordering.Less("slug", "d")).First()),
			catalogue.ErrNotFound, "films: no such record: none satisfies the conditions"},
		{"the record does not satisfy the conditions", position(2, ordering.Equal("slug", "a")),
			catalogue.ErrNotFound, "films: no such record: id 2 does not satisfy the conditions"},
		{"no record has the id", position(3), catalogue.ErrNotFound, "films: no such record: id 3"},
		{"a misspelt name", first(ordering.Equal("titel", "x")),
			ordering.ErrUnknownField, `reels: unknown field: no record has "titel": did you mean title?`},
		{"a time", first(ordering.Less("shown_at", time.Now())),
			ordering.ErrInvalidCondition, "reels: invalid condition: shown_at: open records have times as text: want a string, not time.Time"},
		{"a struct that embeds a time", first(ordering.Less("shown_at", premiere{time.Now()})),
			ordering.ErrInvalidCondition, "reels: invalid condition: shown_at: open records have times as text: want a string, not catalogue_test.premiere"},
	} {
		if !errors.Is(test.err, test.is) || test.err.Error() != test.want {
			t.Errorf("%s: got error %v, want %s", test.why, test.err, test.want)
		}
	}
}

// TestConditionsWithoutField selects by conditions that hold for all records or for none.
func TestConditionsWithoutField(t *testing.T) {
	never, one, nothing := ordering.Or(), ordering.Equal("name", "a"), ordering.Equal("", 1)
	for _, test := range []struct {
		reason     string
		conditions []ordering.Condition
		want       []int
	}{
		{"none of no conditions", []ordering.Condition{never}, []int{}},
		{"always", []ordering.Condition{ordering.Not(never)}, []int{1, 2}},
		{"always, and a condition", []ordering.Condition{ordering.Not(never), one}, []int{2}},
		{"never, and a condition", []ordering.Condition{one, never}, []int{}},
		{"a condition, or never", []ordering.Condition{ordering.Or(never, one)}, []int{2}},
		{"a condition, or always", []ordering.Condition{ordering.Or(one, ordering.Not(never))}, []int{1, 2}},
		{"an empty name", []ordering.Condition{nothing}, nil},
		{"the opposite of an empty name", []ordering.Condition{ordering.Not(nothing)}, nil},
		{"an empty name beside a field", []ordering.Condition{ordering.Or(one, nothing)}, nil},
	} {
		typed := mustCollection[largeRecord](t, catalogue.Options{})
		open := mustCollection[schema.Record](t, catalogue.Options{})
		for _, name := range []string{"b", "a"} {
			must(t, second(typed.Insert(largeRecord{Name: name})))
			must(t, second(open.Insert(mustRecord(`{"name":"`+name+`"}`))))
		}
		page, err := typed.Where(test.conditions...).Page(pagination.Window{}, ordering.Asc("name"))
		records, openErr := open.Where(test.conditions...).Page(pagination.Window{}, ordering.Asc("name"))
		got, gotOpen := []int{}, []int{}
		for _, r := range page.Records {
			got = append(got, r.ID)
		}
		for _, r := range records.Records {
			gotOpen = append(gotOpen, r.ID)
		}
		slices.Sort(got)
		slices.Sort(gotOpen)
		if test.want == nil {
			if !errors.Is(err, ordering.ErrUnknownField) || !errors.Is(openErr, ordering.ErrUnknownField) {
				t.Errorf("%s: %v and, of open records, %v, want ErrUnknownField", test.reason, err, openErr)
			}
			continue
		}
		if !slices.Equal(got, test.want) || !slices.Equal(gotOpen, test.want) || err != nil || openErr != nil {
			t.Errorf("%s: %v and, of open records, %v, want %v (%v, %v)", test.reason, got, gotOpen, test.want, err, openErr)
		}
	}
}

// TestLongDuplicate checks that the error of a duplicate does not cut a character.
func TestLongDuplicate(t *testing.T) {
	c := mustCollection[pressing](t, catalogue.Options{Unique: [][]string{{"slug"}}})
	for _, prefix := range []string{"", "a"} { // one of them puts the limit inside a character
		slug := prefix + strings.Repeat("é", 100)
		must(t, second(c.Insert(pressing{Slug: slug})))
		_, err := c.Insert(pressing{Slug: slug})
		if !errors.Is(err, catalogue.ErrDuplicate) || !utf8.ValidString(err.Error()) {
			t.Errorf("got error %q, want %v in valid UTF-8", err, catalogue.ErrDuplicate)
		}
	}
}

type (
	negative int
	reverse  string
)

func (n negative) OrderingKey() int64      { return int64(-n) }
func (r reverse) OrderingKey() sortkey.Key { return sortkey.Text(string(r)) }

// TestListAtPlaces reads all records from the place of each, in orders by fields of the record, of
// another one and by default, in both directions and with other filters.
func TestListAtPlaces(t *testing.T) {
	type author struct {
		ID   int     `json:"id"`
		Name *string `json:"name"`
	}
	type book struct {
		ID     int  `json:"id"`
		Author *int `json:"author" backlist:"refers=authors"`
		Grade  *int `json:"grade"`
	}
	authors := catalogue.Define[author]("authors", catalogue.Options{})
	books := catalogue.Define[book]("books", catalogue.Options{Description: &schema.Description{
		Sortable: []string{"id", "grade", "author__name"}, Ordering: []ordering.Term{ordering.Desc("grade")},
	}})
	cat := mustHave(catalogue.New(authors, books))
	all, _ := authors.In(cat)
	list, _ := books.In(cat)
	for _, name := range []*string{new("b"), nil, new("a"), new("b")} {
		must(t, second(all.Insert(author{Name: name})))
	}
	for i := range 24 {
		b := book{Author: new(i%4 + 1), Grade: new(i % 3)}
		if i%5 == 0 {
			b.Author = nil
		}
		if i%7 == 0 {
			b.Grade = nil
		}
		must(t, second(list.Insert(b)))
	}
	c := collectionOf(t, cat, "books")
	read := func(q catalogue.Query) (texts []string, of catalogue.Listing) {
		of = mustHave(c.List(t.Context(), q))
		for _, r := range of.Records {
			texts = append(texts, string(r))
		}
		return texts, of
	}
	whole := &pagination.Place{}
	for _, order := range []string{"", "id", "-id", "grade", "-grade,id", "author__name", "-author__name,grade"} {
		q := catalogue.Query{Terms: terms(order)}
		want, _ := read(q)
		q.Place = whole
		got, of := read(q)
		if diff := cmp.Diff(want, got); diff != "" || of.Count != -1 || len(of.Keys) != len(got) {
			t.Fatalf("by %q: count %d, %d keys (-want +got):\n%s", order, of.Count, len(of.Keys), diff)
		}
		for i := range got {
			for _, reverse := range []bool{false, true} {
				q.Place = &pagination.Place{Window: pagination.Window{Limit: 4, Offset: i % 3}, Token: of.Token(i), Reverse: reverse}
				rest := slices.Clone(want[i+1:])
				if reverse {
					rest = slices.Clone(want[:i])
					slices.Reverse(rest)
				}
				start, end := q.Place.Bounds(len(rest))
				if page, _ := read(q); !slices.Equal(page, rest[start:end]) {
					t.Errorf("by %q from record %d, in reverse %t: %s, want %s", order, i, reverse, page, rest[start:end])
				}
			}
		}
		other := catalogue.Query{Terms: terms("grade,-id"), Place: &pagination.Place{Token: of.Token(0)}}
		if _, err := c.List(t.Context(), other); !errors.Is(err, catalogue.ErrInvalidToken) {
			t.Errorf("a token by %q in another order: error %v, want %v", order, err, catalogue.ErrInvalidToken)
		}
	}
	// Null is after each grade in ascending order, and before each in descending order.
	for order, want := range map[string]int{"grade": 7 + 4, "-grade": 6, "": 6} {
		got, _ := read(catalogue.Query{Terms: terms(order), Place: &pagination.Place{Position: "1", Positioned: true}})
		if len(got) != want {
			t.Errorf("by %q: %d records after 1, want %d: %s", order, len(got), want, got)
		}
	}
	unknown := catalogue.Query{Terms: terms("author__name"), Place: &pagination.Place{Position: "1", Positioned: true}}
	if _, err := c.List(t.Context(), unknown); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("a position by a field that is not described: error %v, want %v", err, ordering.ErrUnknownField)
	}
}

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
