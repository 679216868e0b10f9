package pgstore_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/recorded"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	rotas "github.com/gobacklist/backlist/examples/rota/collections"
	shops "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
)

func recordedNow() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// recordedFilms returns the definitions of the service of films.
func recordedFilms() []catalogue.AnyDefinition {
	type (
		director struct {
			ID      int     `json:"id"`
			Name    string  `json:"name"`
			Slug    string  `json:"slug" backlist:"slug,unique"`
			Born    *string `json:"born" backlist:"date"`
			Website string  `json:"website" backlist:"url,blank"`
		}

		genre struct {
			ID       int    `json:"id"`
			Name     string `json:"name" backlist:"unique"`
			Position int32  `json:"position" backlist:"default=0"`
		}

		film struct {
			ID         int        `json:"id"`
			Title      string     `json:"title"`
			Slug       string     `json:"slug" backlist:"slug,unique"`
			Synopsis   string     `json:"synopsis" backlist:"blank"`
			Released   *string    `json:"released" backlist:"date"`
			PremiereAt *time.Time `json:"premiereAt"`
			Minutes    int32      `json:"minutes" backlist:"min=0"`
			Rating     *float64   `json:"rating"`
			Price      string     `json:"price" backlist:"decimal=8.2"`
			Status     string     `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
			Published  bool       `json:"published"`
			Director   int        `json:"director" backlist:"refers=directors"`
			Genres     []int      `json:"genres" backlist:"refers=genres"`
			CreatedAt  time.Time  `json:"createdAt" backlist:"created"`
		}
	)
	return []catalogue.AnyDefinition{
		catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[genre]("genres", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{
			Now: recordedNow,
			Description: &schema.Description{
				Search: []string{"title", "synopsis", "director__name"},
				Filters: []string{
					"status", "status__in", "published", "director", "director__in", "genres",
					"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
					"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
					"title", "title__iexact", "title__contains", "title__icontains", "title__startswith",
					"title__istartswith", "premiere_at__gte", "premiere_at__lte",
				},
			},
		}),
	}
}

// recordedKeys returns the definitions of the service of records with keys.
func recordedKeys() []catalogue.AnyDefinition {
	type (
		country struct {
			Code     string `json:"code" backlist:"key,maxlength=8"`
			Name     string `json:"name" backlist:"maxlength=30"`
			Position int32  `json:"position" backlist:"default=0"`
		}

		maker struct {
			ID     string  `json:"id" backlist:"key,uuid,readonly"`
			Name   string  `json:"name" backlist:"maxlength=30"`
			Parent *string `json:"parent" backlist:"refers=makers,ondelete=setnull"`
		}

		item struct {
			ID        int      `json:"id"`
			Title     string   `json:"title" backlist:"maxlength=30"`
			Maker     string   `json:"maker" backlist:"refers=makers,ondelete=cascade"`
			Country   *string  `json:"country" backlist:"refers=countries,ondelete=setnull"`
			Countries []string `json:"countries" backlist:"refers=countries"`
			Price     string   `json:"price" backlist:"decimal=6.2,default=0"`
		}

		ticket struct {
			ID      string   `json:"id" backlist:"key,uuid,optional"`
			Subject string   `json:"subject" backlist:"maxlength=30"`
			Item    *int     `json:"item" backlist:"refers=items,ondelete=cascade"`
			Country *string  `json:"country" backlist:"refers=countries"`
			Makers  []string `json:"makers" backlist:"refers=makers"`
		}
	)
	countries, err := schema.DescriptionOf[country]("countries")
	if err != nil {
		panic(err)
	}
	countries.Fields[0].Pattern = nil
	countries.Filters = strings.Fields("code code__in code__istartswith code__gte code__lt name__icontains position__gte")
	countries.Search = []string{"^code", "name"}
	return []catalogue.AnyDefinition{
		catalogue.Define[country]("countries", catalogue.Options{Description: &countries}),
		catalogue.Define[maker]("makers", catalogue.Options{NewKey: newKeys("makers"), Description: &schema.Description{
			Filters: strings.Fields("id id__in id__gt name name__icontains parent parent__in parent__isnull parent__name__icontains"),
			Search:  []string{"name", "^id", "=parent__id"},
		}}),
		catalogue.Define[item]("items", catalogue.Options{Description: &schema.Description{
			Filters: strings.Fields("maker maker__in country country__in country__isnull countries maker__name__icontains maker__parent " +
				"country__name country__code__istartswith price__gte price__lte"),
			Search:   []string{"title", "=country__code", "maker__name"},
			Sortable: strings.Fields("id title maker country price maker__name country__position"),
		}}),
		catalogue.Define[ticket]("tickets", catalogue.Options{NewKey: newKeys("tickets"), Description: &schema.Description{
			Filters: strings.Fields("id id__in item item__isnull country makers item__maker item__maker__in"),
			Search:  []string{"subject", "id", "item__country__code"},
		}}),
	}
}

// newKeys returns the function that returns the keys that the recorded service makes.
func newKeys(collection string) func() string {
	n := 0
	return func() string {
		n++
		b := sha256.Sum256(fmt.Appendf(nil, "%s %d", collection, n))
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
	}
}

// made returns the empty catalogue that a function makes.
func made(t *testing.T, newCatalogue func(now func() time.Time) (*catalogue.Catalogue, error)) *catalogue.Catalogue {
	t.Helper()
	cat, err := newCatalogue(recordedNow)
	if err != nil {
		t.Fatal(err)
	}
	return cat
}

// TestOwnVectors replays the requests that were recorded from services with collections of their
// own, in order.
func TestOwnVectors(t *testing.T) {
	const house, shop, rota = "../../../httpapi/testdata/", "../../shop/testdata/", "../../rota/testdata/"
	of := func(definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
		cat, err := catalogue.New(definitions...)
		if err != nil {
			t.Fatal(err)
		}
		return cat
	}
	for _, row := range []struct {
		data, file string
		as         schema.Framework
		cat        *catalogue.Catalogue
		n          int
		different  map[string]int // by tag
		forms      bool
		shared     bool // whether memory, too, answers some otherwise: see examples/rota
	}{
		{house + "own/dataset.json", house + "own/vectors.jsonl", schema.Framework{}, of(recordedFilms()...), 1217, nil, false, false},
		{house + "own/dataset.json", house + "v318/own.jsonl", schema.DRF318(time.UTC), of(recordedFilms()...), 175, map[string]int{
			"scene json":   7, // the text of a syntax error; NaN
			"scene number": 2, // 1_0, and -0
		}, false, false},
		{house + "keys/dataset.json", house + "keys/vectors.jsonl", schema.Framework{}, of(recordedKeys()...), 633, nil, false, false},
		{shop + "dataset.json", shop + "vectors.jsonl", schema.Framework{}, made(t, shops.New), 1258, nil, false, false},
		{shop + "dataset.json", shop + "v318.jsonl", schema.DRF318(time.UTC), made(t, shops.New), 175, map[string]int{
			"scene json": 11, // the text of a syntax error
		}, false, false},
		{rota + "dataset.json", rota + "vectors.jsonl", schema.Framework{}, made(t, rotas.New), 766, nil, true, true},
	} {
		t.Run(row.file, func(t *testing.T) {
			store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Catalogue: row.cat, Timeout: time.Minute})
			data, err := os.ReadFile(row.data)
			if err != nil {
				t.Fatal(err)
			}
			load(t, store, string(data))
			opts := httpapi.Options{Authorizer: httpapi.AllowAll, Framework: row.as, Forms: row.forms}
			h := handle(t, store, opts)
			all, err := recorded.Read(row.file)
			if err != nil {
				t.Fatal(err)
			}
			memory := row.cat.Clone()
			if err := memory.Load(bytes.NewReader(data), catalogue.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
			other, err := httpapi.New(memory, opts)
			if err != nil {
				t.Fatal(err)
			}
			different := map[string]int{}
			for i, r := range all {
				got, before := r.Send(h), different[r.Tag]
				if diff := cmp.Diff(r.Want, got); diff != "" && !row.shared {
					if different[r.Tag]++; before >= row.different[r.Tag] {
						t.Errorf("line %d, %s: %s %s %s (-want +got):\n%s", i+1, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
					}
				}
				if !row.shared {
					continue
				}
				if diff := cmp.Diff(r.Send(other), got); diff != "" {
					t.Errorf("line %d, %s: %s %s %s (-memory +PostgreSQL):\n%s", i+1, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
				}
			}
			if len(all) != row.n {
				t.Errorf("replayed %d of %d requests", len(all), row.n)
			}
		})
	}
}
