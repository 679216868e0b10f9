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
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A book is a type for the books of the data set.
type book struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Slug        string  `json:"slug"`
	Price       string  `json:"price"`
	Pages       int     `json:"pages"`
	PublishedOn *string `json:"publishedOn"`
	Author      int     `json:"author"`
}

// TestDefinedType checks that a defined collection loads, saves and orders records as one
// of open records does.
func TestDefinedType(t *testing.T) {
	cat, err := resources.New(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	open, err := resources.New(catalogue.Define[schema.Record]("books", catalogue.Options{})) // orders prices as text
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Load(strings.NewReader(saved(t, dataset(t))), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := cat.Load(strings.NewReader(saved(t, open)), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(split(t, saved(t, open)), split(t, saved(t, cat))); diff != "" {
		t.Errorf("saved (-open +typed):\n%s", diff)
	}
	books, err := catalogue.Define[book]("books", catalogue.Options{}).In(cat)
	if err != nil {
		t.Fatal(err)
	}
	if err := books.Delete(-1); err == nil || !strings.HasPrefix(err.Error(), "books: ") {
		t.Errorf("Delete: %v, want an error that begins with the key", err)
	}
	if diff := cmp.Diff([]string{"id", "name", "slug", "price", "pages", "published_on", "author"}, catalogue.FieldNames(books)); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	records, err := resources.Records("books").In(open)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range catalogue.FieldNames(books) {
		by := []ordering.Term{ordering.Desc(name)}
		want := ids(t, records, openID, by)
		if diff := cmp.Diff(want, ids(t, books, func(b *book) *int { return &b.ID }, by)); diff != "" {
			t.Errorf("by %v (-open +typed):\n%s", by, diff)
		}
	}
	if clone, err := catalogue.Define[book]("books", catalogue.Options{}).In(cat.Clone()); err != nil || clone.Count() != 60 {
		t.Errorf("collection of a clone: %v, want 60 records", err)
	}
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}

// TestLookups tests the methods that return a collection and their errors.
func TestLookups(t *testing.T) {
	cat, err := resources.New(catalogue.Define[book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	ofRecord := func(key string) error {
		_, err := catalogue.Define[schema.Record](key, catalogue.Options{}).In(cat)
		return err
	}
	ofBook := func(key string) error {
		_, err := catalogue.Define[book](key, catalogue.Options{}).In(cat)
		return err
	}
	ofEvent := func(key string) error {
		_, err := catalogue.Define[resources.Event](key, catalogue.Options{}).In(cat)
		return err
	}
	records := func(key string) error { _, err := resources.Records(key).In(cat); return err }
	encoded := func(key string) error { _, err := cat.Collection(key); return err }
	for _, row := range []struct {
		reason string
		get    func(string) error
		key    string
		want   error
	}{
		{"defined type", ofBook, "books", nil},
		{"open records", ofRecord, "itemVariants", nil},
		{"described type", ofEvent, "events", nil},
		{"encoded", encoded, "books", nil},
		{"encoded", encoded, "labels", nil},
		{"open records", records, "authors", nil},
		{"another type", ofRecord, "books", catalogue.ErrInvalidType},
		{"another type", ofBook, "authors", catalogue.ErrInvalidType},
		{"another type", ofEvent, "labels", catalogue.ErrInvalidType},
		{"another type", ofRecord, "events", catalogue.ErrInvalidType},
		{"defined, not open", records, "books", catalogue.ErrInvalidType},
		{"described, not open", records, "social-links", catalogue.ErrInvalidType},
		{"unknown key", ofBook, "boooks", catalogue.ErrUnknownCollection},
		{"unknown key", records, "", catalogue.ErrUnknownCollection},
		{"path segment, not key", encoded, "item_variants", catalogue.ErrUnknownCollection},
		{"key in another case", records, "Authors", catalogue.ErrUnknownCollection},
	} {
		err := row.get(row.key)
		if !errors.Is(err, row.want) {
			t.Errorf("%s: key %q: %v, want %v", row.reason, row.key, err, row.want)
		}
		if err != nil && !strings.Contains(err.Error(), row.key) {
			t.Errorf("%s: error %v, want one that contains %q", row.reason, err, row.key)
		}
	}
	same, err := resources.Records("authors").In(cat)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := catalogue.Define[schema.Record]("authors", catalogue.Options{}).In(cat); again != same {
		t.Error("Records and In returned different collections for the same key")
	}
	var got []string
	for key, c := range cat.All() {
		got = append(got, key)
		if got := c.Description().Key; got != key {
			t.Errorf("the key is %q, want %q", got, key)
		}
	}
	if diff := cmp.Diff(keys, got); diff != "" {
		t.Errorf("keys of All (-want +got):\n%s", diff)
	}
}

// TestNewRefuses checks that New refuses invalid definitions and types, and types without the members of
// the description.
func TestNewRefuses(t *testing.T) {
	for _, row := range []struct {
		reason string
		types  []catalogue.AnyDefinition
		want   error
		names  string
	}{
		{"path segment", []catalogue.AnyDefinition{catalogue.Define[book]("item_variants", catalogue.Options{})}, catalogue.ErrInvalidType, "itemVariants"},
		{"repeated key", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{}), catalogue.Define[account]("books", catalogue.Options{})}, catalogue.ErrInvalidType, "books"},
		{"nil definition", []catalogue.AnyDefinition{nil}, catalogue.ErrInvalidType, "nil"},
		{"zero Definition", []catalogue.AnyDefinition{catalogue.Definition[book]{}}, catalogue.ErrUnknownCollection, ""},
		{"described", []catalogue.AnyDefinition{catalogue.Define[book]("events", catalogue.Options{})}, ordering.ErrUnknownField, "events"},
		{"described, type of another collection", []catalogue.AnyDefinition{catalogue.Define[resources.Label]("events", catalogue.Options{})}, ordering.ErrUnknownField, "events"},
		{"not a struct", []catalogue.AnyDefinition{catalogue.Define[int]("books", catalogue.Options{})}, catalogue.ErrInvalidType, "int"},
		{"Options.Name", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{Name: "novels"})}, catalogue.ErrInvalidType, "Options.Name"},
		{"Options.ID", []catalogue.AnyDefinition{catalogue.Define[book]("books", catalogue.Options{ID: "pages"})}, catalogue.ErrInvalidType, "Options.ID"},
	} {
		cat, err := resources.New(row.types...)
		if !errors.Is(err, row.want) || cat != nil {
			t.Errorf("%s: %v, want %v", row.reason, err, row.want)
		} else if !strings.Contains(err.Error(), row.names) {
			t.Errorf("%s: error %v, want one that contains %q", row.reason, err, row.names)
		}
	}
	if _, err := resources.New(); err != nil {
		t.Errorf("New(): %v", err)
	}
}

// Types that are not accepted as records.
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

// TestTypesRefused checks that the errors for unacceptable types name the cause.
func TestTypesRefused(t *testing.T) {
	for _, row := range []struct {
		reason string
		make   func() error
		names  string
	}{
		{"not a struct", made[int], "int"},
		{"not a struct", made[map[string]any], "map"},
		{"pointer to a struct", made[*book], "book"},
		{"no id", made[noID], "id"},
		{"id is text", made[textID], "id"},
		{"id is an int64", made[wideID], "id"},
		{"func", made[hasFunc], "callback"},
		{"channel", made[hasChan], "pipe"},
		{"complex number", made[hasComplex], "wave"},
		{"unexported slice without Clone", made[hiddenList], "secret"},
		{"unexported map in a nested struct", made[deepHidden], "secret"},
		{"id in an embedded pointer", made[pointerBase], "base"},
		{"two fields with the same snake_case name", made[clash], "line_1"},
		{"map keys that JSON does not support", made[oddKeys], "odds"},
	} {
		err := caught(row.make)
		if !errors.Is(err, catalogue.ErrInvalidType) {
			t.Errorf("%s: error %v, want ErrInvalidType", row.reason, err)
		} else if !strings.Contains(strings.ToLower(err.Error()), row.names) {
			t.Errorf("%s: error %v, want one that contains %q", row.reason, err, row.names)
		}
	}
	_ = hiddenList{secret: nil}
	_ = deepHidden{}.Outer.secret
}

// made returns the error of NewCollection for T.
func made[T any]() error {
	_, err := catalogue.NewCollection[T](catalogue.Options{})
	return err
}

// A cloner has an unexported slice that its method Clone copies.
type cloner struct {
	ID     int `json:"id"`
	hidden []int
}

func (c cloner) Clone() cloner {
	c.hidden = slices.Clone(c.hidden)
	return c
}

// An embedder has its id in an embedded struct, and unexported fields without pointers.
type embedder struct {
	Base
	Name string `json:"name"`
	when time.Time
	n    int
}

// TestTypesAccepted tests types that are similar to refused ones.
func TestTypesAccepted(t *testing.T) {
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
		t.Errorf("Get(1) = %v, %v: memory is shared with the inserted record", out, err)
	}
	out.hidden[0] = -1
	if out, _ = c.Get(1); out.hidden[0] != 1 {
		t.Error("memory is shared with a returned record")
	}
	e, err := catalogue.NewCollection[embedder](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, e)
	if id, err := e.Insert(embedder{Name: "x", n: 3}); id != 1 || err != nil {
		t.Errorf("Insert: %d, %v, want 1", id, err)
	}
	if got, err := e.Get(1); err != nil || got.ID != 1 || got.Name != "x" || got.n != 3 || !got.when.IsZero() {
		t.Errorf("Get(1) = %+v, %v", got, err)
	}
}

// TestOptionsID tests a collection whose id field has another name.
func TestOptionsID(t *testing.T) {
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
		t.Errorf("Update of the id: %v, want ErrInvalidID", err)
	}
	if _, err := c.Get(9); !errors.Is(err, catalogue.ErrNotFound) || !strings.Contains(err.Error(), "items") {
		t.Errorf("Get(9): %v, want ErrNotFound from items", err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "number"}); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), "number") {
		t.Errorf("unknown id field: %v, want ErrInvalidType", err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "name"}); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), "Name") {
		t.Errorf("id field of type string: %v, want ErrInvalidType", err)
	}
	if _, err := catalogue.NewCollection[item](catalogue.Options{ID: "itemNumber", Ordering: terms("nmae")}); !errors.Is(err, ordering.ErrUnknownField) || !strings.Contains(err.Error(), "nmae") {
		t.Errorf("default ordering by an unknown field: %v, want ErrUnknownField", err)
	}
}

// A recursive record can contain itself.
type recursive struct {
	ID   int             `json:"id"`
	Next *recursive      `json:"next"`
	Any  any             `json:"any"`
	Raw  json.RawMessage `json:"raw"`
	When schema.DateTime `json:"when"`
	Time time.Time       `json:"time"`
	Text string          `json:"text"`
	List []string        `json:"list"`
	Map  map[string]any  `json:"map"`
	Num  float64         `json:"num"`
	Half *float32        `json:"half"`
}

// A writer is a collection or a batch.
type writer[T any] interface {
	Insert(T) (int, error)
	Upsert(T) (int, error)
	Update(int, func(*T) error) error
}

// TestInvalidValues checks that every method that writes refuses invalid values and that
// they change nothing.
func TestInvalidValues(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 5, 1, 0, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		reason string
		change func(r *recursive)
		field  string
	}{
		{"NaN", func(r *recursive) { r.Num = math.NaN() }, "num"},
		{"infinity", func(r *recursive) { r.Num = math.Inf(-1) }, "num"},
		{"NaN in a pointer", func(r *recursive) { r.Half = ptr(float32(math.NaN())) }, "half"},
		{"NaN in any", func(r *recursive) { r.Any = math.NaN() }, "any"},
		{"NaN in a map", func(r *recursive) { r.Map = map[string]any{"x": []any{math.Inf(1)}} }, "map"},
		{"invalid JSON", func(r *recursive) { r.Raw = json.RawMessage(`{"x":`) }, "raw"},
		{"two JSON values", func(r *recursive) { r.Raw = json.RawMessage(`1 2`) }, "raw"},
		{"invalid UTF-8", func(r *recursive) { r.Text = "a\xff" }, "text"},
		{"invalid UTF-8, in a list", func(r *recursive) { r.List = []string{"a", "\xc3"} }, "list"},
		{"invalid UTF-8, in any", func(r *recursive) { r.Any = []any{"\xff"} }, "any"},
		{"invalid UTF-8, as a key", func(r *recursive) { r.Map = map[string]any{"\xff": 1} }, "map"},
		{"date of year 0", func(r *recursive) { r.When = schema.DateTime{Time: year(0)} }, "when"},
		{"date of year 10000", func(r *recursive) { r.When = schema.DateTime{Time: year(10000)} }, "when"},
		{"time of year 10000", func(r *recursive) { r.Time = year(10000) }, "time"},
		{"time of year -1", func(r *recursive) { r.Time = year(-1) }, "time"},
		{"channel in any", func(r *recursive) { r.Any = make(chan int) }, "any"},
		{"nested func in any", func(r *recursive) { r.Any = map[string]any{"f": []any{func() {}}} }, "any"},
		{"nested record", func(r *recursive) { r.Next = &recursive{Text: "\xff"} }, "next"},
	} {
		c, err := catalogue.NewCollection[recursive](catalogue.Options{Name: "records"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(recursive{Text: "good"}); err != nil {
			t.Fatal(err)
		}
		fresh, existing := recursive{}, recursive{ID: 1}
		row.change(&fresh)
		row.change(&existing)
		update := func(r *recursive) error { row.change(r); return nil }
		ways := map[string]func(w writer[recursive]) error{
			"insert": func(w writer[recursive]) error { _, err := w.Insert(fresh); return err },
			"upsert": func(w writer[recursive]) error { _, err := w.Upsert(existing); return err },
			"update": func(w writer[recursive]) error { return w.Update(1, update) },
		}
		for way, write := range ways {
			inTx := func() (err error) {
				_ = c.Batch(func(tx *catalogue.Tx[recursive]) error { err = write(tx); return nil })
				return err
			}
			for _, err := range []error{caught(func() error { return write(c) }), caught(inTx)} {
				if !errors.Is(err, catalogue.ErrInvalid) {
					t.Errorf("%s: %s: error %v, want ErrInvalid", row.reason, way, err)
				} else if !strings.Contains(strings.ToLower(err.Error()), row.field) || !strings.Contains(err.Error(), "records") {
					t.Errorf("%s: %s: error %v, want one that contains the collection and %q", row.reason, way, err, row.field)
				}
			}
		}
		if got, err := c.Get(1); c.Count() != 1 || got.Text != "good" || err != nil {
			t.Errorf("%s: count %d, record %+v, %v", row.reason, c.Count(), got, err)
		}
		if id, err := c.Insert(recursive{}); id != 2 || err != nil {
			t.Errorf("%s: next id %d, %v, want 2", row.reason, id, err)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
	}
}

func TestIDLimits(t *testing.T) {
	c := accounts(t, 0)
	if id, err := c.Insert(account{ID: math.MaxInt}); id != math.MaxInt || err != nil {
		t.Errorf("Insert of the largest id: %d, %v", id, err)
	}
	for way, f := range map[string]func(account) (int, error){"insert": c.Insert, "upsert": c.Upsert} {
		if id, err := f(account{}); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s with no id left: %d, %v, want ErrInvalidID", way, id, err)
		}
		if id, err := f(account{ID: math.MinInt}); !errors.Is(err, catalogue.ErrInvalidID) {
			t.Errorf("%s of the smallest int: %d, %v, want ErrInvalidID", way, id, err)
		}
	}
	if id, err := c.Insert(account{ID: 5}); id != 5 || err != nil {
		t.Errorf("Insert of an unused id: %d, %v, want 5", id, err)
	}
	for _, id := range []int{0, -1, 6, math.MinInt} {
		_, err1 := c.Get(id)
		if err2, err3 := c.Delete(id), c.Update(id, nil); !errors.Is(err1, catalogue.ErrNotFound) || !errors.Is(err2, catalogue.ErrNotFound) || !errors.Is(err3, catalogue.ErrNotFound) {
			t.Errorf("id %d: %v, %v, %v, want ErrNotFound", id, err1, err2, err3)
		}
	}
	if err := c.Check(); err != nil || c.Count() != 2 {
		t.Errorf("count %d, %v, want 2", c.Count(), err)
	}
}

// TestUnusualMemberNames tests open records with members that have an empty name, the same
// name in snake_case, or that of the id.
func TestUnusualMemberNames(t *testing.T) {
	c, err := resources.Records("books").In(mustNew())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`{"line1":2,"line_1":1}`, `{"line_1":0}`, `{"_id":1}`, `{"ID":7}`, `{"":1}`, `{"_":1}`, `{"a,b":1}`, `{"-x":1}`,
	} {
		if _, err := c.Insert(mustRecord(text)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	fields := catalogue.FieldNames(c)
	if !slices.IsSorted(fields) || !slices.Contains(fields, "id") || len(slices.Compact(slices.Clone(fields))) != len(fields) {
		t.Errorf("Fields() = %q, want sorted, different names with id", fields)
	}
	for _, name := range fields {
		for _, term := range []ordering.Term{ordering.Asc(name), ordering.Desc(name)} {
			got := ids(t, c, openID, []ordering.Term{term})
			slices.Sort(got)
			if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6, 7, 8}, got); diff != "" {
				t.Errorf("by %q (-want +got):\n%s", name, diff)
			}
		}
	}
	if diff := cmp.Diff([]int{8, 7, 6, 5, 4, 3, 2, 1}, ids(t, c, openID, terms("-id"))); diff != "" {
		t.Errorf("by -id (-want +got):\n%s", diff)
	}
	if _, err := c.Page(whole, ordering.Term{}); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("Page by the zero Term: %v, want ErrUnknownField", err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// posts returns a catalogue with some authors and labels, and one of its collections.
func posts(t testing.TB, key string) (*catalogue.Catalogue, catalogue.AnyCollection) {
	t.Helper()
	cat := mustNew()
	err := cat.Load(strings.NewReader(`{"authors":[{"id":1},{"id":3}],"labels":[]}`), catalogue.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int{1, 3} {
		if _, err := mustIn(resources.Labels, cat).Insert(resources.Label{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	checkAtEnd(t, cat)
	c, err := cat.Collection(key)
	if err != nil {
		t.Fatal(err)
	}
	return cat, c
}

// TestCreate tests bodies that were posted to the service. Date-times keep their offsets.
func TestCreate(t *testing.T) {
	const required = `This field is required.`
	for _, row := range []struct{ reason, key, body, want string }{
		{"defaults", "events", `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z","poster":"https://x.example/p.jpg"}`,
			`{"id":1,"name":"N","slug":"s","summary":"","description":"","location":"","startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00Z","published":false,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[],"authors":[]}`},
		{"values are normalized, the id is ignored", "events", `{"id":5,"name":" padded ","slug":"s","startDate":"2024-12-10T18:00Z","endDate":"2024-05-10T20:00:00.25-05:00","poster":"https://x.example/p.jpg","published":"true","labels":[3,1,3],"authors":["1"],"zzz":{"a":1}}`,
			`{"id":1,"name":"padded","slug":"s","summary":"","description":"","location":"","startDate":"2024-12-10T18:00:00Z","endDate":"2024-05-10T20:00:00.250000-05:00","published":true,"poster":"https://x.example/p.jpg","posterWebp":"","labels":[1,3],"authors":[1]}`},
		{"null by default", "social-links", `{"title":"T","url":"https://www.instagram.com/x/","type":"instagram","author":1}`,
			`{"id":1,"title":"T","url":"https://www.instagram.com/x/","logo":null,"type":"instagram","author":1}`},
		{"non-ASCII text", "social-links", `{"title":"T","url":"https://例え.jp/é","type":"x","author":1,"logo":null}`,
			`{"id":1,"title":"T","url":"https://例え.jp/é","logo":null,"type":"x","author":1}`},
		{"missing members", "events", `{}`, `{"name":["` + required + `"],"slug":["` + required + `"],"startDate":["` + required + `"],"endDate":["` + required + `"]}`},
		{"empty body", "social-links", ``, `{"title":["` + required + `"],"url":["` + required + `"],"type":["` + required + `"],"author":["` + required + `"]}`},
		{"unknown reference", "social-links", `{"title":"T","url":"https://x.example","type":"x","author":2}`, `{"author":["Invalid pk \"2\" - object does not exist."]}`},
		{"unknown references", "events", `{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00Z","endDate":"2024-05-10T20:00:00Z","poster":"https://x.example/p.jpg","labels":[1,2],"authors":[3,4]}`,
			`{"labels":["Invalid pk \"2\" - object does not exist."],"authors":["Invalid pk \"4\" - object does not exist."]}`},
		{"not an object", "events", `[]`, `{"nonFieldErrors":["Invalid data. Expected a dictionary, but got list."]}`},
		{"invalid JSON", "events", `{`, `SyntaxError`},
	} {
		cat, c := posts(t, row.key)
		before := saved(t, cat)
		record, err := c.Create(context.Background(), []byte(row.body))
		got := string(record)
		var fields schema.FieldErrors
		var syntax *schema.SyntaxError
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
			if record != nil || saved(t, cat) != before {
				t.Errorf("%s: Create returned a record or changed the catalogue although it failed", row.reason)
			}
			continue
		}
		count, records, err := listed(c.List(context.Background(), catalogue.Query{Window: whole}))
		if err != nil || count != 1 || len(records) != 1 || string(records[0]) != row.want {
			t.Errorf("%s: stored %s, count %d, %v, want %s", row.reason, records, count, err, row.want)
		}
		if err := cat.Check(); err != nil {
			t.Error(err)
		}
	}
}

const goodPost = `{"title":"T","url":"https://x.example","type":"x","author":%d}`

// TestCreateChecksReferences checks that Create looks references up in the current state of
// its own catalogue, and that they are not enforced later.
func TestCreateChecksReferences(t *testing.T) {
	cat, c := posts(t, "social-links")
	ctx := context.Background()
	authors, err := resources.Records("authors").In(cat)
	if err != nil {
		t.Fatal(err)
	}
	post := func(author int) error { _, err := c.Create(ctx, fmt.Appendf(nil, goodPost, author)); return err }
	if err := post(2); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("before author 2 was inserted: %v, want ErrInvalid", err)
	}
	if _, err := authors.Insert(schema.Record{ID: 2}); err != nil {
		t.Fatal(err)
	}
	if err := post(2); err != nil {
		t.Errorf("with author 2: %v", err)
	}
	if err := authors.Delete(2); err != nil {
		t.Errorf("Delete of an author with a link: %v", err)
	}
	if err := post(2); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("after author 2 was deleted: %v, want ErrInvalid", err)
	}
	link, err := mustIn(resources.SocialLinks, cat).Get(1)
	if err != nil || link.Author != 2 || c.Count() != 1 {
		t.Errorf("link %+v, %v, count %d", link, err, c.Count())
	}
	clone, err := cat.Clone().Collection("social-links")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authors.Insert(schema.Record{ID: 20}); err != nil {
		t.Fatal(err)
	}
	if _, err := clone.Create(ctx, fmt.Appendf(nil, goodPost, 20)); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("post to a clone, author only in the original: %v, want ErrInvalid", err)
	}
	if _, err := clone.Create(ctx, fmt.Appendf(nil, goodPost, 1)); err != nil || clone.Count() != 2 || c.Count() != 1 {
		t.Errorf("post to a clone: %v, counts %d and %d", err, clone.Count(), c.Count())
	}
}

// TestCreateIDs checks that a failed Create uses no id and that concurrent calls get
// different, consecutive ids.
func TestCreateIDs(t *testing.T) {
	cat, c := posts(t, "social-links")
	if _, err := mustIn(resources.SocialLinks, cat).Insert(resources.SocialLink{ID: 10}); err != nil {
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
					t.Error("Create with an unknown author returned no error")
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
				if _, loaded := got.LoadOrStore(link.ID, true); loaded {
					t.Errorf("id %d was assigned twice", link.ID)
				}
			}
		})
	}
	group.Wait()
	for id := 11; id <= 10+posters*each; id++ {
		if _, ok := got.Load(id); !ok {
			t.Errorf("id %d was not assigned", id)
		}
	}
}

// TestCreateReadOnly checks all collections that cannot be posted to.
func TestCreateReadOnly(t *testing.T) {
	cat := mustNew()
	checkAtEnd(t, cat)
	for key, c := range cat.All() {
		if key == "events" || key == "social-links" {
			continue
		}
		if record, err := c.Create(context.Background(), []byte(`{"name":"x"}`)); !errors.Is(err, catalogue.ErrReadOnly) || record != nil {
			t.Errorf("%s: %s, %v, want ErrReadOnly", key, record, err)
		}
		if c.Count() != 0 {
			t.Errorf("%s: %d records, want none", key, c.Count())
		}
	}
}

// TestEncodedReads tests Description and List of all collections, also with a context that is
// done.
func TestEncodedReads(t *testing.T) {
	cat, ctx := dataset(t), context.Background()
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for key, c := range cat.All() {
		if d := c.Description(); d.Fields == nil && !slices.Contains(d.Sortable, "id") {
			t.Errorf("%s: sortable by %v", key, d.Sortable)
		}
		count, records, err := listed(c.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 2, Offset: 1}, Terms: terms("-id")}))
		if err != nil || count != c.Count() || len(records) != max(0, min(2, count-1)) {
			t.Errorf("%s: %d of %d, %v", key, len(records), count, err)
		}
		list, err := c.List(ctx, catalogue.Query{Window: whole, Terms: terms("no_such,-id")})
		if err != nil || ordering.Format(list.Terms) != "-id" {
			t.Errorf("%s: by an unknown field and -id: by %v, %v", key, list.Terms, err)
		}
		if _, err := c.List(canceled, catalogue.Query{Window: whole}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: with a canceled context: %v", key, err)
		}
	}
	events, err := cat.Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	_, records, err := listed(events.List(ctx, catalogue.Query{Window: whole}))
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids(t, mustIn(resources.Events, cat), eventID, terms("start_date,id")) {
		if !strings.HasPrefix(string(records[i]), fmt.Sprintf(`{"id":%d,`, id)) {
			t.Fatalf("default ordering: record %d is %s, want id %d", i, records[i], id)
		}
	}
	if _, err := events.Create(canceled, []byte(`{"name":"N","slug":"s","startDate":"2024-05-10T18:00:00Z","endDate":"2024-05-10T20:00:00Z"}`)); err != nil && events.Count() != 90 {
		t.Errorf("Create with a canceled context: %v, but %d records, want 90", err, events.Count())
	}
}

// TestCyclicValues checks that values that contain themselves are refused. It runs in a
// process of its own, because a stack overflow would end the test.
func TestCyclicValues(t *testing.T) {
	loops := map[string]func() recursive{
		"pointer": func() recursive { r := &recursive{}; r.Next = r; return *r },
		"map":     func() recursive { m := map[string]any{}; m["x"] = m; return recursive{Any: m} },
		"list":    func() recursive { l := []any{nil}; l[0] = l; return recursive{Any: l} },
	}
	const variable = "BACKLIST_TEST_LOOP"
	if make, ok := loops[os.Getenv(variable)]; ok {
		debug.SetMaxStack(64 << 20)
		c, err := catalogue.NewCollection[recursive](catalogue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Insert(make()); !errors.Is(err, catalogue.ErrInvalid) || c.Count() != 0 {
			t.Errorf("error %v, want ErrInvalid", err)
		}
		return
	}
	for name := range loops {
		self := exec.Command(os.Args[0], "-test.run=^TestCyclicValues$")
		self.Env = append(os.Environ(), variable+"="+name)
		if out, err := self.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %.200s", name, err, out)
		}
	}
}
