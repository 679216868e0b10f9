package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A poet has poems.
type poet struct {
	ID     int    `json:"id"`
	Name   string `json:"name"`
	Secret string `json:"secret" backlist:"hidden,optional"`
}

// A poem has a poet.
type poem struct {
	ID    int    `json:"id"`
	Title string `json:"title" backlist:"maxlength=40"`
	Poet  int    `json:"poet" backlist:"refers=poets,ondelete=cascade,related=poems,write=poet_id"`
}

// What is shown of them.
type (
	poetShown struct {
		ID     int      `json:"id"`
		Titles []string `json:"titles" backlist:"method"`
		Name   string   `json:"name"`
	}
	poetListed struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	poemShown struct {
		Poet  poetListed `json:"poet"`
		Title string     `json:"title"`
		ID    int        `json:"id"`
	}
)

var (
	poets = catalogue.Define[poet]("poets", catalogue.Options{})
	poems = catalogue.Define[poem]("poems", catalogue.Options{})
)

// showPoet shows the titles of the poems that refer to a poet.
func showPoet(at *catalogue.Catalogue, w *poet) (shown poetShown, err error) {
	all, err := poems.In(at)
	if err != nil {
		return shown, err
	}
	shown = poetShown{ID: w.ID, Name: w.Name}
	own, err := all.Where(ordering.Equal("poet", w.ID)).All(ordering.Asc("id"))
	if err != nil {
		return shown, err
	}
	for n := range own {
		shown.Titles = append(shown.Titles, n.Title)
	}
	return shown, nil
}

// showPoem shows the poet of a poem as an object.
func showPoem(at *catalogue.Catalogue, n *poem) (shown poemShown, err error) {
	all, err := poets.In(at)
	if err != nil {
		return shown, err
	}
	w, err := all.Get(n.Poet)
	return poemShown{poetListed{w.ID, w.Name}, n.Title, n.ID}, err
}

func listPoet(_ *catalogue.Catalogue, w *poet) (poetListed, error) {
	return poetListed{w.ID, w.Name}, nil
}

// newPoems returns a catalogue of two poets, one of whom has two poems.
func newPoems(t *testing.T) (c *catalogue.Catalogue, ofPoets, ofPoems catalogue.AnyCollection) {
	t.Helper()
	c = mustCatalogue(t, catalogue.ShowInLists(catalogue.Show(poets, showPoet, poems), listPoet), catalogue.Show(poems, showPoem, poets))
	for _, w := range []poet{{Name: "Ann", Secret: "x"}, {Name: "Bo"}} {
		must(t, second(mustIn(poets, c).Insert(w)))
	}
	for _, n := range []poem{{Title: "Sea", Poet: 1}, {Title: "Air", Poet: 1}} {
		must(t, second(mustIn(poems, c).Insert(n)))
	}
	return c, collectionOf(t, c, "poets"), collectionOf(t, c, "poems")
}

// TestShow checks what is served of records that are shown otherwise than they are stored.
func TestShow(t *testing.T) {
	c, ofPoets, ofPoems := newPoems(t)
	ctx := context.Background()
	text := func(record []byte, err error) string {
		if err != nil {
			return err.Error()
		}
		return string(record)
	}
	listed := func(c catalogue.AnyCollection, filter string) string {
		q := catalogue.Query{Window: pagination.Window{Limit: 10}}
		if filter != "" {
			q.Filter.Tests = []schema.Test{{Field: filter, Lookup: "exact", Values: []string{"Ann"}}}
		}
		list := mustHave(c.List(ctx, q))
		var all []string
		for r, err := range c.All(ctx, q) {
			all = append(all, text(r, err))
		}
		var page []string
		for _, r := range list.Records {
			page = append(page, string(r))
		}
		equal(t, "All, beside List", page, all)
		return strings.Join(page, "\n")
	}
	post := func(c catalogue.AnyCollection, body string) string {
		return text(c.Create(ctx, []byte(body), schema.Record{}))
	}
	patch := func(body string, if_ func([]byte) error) string {
		return text(ofPoems.Update(ctx, "1", catalogue.Edit{Body: []byte(body), Partial: true, Precondition: if_}))
	}
	var before string
	see := func(record []byte) error { before = string(record); return nil }
	for _, tt := range []struct{ reason, got, want string }{
		{"a record has the members of the struct, in its order", text(ofPoets.Get(ctx, "1", schema.Filter{})), `{"id":1,"titles":["Sea","Air"],"name":"Ann"}`},
		{"a nil list is empty, as that of a stored record", text(ofPoets.Get(ctx, "2", schema.Filter{})), `{"id":2,"titles":[],"name":"Bo"}`},
		{"lists have their own", listed(ofPoets, ""), `{"id":1,"name":"Ann"}` + "\n" + `{"id":2,"name":"Bo"}`},
		{"lists without one of their own have that of records", listed(ofPoems, ""), `{"poet":{"id":1,"name":"Ann"},"title":"Sea","id":1}` + "\n" + `{"poet":{"id":1,"name":"Ann"},"title":"Air","id":2}`},
		{"filters read what is stored, here also elsewhere", listed(ofPoems, "poet__name"), `{"poet":{"id":1,"name":"Ann"},"title":"Sea","id":1}` + "\n" + `{"poet":{"id":1,"name":"Ann"},"title":"Air","id":2}`},
		{"a POST has the name for writing, and its response what is shown", post(ofPoems, `{"title":"Ice","poetId":2,"poet":1}`), `{"poet":{"id":2,"name":"Bo"},"title":"Ice","id":3}`},
		{"the name of the member is not in bodies", post(ofPoems, `{"title":"Ice","poet":1}`), `schema: invalid record: poetId: This field is required.`},
		{"errors have the name for writing", post(ofPoems, `{"title":"","poet_id":7}`), `schema: invalid record: title: This field may not be blank.; poetId: Invalid pk "7" - object does not exist.`},
		{"a precondition sees what is shown", patch(`{"title":"Sky"}`, see) + " after " + before, `{"poet":{"id":1,"name":"Ann"},"title":"Sky","id":1} after {"poet":{"id":1,"name":"Ann"},"title":"Sea","id":1}`},
		{"a PATCH under the name for writing", patch(`{"poet_id":2}`, nil), `{"poet":{"id":2,"name":"Bo"},"title":"Sky","id":1}`},
		{"nothing is cached", text(ofPoets.Get(ctx, "2", schema.Filter{})), `{"id":2,"titles":["Sky","Ice"],"name":"Bo"}`},
	} {
		if tt.got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.reason, tt.got, tt.want)
		}
	}
	must(t, ofPoets.Delete(ctx, "2", schema.Filter{}, nil))
	if n := mustIn(poems, c).Count(); n != 1 {
		t.Errorf("%d poems are left, want 1", n)
	}
}

// TestRevisionOfShown checks that a write to a collection that a function reads changes the revision of what
// is shown, and no other does.
func TestRevisionOfShown(t *testing.T) {
	c, ofPoets, ofPoems := newPoems(t)
	before := [2]uint64{ofPoets.Revision(), ofPoems.Revision()}
	must(t, mustIn(poems, c).Delete(1))
	if now := [2]uint64{ofPoets.Revision(), ofPoems.Revision()}; now[0] == before[0] || now[1] == before[1] {
		t.Errorf("after a write to poems the revisions are %v, before %v", now, before)
	}
	cat := mustCatalogue(t, catalogue.ShowInLists(poets, listPoet), poems)
	must(t, second(mustIn(poets, cat).Insert(poet{Name: "Ann"})))
	one := collectionOf(t, cat, "poets").Revision()
	must(t, second(mustIn(poems, cat).Insert(poem{Title: "Sea", Poet: 1})))
	if now := collectionOf(t, cat, "poets").Revision(); now != one {
		t.Errorf("a write to what no function reads changes the revision %d to %d", one, now)
	}
}

// TestShownErrors checks the errors of functions: they are not those of the request, whatever they wrap, and
// a write that precedes them stays.
func TestShownErrors(t *testing.T) {
	ctx := context.Background()
	fail := func(at *catalogue.Catalogue, n *poem) (shown poemShown, err error) {
		switch n.Title {
		case "unread":
			_, err = poets.In(at)
		case "missing":
			err = fmt.Errorf("%w: %w", catalogue.ErrNotFound, schema.FieldErrors{{Field: "title"}})
		case "write":
			var all *catalogue.Collection[poem]
			if all, err = poems.In(at); err == nil {
				err = all.Delete(n.ID)
			}
		case "panic":
			panic("the function of poems")
		}
		return shown, err
	}
	c := mustCatalogue(t, poets, catalogue.Show(poems, fail, poems))
	must(t, second(mustIn(poets, c).Insert(poet{Name: "Ann"})))
	of := collectionOf(t, c, "poems")
	for i, tt := range []struct{ title, want string }{
		{"unread", `poems: id 1 is not shown: catalogue: unknown collection: "poets": did you mean poems?, since Show says that its function reads ["poems"]`},
		{"missing", `poems: id 2 is not shown: no such record: schema: invalid record: `},
		{"write", `poems: id 3 is not shown: poems: collection is read-only: it belongs to a snapshot`},
		{"panic", `the function of poems`},
	} {
		read := map[string]func() error{
			"Create": func() error {
				return second(of.Create(ctx, []byte(`{"title":"`+tt.title+`","poetId":1}`), schema.Record{}))
			},
			"Get": func() error { _, err := of.Get(ctx, strconv.Itoa(i+1), schema.Filter{}); return err },
			"List": func() error {
				return second(of.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 1, Offset: i}}))
			},
		}
		for _, method := range []string{"Create", "Get", "List"} {
			err := valueOf(read[method])
			var fields schema.FieldErrors
			if err == nil || err.Error() != tt.want || errors.Is(err, catalogue.ErrNotFound) || errors.As(err, &fields) {
				t.Errorf("%s, %s: %v, want %s", tt.title, method, err, tt.want)
			}
		}
		if n := mustIn(poems, c).Count(); n != i+1 {
			t.Errorf("%s: %d poems, want %d", tt.title, n, i+1)
		}
	}
}

// valueOf returns the error of f, or its panic as one.
func valueOf(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	return f()
}

// TestShowInvalid checks the errors of New for what cannot be shown.
func TestShowInvalid(t *testing.T) {
	type secret struct {
		Secret string `json:"secret"`
	}
	type number struct {
		Name int `json:"name"`
	}
	type owner struct {
		ID    int    `json:"id"`
		Name  string `json:"name"`
		Owner string `json:"owner"`
	}
	shown := func(a catalogue.AnyDefinition) error {
		return second(catalogue.New(a, poems))
	}
	for _, tt := range []struct {
		reason string
		def    catalogue.AnyDefinition
		want   string
	}{
		{"no function", catalogue.Show[poet, poetShown](poets, nil), "the function that returns catalogue_test.poetShown is nil"},
		{"an unknown collection", catalogue.Show(poets, showPoet, catalogue.Define[poem]("poem", catalogue.Options{})), `"poem": did you mean poems?`},
		{"a nil definition", catalogue.Show(poets, showPoet, nil), `reads unknown collection: ""`},
		{"no struct", catalogue.Show(poets, func(*catalogue.Catalogue, *poet) (string, error) { return "", nil }), "string is not a struct"},
		{"a hidden field", catalogue.Show(poets, func(_ *catalogue.Catalogue, w *poet) (secret, error) { return secret{w.Secret}, nil }), `what is shown: field "secret" is hidden`},
		{"another type than the stored field has", catalogue.Show(poets, func(*catalogue.Catalogue, *poet) (number, error) { return number{}, nil }), "member name has type int, but the stored field has type string"},
		{"lists have a stored field that records have not", catalogue.ShowInLists(catalogue.Show(poets, func(*catalogue.Catalogue, *poet) (owner, error) { return owner{}, nil }), func(_ *catalogue.Catalogue, w *poet) (poet, error) { return *w, nil }), `what is shown: field "secret" is hidden`},
		{"lists have a field that records have not", catalogue.ShowInLists(catalogue.Show(poets, func(*catalogue.Catalogue, *poet) (struct {
			ID int `json:"id"`
		}, error) {
			panic("not called")
		}), listPoet), `what is shown: lists have the field "name", but records have not`},
	} {
		if err := shown(tt.def); !errors.Is(err, catalogue.ErrInvalidType) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.reason, err, tt.want)
		}
	}
}

// TestShownInstant deletes a poet when the first of the poems is shown: the page and what is read to show it
// are of the instant before. A record that is deleted after a write, before it is shown, is shown.
func TestShownInstant(t *testing.T) {
	ctx := context.Background()
	var c *catalogue.Catalogue
	var deletes bool
	show := func(at *catalogue.Catalogue, p *poem) (poemShown, error) {
		if deletes {
			deletes = false
			must(t, collectionOf(t, c, "poets").Delete(ctx, "1", schema.Filter{}, nil))
		}
		return showPoem(at, p)
	}
	for _, tt := range []struct {
		reason string
		read   func(of catalogue.AnyCollection) error
	}{
		{"a page", func(of catalogue.AnyCollection) error {
			list, err := of.List(ctx, catalogue.Query{Window: pagination.Window{Limit: 10}})
			if len(list.Records) != 2 {
				t.Errorf("%d records, want 2", len(list.Records))
			}
			return err
		}},
		{"all", func(of catalogue.AnyCollection) (err error) {
			for _, fault := range of.All(ctx, catalogue.Query{}) {
				err = errors.Join(err, fault)
			}
			return err
		}},
		{"a record", func(of catalogue.AnyCollection) error {
			return second(of.Get(ctx, "2", schema.Filter{}))
		}},
		{"a record after a write", func(of catalogue.AnyCollection) error {
			return second(of.Update(ctx, "2", catalogue.Edit{Body: []byte(`{"title":"Fog"}`), Partial: true}))
		}},
	} {
		c = mustCatalogue(t, poets, catalogue.Show(poems, show, poets))
		must(t, second(mustIn(poets, c).Insert(poet{Name: "Ann"})))
		for range 2 {
			must(t, second(mustIn(poems, c).Insert(poem{Title: "Sea", Poet: 1})))
		}
		deletes = true
		if err := tt.read(collectionOf(t, c, "poems")); err != nil || mustIn(poems, c).Count() != 0 {
			t.Errorf("%s: %v, and %d poems are left", tt.reason, err, mustIn(poems, c).Count())
		}
	}
}

// TestShownTypes checks the types of what is served.
func TestShownTypes(t *testing.T) {
	_, ofPoets, ofPoems := newPoems(t)
	for _, tt := range []struct {
		of             catalogue.AnyCollection
		record, listed reflect.Type
	}{
		{ofPoets, reflect.TypeFor[poetShown](), reflect.TypeFor[poetListed]()},
		{ofPoems, reflect.TypeFor[poemShown](), reflect.TypeFor[poemShown]()},
		{collectionOf(t, mustCatalogue(t, poets), "poets"), reflect.TypeFor[poet](), reflect.TypeFor[poet]()},
	} {
		if record, listed := tt.of.ShownTypes(); record != tt.record || listed != tt.listed {
			t.Errorf("%v, %v, want %v, %v", record, listed, tt.record, tt.listed)
		}
	}
}
