package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
	"github.com/gobacklist/backlist/resources"
)

// document is the OpenAPI document of a handler, with a compiler for its schemas.
type document struct {
	t        *testing.T
	root     map[string]any
	compiler *jsonschema.Compiler
}

// describe returns the document of a handler. It forbids additional members in
// objects whose members are listed, so that undocumented members are found.
func describe(t *testing.T, h *httpapi.Handler, opts openapi.Options) *document {
	t.Helper()
	doc, err := openapi.New(h, opts)
	if err != nil {
		t.Fatal(err)
	}
	root := parse(t, doc.JSON()).(map[string]any)
	if opts.OpenAPI == "3.0" {
		root = upgraded(root).(map[string]any)
	}
	closeObjects(root)
	c := newCompiler()
	if err := c.AddResource("https://test.example/openapi.json", root); err != nil {
		t.Fatal(err)
	}
	return &document{t, root, c}
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.AssertContent()
	return c
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return value
}

// closeObjects forbids additional members in all objects that list members.
func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, part := range v {
			closeObjects(part)
		}
		_, lists := v["properties"]
		if _, open := v["additionalProperties"]; lists && v["type"] == "object" && !open {
			v["additionalProperties"] = false
		}
	case []any:
		for _, part := range v {
			closeObjects(part)
		}
	}
}

// at returns the value at a path of names, and its JSON pointer. It follows
// references to components.
func (d *document) at(names ...string) (value map[string]any, pointer string) {
	value = d.root
	for _, name := range names {
		next, ok := value[name].(map[string]any)
		if !ok {
			d.t.Fatalf("the document has no %q", names)
		}
		value, pointer = next, pointer+"/"+escape(name)
		if to, ok := value["$ref"].(string); ok {
			pointer = strings.TrimPrefix(to, "#")
			value, _ = d.at(strings.Split(pointer, "/")[1:]...)
		}
	}
	return value, pointer
}

// escape escapes a name in a JSON pointer.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// schema compiles the schema at a pointer.
func (d *document) schema(pointer string) *jsonschema.Schema {
	d.t.Helper()
	s, err := d.compiler.Compile("https://test.example/openapi.json#" + pointer)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

// TestOfficialSchema validates documents with the schema of the OpenAPI Initiative,
// and their schemas with that of JSON Schema.
func TestOfficialSchema(t *testing.T) {
	c := newCompiler()
	const name = "https://spec.openapis.org/oas/3.1/schema/2022-10-07"
	if err := c.AddResource(name, parse(t, []byte(read(t, "testdata/openapi-3.1-schema.json")))); err != nil {
		t.Fatal(err)
	}
	official, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	all := openapi.Options{Title: "T", Version: "2", Description: "*D*", Server: "https://x.example/shop/", Scheme: "Token"}
	for _, tt := range []struct {
		reason string
		house  *catalogue.Catalogue
		opts   openapi.Options
	}{
		{"no options", typedHouse(t), openapi.Options{}},
		{"all options", typedHouse(t), all},
		{"films", filmHouse(t), openapi.Options{}},
		{"films with all options", filmHouse(t), all},
	} {
		h, err := httpapi.New(tt.house, httpapi.Options{ETags: tt.opts.Scheme != ""})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := openapi.New(h, tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := official.Validate(parse(t, doc.JSON())); err != nil {
			t.Errorf("%s: %v", tt.reason, err)
		}
		d := describe(t, h, tt.opts)
		schemas, _ := d.at("components", "schemas")
		for name := range schemas {
			d.schema("/components/schemas/" + escape(name))
		}
	}
	invalid := parse(t, []byte(`{"openapi":"3.1.0","info":{"title":"T"},"paths":{}}`))
	if official.Validate(invalid) == nil {
		t.Error("Validate accepts a document without a version")
	}
}

// typedHouse returns a catalogue whose books have type Book.
func typedHouse(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	house, err := resources.New(catalogue.Define[Book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return house
}
