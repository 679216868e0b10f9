package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// document is what is said of a handler, with the means to hold answers to it.
type document struct {
	t        *testing.T
	root     map[string]any
	compiler *jsonschema.Compiler
}

// describe makes the document of a handler. Objects whose members it lists may then
// have no others, so that an answer with a member too many is found.
func describe(t *testing.T, h *httpapi.Handler, opts openapi.Options) *document {
	t.Helper()
	made, err := openapi.New(context.Background(), h, opts)
	if err != nil {
		t.Fatal(err)
	}
	root := parse(t, made.JSON()).(map[string]any)
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

// closeObjects forbids members that are not listed, where some are.
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

// at gives what a path of names leads to, through references to components.
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

// escape writes a name as a part of a JSON pointer in a URL.
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

// TestOfficialSchema holds documents to the schema of the OpenAPI Initiative, and
// each of their schemas to that of JSON Schema.
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
	for reason, opts := range map[string]openapi.Options{
		"nothing is said": {},
		"all is said":     {Title: "T", Version: "2", Description: "*D*", Server: "https://x.example/shop/", Scheme: "Token"},
	} {
		h, err := httpapi.New(typedHouse(t), httpapi.Options{ETags: opts.Scheme != ""})
		if err != nil {
			t.Fatal(err)
		}
		made, err := openapi.New(context.Background(), h, opts)
		if err != nil {
			t.Fatal(err)
		}
		if err := official.Validate(parse(t, made.JSON())); err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		d := describe(t, h, opts)
		schemas, _ := d.at("components", "schemas")
		for name := range schemas {
			d.schema("/components/schemas/" + escape(name))
		}
	}
	wrong := parse(t, []byte(`{"openapi":"3.1.0","info":{"title":"T"},"paths":{}}`))
	if official.Validate(wrong) == nil {
		t.Error("a document without a version is none, and is taken")
	}
}

// typedHouse is a house with a type that has about everything that JSON is made of.
func typedHouse(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	house, err := catalogue.NewWith(catalogue.Define[Book]("books", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return house
}
