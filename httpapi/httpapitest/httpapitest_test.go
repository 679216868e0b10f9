package httpapitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

type film struct {
	ID         int              `json:"id"`
	Title      string           `json:"title"`
	Slug       string           `json:"slug" backlist:"slug,unique"`
	Synopsis   string           `json:"synopsis" backlist:"blank"`
	Website    string           `json:"website" backlist:"url,blank"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int32            `json:"minutes" backlist:"min=0"`
	Rating     *float64         `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool             `json:"published"`
	Director   int              `json:"director" backlist:"refers=directors"`
	Genres     []int            `json:"genres" backlist:"refers=genres"`
	Tags       []string         `json:"tags"`
	CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
}

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type genre struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int    `json:"position" backlist:"min=-5,max=5,default=0"`
}

// A ware has kinds of fields that no film has.
type ware struct {
	ID       int                `json:"id"`
	Name     string             `json:"name" backlist:"minlength=8,maxlength=40"`
	SKU      string             `json:"sku" backlist:"unique,maxlength=8"`
	Email    *string            `json:"email" backlist:"email,maxlength=60"`
	UUID     string             `json:"uuid" backlist:"uuid,unique"`
	Slug     string             `json:"slug" backlist:"unicodeslug,maxlength=12"`
	Weight   float64            `json:"weight" backlist:"min=0.001,max=5"`
	Price    string             `json:"price" backlist:"decimal=6.2,min=0.5,max=500"`
	Sizes    []int              `json:"sizes" backlist:"minlength=1,maxlength=5,item.min=1,item.max=60"`
	Tags     []string           `json:"tags" backlist:"maxlength=2,item.minlength=2"`
	Rates    map[string]float64 `json:"rates" backlist:"item.min=0"`
	Address  *address           `json:"address"`
	Lines    []address          `json:"lines" backlist:"maxlength=3"`
	Opens    schema.Time        `json:"opens"`
	Takes    schema.Duration    `json:"takes"`
	Rank     *int               `json:"rank" backlist:"choices=-1|2|10"`
	Optional *address           `json:"optional,omitempty" backlist:"optional"`
}

type address struct {
	City string `json:"city" backlist:"minlength=2,maxlength=20"`
	Code string `json:"code" backlist:"blank"`
	Geo  *struct {
		Lat float64 `json:"lat" backlist:"min=-90,max=90"`
	} `json:"geo"`
}

// A label has a path by its slug, a parcel one by its number.
type label struct {
	ID   int    `json:"id"`
	Slug string `json:"slug" backlist:"slug,unique"`
	Note string `json:"note"`
}

type parcel struct {
	ID     int    `json:"id"`
	Number string `json:"number" backlist:"uuid,unique"`
	Note   string `json:"note"`
}

func wareDescription(t *testing.T) schema.Description {
	t.Helper()
	about, err := schema.DescriptionOf[ware]("wares")
	if err != nil {
		t.Fatal(err)
	}
	about.Fields[2].Pattern = regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)
	about.Filters = []string{"email__in", "uuid", "weight__gte", "price__lt", "slug__startswith",
		"opens", "opens__gte", "takes__in", "takes__lt", "takes__range", "rank", "rank__in", "rank__gt"}
	about.Search = []string{"name"}
	return about
}

// newCatalogue returns a catalogue of films with a director and a genre. Its reviews are
// open records, which cannot be written.
func newCatalogue(t *testing.T) (*catalogue.Catalogue, error) {
	wares := wareDescription(t)
	c, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[genre]("genres", catalogue.Options{Description: &schema.Description{
			Ordering: []ordering.Term{ordering.Desc("position")},
			Filters:  []string{"id", "id__in", "name__istartswith", "position__lt"},
		}}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Ordering: []ordering.Term{ordering.Desc("minutes")},
			Search:   []string{"title", "^synopsis", "=slug", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "genres",
				"minutes", "minutes__in", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
				"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
				"rating__lt", "rating__isnull", "title", "title__iexact", "title__contains", "title__icontains",
				"title__startswith", "title__istartswith", "slug__in", "premiere_at__gte", "premiere_at__lte", "website__startswith",
			},
		}}),
		catalogue.Define[ware]("wares", catalogue.Options{Description: &wares}),
		catalogue.Define[label]("labels", catalogue.Options{Description: &schema.Description{Lookup: "slug", Filters: []string{"note"}}}),
		catalogue.Define[parcel]("parcels", catalogue.Options{Description: &schema.Description{Lookup: "number", Filters: []string{"note"}}}),
		catalogue.Define[schema.Record]("reviews", catalogue.Options{Description: &schema.Description{Actions: schema.List | schema.Retrieve}}),
	)
	if err != nil {
		return nil, err
	}
	return c, c.Load(strings.NewReader(`{"directors":[{"id":1,"name":"Anna Rossi"},{"id":2,"name":"Tom"}],"genres":[{"id":1,"name":"drama","position":0}]}`), catalogue.LoadOptions{})
}

const newFilm = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released"}`

// inCatalogue returns the implementation of a collection of a catalogue. T is the type of
// its records.
func inCatalogue[T any](t *testing.T, key, body string) Implementation {
	empty, err := newCatalogue(t)
	if err != nil {
		t.Fatal(err)
	}
	c := empty
	t.Cleanup(func() {
		if err := c.Check(); err != nil && !errors.Is(err, catalogue.ErrDangling) {
			t.Error(err)
		}
	})
	collection, err := c.Collection(key)
	if err != nil {
		t.Fatal(err)
	}
	return Implementation{
		Description: collection.Description(),
		Body:        body,
		New: func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
			c = empty.Clone()
			collection, err := c.Collection(key)
			if err != nil {
				return nil, err
			}
			return collection, collection.Load(strings.NewReader("["+string(bytes.Join(records, []byte(",")))+"]"), catalogue.LoadOptions{})
		},
		Insert: func(_ context.Context, _ httpapi.Collection, encoded []byte) error {
			collection, err := catalogue.Define[T](key, catalogue.Options{}).In(c)
			if err != nil {
				return err
			}
			var record T
			if err := json.Unmarshal(encoded, &record); err != nil {
				return err
			}
			_, err = collection.Insert(record)
			return err
		},
	}
}

func TestCatalogue(t *testing.T) {
	const fullFilm = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":2,"genres":[1],"rating":2.5,"status":"released","tags":["a"],"premiereAt":"2024-05-10T18:00:00Z","released":"2024-05-10","published":true,"synopsis":"S","website":"https://t.example/"}`
	for reason, impl := range map[string]Implementation{
		"films":            inCatalogue[film](t, "films", newFilm),
		"films, all of it": inCatalogue[film](t, "films", fullFilm),
		"films, no Body":   inCatalogue[film](t, "films", ""),
		"genres":           inCatalogue[genre](t, "genres", `{"name":"comedy","position":2}`),
		"labels":           inCatalogue[label](t, "labels", `{"slug":"s","note":"N"}`),
		"parcels":          inCatalogue[parcel](t, "parcels", `{"number":"01234567-89ab-4def-8123-456789abcdef","note":"N"}`),
		"directors":        inCatalogue[director](t, "directors", `{"name":"Anna"}`),
		"wares": inCatalogue[ware](t, "wares", `{"name":"A chair or so","sku":"ABC-1234","email":"a@b.example","uuid":"01234567-89ab-cdef-0123-456789abcdef",`+
			`"slug":"é","weight":1.5,"price":"9.50","sizes":[1],"tags":["ab"],"rates":{"a":1.5},"address":{"city":"Rome","code":"","geo":{"lat":4.5}},"lines":[{"city":"Bonn"}],"opens":"08:00:00","takes":"1 00:30:00","rank":2}`),
		"reviews": inCatalogue[schema.Record](t, "reviews", ""),
	} {
		t.Run(reason, func(t *testing.T) { TestCollection(t, impl) })
	}
}

// A recorder is a testing.TB that records why a check ended.
type recorder struct {
	testing.TB
	problem, skipped string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.problem = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func outcome(impl Implementation, c check) *recorder {
	r := &recorder{}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		impl.run(r, c)
	}()
	<-ended
	return r
}

// run runs checks. It returns the names of those that fail, and their problems.
func run(t *testing.T, impl Implementation, checks []check) (names []string, problems string) {
	t.Helper()
	for _, c := range checks {
		if r := outcome(impl, c); r.problem != "" {
			names, problems = append(names, c.name), problems+c.name+": "+r.problem+"\n"
		}
	}
	return names, problems
}

func TestInvalidImplementation(t *testing.T) {
	impl := Implementation{}
	if err := impl.valid(); err == nil {
		t.Error("checks without New: no error")
	}
	impl = inCatalogue[film](t, "films", "[]")
	if err := impl.valid(); err == nil || !strings.Contains(err.Error(), "Body is not a JSON object") {
		t.Errorf("checks with a Body that is a list: %v", err)
	}
}

// A New that fails makes each check fail or be skipped.
func TestFailingNew(t *testing.T) {
	impl := inCatalogue[film](t, "films", newFilm)
	for reason, newFunc := range map[string]func(context.Context, [][]byte) (httpapi.Collection, error){
		"error":   func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, errors.New("no table") },
		"nothing": func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, nil },
	} {
		impl.New = newFunc
		for _, c := range allChecks() {
			if r := outcome(impl, c); r.problem == "" && r.skipped == "" {
				t.Errorf("%s: check %s passes", reason, c.name)
			}
		}
		if names, _ := run(t, impl, allChecks()); len(names) < 15 {
			t.Errorf("%s: only %q fail", reason, names)
		}
	}
}

// A collection whose description has pages by cursors is a Positioner.
func TestCursorsNeedPositions(t *testing.T) {
	impl := inFake(t, planted{})
	impl.Description.Pages = pagination.Cursors{}
	names, problems := run(t, impl, allChecks())
	if diff := cmp.Diff([]string{"description", "positions"}, names); diff != "" || !strings.Contains(problems, "positions: the description has pages by cursors, but") {
		t.Errorf("failed checks (-want +got):\n%s\n%s", diff, problems)
	}
}

// Errors are compared by the paths of what they blame.
func TestPaths(t *testing.T) {
	message := []string{"No."}
	got := paths("", schema.FieldErrors{
		{Field: "name", Messages: message},
		{Field: "slug"},
		{Field: "address", Fields: schema.FieldErrors{{Field: "city", Messages: message}, {Field: "geo", Fields: schema.FieldErrors{{Field: "lat", Messages: message}}}}},
		{Field: "lines", Items: []schema.FieldError{{}, {Messages: message}, {Fields: schema.FieldErrors{{Field: "sku", Messages: message}}}}},
	})
	want := []string{"name", "slug", "address.city", "address.geo.lat", "lines.1", "lines.2.sku"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A collection that addresses records by their ids, although the description has a Lookup, fails
// the checks of single records. So does one whose paths do not move.
func TestLookup(t *testing.T) {
	impl := inCatalogue[label](t, "labels", `{"slug":"s","note":"N"}`)
	open := impl.New
	for reason, f := range map[string]fault{
		"ids": instead("Get Update Delete", func(c call, next right) answer {
			if a := next(c); a.err == nil || schema.ParseID(c.segment) == 0 {
				return a
			}
			list := next(call{method: "List", ctx: c.ctx}).list
			for _, record := range list.Records {
				if strconv.Itoa(idOf(record)) == c.segment {
					var l label
					if err := json.Unmarshal(record, &l); err == nil {
						c.segment = l.Slug
					}
				}
			}
			return next(c)
		}),
		"other letters": before("Get Update Delete", func(c *call) { c.segment = strings.ToLower(strings.TrimSpace(c.segment)) }),
	} {
		impl.New = func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
			c, err := open(ctx, records)
			if err != nil {
				return nil, err
			}
			return fake{collection: c.(catalogue.AnyCollection), fault: f}, nil
		}
		names, problems := run(t, impl, allChecks())
		want := map[string][]string{
			"ids":           {"get-missing", "patch-missing", "put-missing", "delete-missing"},
			"other letters": {"get", "patch-segments", "delete"},
		}
		if diff := cmp.Diff(want[reason], names); diff != "" {
			t.Errorf("%s: failed checks (-want +got):\n%s\n%s", reason, diff, problems)
		}
	}
}

// Records with hidden or computed fields cannot be compared, nor those without an id.
func TestHiddenFields(t *testing.T) {
	for _, f := range []schema.Field{{Name: "password", Hidden: true}, {Name: "password", Computed: true}, {Name: "password", Key: true, Unique: true}} {
		impl := Implementation{Description: schema.Description{Fields: []schema.Field{f}}, New: func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, nil }}
		if err := impl.valid(); err == nil || !strings.Contains(err.Error(), "password") {
			t.Errorf("%+v: error %v", f, err)
		}
	}
}
