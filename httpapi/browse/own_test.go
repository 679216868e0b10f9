package browse

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// shelf is a collection with all operations, which records its writes but does not make
// them. A parameter that is empty or "bogus" is not valid.
type shelf struct {
	about   schema.Description
	records map[int]map[string]json.RawMessage
	calls   []string // writes
	refuse  error    // of all writes
}

func newShelf(about schema.Description, records ...string) *shelf {
	s := &shelf{about: about, records: make(map[int]map[string]json.RawMessage)}
	for i, text := range records {
		record := make(map[string]json.RawMessage)
		if err := json.Unmarshal([]byte(text), &record); err != nil {
			panic(err)
		}
		s.records[i+1] = record
	}
	return s
}

func (s *shelf) Description() schema.Description { return s.about }

func (s *shelf) Fields(context.Context) ([]string, error) { return []string{"id", "title"}, nil }

// encoded returns a record with its members in the order of the fields.
func (s *shelf) encoded(id int) []byte {
	var members []string
	for _, f := range s.about.Fields {
		if value, ok := s.records[id][f.Name]; ok {
			name, _ := json.Marshal(f.Name)
			members = append(members, fmt.Sprintf("%s:%s", name, value))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

func (s *shelf) Page(_ context.Context, w pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	var all [][]byte
	for id := range 1000 {
		if s.records[id] != nil {
			all = append(all, s.encoded(id))
		}
	}
	return len(all), pagination.Slice(all, w), nil
}

// check returns an error if parameters are not valid.
func (s *shelf) check(params url.Values) error {
	var wrong schema.FieldErrors
	for name, values := range params {
		for _, value := range values {
			if value == "bogus" || value == "" {
				wrong = append(wrong, schema.FieldError{Field: camel(name), Messages: []string{"Not <" + value + ">."}})
			}
		}
	}
	if wrong != nil {
		return wrong
	}
	return nil
}

// camel writes a parameter as in the errors of the service: minutes_Gte.
func camel(name string) string {
	field, lookup, ok := strings.Cut(name, "__")
	if !ok {
		return name
	}
	return field + "_" + strings.ToUpper(lookup[:1]) + lookup[1:]
}

func (s *shelf) PageWhere(ctx context.Context, params url.Values, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	if err := s.check(params); err != nil {
		return 0, nil, err
	}
	if params.Get("search") == "nothing" {
		return 0, nil, nil
	}
	return s.Page(ctx, w, terms)
}

func (s *shelf) Get(_ context.Context, id int, params url.Values) ([]byte, error) {
	if err := s.check(params); err != nil {
		return nil, err
	}
	if s.records[id] == nil {
		return nil, catalogue.ErrNotFound
	}
	return s.encoded(id), nil
}

func (s *shelf) Update(_ context.Context, id int, _ url.Values, body []byte, partial bool) ([]byte, error) {
	s.calls = append(s.calls, fmt.Sprintf("update %d %t %s", id, partial, body))
	if s.refuse != nil {
		return nil, s.refuse
	}
	return s.encoded(id), nil
}

func (s *shelf) Delete(_ context.Context, id int, _ url.Values) error {
	s.calls = append(s.calls, fmt.Sprintf("delete %d", id))
	if s.records[id] == nil {
		return catalogue.ErrNotFound
	}
	return s.refuse
}

func (s *shelf) Create(_ context.Context, body []byte) ([]byte, error) {
	s.calls = append(s.calls, "create "+string(body))
	if s.refuse != nil {
		return nil, s.refuse
	}
	return s.encoded(1), nil
}

func filmFields() []schema.Field {
	least, most := 0, 600
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "title", Kind: schema.Text, Required: true},
		{Name: "synopsis", Kind: schema.Text, Blank: true, Default: `""`},
		{Name: "released", Kind: schema.Date, Nullable: true, Default: `null`},
		{Name: "premiereAt", Kind: schema.Timestamp, Nullable: true, Default: `null`},
		{Name: "minutes", Kind: schema.Integer, Required: true, Min: &least, Max: &most},
		{Name: "rating", Kind: schema.Float, Nullable: true, Default: `null`},
		{Name: "price", Kind: schema.Decimal, Digits: 8, Places: 2, Required: true},
		{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "released"}, Default: `"announced"`},
		{Name: "published", Kind: schema.Boolean, Default: `false`},
		{Name: "seen", Kind: schema.Boolean, Nullable: true, Default: `null`},
		{Name: "website", Kind: schema.URL, Blank: true, Nullable: true, Default: `null`},
		{Name: "director", Kind: schema.Reference, Refers: "directors", Required: true},
		{Name: "genres", Kind: schema.References, Refers: "genres", Default: `[]`},
		{Name: "tags", Kind: schema.TextList, Default: `[]`},
		{Name: "extra", Kind: schema.JSON, Nullable: true, Default: `null`},
		{Name: "createdAt", Kind: schema.Timestamp, ReadOnly: true, Created: true},
	}
}

func describe(key, name string, actions schema.Actions, fields []schema.Field) schema.Description {
	return schema.Description{Key: key, Segment: key, Name: name, Actions: actions, Vary: "Accept", Ordering: []ordering.Term{ordering.Asc("id")}, Fields: fields}
}

const firstFilm = `{"id":1,"title":"Nächte & <Tage>","synopsis":"one\ntwo","released":"2024-05-10","premiereAt":"2024-05-10T18:00:00.500000Z",
	"minutes":90,"rating":7.0,"price":"12.50","status":"released","published":true,"seen":null,"website":null,"director":2,"genres":[1,3],
	"tags":["a\nb","c"],"extra":{"k":[1]},"createdAt":"2026-01-02T03:04:05Z"}`

// house is a handler for films with all operations, directors that can be read, and
// genres that have no pages.
type house struct {
	films, directors, genres *shelf
}

func newHouse() house {
	named := []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "title", Kind: schema.Text, Required: true}}
	films := describe("films", "film", schema.AllActions, filmFields())
	films.Filters = []string{"title__icontains", "status", "published", "genres", "minutes__gte", "minutes__range", "director__in", "released__isnull", "premiere_at__gte"}
	films.Search = []string{"^title", "director__name"}
	return house{
		films:     newShelf(films, firstFilm),
		directors: newShelf(describe("directors", "director", schema.ReadActions, named), `{"id":1,"title":"A"}`, `{"id":2,"title":"B"}`),
		genres:    newShelf(describe("genres", "genre", schema.List, named), `{"id":1,"title":"g"}`),
	}
}

func (h house) handler(t testing.TB, opts httpapi.Options) http.Handler {
	t.Helper()
	handler, err := httpapi.NewHandler(map[string]httpapi.Collection{"films": h.films, "directors": h.directors, "genres": h.genres}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return browsing(t, handler, Options{})
}
