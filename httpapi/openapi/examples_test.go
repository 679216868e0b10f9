package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/resources/sample"
)

// A guest has a field that is never served, and others that must be unique.
type guest struct {
	ID       int            `json:"id"`
	Email    string         `json:"email" backlist:"email,unique"`
	Password string         `json:"password" backlist:"hidden,minlength=8"`
	Nickname string         `json:"nickname,omitempty" backlist:"blank"`
	Number   int            `json:"number" backlist:"unique,min=1"`
	Notes    map[string]any `json:"notes"`
	Seen     int            `json:"seen" backlist:"readonly"`
	Source   string         `json:"source" backlist:"hidden,default=s3cret"`
}

type seat struct {
	ID     int    `json:"id"`
	Row    string `json:"row" backlist:"choices=a|b"`
	Number int    `json:"number" backlist:"min=1"`
	Guest  int    `json:"guest" backlist:"refers=guests"`
}

type state struct {
	Code string `json:"code" backlist:"key,minlength=2,maxlength=2"`
	Name string `json:"name" backlist:"unique"`
}

// inn returns a catalogue of guests, seats that are unique by row and number, and states with keys.
func inn(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[guest]("guests", catalogue.Options{Description: &schema.Description{Name: "guest"}}),
		catalogue.Define[seat]("seats", catalogue.Options{Description: &schema.Description{Name: "seat", Unique: [][]string{{"row", "number"}}}}),
		catalogue.Define[state]("states", catalogue.Options{Description: &schema.Description{Name: "state"}}),
	)
	must(t, err)
	must(t, cat.Load(strings.NewReader(`{
		"guests":[{"id":3,"email":"a@b.example","password":"s3cret s3cret","number":1,"notes":{"a":1},"seen":2},
			{"id":4,"email":"c@d.example","password":"s3cret s3cret","nickname":"Al","number":2,"notes":{},"seen":3}],
		"seats":[{"id":1,"row":"b","number":90,"guest":4}],"states":[{"code":"IT","name":"Italia"}]}`), catalogue.LoadOptions{}))
	return cat
}

// exampleOf returns the example of a schema, or "" without one.
func (d parsedDocument) exampleOf(t *testing.T, name string) string {
	t.Helper()
	var s struct{ Examples []json.RawMessage }
	must(t, json.Unmarshal(d.Components.Schemas[name], &s))
	if len(s.Examples) == 0 {
		return ""
	}
	return compactJSON(t, s.Examples[0])
}

// Records are what is served first. Bodies have what can be sent of them, and a POST has new values where
// no two records may have the same. Hidden fields are made up where they must be sent.
func TestExamplesOfRecords(t *testing.T) {
	d := documentOf(t, inn(t), httpapi.Options{Authorizer: httpapi.AllowAll}, Options{})
	for name, want := range map[string]string{
		"Guest":       `{"id":3,"email":"a@b.example","number":1,"notes":{"a":1},"seen":2}`,
		"NewGuest":    `{"email":"new-email@example.org","password":"Password","number":875000000,"notes":{"a":1}}`,
		"GuestUpdate": `{"email":"a@b.example","password":"Password","number":1,"notes":{"a":1}}`,
		"GuestPatch":  `{"email":"a@b.example","password":"Password","number":1,"notes":{"a":1}}`,
		"Seat":        `{"id":1,"row":"b","number":90,"guest":4}`,
		"NewSeat":     `{"row":"b","number":875000000,"guest":4}`,
		"SeatUpdate":  `{"row":"b","number":90,"guest":4}`,
		"State":       `{"code":"IT","name":"Italia"}`,
		"NewState":    `{"code":"uu","name":"New name"}`,
	} {
		equal(t, name, want, d.exampleOf(t, name))
	}
}

// A request with the example of its body succeeds, for each collection of two catalogues. The path is that
// of the record in the example of records.
func TestExamplesAreAccepted(t *testing.T) {
	house := mustNew()
	var records bytes.Buffer
	must(t, sample.Write(&records, sample.Options{}))
	must(t, house.Load(&records, catalogue.LoadOptions{}))
	sent := map[string]int{}
	for reason, cat := range map[string]*catalogue.Catalogue{"sample": house, "inn": inn(t)} {
		h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
		must(t, err)
		d := documentOfHandler(t, h, Options{})
		for path, item := range d.Paths {
			for method, text := range item {
				reference := regexp.MustCompile(`"#/components/schemas/((New)?\w+?)(Update|Patch)?"`).FindSubmatch(d.body(t, text))
				if reference == nil {
					continue
				}
				collection, address, _ := strings.Cut(path, "{")
				if address != "" {
					var first struct {
						ID   json.Number
						Code string
					}
					must(t, json.Unmarshal([]byte(d.exampleOf(t, string(reference[1]))), &first))
					collection += first.ID.String() + first.Code + "/"
				}
				body := d.exampleOf(t, string(reference[1])+string(reference[3]))
				r := httptest.NewRequest(strings.ToUpper(method), collection, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code/100 != 2 {
					t.Errorf("%s: %s %s %s: %d %s", reason, method, collection, body, w.Code, w.Body)
				}
				sent[method]++
			}
		}
	}
	if sent["post"] != 5 || sent["put"] != 3 || sent["patch"] != 3 {
		t.Errorf("requests by method: %v", sent)
	}
}

// body returns the description of the body of an operation, or nil.
func (d parsedDocument) body(t *testing.T, operation json.RawMessage) []byte {
	t.Helper()
	var op operationParts
	if operation[0] == '{' { // not the parameters of a path
		must(t, json.Unmarshal(operation, &op))
	}
	return op.RequestBody
}

// mine is a collection whose program decides what a user sees.
type mine struct{ catalogue.AnyCollection }

// No record is an example that some client may not be able to read. Neither is a long one.
func TestExamplesAreReadable(t *testing.T) {
	cat := inn(t)
	guests, _ := cat.Collection("guests")
	all := func(context.Context) (url.Values, error) { return nil, nil }
	post := inn(t)
	long, _ := post.Collection("states")
	_, err := long.Create(t.Context(), []byte(`{"code":"AA","name":`+wire.Quote(strings.Repeat("x", 5000))+`}`), schema.Record{})
	must(t, err)
	for _, tt := range []struct {
		reason  string
		opts    httpapi.Options
		list    []httpapi.Collection
		secret  string // part of the record
		visible bool
	}{
		{"everybody may read", httpapi.Options{}, []httpapi.Collection{guests}, "a@b.example", true},
		{"reads are authorized", httpapi.Options{AuthorizeReads: true}, []httpapi.Collection{guests}, "a@b.example", false},
		{"restricted", httpapi.Options{}, []httpapi.Collection{httpapi.Restrict(guests, all)}, "a@b.example", false},
		{"embedded", httpapi.Options{}, []httpapi.Collection{mine{guests}}, "a@b.example", false},
		{"a reference to a restricted one", httpapi.Options{}, []httpapi.Collection{httpapi.Restrict(guests, all), withoutRecords(t)}, `"guest":3`, false},
		{"long", httpapi.Options{}, []httpapi.Collection{long}, "xxx", false},
		{"only written", httpapi.Options{}, []httpapi.Collection{writeOnly(t)}, "a@b.example", false},
	} {
		h, err := httpapi.NewHandler(tt.list, tt.opts)
		must(t, err)
		document, err := New(h, Options{})
		must(t, err)
		if got := strings.Contains(compactJSON(t, document.JSON()), tt.secret); got != tt.visible {
			t.Errorf("%s: the document has the record: %v, want %v", tt.reason, got, tt.visible)
		}
		if strings.Contains(string(document.JSON()), "s3cret") {
			t.Errorf("%s: the document has a hidden value", tt.reason)
		}
	}
}

// withoutRecords returns the collection of seats, without any.
func withoutRecords(t *testing.T) catalogue.AnyCollection {
	t.Helper()
	cat := inn(t)
	seats, _ := cat.Collection("seats")
	must(t, seats.Delete(t.Context(), "1", schema.Filter{}, nil))
	return seats
}

// writeOnly returns guests that nobody can read.
func writeOnly(t *testing.T) catalogue.AnyCollection {
	t.Helper()
	cat, err := catalogue.New(catalogue.Define[guest]("guests", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}))
	must(t, err)
	must(t, cat.Load(strings.NewReader(`{"guests":[{"id":1,"email":"a@b.example","password":"s3cret s3cret","number":1,"notes":{},"seen":0}]}`), catalogue.LoadOptions{}))
	c, _ := cat.Collection("guests")
	return c
}

// Without records, examples are made up. A reference is to the first record, if there is one. Of the kind
// JSON no value is known to be valid.
func TestExamplesWithoutRecords(t *testing.T) {
	cat := inn(t)
	seats, _ := cat.Collection("seats")
	must(t, seats.Delete(t.Context(), "1", schema.Filter{}, nil))
	d := documentOf(t, cat, httpapi.Options{}, Options{})
	equal(t, "a seat", `{"id":1,"row":"b","number":875000000,"guest":3}`, d.exampleOf(t, "Seat"))
	equal(t, "a new seat", `{"row":"b","number":875000000,"guest":3}`, d.exampleOf(t, "NewSeat"))
	about := []schema.Field{{Name: "a", Kind: schema.Object, Fields: []schema.Field{{Name: "x", Kind: schema.JSON}}}}
	c := collection{ServedCollection: httpapi.ServedCollection{Description: schema.Description{Fields: about}}}
	if got := new(describer).examples(c, schema.Retrieve); got != nil {
		t.Errorf("the example of a record with JSON: %s", got)
	}
}

// A made-up reference by text is a value of the field to which it refers.
func TestExampleOfReference(t *testing.T) {
	places := &schema.Description{Fields: []schema.Field{
		{Name: "code", Kind: schema.Text, Unique: true, Pattern: regexp.MustCompile("^[^./]*$")},
		{Name: "uuid", Kind: schema.UUID, Unique: true},
	}}
	c := collection{ServedCollection: httpapi.ServedCollection{Description: schema.Description{
		Related: map[string]*schema.Description{"places": places}, Fields: []schema.Field{
			{Name: "from", Kind: schema.Reference, Refers: "places", By: "uuid"},
			{Name: "via", Kind: schema.References, Refers: "places", By: "code"},
			{Name: "to", Kind: schema.Reference, Refers: "places"},
			{Name: "ship", Kind: schema.Reference, Refers: "ships", By: "slug"}, // of which nothing is known
		},
	}}}
	want := `{"from":"11111111-1111-1111-1111-111111111111","via":["1"],"to":1,"ship":"Slug"}`
	equal(t, "the result", want, compactJSON(t, new(describer).examples(c, schema.Retrieve)[0]))
}

// Requests name fields as JSON does where the description permits that, also across references and in
// objects, and lists name their filters.
func TestJSONNames(t *testing.T) {
	type place struct {
		PostCode string `json:"postCode"`
	}
	type firm struct {
		ID      int    `json:"id"`
		TaxCode string `json:"taxCode"`
		HomeAt  place  `json:"homeAt"`
		OwnedBy *int   `json:"ownedBy" backlist:"refers=firms"`
	}
	about := schema.Description{
		Filters: []string{"tax_code__icontains", "owned_by__tax_code", "home_at__post_code__in", "owned_by"}, Search: []string{"^tax_code", "owned_by__tax_code"},
		Sortable: []string{"tax_code", "home_at__post_code", "owned_by__tax_code"},
	}
	for _, tt := range []struct {
		json                     bool
		filters, terms, ordering string
	}{
		{true, "taxCode__icontains, ownedBy__taxCode, homeAt__postCode__in, ownedBy, search", `["taxCode","-taxCode","homeAt__postCode","-homeAt__postCode","ownedBy__taxCode","-ownedBy__taxCode"]`, "Names, with"},
		{false, "tax_code__icontains, owned_by__tax_code, home_at__post_code__in, owned_by, search", `["tax_code","-tax_code","home_at__post_code","-home_at__post_code","owned_by__tax_code","-owned_by__tax_code"]`, "Names in snake_case, with"},
	} {
		about.JSONNames = tt.json
		cat, err := catalogue.New(catalogue.Define[firm]("firms", catalogue.Options{Description: &about}))
		must(t, err)
		d := documentOf(t, cat, httpapi.Options{}, Options{})
		var list struct{ Description string }
		must(t, json.Unmarshal(d.Paths["/api/firms/"]["get"], &list))
		equal(t, "the list", "Returns a page of records in the requested order. The filters are "+tt.filters+".", list.Description)
		var terms struct{ Enum json.RawMessage }
		must(t, json.Unmarshal(d.Components.Schemas["FirmOrderingTerm"], &terms))
		equal(t, "terms", tt.terms, compactJSON(t, terms.Enum))
		for _, name := range strings.Split(tt.filters, ", ") {
			if p := string(d.Components.Parameters["Firm.filter."+name]); !strings.Contains(p, `"name": "`+name+`"`) {
				t.Errorf("the parameter %s: %s", name, p)
			}
		}
		if p := string(d.Components.Parameters["FirmOrdering"]); !strings.Contains(p, tt.ordering) {
			t.Errorf("the ordering: %s", p)
		}
	}
}
