package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A book is a program's own type for the books of the data set.
type book struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Slug        string  `json:"slug"`
	Price       string  `json:"price"`
	Pages       int     `json:"pages"`
	PublishedOn *string `json:"publishedOn"`
	Author      int     `json:"author"`
}

// TestOwnTypeInHouse: a struct for "books" is found again with its type, loads
// what the open records would and is ordered by its json names.
func TestOwnTypeInHouse(t *testing.T) {
	house, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	open := dataset(t)
	if err := house.Load(strings.NewReader(saved(t, open))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(split(t, saved(t, open)), split(t, saved(t, house))); diff != "" {
		t.Errorf("typed against open (-open +typed):\n%s", diff)
	}
	books, err := catalogue.Define[book]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	if books.Name() != "books" {
		t.Errorf("name %q", books.Name())
	}
	if diff := cmp.Diff([]string{"id", "name", "slug", "price", "pages", "published_on", "author"}, books.Fields()); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	records, err := open.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range orderings(books.Fields(), 2) {
		want := ids(t, records, openType.id, by)
		if diff := cmp.Diff(want, ids(t, books, func(b *book) *int { return &b.ID }, by)); diff != "" {
			t.Errorf("by %v (-open +typed):\n%s", by, diff)
		}
	}
	if fork, err := catalogue.Define[book]("books", catalogue.Options{}).In(house.Clone()); err != nil || fork.Count() != 60 {
		t.Errorf("of a clone: %v", err)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// TestLookups: the ways to a collection and the errors where there is none.
func TestLookups(t *testing.T) {
	house, err := catalogue.NewWith(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	ofRecord := func(key string) error {
		_, err := catalogue.Define[resources.Record](key, catalogue.Options{}).In(house)
		return err
	}
	ofBook := func(key string) error {
		_, err := catalogue.Define[book](key, catalogue.Options{}).In(house)
		return err
	}
	ofEvent := func(key string) error {
		_, err := catalogue.Define[resources.Event](key, catalogue.Options{}).In(house)
		return err
	}
	open := func(key string) error { _, err := house.Records(key); return err }
	encoded := func(key string) error { _, err := house.Encoded(key); return err }
	for _, row := range []struct {
		reason string
		get    func(string) error
		key    string
		want   error
	}{
		{"own type", ofBook, "books", nil},
		{"open records", ofRecord, "itemVariants", nil},
		{"described type", ofEvent, "events", nil},
		{"encoded, whatever it holds", encoded, "books", nil},
		{"encoded, whatever it holds", encoded, "labels", nil},
		{"open", open, "authors", nil},
		{"another type", ofRecord, "books", catalogue.ErrInvalidType},
		{"another type", ofBook, "authors", catalogue.ErrInvalidType},
		{"another type", ofEvent, "labels", catalogue.ErrInvalidType},
		{"another type", ofRecord, "events", catalogue.ErrInvalidType},
		{"typed, not open", open, "books", catalogue.ErrInvalidType},
		{"described, not open", open, "social-links", catalogue.ErrInvalidType},
		{"unknown key", ofBook, "boooks", catalogue.ErrUnknownCollection},
		{"unknown key", open, "", catalogue.ErrUnknownCollection},
		{"path segment, not key", encoded, "item_variants", catalogue.ErrUnknownCollection},
		{"another case", open, "Authors", catalogue.ErrUnknownCollection},
	} {
		err := row.get(row.key)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: %q gives %v, want %v", row.reason, row.key, err, row.want)
		}
		if err != nil && !strings.Contains(err.Error(), row.key) {
			t.Errorf("%s: error does not name %q: %v", row.reason, row.key, err)
		}
	}
	same, err := house.Records("authors")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := catalogue.Define[resources.Record]("authors", catalogue.Options{}).In(house); again != same {
		t.Error("two collections for one key")
	}
	var got []string
	for key, c := range house.All() {
		got = append(got, key)
		if c.Key() != key {
			t.Errorf("%q is called %q", key, c.Key())
		}
	}
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

// TestNewWithRefuses keys that are none, and types for what is described.
func TestNewWithRefuses(t *testing.T) {
	for _, row := range []struct {
		reason string
		types  []catalogue.AnyDefinition
		want   error
		names  string
	}{
		{"unknown key", []catalogue.AnyDefinition{catalogue.Define[book]("boooks", catalogue.Options{})}, catalogue.ErrUnknownCollection, "boooks"},
		{"path segment", []catalogue.AnyDefinition{catalogue.Define[book]("item_variants", catalogue.Options{})}, catalogue.ErrUnknownCollection, "item_variants"},
		{"twice", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{}), catalogue.Define[account]("books", catalogue.Options{})}, catalogue.ErrInvalidType, "books"},
		{"no definition", []catalogue.AnyDefinition{nil}, catalogue.ErrInvalidType, "nil"},
		{"zero Definition", []catalogue.AnyDefinition{catalogue.Definition[book]{}}, catalogue.ErrUnknownCollection, ""},
		{"described", []catalogue.AnyDefinition{catalogue.Define[book]("events", catalogue.Options{})}, catalogue.ErrInvalidType, "events"},
		{"described, by another's type", []catalogue.AnyDefinition{catalogue.Define[resources.Label]("events", catalogue.Options{})}, catalogue.ErrInvalidType, "events"},
		{"no record", []catalogue.AnyDefinition{catalogue.Define[int]("books", catalogue.Options{})}, catalogue.ErrInvalidType, "int"},
		{"a name", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{Name: "novels"})}, catalogue.ErrInvalidType, "Options.Name"},
		{"another id", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{ID: "pages"})}, catalogue.ErrInvalidType, "Options.ID"},
	} {
		house, err := catalogue.NewWith(row.types...)
		if !errors.Is(err, row.want) || house != nil {
			t.Errorf("%s: %v, want %v", row.reason, err, row.want)
		} else if !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: error does not name %q: %v", row.reason, row.names, err)
		}
	}
	if _, err := catalogue.NewWith(); err != nil {
		t.Errorf("no types: %v", err)
	}
}

// Types that can be no record.
type (
	noID   struct{ Name string }
	textID struct {
		ID string `json:"id"`
	}
	wideID struct {
		ID int64 `json:"id"`
	}
	hasFunc struct {
		ID       int `json:"id"`
		Callback func()
	}
	hasChan struct {
		ID   int `json:"id"`
		Pipe chan int
	}
	hasComplex struct {
		ID   int `json:"id"`
		Wave complex128
	}
	hiddenList struct {
		ID     int `json:"id"`
		secret []int
	}
	deepHidden struct {
		ID    int `json:"id"`
		Outer struct{ secret map[string]int }
	}
	pointerBase struct{ *Base }
	Base        struct {
		ID int `json:"id"`
	}
	clash struct {
		ID    int `json:"id"`
		Line1 int `json:"line1"`
		Other int `json:"line_1"`
	}
	oddKeys struct {
		ID   int `json:"id"`
		Odds map[[2]int]string
	}
)

// TestTypesRefused: each error names the culprit.
func TestTypesRefused(t *testing.T) {
	for _, row := range []struct {
		reason string
		make   func() error
		names  string
	}{
		{"no struct", made[int], "int"},
		{"no struct", made[map[string]any], "map"},
		{"pointer to one", made[*book], "book"},
		{"no id", made[noID], "id"},
		{"id is text", made[textID], "id"},
		{"id is an int64", made[wideID], "id"},
		{"func", made[hasFunc], "callback"},
		{"channel", made[hasChan], "pipe"},
		{"complex number", made[hasComplex], "wave"},
		{"unexported slice without Clone", made[hiddenList], "secret"},
		{"unexported map deeper down", made[deepHidden], "secret"},
		{"id behind an embedded pointer", made[pointerBase], "base"},
		{"two fields of one snake_case name", made[clash], "line_1"},
		{"keys that JSON has not", made[oddKeys], "odds"},
	} {
		err := caught(row.make)
		if !errors.Is(err, catalogue.ErrInvalidType) {
			t.Errorf("%s: error %v, want ErrType", row.reason, err)
		} else if !strings.Contains(strings.ToLower(err.Error()), row.names) {
			t.Errorf("%s: error does not name %q: %v", row.reason, row.names, err)
		}
	}
	_ = hiddenList{secret: nil}
	_ = deepHidden{}.Outer.secret
}

func made[T any]() error {
	_, err := catalogue.NewCollection[T](catalogue.Options{})
	return err
}

// A cloner has something hidden, and knows how to copy it.
type cloner struct {
	ID     int `json:"id"`
	hidden []int
}

func (c cloner) Clone() cloner {
	c.hidden = slices.Clone(c.hidden)
	return c
}

// An embedder has its id in an embedded struct.
type embedder struct {
	Base
	Name string `json:"name"`
	when time.Time
	n    int
}

// TestTypesTaken are near to those that are refused.
func TestTypesTaken(t *testing.T) {
	c, err := catalogue.NewCollection[cloner](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	in := cloner{hidden: []int{1}}
	if _, err := c.Insert(in); err != nil {
		t.Fatal(err)
	}
	in.hidden[0] = -1
	out, err := c.Get(1)
	if err != nil || out.hidden[0] != 1 {
		t.Errorf("%v, %v: shared with what came in", out, err)
	}
	out.hidden[0] = -1
	if out, _ = c.Get(1); out.hidden[0] != 1 {
		t.Error("shared with what went out")
	}
	e, err := catalogue.NewCollection[embedder](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, e)
	if id, err := e.Insert(embedder{Name: "x", n: 3}); id != 1 || err != nil {
		t.Errorf("insert: %d, %v", id, err)
	}
	if got, err := e.Get(1); err != nil || got.ID != 1 || got.Name != "x" || got.n != 3 || !got.when.IsZero() {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOwnID: an id under another name is the id in all that depends on it.
func TestOwnID(t *testing.T) {
	type item struct {
		Name string `json:"name"`
		Nr   int    `json:"itemNumber"`
	}
	c, err := catalogue.NewCollection[item](catalogue.Options{Name: "items", ID: "itemNumber"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "a", "a"} {
		if _, err := c.Insert(item{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	nr := func(i *item) *int { return &i.Nr }
	for by, want := range map[string][]int{"": {1, 2, 3}, "name": {2, 3, 1}, "-name": {1, 3, 2}, "-item_number,name": {3, 2, 1}} {
		if diff := cmp.Diff(want, ids(t, c, nr, terms(by))); diff != "" {
			t.Errorf("by %q (-want +got):\n%s", by, diff)
		}
	}
	if err := c.Update(1, func(i *item) error { i.Nr = 9; return nil }); !errors.Is(err, catalogue.ErrInvalidID) {
		t.Errorf("modify: %v", err)
	}
	if _, err := c.Get(9); !errors.Is(err, catalogue.ErrNotFound) || !strings.Contains(err.Error(), "items") {
		t.Errorf("get: %v", err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "number"}); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), "number") {
		t.Errorf("an id that is no field: %v", err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "name"}); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), "Name") {
		t.Errorf("an id that is text: %v", err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "itemNumber", Ordering: terms("nmae")}); !errors.Is(err, ordering.ErrUnknownField) || !strings.Contains(err.Error(), "nmae") {
		t.Errorf("a default order by no field: %v", err)
	}
}

// TestNameless: the zero Options make a nameless collection.
func TestNameless(t *testing.T) {
	if c := accounts(t, 0); c.Name() != "accounts" {
		t.Errorf("name %q", c.Name())
	}
	if c := products(t, 0, catalogue.Options{}); c.Name() != "" {
		t.Errorf("name %q, want none", c.Name())
	}
}

// A ring leads to itself.
type ring struct {
	ID   int                `json:"id"`
	Next *ring              `json:"next"`
	Any  any                `json:"any"`
	Raw  json.RawMessage    `json:"raw"`
	When resources.DateTime `json:"when"`
	Time time.Time          `json:"time"`
	Text string             `json:"text"`
	List []string           `json:"list"`
	Map  map[string]any     `json:"map"`
	Num  float64            `json:"num"`
	Half *float32           `json:"half"`
}

// TestInvalidValues are refused by every way to write, and change nothing.
func TestInvalidValues(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 5, 1, 0, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		reason string
		spoil  func(r *ring)
		field  string
	}{
		{"NaN", func(r *ring) { r.Num = math.NaN() }, "num"},
		{"infinity", func(r *ring) { r.Num = math.Inf(-1) }, "num"},
		{"NaN behind a pointer", func(r *ring) { r.Half = ptr(float32(math.NaN())) }, "half"},
		{"NaN in any", func(r *ring) { r.Any = math.NaN() }, "any"},
		{"NaN in a map", func(r *ring) { r.Map = map[string]any{"x": []any{math.Inf(1)}} }, "map"},
		{"message that is no JSON", func(r *ring) { r.Raw = json.RawMessage(`{"x":`) }, "raw"},
		{"message of two values", func(r *ring) { r.Raw = json.RawMessage(`1 2`) }, "raw"},
		{"bytes that are not UTF-8", func(r *ring) { r.Text = "a\xff" }, "text"},
		{"bytes that are not UTF-8, in a list", func(r *ring) { r.List = []string{"a", "\xc3"} }, "list"},
		{"bytes that are not UTF-8, in any", func(r *ring) { r.Any = []any{"\xff"} }, "any"},
		{"bytes that are not UTF-8, as a key", func(r *ring) { r.Map = map[string]any{"\xff": 1} }, "map"},
		{"date of year 0", func(r *ring) { r.When = resources.DateTime{Time: year(0)} }, "when"},
		{"date of year 10000", func(r *ring) { r.When = resources.DateTime{Time: year(10000)} }, "when"},
		{"time of year 10000", func(r *ring) { r.Time = year(10000) }, "time"},
		{"time of year -1", func(r *ring) { r.Time = year(-1) }, "time"},
		{"channel in any", func(r *ring) { r.Any = make(chan int) }, "any"},
		{"func deep in any", func(r *ring) { r.Any = map[string]any{"f": []any{func() {}}} }, "any"},
		{"deeper down", func(r *ring) { r.Next = &ring{Text: "\xff"} }, "next"},
	} {
		c, err := catalogue.NewCollection[ring](catalogue.Options{Name: "rings"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(ring{Text: "good"}); err != nil {
			t.Fatal(err)
		}
		bad, badOne := ring{}, ring{ID: 1}
		row.spoil(&bad)
		row.spoil(&badOne)
		modify := func(r *ring) error { row.spoil(r); return nil }
		ways := map[string]func(w writer[ring]) error{
			"insert": func(w writer[ring]) error { _, err := w.Insert(bad); return err },
			"upsert": func(w writer[ring]) error { _, err := w.Upsert(badOne); return err },
			"modify": func(w writer[ring]) error { return w.Update(1, modify) },
		}
		for way, write := range ways {
			inTx := func() (err error) {
				_ = c.Batch(func(tx *catalogue.Tx[ring]) error { err = write(tx); return nil })
				return err
			}
			for _, err := range []error{caught(func() error { return write(c) }), caught(inTx)} {
				if !errors.Is(err, catalogue.ErrInvalid) {
					t.Errorf("%s: %s: error %v, want ErrInvalid", row.reason, way, err)
				} else if !strings.Contains(strings.ToLower(err.Error()), row.field) || !strings.Contains(err.Error(), "rings") {
					t.Errorf("%s: %s: error does not name the collection and %q: %v", row.reason, way, row.field, err)
				}
			}
		}
		if got, err := c.Get(1); c.Count() != 1 || got.Text != "good" || err != nil {
			t.Errorf("%s: count %d, record %+v, %v", row.reason, c.Count(), got, err)
		}
		if id, err := c.Insert(ring{}); id != 2 || err != nil {
			t.Errorf("%s: next id %d, %v; want 2", row.reason, id, err)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
	}
}

// TestInvalidDocumentedValues: the service's own types are held to the same.
func TestInvalidDocumentedValues(t *testing.T) {
	house := catalogue.New()
	date := func(year int) resources.DateTime {
		return resources.DateTime{Time: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	for _, row := range []struct {
		reason string
		insert func() (int, error)
		names  string
	}{
		{"year 0", func() (int, error) { return house.Events().Insert(resources.Event{StartDate: date(0)}) }, "start"},
		{"year 10000", func() (int, error) { return house.Events().Insert(resources.Event{EndDate: date(10000)}) }, "end"},
		{"message that is no JSON", func() (int, error) {
			return house.Labels().Insert(resources.Label{GlobalMessage: json.RawMessage(`{`)})
		}, "global"},
		{"bytes that are not UTF-8", func() (int, error) { return house.Events().Insert(resources.Event{Name: "\xff"}) }, "name"},
		{"bytes that are not UTF-8", func() (int, error) {
			return house.Labels().Insert(resources.Label{CatchLines: []string{"\xff"}})
		}, "catch"},
		{"bytes that are not UTF-8", func() (int, error) {
			return house.SocialLinks().Insert(resources.SocialLink{Logo: ptr("\xff")})
		}, "logo"},
	} {
		_, err := row.insert()
		if !errors.Is(err, catalogue.ErrInvalid) {
			t.Errorf("%s (%s): error %v, want ErrInvalid", row.reason, row.names, err)
		} else if !strings.Contains(strings.ToLower(err.Error()), row.names) {
			t.Errorf("%s: error does not name %q: %v", row.reason, row.names, err)
		}
	}
	for key, c := range house.All() {
		if c.Count() != 0 {
			t.Errorf("%s holds %d records", key, c.Count())
		}
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// TestIDs at their ends.
func TestIDs(t *testing.T) {
	c := accounts(t, 0)
	if id, err := c.Insert(account{ID: math.MaxInt}); id != math.MaxInt || err != nil {
		t.Errorf("largest id: %d, %v", id, err)
	}
	for way, f := range map[string]func(account) (int, error){"insert": c.Insert, "upsert": c.Upsert} {
		if id, err := f(account{}); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s with none left: %d, %v; want ErrID", way, id, err)
		}
		if id, err := f(account{ID: math.MinInt}); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s of the least: %d, %v; want ErrID", way, id, err)
		}
	}
	if id, err := c.Insert(account{ID: 5}); id != 5 || err != nil {
		t.Errorf("a free id: %d, %v", id, err)
	}
	for _, id := range []int{0, -1, 6, math.MinInt} {
		_, err1 := c.Get(id)
		if err2, err3 := c.Delete(id), c.Update(id, nil); !errors.Is(err1, catalogue.ErrNotFound) || !errors.Is(err2, catalogue.ErrNotFound) || !errors.Is(err3, catalogue.ErrNotFound) {
			t.Errorf("id %d: %v, %v, %v; want ErrNotFound", id, err1, err2, err3)
		}
	}
	if err := c.Check(); err != nil || c.Count() != 2 {
		t.Errorf("count %d, %v", c.Count(), err)
	}
}

// TestOddMembers: open records may have members whose names are the same in
// snake_case, or are the id's, or none.
func TestOddMembers(t *testing.T) {
	c, err := catalogue.New().Records("books")
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range []string{
		`{"line1":2,"line_1":1}`, `{"line_1":0}`, `{"_id":1}`, `{"ID":7}`, `{"":1}`, `{"_":1}`, `{"a,b":1}`, `{"-x":1}`,
	} {
		if _, err := c.Insert(mustRecord(wire)); err != nil {
			t.Fatalf("%s: %v", wire, err)
		}
	}
	fields := c.Fields()
	if !slices.IsSorted(fields) || !slices.Contains(fields, "id") || len(slices.Compact(slices.Clone(fields))) != len(fields) {
		t.Errorf("fields %q: not sorted, a name twice, or no id", fields)
	}
	for _, name := range fields {
		for _, term := range []ordering.Term{ordering.Asc(name), ordering.Desc(name)} {
			got := ids(t, c, openType.id, []ordering.Term{term})
			slices.Sort(got)
			if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, got); diff != "" {
				t.Errorf("by %q (-want +got):\n%s", name, diff)
			}
		}
	}
	if diff := cmp.Diff([]int{8, 7, 6, 5, 4, 3, 2, 1}, ids(t, c, openType.id, terms("-id"))); diff != "" {
		t.Errorf("by -id (-want +got):\n%s", diff)
	}
	if _, err := c.Page(whole, ordering.Term{}); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("the zero Term: %v", err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// posts is a house to post to.
func posts(t testing.TB, key string) (*catalogue.Catalogue, catalogue.Encoded) {
	t.Helper()
	house := catalogue.New()
	err := house.Load(strings.NewReader(`{"authors":[{"id":1},{"id":3}],"labels":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int{1, 3} {
		if _, err := house.Labels().Insert(resources.Label{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	checkAtEnd(t, house)
	c, err := house.Encoded(key)
	if err != nil {
		t.Fatal(err)
	}
	return house, c
}

// TestCreate posts as the service was seen to be posted to; date-times keep the
// offset they came with.
func TestCreate(t *testing.T) {
	const required = `This field is required.`
	for _, row := range []struct{ reason, key, body, want string }{
		{"defaults", "events", `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z","poster":"https://x.example/p.jpg"}`,
			`{"id":1,"name":"N","slug":"s","summary":"","description":"","location":"","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z","published":false,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[]}`},
		{"values are cleaned, a sent id is ignored", "events", `{"id":5,"name":" padded ","slug":"s","startDate":"2024-12-10T18:00Z","endDate":"2024-05-10T20:00:00.25-05:00","poster":"https://x.example/p.jpg","published":"true","labels":[3,1,3],"authors":["1"],"zzz":{"a":1}}`,
			`{"id":1,"name":"padded","slug":"s","summary":"","description":"","location":"","startDate":"2024-12-10T18:00:00Z","endDate":"2024-05-10T20:00:00.250000-05:00","published":true,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[1,3],"authors":[1]}`},
		{"null by default", "social-links", `{"title":"T","url":"https://www.instagram.com/x/","type":"instagram","author":1}`,
			`{"id":1,"title":"T","url":"https://www.instagram.com/x/","logo":null,"type":"instagram","author":1}`},
		{"beyond ASCII", "social-links", `{"title":"T","url":"https://例え.jp/é","type":"x","author":1,"logo":null}`,
			`{"id":1,"title":"T","url":"https://例え.jp/é","logo":null,"type":"x","author":1}`},
		{"required", "events", `{}`, `{"name":["` + required + `"],"slug":["` + required + `"],"startDate":["` + required + `"],"endDate":["` + required + `"]}`},
		{"empty body", "social-links", ``, `{"title":["` + required + `"],"url":["` + required + `"],"type":["` + required + `"],"author":["` + required + `"]}`},
		{"reference that is not there", "social-links", `{"title":"T","url":"https://x.example","type":"x","author":2}`, `{"author":["Invalid pk \"2\" - object does not exist."]}`},
		{"references that are not there", "events", `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00Z","endDate":"2024-05-10T20:00:00Z","poster":"https://x.example/p.jpg","labels":[1,2],"authors":[3,4]}`,
			`{"labels":["Invalid pk \"2\" - object does not exist."],"authors":["Invalid pk \"4\" - object does not exist."]}`},
		{"no object", "events", `[]`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`},
		{"no JSON", "events", `{`, `SyntaxError`},
	} {
		house, c := posts(t, row.key)
		before := saved(t, house)
		record, err := c.Create(context.Background(), []byte(row.body))
		got := string(record)
		var fields resources.FieldErrors
		var syntax *resources.SyntaxError
		switch {
		case errors.As(err, &fields):
			text, _ := fields.MarshalJSON()
			got = string(text)
		case errors.As(err, &syntax):
			got = "SyntaxError"
		case err != nil:
			t.Errorf("%s: %v", row.reason, err)
			continue
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
		if err != nil {
			if record != nil || saved(t, house) != before {
				t.Errorf("%s: refused, and yet something changed", row.reason)
			}
			continue
		}
		count, records, err := c.Page(context.Background(), whole, nil)
		if err != nil || count != 1 || len(records) != 1 || string(records[0]) != row.want {
			t.Errorf("%s: stored %s (%d), %v; want %s", row.reason, records, count, err, row.want)
		}
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	}
}

const goodPost = `{"title":"T","url":"https://x.example","type":"x","author":%d}`

// TestCreateLooksUpNow: references are looked up at the time of the post, and
// not enforced later.
func TestCreateLooksUpNow(t *testing.T) {
	house, c := posts(t, "social-links")
	ctx := context.Background()
	authors, err := house.Records("authors")
	if err != nil {
		t.Fatal(err)
	}
	post := func(author int) error { _, err := c.Create(ctx, fmt.Appendf(nil, goodPost, author)); return err }
	if err := post(2); !errors.Is(err, resources.ErrInvalid) {
		t.Errorf("before there is author 2: %v", err)
	}
	if _, err := authors.Insert(resources.Record{ID: 2}); err != nil {
		t.Fatal(err)
	}
	if err := post(2); err != nil {
		t.Errorf("with author 2: %v", err)
	}
	if err := authors.Delete(2); err != nil {
		t.Errorf("delete of an author with a link: %v", err)
	}
	if err := post(2); !errors.Is(err, resources.ErrInvalid) {
		t.Errorf("after author 2: %v", err)
	}
	link, err := house.SocialLinks().Get(1)
	if err != nil || link.Author != 2 || c.Count() != 1 {
		t.Errorf("link %+v, %v, count %d", link, err, c.Count())
	}
	fork, err := house.Clone().Encoded("social-links")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authors.Insert(resources.Record{ID: 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := fork.Create(ctx, fmt.Appendf(nil, goodPost, 20)); !errors.Is(err, resources.ErrInvalid) {
		t.Errorf("a clone looks references up in the original: %v", err)
	}
	if _, err := fork.Create(ctx, fmt.Appendf(nil, goodPost, 1)); err != nil || fork.Count() != 2 || c.Count() != 1 {
		t.Errorf("post to a clone: %v, counts %d and %d", err, fork.Count(), c.Count())
	}
}

// TestCreateIDs: what is refused uses none up, concurrent posts get their own.
func TestCreateIDs(t *testing.T) {
	house, c := posts(t, "social-links")
	if _, err := house.SocialLinks().Insert(resources.SocialLink{ID: 10}); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	const posters, each = 4, 25
	var group sync.WaitGroup
	var got sync.Map
	for range posters {
		group.Go(func() {
			for range each {
				if _, err := c.Create(ctx, fmt.Appendf(nil, goodPost, 2)); err == nil {
					t.Error("no error")
				}
				record, err := c.Create(ctx, fmt.Appendf(nil, goodPost, 1))
				if err != nil {
					t.Error(err)
					continue
				}
				var link resources.SocialLink
				if err := json.Unmarshal(record, &link); err != nil {
					t.Error(err)
				}
				if _, twice := got.LoadOrStore(link.ID, true); twice {
					t.Errorf("id %d twice", link.ID)
				}
			}
		})
	}
	group.Wait()
	for id := 11; id <= 10+posters*each; id++ {
		if _, ok := got.Load(id); !ok {
			t.Errorf("id %d was left out", id)
		}
	}
}

// TestCreateRefused by all collections that the document lets nobody post to.
func TestCreateRefused(t *testing.T) {
	house := catalogue.New()
	checkAtEnd(t, house)
	for key, c := range house.All() {
		if key == "events" || key == "social-links" {
			continue
		}
		if record, err := c.Create(context.Background(), []byte(`{"name":"x"}`)); !errors.Is(err, catalogue.ErrReadOnly) || record != nil {
			t.Errorf("%s: %s, %v; want ErrReadOnly", key, record, err)
		}
		if c.Count() != 0 {
			t.Errorf("%s holds %d records", key, c.Count())
		}
	}
}

// TestEncodedReads: pages as a server takes them, and contexts that are over.
func TestEncodedReads(t *testing.T) {
	house, ctx := dataset(t), context.Background()
	over, cancel := context.WithCancel(ctx)
	cancel()
	for key, c := range house.All() {
		fields, err := c.Fields(ctx)
		if err != nil || !slices.Contains(fields, "id") {
			t.Errorf("%s: fields %v, %v", key, fields, err)
		}
		count, records, err := c.Page(ctx, pagination.Window{Limit: 2, Offset: 1}, terms("-id"))
		if err != nil || count != c.Count() || len(records) != max(0, min(2, count-1)) {
			t.Errorf("%s: %d of %d, %v", key, len(records), count, err)
		}
		if _, _, err := c.Page(ctx, whole, terms("no_such")); !errors.Is(err, ordering.ErrUnknownField) {
			t.Errorf("%s: by an unknown field: %v", key, err)
		}
		_, err1 := c.Fields(over)
		_, _, err2 := c.Page(over, whole, nil)
		if !errors.Is(err1, context.Canceled) || !errors.Is(err2, context.Canceled) {
			t.Errorf("%s: with a context that is over: %v, %v", key, err1, err2)
		}
	}
	events, err := house.Encoded("events")
	if err != nil {
		t.Fatal(err)
	}
	_, records, err := events.Page(ctx, whole, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids(t, house.Events(), eventID, terms("start_date,id")) {
		if !strings.HasPrefix(string(records[i]), fmt.Sprintf(`{"id":%d,`, id)) {
			t.Fatalf("default order: at %d %s, want id %d", i, records[i], id)
		}
	}
	if _, err := events.Create(over, []byte(`{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00Z","endDate":"2024-05-10T20:00:00Z"}`)); err != nil && events.Count() != 90 {
		t.Errorf("a post with a context that is over: %v, and %d records", err, events.Count())
	}
}

// TestValuesThatHoldThemselves are refused like all that JSON cannot hold. It
// runs in a process of its own: an overflow of the stack would end it.
func TestValuesThatHoldThemselves(t *testing.T) {
	loops := map[string]func() ring{
		"pointer": func() ring { r := &ring{}; r.Next = r; return *r },
		"map":     func() ring { m := map[string]any{}; m["x"] = m; return ring{Any: m} },
		"list":    func() ring { l := []any{nil}; l[0] = l; return ring{Any: l} },
	}
	const variable = "BACKLIST_TEST_LOOP"
	if make, ok := loops[os.Getenv(variable)]; ok {
		debug.SetMaxStack(64 << 20)
		c, err := catalogue.NewCollection[ring](catalogue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(make()); !errors.Is(err, catalogue.ErrInvalid) || c.Count() != 0 {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		return
	}
	for name := range loops {
		self := exec.Command(os.Args[0], "-test.run=^TestValuesThatHoldThemselves$")
		self.Env = append(os.Environ(), variable+"="+name)
		if out, err := self.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %.200s", name, err, out)
		}
	}
}
