package httpapitest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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

func noon() time.Time { return time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC) }

// reviews are open records with ids and numbers that are equal as float64s, and members of many kinds.
const reviews = `{"id":9007199254740994,"stars":10,"name":"b"},{"id":9007199254740993,"stars":9.5,"name":"B"},{"id":10,"stars":1e2,"text":"a"},
	{"id":9,"stars":-0.25,"name":null},{"id":1,"stars":-0.5,"name":"é"},{"id":2,"stars":123456789012345678901234567890},{"id":3,"stars":123456789012345678901234567891,"text":null},
	{"id":4,"stars":"a"},{"id":5,"stars":[1]},{"id":6,"stars":true,"text":"z"},{"id":7,"stars":false},{"id":8,"stars":{"a":1},"name":"_"},{"id":11,"stars":9007199254740993},{"id":12,"stars":9007199254740992}`

// file has films that orders and filters of other systems confuse.
const file = `{"directors":[{"id":1,"name":"Anna Rossi"},{"id":2,"name":"Tom"}],"genres":[{"id":1,"name":"drama","position":0},{"id":2,"name":"comedy","position":0}],
"films":[
	{"id":1,"title":"b","slug":"b","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released","published":true,"premiereAt":"2024-05-10T18:00:00+02:00","released":"2024-05-10"},
	{"id":2,"title":"B","slug":"B","minutes":9,"price":"10.00","director":2,"genres":[],"rating":null,"status":"announced","premiereAt":"2024-05-10T16:30:00Z","synopsis":"quoxal"},
	{"id":3,"title":"é","slug":"e","minutes":90,"price":"9.50","director":1,"genres":[2],"rating":10,"status":"released","published":true,"premiereAt":"2024-05-10T12:00:00-05:00","synopsis":"quoxal brix"},
	{"id":4,"title":"É_","slug":"f","minutes":100,"price":"100.00","director":1,"genres":[1,2],"rating":9.5,"status":"withdrawn","released":"2023-12-31","synopsis":"brix"},
	{"id":5,"title":"a_%","slug":"g","minutes":90,"price":"-1.00","director":2,"genres":[],"rating":null,"status":"released","released":"2024-05-10","tags":["b","a"]},
	{"id":6,"title":"_","slug":"h","minutes":0,"price":"9.50","director":1,"genres":[2],"rating":-1,"status":"released","published":true,"tags":["a"]}
],"reviews":[` + reviews + `]}`

// definitions returns those of films and of what they refer to, and n others.
func definitions(t *testing.T) []catalogue.AnyDefinition {
	wares := wareDescription(t)
	return []catalogue.AnyDefinition{
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[genre]("genres", catalogue.Options{Description: &schema.Description{
			Ordering: []ordering.Term{ordering.Desc("position")},
			Filters:  []string{"id", "id__in", "name__istartswith", "position__lt"},
		}}),
		catalogue.Define[film]("films", catalogue.Options{Now: noon, Description: &schema.Description{
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
		catalogue.Define[schema.Record]("reviews", catalogue.Options{Description: &schema.Description{Actions: schema.List | schema.Retrieve}}),
		catalogue.Define[ware]("wares", catalogue.Options{Description: &wares}),
		catalogue.Define[label]("labels", catalogue.Options{Description: &schema.Description{Lookup: "slug", Filters: []string{"note"}}}),
		catalogue.Define[parcel]("parcels", catalogue.Options{Description: &schema.Description{Lookup: "number", Filters: []string{"note"}}}),
	}
}

// newCatalogue returns a catalogue with the first definitions, or all.
func newCatalogue(t *testing.T, n int) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(definitions(t)[:n]...)
	if err == nil {
		err = c.Load(strings.NewReader(file), catalogue.LoadOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Numbers of definitions.
const ofFilms, all = 4, 7

// inMemory returns a function that opens the collections of another catalogue.
func inMemory(t *testing.T, n int) func(ctx context.Context, file []byte) ([]httpapi.Collection, error) {
	made := newCatalogue(t, n)
	return func(_ context.Context, file []byte) (list []httpapi.Collection, err error) {
		c := made.Clone()
		for _, collection := range c.All() {
			list = append(list, collection)
		}
		return list, c.Load(bytes.NewReader(file), catalogue.LoadOptions{})
	}
}

// long reports whether BACKLIST_LONG is set, as in CI.
func long() bool { return os.Getenv("BACKLIST_LONG") != "" && !testing.Short() }

// A catalogue is like itself, with pages of each style.
func TestCompareCatalogue(t *testing.T) {
	requests := 300
	if long() {
		requests = 1000
	}
	styles := []pagination.Style{pagination.Cursors{Limits: pagination.Limits{Default: 3}}, pagination.Limits{}, pagination.Numbers{Limits: pagination.Limits{Default: 5}}}
	if testing.Short() { // the calls beside others are the same with each
		styles = styles[:1]
	}
	for _, pages := range styles {
		Compare(t, newCatalogue(t, all), inMemory(t, all), Options{Requests: requests, Handler: httpapi.Options{Pages: pages}})
	}
}

// A difference is reported with the last request and the seed.
func TestReport(t *testing.T) {
	for reason, want := range map[string]string{
		"gte is gt":                   `of seed 1 .*:\n(\t.*\n)*\tGET /api/films/\?.*minutes__gte=[0-9]+.*\n[^\t]`,
		"Create stores another value": `of seed 1 .*:\n(\t.*\n)*\tPOST /api/films/ {.*}\n[^\t]`,
		"Update ignores its filter":   `Update of "[0-9]+" with the filter`,
	} {
		at := slices.IndexFunc(faults(), func(p planted) bool { return p.reason == reason })
		if got := find(t, faults()[at]); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %s, want it to match %s", reason, got, want)
		}
	}
}

// A function open that fails ends the test.
func TestFailingOpen(t *testing.T) {
	r := &recorder{}
	r.run(func() {
		Compare(r, newCatalogue(t, ofFilms), func(context.Context, []byte) ([]httpapi.Collection, error) { return nil, errors.New("no table") }, Options{})
	})
	if !strings.Contains(r.problem, "no table") {
		t.Errorf("problem: %q", r.problem)
	}
}

// What is stored is compared with what Saved returns.
func TestSaved(t *testing.T) {
	r := &recorder{}
	r.run(func() {
		Compare(r, newCatalogue(t, ofFilms), inMemory(t, ofFilms), Options{Requests: 1, Seed: 1, Saved: func(context.Context) ([]byte, error) { return []byte("{}"), nil }})
	})
	if !strings.Contains(r.problem, "stored records") {
		t.Errorf("problem: %q", r.problem)
	}
}
