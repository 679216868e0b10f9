package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// ownHouses calls f with catalogues of structs and of open records. They have director 1
// and 2, genres 1 to 3, and film 1 of director 1 with genres 1 and 2.
func ownHouses(t *testing.T, f func(t *testing.T, cat *catalogue.Catalogue)) {
	for name, empty := range map[string]func(testing.TB) *catalogue.Catalogue{"typed": ownTyped, "open": ownOpen} {
		t.Run(name, func(t *testing.T) {
			cat := empty(t)
			for _, row := range [][2]string{
				{"directors", `{"name":"Anna","slug":"anna"}`}, {"directors", `{"name":"Bruno","slug":"bruno"}`},
				{"genres", `{"name":"a"}`}, {"genres", `{"name":"b"}`}, {"genres", `{"name":"c"}`},
				{"films", `{"title":"Sea","slug":"sea","minutes":90,"price":"9.9","director":1,"genres":[1,2]}`},
			} {
				must(t, second(collectionOf(t, cat, row[0]).Create(t.Context(), []byte(row[1]), schema.Record{})))
			}
			f(t, cat)
			if err := faultOf(cat); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEncodedErrors checks the errors of single requests, none of which changes anything.
func TestEncodedErrors(t *testing.T) {
	ownHouses(t, func(t *testing.T, cat *catalogue.Catalogue) {
		films, directors := collectionOf(t, cat, "films"), collectionOf(t, cat, "directors")
		frozen := collectionOf(t, cat.Snapshot(), "films")
		ctx, body := t.Context(), []byte(`{"title":"x"}`)
		with := func(tests ...schema.Test) schema.Filter { return schema.Filter{Tests: tests} }
		search := func(words ...[]schema.Test) error {
			return second(films.List(ctx, catalogue.Query{Filter: schema.Filter{Search: words}}))
		}
		bogus, hidden := with(schema.Test{Field: "statos", Lookup: "exact", Values: []string{"a"}}), filterOf(t, films, url.Values{"status": {"released"}})
		ended, end := context.WithCancel(ctx)
		end()
		second := func(_ []byte, err error) error { return err }
		labels := collectionOf(t, mustNew(), "labels")
		_, listing := films.List(ended, catalogue.Query{})
		for _, row := range []struct {
			reason string
			err    error
			want   error
			text   string
		}{
			{"Get with an invalid filter, no record", second(films.Get(ctx, "9", bogus)), ordering.ErrUnknownField, "did you mean status?"},
			{"Get with a bound without a value", second(films.Get(ctx, "1", with(schema.Test{Field: "minutes", Lookup: "gte"}))), schema.ErrInvalid, "minutes"},
			{"Get with half a range", second(films.Get(ctx, "1", with(schema.Test{Field: "minutes", Lookup: "range", Values: []string{"1"}}))), schema.ErrInvalid, "minutes"},
			{"a search in an unknown field", search([]schema.Test{{Field: "titel", Lookup: "icontains", Values: []string{"a"}}}), ordering.ErrUnknownField, "did you mean title?"},
			{"a search in an unknown field of another record", search([]schema.Test{{Field: "director__nam", Lookup: "icontains", Values: []string{"a"}}}), ordering.ErrUnknownField, "directors"},
			{"a search in a field that is no reference", search([]schema.Test{{Field: "title__name", Lookup: "icontains", Values: []string{"a"}}}), ordering.ErrUnknownField, `"title__name"`},
			{"Get of a record that is not selected", second(films.Get(ctx, "1", hidden)), catalogue.ErrNotFound, "films"},
			{"Update with an invalid filter", second(films.Update(ctx, "9", catalogue.Edit{Filter: bogus, Partial: true})), ordering.ErrUnknownField, "films"},
			{"Update of a record that is not selected", second(films.Update(ctx, "1", catalogue.Edit{Filter: hidden, Body: body, Partial: true})), catalogue.ErrNotFound, "films"},
			{"Update of no record with an invalid body", second(films.Update(ctx, "9", catalogue.Edit{Body: []byte("{"), Partial: true})), catalogue.ErrNotFound, ": 9"},
			{"Update with an invalid body", second(films.Update(ctx, "1", catalogue.Edit{Body: []byte(`{"minutes":-1}`), Partial: true})), schema.ErrInvalid, "minutes"},
			{"Delete with an invalid filter", films.Delete(ctx, "1", bogus, nil), ordering.ErrUnknownField, "films"},
			{"Delete of a record that is not selected", films.Delete(ctx, "1", hidden, nil), catalogue.ErrNotFound, "films"},
			{"Delete of a record that is referred to", directors.Delete(ctx, "1", schema.Filter{}, nil), catalogue.ErrReferenced, "directors: id 1: other records refer to it: 1 violation: record 1 of films, in the field director"},
			{"Delete of no record", directors.Delete(ctx, "9", schema.Filter{}, nil), catalogue.ErrNotFound, ": 9"},
			{"Create in a snapshot", second(frozen.Create(ctx, []byte(`{"title":"x","slug":"x","minutes":1,"price":1,"director":1}`), schema.Record{})), catalogue.ErrReadOnly, "films"},
			{"Update in a snapshot", second(frozen.Update(ctx, "1", catalogue.Edit{Body: body, Partial: true})), catalogue.ErrReadOnly, "films"},
			{"Delete in a snapshot", frozen.Delete(ctx, "1", schema.Filter{}, nil), catalogue.ErrReadOnly, "films"},
			{"value of another record", second(directors.Update(ctx, "2", catalogue.Edit{Body: []byte(`{"slug":"anna"}`), Partial: true})), schema.ErrInvalid, "director with this slug already exists."},
			{"posted value of another record", second(directors.Create(ctx, []byte(`{"name":"x","slug":"anna"}`), schema.Record{})), schema.ErrInvalid, "director with this slug already exists."},
			{"Create where the service accepts no posts", second(labels.Create(ctx, body, schema.Record{})), catalogue.ErrReadOnly, "labels"},
			{"Create with an ended context", second(films.Create(ended, body, schema.Record{})), context.Canceled, ""},
			{"List with an ended context", listing, context.Canceled, ""},
			{"Delete with an ended context", films.Delete(ended, "1", schema.Filter{}, nil), context.Canceled, ""},
		} {
			if !errors.Is(row.err, row.want) || !strings.Contains(row.err.Error(), row.text) {
				t.Errorf("%s: error %v, want one that wraps %v and contains %q", row.reason, row.err, row.want, row.text)
			}
		}
		if films.Count() != 1 || directors.Count() != 2 {
			t.Errorf("%d films and %d directors, want 1 and 2", films.Count(), directors.Count())
		}
		if _, err := directors.Update(ctx, "1", catalogue.Edit{Body: []byte(`{"slug":"anna"}`), Partial: true}); err != nil {
			t.Errorf("Update with the record's own slug: %v", err)
		}
	})
}

// TestStoredReferences checks which stored values refer to record 1: those by which filters
// find it, and no others. The service refuses booleans, and never stores text as a reference.
func TestStoredReferences(t *testing.T) {
	fields := []schema.Field{
		{Name: "one", Kind: schema.Reference, Refers: "targets"}, {Name: "list", Kind: schema.References, Refers: "targets"},
	}
	for _, row := range []struct {
		reason, one, list string
		refused           bool   // the deletion of the record
		left              string // the list after the deletion
	}{
		{"an integer", `1`, `[]`, true, ""},
		{"a whole number", `1.0`, `[]`, true, ""},
		{"a whole number with an exponent", `10e-1`, `[]`, true, ""},
		{"another id", `2`, `[2]`, false, `[2]`},
		{"a boolean", `true`, `[true]`, false, `[true]`},
		{"text", `"1"`, `["1"]`, false, `["1"]`},
		{"a fraction", `1.5`, `[1.5]`, false, `[1.5]`},
		{"null", `null`, `[null]`, false, `[null]`},
		{"a list in place of an id, and in a list", `[1]`, `[[1],[0,1,2]]`, false, `[[1],[0,1,2]]`},
		{"an object", `{"1":1}`, `[{"a":0,"b":1,"c":2}]`, false, `[{"a":0,"b":1,"c":2}]`},
		{"commas in text", `"0,1,2"`, `["0,1,2"]`, false, `["0,1,2"]`},
		{"an id in place of a list", `2`, `1`, false, `1`},
		{"a boolean in place of a list", `2`, `true`, false, `true`},
		{"text in place of a list", `2`, `"0,1,2"`, false, `"0,1,2"`},
		{"a list of ids", `2`, `[2,1,3]`, false, `[2,3]`},
		{"a list of whole numbers", `2`, `[1.0,"1",1e0,1]`, false, `["1"]`},
	} {
		cat := mustCatalogue(t,
			catalogue.Define[schema.Record]("targets", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{{Name: "name", Kind: schema.Text}}}}),
			catalogue.Define[schema.Record]("sources", catalogue.Options{Description: &schema.Description{Fields: fields, Filters: []string{"one", "list"}}}))
		file := fmt.Sprintf(`{"targets":[{"id":1},{"id":2},{"id":3}],"sources":[{"id":7,"one":%s,"list":%s}]}`, row.one, row.list)
		must(t, cat.Load(strings.NewReader(file), catalogue.LoadOptions{}))
		sources := collectionOf(t, cat, "sources")
		found := func(field string) bool {
			n, _, err := listed(sources.List(t.Context(), catalogue.Query{Filter: filterOf(t, sources, url.Values{field: {"1"}})}))
			must(t, err)
			return n == 1
		}
		if got, want := [2]bool{found("one"), found("list")}, [2]bool{row.refused, !row.refused && row.left != row.list}; got != want {
			t.Errorf("%s: filters by one and list find the record: %v, want %v", row.reason, got, want)
		}
		if err := collectionOf(t, cat, "targets").Delete(t.Context(), "1", schema.Filter{}, nil); errors.Is(err, catalogue.ErrReferenced) != row.refused || !row.refused && err != nil {
			t.Errorf("%s: Delete: %v, want refused: %v", row.reason, err, row.refused)
		}
		if got, err := sources.Get(t.Context(), "7", schema.Filter{}); err != nil || !row.refused && string(got) != fmt.Sprintf(`{"id":7,"one":%s,"list":%s}`, row.one, row.left) {
			t.Errorf("%s: record %s, error %v, want the list %s", row.reason, got, err, row.left)
		}
	}
}

// A countingContext counts the calls of Err, of which a loop over many records makes many.
type countingContext struct {
	context.Context
	calls int
}

func (c *countingContext) Err() error { c.calls++; return c.Context.Err() }

// TestDeleteCopiesNoRecords checks the memory for the search for references, after the first
// deletion has made the index of the field.
func TestDeleteCopiesNoRecords(t *testing.T) {
	type target struct {
		ID int `json:"id"`
	}
	type source struct {
		ID int `json:"id"`
		To int `json:"to" backlist:"refers=targets"`
	}
	const n = 20_000
	targets, sources := catalogue.DefineBare[target]("targets", catalogue.Options{}), catalogue.Define[source]("sources", catalogue.Options{})
	cat := mustCatalogue(t, targets, sources)
	c := mustIn(sources, cat)
	all := make([]source, n)
	for i := range all {
		all[i].To = 1
	}
	must(t, c.ReplaceAll(slices.Values(all)))
	must(t, cat.Load(strings.NewReader(`{"targets":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]}`), catalogue.LoadOptions{}))
	must(t, collectionOf(t, cat, "targets").Delete(t.Context(), "5", schema.Filter{}, nil))
	ctx, id := &countingContext{Context: t.Context()}, 5
	got := allocated(func() {
		id--
		must(t, collectionOf(t, cat, "targets").Delete(ctx, strconv.Itoa(id), schema.Filter{}, nil))
	})
	if ctx.calls > 3*20 {
		t.Errorf("three calls of Delete ask %d times whether the context is done, as if they read all records", ctx.calls)
	}
	if got > n/2 {
		t.Errorf("Delete allocates %d bytes, want at most a byte for two of %d records", got, n)
	}
}

// TestConcurrentReferences creates and updates films while the records that they refer to
// are deleted. No state of the films may refer to a record that is deleted.
func TestConcurrentReferences(t *testing.T) {
	ownHouses(t, func(t *testing.T, cat *catalogue.Catalogue) {
		films, directors, genres := collectionOf(t, cat, "films"), collectionOf(t, cat, "directors"), collectionOf(t, cat, "genres")
		ctx := t.Context()
		for round := range 40 {
			director := mustHave(directors.Create(ctx, fmt.Appendf(nil, `{"name":"d","slug":"d%d"}`, round), schema.Record{}))
			genre := mustHave(genres.Create(ctx, fmt.Appendf(nil, `{"name":"g%d"}`, round), schema.Record{}))
			d, g := idIn(t, director), idIn(t, genre)
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					body := fmt.Appendf(nil, `{"title":"x","slug":"x%d-%d","minutes":1,"price":1,"director":%d,"genres":[%d]}`, round, i, d, g)
					films.Create(ctx, body, schema.Record{})
				})
				wg.Go(func() {
					films.Update(ctx, "1", catalogue.Edit{Body: fmt.Appendf(nil, `{"genres":[%d,3]}`, g), Partial: true})
				})
			}
			wg.Go(func() { directors.Delete(ctx, strconv.Itoa(d), schema.Filter{}, nil) })
			wg.Go(func() { genres.Delete(ctx, strconv.Itoa(g), schema.Filter{}, nil) })
			wg.Go(func() { checkReferences(t, cat.Snapshot()) })
			wg.Wait()
			checkReferences(t, cat)
		}
	})
}

// checkReferences checks that all directors and genres of films exist.
func checkReferences(t *testing.T, cat *catalogue.Catalogue) {
	t.Helper()
	var saved strings.Builder
	if err := cat.Save(&saved); err != nil {
		t.Error(err)
		return
	}
	typed := ownTyped(t)
	if err := typed.Load(strings.NewReader(saved.String()), catalogue.LoadOptions{}); err != nil {
		t.Error(err)
		return
	}
	films, _ := catalogue.Define[ownFilm]("films", catalogue.Options{}).In(typed)
	for f := range films.All() {
		for _, g := range f.Genres {
			if _, err := collectionOf(t, typed, "genres").Get(t.Context(), strconv.Itoa(g), schema.Filter{}); err != nil {
				t.Errorf("film %d: %v", f.ID, err)
			}
		}
		if _, err := collectionOf(t, typed, "directors").Get(t.Context(), strconv.Itoa(f.Director), schema.Filter{}); err != nil {
			t.Errorf("film %d: %v", f.ID, err)
		}
	}
}

type checkedPost struct {
	ID   int   `json:"id"`
	Tags []int `json:"tags" backlist:"refers=tags"`
	Best int   `json:"best" backlist:"refers=tags"`
}

// newChecked returns the tags 1, 2 and 3. A list of post 1 refers to 1, and another field
// to 3.
func newChecked(t *testing.T) (catalogue.AnyCollection, *catalogue.Collection[film], *catalogue.Collection[checkedPost]) {
	t.Helper()
	about := catalogue.Options{Description: &schema.Description{}}
	tags, posts := catalogue.Define[film]("tags", about), catalogue.Define[checkedPost]("posts", about)
	cat := mustCatalogue(t, tags, posts)
	const data = `{"tags":[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}],"posts":[{"id":1,"tags":[1],"best":3}]}`
	must(t, cat.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	encoded := collectionOf(t, cat, "tags")
	typed := mustIn(tags, cat)
	from := mustIn(posts, cat)
	t.Cleanup(func() {
	})
	return encoded, typed, from
}

// TestDeleteIfExcludesWrites checks that writes to the collection wait for the condition of
// a Delete, so the condition holds at the instant of the deletion.
func TestDeleteIfExcludesWrites(t *testing.T) {
	c, typed, _ := newChecked(t)
	updated := make(chan error, 2)
	calls := 0
	err := c.Delete(t.Context(), "1", schema.Filter{}, func(record []byte) error {
		calls++
		go func() {
			_, err := c.Update(context.Background(), "1", catalogue.Edit{Body: []byte(`{"name":"x"}`), Partial: true})
			updated <- err
		}()
		go func() { updated <- typed.Update(1, func(*film) error { return nil }) }()
		select {
		case err := <-updated:
			t.Errorf("Update returned %v during Delete", err)
			updated <- err
		case <-time.After(50 * time.Millisecond): // they wait
		}
		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%v after %d calls of the condition, want 1", err, calls)
	}
	for range 2 {
		if err := <-updated; !errors.Is(err, catalogue.ErrNotFound) {
			t.Errorf("Update: %v, want ErrNotFound", err)
		}
	}
}

// The times of posts ascend with the ids, and Options.Now is not called by two posts at once.
func TestCreatedTimesAscend(t *testing.T) {
	type note struct {
		ID        int             `json:"id"`
		CreatedAt schema.DateTime `json:"createdAt" backlist:"created"`
	}
	calls := 0
	now := func() time.Time {
		calls++
		time.Sleep(time.Millisecond) // for another post to come in between
		return time.Date(2026, 1, 1, 0, 0, calls, 0, time.UTC)
	}
	cat := mustCatalogue(t, catalogue.Define[note]("notes", catalogue.Options{Description: &schema.Description{Actions: schema.AllActions}, Now: now}))
	notes := collectionOf(t, cat, "notes")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := notes.Create(t.Context(), nil, schema.Record{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for id := 1; id <= 8; id++ {
		want := fmt.Sprintf(`{"id":%d,"createdAt":"2026-01-01T00:00:0%dZ"}`, id, id)
		if got, err := notes.Get(t.Context(), fmt.Sprint(id), schema.Filter{}); string(got) != want || err != nil {
			t.Errorf("note %d is %s, %v, want %s", id, got, err, want)
		}
	}
}

// The records of a program's own collections, as in the service whose requests and
// responses were recorded.
type (
	ownDirector struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}
	ownGenre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int    `json:"position" backlist:"min=-2147483648,max=2147483647,default=0"`
	}
	ownFilm struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int              `json:"minutes" backlist:"min=0,max=2147483647"`
		Rating     *float64         `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres,default=[]"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

func ownNow() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// ownDescription returns the description of the collection with the key, with fields that
// T has.
func ownDescription[T any](tb testing.TB, key string) *schema.Description {
	tb.Helper()
	d := mustDescribe[T](tb, key)
	switch key {
	case "directors":
		d.Name = "director"
		d.Search = []string{"^name", "=slug"}
	case "genres":
		d.Name = "genre"
	case "films":
		d.Name = "film"
		d.Search = []string{"title", "synopsis", "director__name"}
		d.Filters = []string{"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte"}
	}
	return &d
}

// ownOptions returns the options of the collection with the key.
func ownOptions[T any](tb testing.TB, key string) catalogue.Options {
	return catalogue.Options{Description: ownDescription[T](tb, key), Now: ownNow}
}

// ownTyped returns an empty catalogue with collections of structs.
func ownTyped(tb testing.TB) *catalogue.Catalogue {
	return mustCatalogue(tb,
		catalogue.Define[ownDirector]("directors", ownOptions[ownDirector](tb, "directors")),
		catalogue.Define[ownGenre]("genres", ownOptions[ownGenre](tb, "genres")),
		catalogue.Define[ownFilm]("films", ownOptions[ownFilm](tb, "films")))
}

// ownOpen returns an empty catalogue with collections of open records.
func ownOpen(tb testing.TB) *catalogue.Catalogue {
	return mustCatalogue(tb,
		catalogue.Define[schema.Record]("directors", ownOptions[ownDirector](tb, "directors")),
		catalogue.Define[schema.Record]("genres", ownOptions[ownGenre](tb, "genres")),
		catalogue.Define[schema.Record]("films", ownOptions[ownFilm](tb, "films")))
}

// filterOf returns the filter of the parameters of a query.
func filterOf(tb testing.TB, c catalogue.AnyCollection, params url.Values) schema.Filter {
	tb.Helper()
	return mustHave(c.Description().Filter(tb.Context(), func(name string) []string { return params[name] }, schema.Checks{Find: c.Find}))
}

func described(d schema.Description) catalogue.Options {
	return catalogue.Options{Description: &d}
}

// TestNewOnlyRefuses checks the errors for invalid definitions.
func TestNewOnlyRefuses(t *testing.T) {
	directors := catalogue.Define[ownDirector]("directors", catalogue.Options{})
	genres := catalogue.Define[ownGenre]("genres", catalogue.Options{})
	films := func(d schema.Description) []catalogue.AnyDefinition {
		return []catalogue.AnyDefinition{directors, genres, catalogue.Define[ownFilm]("films", described(d))}
	}
	backwards := func(name string, filters ...string) []catalogue.AnyDefinition {
		all := films(schema.Description{})
		about := mustHave(schema.DescriptionOf[ownFilm]("films"))
		about.Fields[slices.IndexFunc(about.Fields, func(f schema.Field) bool { return f.Name == "director" })].Related = name
		all[2] = catalogue.Define[ownFilm]("films", described(about))
		all[0] = catalogue.Define[ownDirector]("directors", described(schema.Description{Filters: filters}))
		return all
	}
	one := func(d catalogue.AnyDefinition) []catalogue.AnyDefinition { return []catalogue.AnyDefinition{d} }
	for _, row := range []struct {
		reason      string
		definitions []catalogue.AnyDefinition
		want        error
		text        string
	}{
		{"no definition", nil, catalogue.ErrInvalidType, "no definitions"},
		{"nil", one(nil), catalogue.ErrInvalidType, "nil definition"},
		{"nil pointer", one((*catalogue.Definition[ownGenre])(nil)), catalogue.ErrInvalidType, "nil definition"},
		{"zero Definition", one(catalogue.Definition[ownGenre]{}), catalogue.ErrUnknownCollection, "no key"},
		{"repeated key", []catalogue.AnyDefinition{genres, genres}, catalogue.ErrInvalidType, "genres: invalid record type: it is defined twice"},
		{"not a struct", one(catalogue.DefineBare[int]("films", catalogue.Options{})), catalogue.ErrInvalidType, "int"},
		{"reference to no collection", []catalogue.AnyDefinition{catalogue.Define[ownDirector]("director", catalogue.Options{}), genres, catalogue.Define[ownFilm]("films", catalogue.Options{})}, catalogue.ErrInvalidType, "did you mean director?"},
		{"the same segment", []catalogue.AnyDefinition{genres, catalogue.Define[ownGenre]("kinds", described(schema.Description{Segment: "genres"}))}, catalogue.ErrInvalidType, "kinds"},
		{"other key in the description", one(catalogue.Define[ownGenre]("genres", described(schema.Description{Key: "kinds"}))), catalogue.ErrInvalidType, `"kinds"`},
		{"filter of no field", films(schema.Description{Filters: []string{"minuets"}}), catalogue.ErrInvalidType, "minutes"},
		{"search in no field of another collection", films(schema.Description{Search: []string{"director__nmae"}}), catalogue.ErrInvalidType, "did you mean name?"},
		{"filter by an unknown name backwards", backwards("films", "movies__title"), catalogue.ErrInvalidType, `unknown field "movies": want one of id, name, slug, born, website, films`},
		{"filter by an unknown field of what refers", backwards("films", "films__titel__in"), catalogue.ErrInvalidType, "did you mean title?"},
		{"name backwards that is a member", backwards("website"), catalogue.ErrInvalidType, `directors: invalid record type: schema: invalid description of "directors": related: "website" of field "director" of films is a name of field "website"`},
		{"search in a number of another collection", films(schema.Description{Search: []string{"director__id"}}), catalogue.ErrInvalidType, "not text"},
		{"field that T does not have", one(catalogue.Define[ownGenre]("genres", described(schema.Description{Fields: []schema.Field{{Name: "nmae", Kind: schema.Text}}}))), catalogue.ErrInvalidType, "did you mean name?"},
		{"posts of open records without fields", one(catalogue.Define[schema.Record]("notes", described(schema.Description{Actions: schema.AllActions}))), catalogue.ErrInvalidType, "Fields"},
		{"ordering by no field", one(catalogue.Define[ownGenre]("genres", catalogue.Options{Ordering: ordering.Parse("nmae", nil)})), ordering.ErrUnknownField, "did you mean name?"},
		{"Options.Name", one(catalogue.Define[ownGenre]("genres", catalogue.Options{Name: "x"})), catalogue.ErrInvalidType, "Options.Name"},
		{"Options.ID", one(catalogue.Define[ownGenre]("genres", catalogue.Options{ID: "position"})), catalogue.ErrInvalidType, "field Position: the id has no tag"},
		{"control character in a key", one(catalogue.Define[ownGenre]("a\x01", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "the key contains control characters"},
		{"invalid UTF-8 in a key", one(catalogue.Define[ownGenre]("a\xff", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "the key contains control characters or invalid UTF-8"},
		{"key of saved data", one(catalogue.Define[ownGenre]("$lastIds", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "$lastIds"},
	} {
		cat, err := catalogue.New(row.definitions...)
		if cat != nil || !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: error %v, want one that wraps %v and contains %q", row.reason, err, row.want, row.text)
		}
	}
}
