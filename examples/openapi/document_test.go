package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestDocument compares openapi.json with the output of the program.
func TestDocument(t *testing.T) {
	d, err := document()
	if err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(stored), string(d.JSON())); diff != "" {
		t.Errorf("openapi.json is out of date, run go run . > openapi.json (-stored +generated):\n%s", diff)
	}
}

// A parsedDocument is an OpenAPI document with a compiler for its schemas.
type parsedDocument struct {
	t        *testing.T
	root     map[string]any
	compiler *jsonschema.Compiler
}

const base = "https://test.example/openapi.json"

// describe returns the document of a handler. It forbids additional members in
// objects whose members are listed, so that undocumented members are found.
func describe(t *testing.T, h *httpapi.Handler) *parsedDocument {
	t.Helper()
	doc, err := openapi.New(h, openapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	root := parse(t, doc.JSON())
	closeObjects(root)
	d := &parsedDocument{t, root.(map[string]any), jsonschema.NewCompiler()}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	d.compiler.AssertContent()
	if err := d.compiler.AddResource(base, root); err != nil {
		t.Fatal(err)
	}
	return d
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
func (d *parsedDocument) at(names ...string) (value map[string]any, pointer string) {
	d.t.Helper()
	value = d.root
	for _, name := range names {
		next, ok := value[name].(map[string]any)
		if !ok {
			d.t.Fatalf("the document has no %q", names)
		}
		value, pointer = next, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		if to, ok := value["$ref"].(string); ok {
			pointer = strings.TrimPrefix(to, "#")
			value, _ = d.at(strings.Split(pointer, "/")[1:]...)
		}
	}
	return value, pointer
}

// valid reports whether a value is valid according to the schema at a pointer.
func (d *parsedDocument) valid(pointer string, value any) error {
	d.t.Helper()
	schema, err := d.compiler.Compile(base + "#" + pointer)
	if err != nil {
		d.t.Fatal(err)
	}
	return schema.Validate(value)
}
