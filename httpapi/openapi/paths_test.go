package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

func TestOperationsOfRecords(t *testing.T) {
	const tag = `{"ETag":{"$ref":"#/components/headers/ETag"}}`
	for _, tags := range []bool{true, false} {
		d := documentOf(t, filmCatalogue(t), httpapi.Options{ETags: tags}, Options{Scheme: "Bearer"})
		for _, tt := range []struct {
			path, method, id     string
			statuses, parameters string // of the operation
			secured, tagged      bool   // RFC 9110, section 9.3.4, forbids the tag of a PUT
		}{
			{"/api/films/", "post", "createFilm", "201 400 401 403 404 default", "", true, true},
			{"/api/films/{id}/", "get", "getFilm", "200 304 400 404 default", "ifNoneMatch", false, true},
			{"/api/films/{id}/", "put", "updateFilm", "200 400 401 403 404 409 412 default", "ifMatch", true, false},
			{"/api/films/{id}/", "patch", "patchFilm", "200 400 401 403 404 409 412 default", "ifMatch", true, true},
			{"/api/films/{id}/", "delete", "deleteFilm", "204 400 401 403 404 409 412 default", "ifMatch", true, false},
			{"/api/directors/{id}/", "get", "getDirector", "200 304 400 404 default", "ifNoneMatch", false, true},
			{"/api/directors/", "get", "listDirectors", "200 304 400 404 default", "DirectorOrdering limit offset Director.filter.search ifNoneMatch", false, true},
			{"/api/genres/", "get", "listGenres", "200 304 400 404 default", "GenreOrdering limit offset ifNoneMatch", false, true},
		} {
			if !tags {
				tt.statuses = strings.NewReplacer(" 304", "", " 412", "").Replace(tt.statuses)
				tt.parameters = strings.TrimSpace(strings.NewReplacer("ifNoneMatch", "", "ifMatch", "").Replace(tt.parameters))
			}
			op := d.operation(t, tt.path, tt.method)
			statuses := strings.Join(slices.Sorted(maps.Keys(op.Responses)), " ")
			got := []string{op.OperationID, statuses, strings.Join(op.parameters(), " ")}
			equal(t, fmt.Sprintf("%s %s", tt.method, tt.path), []string{tt.id, tt.statuses, tt.parameters}, got)
			if secured := op.Security != nil; secured != tt.secured {
				t.Errorf("%s %s: security = %v", tt.method, tt.path, op.Security)
			}
			var good struct{ Headers json.RawMessage }
			must(t, json.Unmarshal(op.Responses[statuses[:3]], &good))
			if tagged := good.Headers != nil && compactJSON(t, good.Headers) == tag; tagged != (tags && tt.tagged) {
				t.Errorf("tags %t: %s %s: the response has a tag: %t", tags, tt.method, tt.path, tagged)
			}
		}
	}
}

// Each style of pages has its parameters, whose components have valid names, and only the styles
// that count have a count. The description of the document is about them.
func TestParametersOfPages(t *testing.T) {
	limits := pagination.Limits{Default: 10, Max: 50}
	for _, row := range []struct {
		style      pagination.Style
		parameters string
		page       string // members
	}{
		{nil, "GenreOrdering limit offset", "count next previous results"},
		{limits, "GenreOrdering limit offset", "count next previous results"},
		{pagination.Numbers{Limits: limits}, "GenreOrdering page", "count next previous results"},
		{pagination.Numbers{Limits: limits, Page: "p", Size: "page_size"}, "GenreOrdering p page_size", "count next previous results"},
		{pagination.Numbers{Page: "page[number]", Size: "é"}, "GenreOrdering page_number_ _", "count next previous results"},
		{pagination.Cursors{Limits: limits, Size: "size"}, "GenreOrdering cursor size", "next previous results"},
	} {
		d := documentOf(t, filmCatalogue(t), httpapi.Options{Pages: row.style}, Options{})
		var page struct{ Required []string }
		must(t, json.Unmarshal(d.Components.Schemas["GenrePage"], &page))
		got := []string{strings.Join(d.operation(t, "/api/genres/", "get").parameters(), " "), strings.Join(page.Required, " ")}
		equal(t, fmt.Sprintf("%#v", row.style), []string{row.parameters, row.page}, got)
	}
}

// A country has a key that clients choose, a ticket one that the server makes, and a city an id and
// a path by its slug.
type (
	country struct {
		Code string `json:"code" backlist:"key,maxlength=8"`
	}
	ticket struct {
		ID string `json:"id" backlist:"key,uuid,readonly"`
	}
	city struct {
		ID   int    `json:"id"`
		Slug string `json:"slug" backlist:"slug,unique"`
	}
)

// Paths have the parameter by which they address records.
func TestAddresses(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[country]("countries", catalogue.Options{}),
		catalogue.Define[ticket]("tickets", catalogue.Options{}),
		catalogue.Define[city]("cities", catalogue.Options{Description: &schema.Description{Lookup: "slug"}}),
	)
	must(t, err)
	d := documentOf(t, cat, httpapi.Options{}, Options{})
	for _, row := range []struct{ list, path, parameter, get, post string }{
		{"/api/countries/", "{code}/", `[{"name":"code","in":"path","description":"The code of the record.","required":true,"schema":{"type":"string"}}]`,
			"Returns the record with the code.", "Validates the body and adds a record."},
		{"/api/tickets/", "{id}/", `[{"name":"id","in":"path","description":"The id of the record.","required":true,"schema":{"type":"string","format":"uuid"}}]`,
			"Returns the record with the id.", "Validates the body and adds a record."},
		{"/api/cities/", "{slug}/", `[{"name":"slug","in":"path","description":"The slug of the record.","required":true,"schema":{"type":"string"}}]`,
			"Returns the record with the slug.", "Validates the body and adds a record with a new id."},
	} {
		var get, post struct{ Description string }
		for _, op := range []struct {
			path, method string
			to           any
		}{{row.list + row.path, "get", &get}, {row.list, "post", &post}} {
			if err := json.Unmarshal(d.Paths[op.path][op.method], op.to); err != nil {
				t.Fatalf("%s %s: %v", op.method, op.path, err)
			}
		}
		got := []string{compactJSON(t, d.Paths[row.list+row.path]["parameters"]), get.Description, post.Description}
		equal(t, row.list, []string{row.parameter, row.get, row.post}, got)
	}
}

// untagged is a collection whose pages have no tags.
type untagged struct {
	httpapi.Collection
	httpapi.Getter
	httpapi.Updater
	httpapi.Deleter
}

// Records have tags even if pages have none.
func TestTagsOfOtherCollections(t *testing.T) {
	cat := filmCatalogue(t)
	genres, err := cat.Collection("genres")
	must(t, err)
	h, err := httpapi.NewHandler([]httpapi.Collection{untagged{genres, genres, genres, genres}}, httpapi.Options{ETags: true})
	must(t, err)
	d := documentOfHandler(t, h, Options{})
	for _, tt := range []struct{ path, method, statuses, parameters string }{
		{"/api/genres/", "get", "200 400 404 default", "GenreOrdering limit offset"},
		{"/api/genres/{id}/", "get", "200 304 400 404 default", "ifNoneMatch"},
		{"/api/genres/{id}/", "patch", "200 400 401 403 404 409 412 default", "ifMatch"},
		{"/api/genres/{id}/", "delete", "204 400 401 403 404 409 412 default", "ifMatch"},
	} {
		op := d.operation(t, tt.path, tt.method)
		got := []string{strings.Join(slices.Sorted(maps.Keys(op.Responses)), " "), strings.Join(op.parameters(), " ")}
		equal(t, fmt.Sprintf("%s %s", tt.method, tt.path), []string{tt.statuses, tt.parameters}, got)
	}
}

// The methods of the document are those that the handler allows, without HEAD and OPTIONS.
func TestMethodsOfActions(t *testing.T) {
	const every = schema.AllActions + 1
	for actions := schema.Actions(1); actions < every; actions++ {
		cat, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Actions: actions},
		}))
		must(t, err)
		h, err := httpapi.New(cat, httpapi.Options{Root: "/v1/"})
		must(t, err)
		d := documentOf(t, cat, httpapi.Options{Root: "/v1/"}, Options{})
		for path, target := range map[string]string{"/v1/directors/": "/v1/directors/", "/v1/directors/{id}/": "/v1/directors/7/"} {
			var want []string
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodOptions, target, nil))
			if w.Code == http.StatusOK {
				want = strings.Split(strings.ToLower(w.Header().Get("Allow")), ", ")
			}
			want = slices.DeleteFunc(want, func(method string) bool { return method == "head" || method == "options" })
			slices.Sort(want)
			item := maps.Clone(d.Paths[path])
			delete(item, "parameters")
			if diff := cmp.Diff(strings.Join(want, " "), strings.Join(slices.Sorted(maps.Keys(item)), " ")); diff != "" {
				t.Errorf("actions %b: %s (-allowed +described):\n%s", actions, path, diff)
			}
		}
	}
}

// A body of the document has the types that OPTIONS lists.
func TestTypesOfBodies(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{}))
	must(t, err)
	for _, forms := range []bool{false, true} {
		opts := httpapi.Options{Forms: forms}
		h, err := httpapi.New(cat, opts)
		must(t, err)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodOptions, "/api/directors/", nil))
		var metadata struct{ Parses []string }
		must(t, json.Unmarshal(w.Body.Bytes(), &metadata))
		for path, method := range map[string]string{"/api/directors/": "post", "/api/directors/{id}/": "patch"} {
			var body struct{ Content map[string]any }
			must(t, json.Unmarshal(documentOf(t, cat, opts, Options{}).operation(t, path, method).RequestBody, &body))
			equal(t, fmt.Sprint(method, " with Forms ", forms), metadata.Parses, slices.Sorted(maps.Keys(body.Content)))
		}
	}
}

// A requirement is a member of the OpenAPI property "security". An empty list means that
// no credentials are needed, and an absent one that nothing is known.
func TestSecurity(t *testing.T) {
	none, token := []map[string][]string{}, []map[string][]string{{"credentials": {}}}
	bearer := map[string]map[string]string{"credentials": {"type": "http", "scheme": "bearer"}}
	readOnly, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{
		Description: &schema.Description{Actions: schema.List},
	}))
	must(t, err)
	for _, tt := range []struct {
		reason      string
		cat         *catalogue.Catalogue
		reads       bool // the handler authorizes reads
		scheme      string
		root, write []map[string][]string // of the document and of operations that write
		schemes     map[string]map[string]string
	}{
		{"no scheme", mustNew(), false, "", none, nil, nil},
		{"scheme for writes", mustNew(), false, "Bearer", none, token, bearer},
		{"scheme for all", mustNew(), true, "Bearer", token, nil, bearer},
		{"unknown credentials for reads", mustNew(), true, "", nil, nil, nil},
		{"scheme without writes", readOnly, false, "Bearer", none, nil, nil},
	} {
		d := documentOf(t, tt.cat, httpapi.Options{AuthorizeReads: tt.reads}, Options{Scheme: tt.scheme})
		if diff := cmp.Diff(tt.root, d.Security) + cmp.Diff(tt.schemes, d.Components.SecuritySchemes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		for path, item := range d.Paths {
			for method := range item {
				if method == "parameters" {
					continue
				}
				op := d.operation(t, path, method)
				var want []map[string][]string
				if method == "post" {
					want = tt.write
				}
				equal(t, fmt.Sprintf("%s: %s %s", tt.reason, method, path), want, op.Security)
				if denied := op.Responses["401"] != nil && op.Responses["403"] != nil; denied != (tt.reads || method == "post") {
					t.Errorf("%s: %s %s: 401 and 403 are described: %v", tt.reason, method, path, denied)
				}
			}
		}
	}
}

// The response with a list without pages is an array, whose length has a bound unless Max is negative, and
// no parameter is one of pages.
func TestListsWithoutPages(t *testing.T) {
	for _, row := range []struct {
		style       pagination.Style
		array, text string
	}{
		{pagination.Whole{}, `{"type":"array","items":{"$ref":"#/components/schemas/Genre"},"maxItems":10000}`, " A list of more than 10000 is an error."},
		{pagination.Whole{Max: 7}, `{"type":"array","items":{"$ref":"#/components/schemas/Genre"},"maxItems":7}`, " A list of more than 7 is an error."},
		{pagination.Whole{Max: -1}, `{"type":"array","items":{"$ref":"#/components/schemas/Genre"}}`, ""},
	} {
		d := documentOf(t, filmCatalogue(t), httpapi.Options{Pages: row.style}, Options{})
		op := d.operation(t, "/api/genres/", "get")
		equal(t, fmt.Sprintf("%+v: parameters", row.style), "GenreOrdering", strings.Join(op.parameters(), " "))
		equal(t, fmt.Sprintf("%+v: the response", row.style), `{"description":"All records.","content":{"application/json":{"schema":`+row.array+`}}}`, compactJSON(t, op.Responses["200"]))
		equal(t, fmt.Sprintf("%+v: the description", row.style), "Returns all records in the requested order."+row.text, op.Description)
		if page, ok := d.Components.Schemas["GenrePage"]; ok {
			t.Errorf("%+v: there are pages: %s", row.style, page)
		}
	}
}

// The parameters of orderings and searches have the names of the description.
func TestNamesOfOrderingAndSearch(t *testing.T) {
	type plant struct {
		ID     int    `json:"id"`
		Name   string `json:"name"`
		Height int    `json:"height"`
		Shape  string `json:"shape" backlist:"choices=round|long"`
	}
	c, err := catalogue.New(catalogue.Define[plant]("plants", catalogue.Options{Description: &schema.Description{
		OrderingParam: "sort", SearchParam: "q", Search: []string{"name"}, Filters: []string{"min_height", "in", "of"},
		Parameters: map[string]string{"min_height": "height__gte", "in": "name__in", "of": "shape"},
	}}))
	must(t, err)
	d := documentOf(t, c, httpapi.Options{}, Options{})
	op := d.operation(t, "/api/plants/", "get")
	equal(t, "the parameters", "PlantOrdering limit offset Plant.filter.min_height Plant.filter.in Plant.filter.of Plant.filter.q", strings.Join(op.parameters(), " "))
	if !strings.Contains(op.Description, "The filters are min_height, in, of, q.") {
		t.Errorf("the operation is described as %s", op.Description)
	}
	for name, want := range map[string]string{
		"PlantOrdering":           `"name":"sort","in":"query","description":"Names in snake_case,`,
		"Plant.filter.q":          `"name":"q","in":"query","description":"Words, separated by white space`,
		"Plant.filter.min_height": `"name":"min_height","in":"query","description":"Records whose height is at least the value.","schema":{"type":"string","pattern":"^\\s*[-+]?`,
		"Plant.filter.of":         `"name":"of","in":"query","description":"Records whose shape is equal to the value.","schema":{"type":"string"}`,
		"Plant.filter.in":         `"name":"in","in":"query","description":"Records whose name is one of the values, which are separated by commas.","explode":false,"schema":{"type":"array","items":{"type":"string"`,
	} {
		if got := compactJSON(t, d.Components.Parameters[name]); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestOrderOfInsertion checks that the document has the default order of records that are Loose.
func TestOrderOfInsertion(t *testing.T) {
	c, err := catalogue.New(catalogue.Define[schema.Record]("cards", catalogue.Options{Description: &schema.Description{
		Loose: true, Lookup: "id", Actions: schema.AllActions, Fields: []schema.Field{{Name: "id", Kind: schema.Text, Key: true, Unique: true}},
	}}))
	must(t, err)
	d := documentOf(t, c, httpapi.Options{}, Options{})
	if got := compactJSON(t, d.Components.Parameters["CardsOrdering"]); !strings.Contains(got, "The default is the order in which records were inserted.") {
		t.Errorf("the parameter is %s of %v", got, slices.Sorted(maps.Keys(d.Components.Parameters)))
	}
}

// TestNumbers checks the kinds of keys that are numbers, and of references to them.
func TestNumbers(t *testing.T) {
	key := schema.Field{Name: "number", Kind: schema.Integer, Key: true, Unique: true, Required: true}
	c, err := catalogue.New(
		catalogue.Define[schema.Record]("teams", catalogue.Options{Description: &schema.Description{Lookup: "number", Actions: schema.AllActions, Filters: []string{"number__in"}, Fields: []schema.Field{key}}}),
		catalogue.Define[schema.Record]("players", catalogue.Options{Description: &schema.Description{Name: "player", Actions: schema.AllActions, Filters: []string{"team", "teams"},
			Fields: []schema.Field{{Name: "team", Kind: schema.Reference, Refers: "teams"}, {Name: "teams", Kind: schema.References, Refers: "teams"}}}}))
	must(t, err)
	d := documentOf(t, c, httpapi.Options{}, Options{})
	for _, row := range []struct{ reason, want string }{
		{"a record", `"team":{"description":"The id of a record of the collection teams.","type":"integer","format":"int64"},"teams":{"description":"Each element is the id of a record of the collection teams.","type":"array","items":{"type":"integer","format":"int64"}}`},
	} {
		if got := compactJSON(t, d.Components.Schemas["Player"]); !strings.Contains(got, row.want) {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
	document, err := json.Marshal(d.Paths)
	must(t, err)
	if want := `{"name":"number","in":"path","description":"The number of the record.","required":true,"schema":{"type":"integer","format":"int64"}}`; !strings.Contains(compactJSON(t, document), want) {
		t.Errorf("paths: %.3000s, want %s", document, want)
	}
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
