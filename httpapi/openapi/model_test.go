package openapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// Collections can have names of which the components or operations would be the same as
// others: those of every document, of another collection or of a type.
func TestNamesAreUnique(t *testing.T) {
	type Details struct{ A int }
	type thing struct {
		ID   int     `json:"id"`
		More Details `json:"more"`
	}
	collections := []struct{ key, name string }{
		{"collections", "collection"}, {"details", "detail"}, {"roots", "root"}, {"films", "film"}, {"film-pages", "film page"},
		{"new-films", "new film"}, {"film-updates", "film update"}, {"news", "news"}, {"a-b", "a b"}, {"a_b", "a_b"},
		{"objects", "object"}, {"größen", "größe"}, {"{x}", "{x}"},
		{"things", ""}, {"others", ""}, // those of the type
	}
	var definitions []catalogue.AnyDefinition
	for _, c := range collections {
		definitions = append(definitions, catalogue.Define[thing](c.key, catalogue.Options{Description: &schema.Description{Name: c.name, Filters: []string{"id__in"}}}))
	}
	cat, err := catalogue.New(definitions...)
	must(t, err)
	h, err := httpapi.New(cat, httpapi.Options{})
	must(t, err)
	document, err := New(h, Options{})
	must(t, err)
	d := documentOf(t, cat, httpapi.Options{}, Options{})
	if want := 1 + 2*len(collections); len(d.Paths) != want {
		t.Errorf("%d paths, want %d", len(d.Paths), want)
	}
	// encoding/json does not report repeated names: count them in the text.
	text, seen := string(document.JSON()), map[string]bool{}
	for name := range d.Components.Schemas {
		if n := strings.Count(text, "\n      \""+name+"\": {\n"); n != 1 {
			t.Errorf("schema %s appears %d times", name, n)
		}
		if strings.ContainsFunc(name, func(r rune) bool { return r > 'z' || r == '{' }) {
			t.Errorf("the name %q of a component is invalid", name)
		}
	}
	for path, item := range d.Paths {
		for method := range item {
			if method == "parameters" {
				continue
			}
			id := d.operation(t, path, method).OperationID
			if seen[id] {
				t.Errorf("two operations have the id %s", id)
			}
			seen[id] = true
		}
	}
	for _, path := range []string{"/api/gr%C3%B6%C3%9Fen/{id}/", "/api/%7Bx%7D/"} {
		if d.Paths[path] == nil {
			t.Errorf("there is no path %s", path)
		}
	}
}

// The root lists the collections that are served, and no others have components.
func TestCollectionsOfOnesOwn(t *testing.T) {
	d := documentOf(t, filmCatalogue(t), httpapi.Options{Root: "/"}, Options{})
	var paths []string
	for path := range d.Paths {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	want := []string{"/", "/directors/", "/directors/{id}/", "/films/", "/films/{id}/", "/genres/", "/genres/{id}/"}
	equal(t, "paths", want, paths)
	equal(t, "root", []string{"directors", "genres", "films"}, d.object(t, "Root").Required)
	const url = `{"type":"string","format":"uri"}`
	for _, key := range []string{"directors", "genres", "films"} {
		if got := compactJSON(t, d.object(t, "Root").Properties[key]); got != url {
			t.Errorf("%s in the root is described as %s, want %s", key, got, url)
		}
	}
	if d.Components.Schemas["Event"] != nil {
		t.Error("there is a schema of events")
	}
}

// Open records without a description share components, except for the default order.
func TestOpenRecordsOfOnesOwn(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[schema.Record]("notes", catalogue.Options{}),
		catalogue.Define[schema.Record]("logs", catalogue.Options{Ordering: []ordering.Term{{Field: "at", Desc: true}}}),
		catalogue.Define[schema.Record]("tasks", catalogue.Options{}),
	)
	must(t, err)
	d := documentOf(t, cat, httpapi.Options{}, Options{})
	for path, want := range map[string]string{
		"/api/notes/": "RecordOrdering limit offset",
		"/api/logs/":  "RecordOrdering2 limit offset",
		"/api/tasks/": "RecordOrdering limit offset",
	} {
		op := d.operation(t, path, "get")
		if got := strings.Join(op.parameters(), " "); got != want {
			t.Errorf("%s has parameters %s, want %s", path, got, want)
		}
		if !strings.Contains(string(op.Responses["200"]), "schemas/RecordPage") {
			t.Errorf("%s does not return a RecordPage: %s", path, op.Responses["200"])
		}
	}
	if text := string(d.Components.Parameters["RecordOrdering2"]); !strings.Contains(text, "The default is -at.") {
		t.Errorf("the default order of logs is missing: %s", text)
	}
	// Their fields depend on the stored records, so no terms are listed.
	if got := compactJSON(t, d.parameterSchema(t, "RecordOrdering")); got != `{"type":"array","items":{"type":"string"}}` {
		t.Errorf("the ordering has schema %s", got)
	}
	if op := d.operation(t, "/api/notes/{id}/", "get"); op.OperationID != "getNotes" {
		t.Errorf("operation %q, want getNotes", op.OperationID)
	}
}

// Each component is used, and each reference has a component, whatever the handler
// serves.
func TestComponentsAreUsed(t *testing.T) {
	catalogues := map[string]*catalogue.Catalogue{"documented collections": mustNew(), "films": filmCatalogue(t)}
	for reason, actions := range map[string]schema.Actions{
		"only POST": schema.Create, "only DELETE": schema.Destroy, "only PATCH": schema.PartialUpdate, "only pages": schema.List,
	} {
		cat, err := catalogue.New(catalogue.Define[director]("directors", catalogue.Options{
			Description: &schema.Description{Actions: actions},
		}))
		must(t, err)
		catalogues[reason] = cat
	}
	for reason, cat := range catalogues {
		for _, tags := range []bool{false, true} {
			h, err := httpapi.New(cat, httpapi.Options{ETags: tags})
			must(t, err)
			d, err := New(h, Options{})
			must(t, err)
			var parsed struct {
				Components map[string]map[string]json.RawMessage
			}
			must(t, json.Unmarshal(d.JSON(), &parsed))
			references := map[string]bool{}
			for _, found := range regexp.MustCompile(`"#/components/([^"]+)"`).FindAllStringSubmatch(string(d.JSON()), -1) {
				references[found[1]] = true
			}
			for kind, components := range parsed.Components {
				for name := range components {
					if !references[kind+"/"+name] {
						t.Errorf("%s: %s/%s is not used", reason, kind, name)
					}
					delete(references, kind+"/"+name)
				}
			}
			for name := range references {
				t.Errorf("%s: there is no %s", reason, name)
			}
		}
	}
}

func compact(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	must(t, json.NewEncoder(&b).Encode(value))
	return strings.TrimSuffix(b.String(), "\n")
}

// Component names are unique and consist of ASCII letters, digits and underscores.
func TestComponentNames(t *testing.T) {
	taken := names{"Event": true}
	for _, tt := range []struct{ wanted, want string }{
		{"Price", "Price"}, {"Price", "Price2"}, {"Price", "Price3"}, {"Price2", "Price22"},
		{"Pair[int,example.com/a.B]", "Pair_int_example_com_a_B_"}, {"Straße", "Stra_e"},
		{"Event", "Event2"},
	} {
		if got := taken.take(tt.wanted); got != tt.want {
			t.Errorf("take(%q) = %q, want %q", tt.wanted, got, tt.want)
		}
	}
}

// The response to an invalid body has the errors by field, or a detail, as in the framework.
// If a field is called detail, its errors are in that member.
func TestFieldErrors(t *testing.T) {
	type note struct {
		ID     int    `json:"id"`
		Detail string `json:"detail"`
	}
	type film struct {
		ID   int `json:"id"`
		Year int `json:"release_year"`
	}
	type team struct {
		ID   int      `json:"id"`
		Tags []string `json:"tags"`
	}
	notes := catalogue.Define[note]("notes", catalogue.Options{})
	films := catalogue.Define[film]("films", catalogue.Options{})
	of := func(definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
		cat, err := catalogue.New(definitions...)
		must(t, err)
		return cat
	}
	const about = `"description":"What is wrong with the request as a whole. If present, there are no errors by field."`
	const lists = `{"type":"array","items":{"type":"string"}}`
	const tree = `{"$ref":"#/components/schemas/FieldError"}`
	const detailText = `{` + about + `,"type":"string"}`
	const detailList = `{"description":"If this is a list, the errors of the field detail.","oneOf":[{` + about + `,"type":"string"},` + lists + `]}`
	for _, tt := range []struct {
		reason string
		cat    *catalogue.Catalogue
		detail string
		others string
	}{
		{"names in snake_case", of(films), detailText, lists},
		{"a field called detail", of(notes), detailList, lists},
		{"both", of(notes, films), detailList, lists},
		{"a field with parts", of(catalogue.Define[team]("teams", catalogue.Options{})), detailText, tree},
	} {
		want := `{"description":"The errors by field. Those in nonFieldErrors, or non_field_errors if the fields are in snake_case, concern the whole record.","type":"object",` +
			`"properties":{"detail":` + tt.detail + `},"additionalProperties":` + tt.others + `}`
		got := compactJSON(t, documentOf(t, tt.cat, httpapi.Options{}, Options{}).Components.Schemas["FieldErrors"])
		equal(t, tt.reason, want, got)
	}
}
