package openapi

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	film struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *schema.Float64  `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

// filmHouse returns a catalogue of directors, genres and films. The genres are open
// records with a description.
func filmHouse(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	position := -10
	house, err := catalogue.NewOnly(
		catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[schema.Record]("genres", catalogue.Options{
			Description: &schema.Description{
				Name:    "genre",
				Actions: schema.AllActions,
				Fields: []schema.Field{
					{Name: "id", Kind: schema.Integer, ReadOnly: true},
					{Name: "name", Kind: schema.Text, Required: true, Unique: true},
					{Name: "position", Kind: schema.Integer, Default: "0", Min: &position},
				},
			},
		}),
		catalogue.Define[film]("films", catalogue.Options{
			Description: &schema.Description{
				Search: []string{"title", "synopsis", "director__name"},
				Filters: []string{
					"status", "status__in", "published", "director", "director__in", "genres",
					"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
					"released", "released__isnull", "price__gte", "rating__lte", "premiere_at__gte",
					"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
				},
			},
		}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return house
}

// pathsDocument is a document with the parts of it that tests of paths check.
type pathsDocument struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas    map[string]json.RawMessage
		Parameters map[string]json.RawMessage
	}
}

// operationParts are the parts of an operation that tests check.
type operationParts struct {
	OperationID string
	Parameters  []struct {
		Ref string `json:"$ref"`
	}
	RequestBody json.RawMessage
	Responses   map[string]json.RawMessage
	Security    []map[string][]string
}

func documentOf(t *testing.T, house *catalogue.Catalogue, handler httpapi.Options, opts Options) (d pathsDocument) {
	t.Helper()
	h, err := httpapi.New(house, handler)
	if err != nil {
		t.Fatal(err)
	}
	return documentOfHandler(t, h, opts)
}

func documentOfHandler(t *testing.T, h *httpapi.Handler, opts Options) (d pathsDocument) {
	t.Helper()
	document, err := New(context.Background(), h, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(document.JSON(), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// operation returns an operation of a path, or the zero value if there is none.
func (d pathsDocument) operation(t *testing.T, path, method string) (op operationParts) {
	t.Helper()
	if text := d.Paths[path][method]; text != nil {
		if err := json.Unmarshal(text, &op); err != nil {
			t.Fatal(err)
		}
	}
	return op
}

// parameters returns the names of the parameters of an operation without those of its
// path.
func (op operationParts) parameters() (list []string) {
	for _, p := range op.Parameters {
		list = append(list, strings.TrimPrefix(p.Ref, "#/components/parameters/"))
	}
	return list
}
