package main

import (
	"testing"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// inVersions runs a test for each version of OpenAPI.
func inVersions(t *testing.T, test func(*testing.T, openapi.Options)) {
	for _, version := range []string{"3.1", "3.0"} {
		t.Run(version, func(t *testing.T) { test(t, openapi.Options{OpenAPI: version}) })
	}
}

// upgraded returns a part of a document in OpenAPI 3.0 with schemas of JSON Schema, as the
// section Schema Object of the specification defines them: nullable adds null to the type,
// and to nothing else, so an enum must list it. A reference that may be null is wrapped in
// allOf, which strictly has no type to add null to. Generators read it as null or the
// reference, as they do for the documents of drf-spectacular.
func upgraded(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, part := range v {
			v[name] = upgraded(part)
		}
		if v["format"] == "byte" {
			delete(v, "format")
			v["contentEncoding"] = "base64"
		}
		if v["nullable"] != true {
			return v
		}
		delete(v, "nullable")
		if kind, ok := v["type"]; ok {
			v["type"] = []any{kind, "null"}
			return v
		}
		return map[string]any{"anyOf": []any{v, map[string]any{"type": "null"}}}
	case []any:
		for i, part := range v {
			v[i] = upgraded(part)
		}
	}
	return value
}

// TestUpgraded checks that null is not accepted where only the enum excludes it.
func TestUpgraded(t *testing.T) {
	c := newCompiler()
	if err := c.AddResource("https://test.example/", upgraded(map[string]any{
		"strict": map[string]any{"type": "string", "nullable": true, "enum": []any{"a"}},
		"listed": map[string]any{"type": "string", "nullable": true, "enum": []any{"a", nil}},
		"ref":    map[string]any{"nullable": true, "allOf": []any{map[string]any{"$ref": "#/plain"}}},
		"plain":  map[string]any{"type": "string"},
	})); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"strict": false, "listed": true, "ref": true, "plain": false} {
		if got := c.MustCompile("https://test.example/#/"+name).Validate(nil) == nil; got != want {
			t.Errorf("%s accepts null: %v, want %v", name, got, want)
		}
	}
}
