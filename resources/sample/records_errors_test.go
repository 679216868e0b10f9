package sample_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

func TestRecordsErrors(t *testing.T) {
	ref := func(name, to string) schema.Field {
		return schema.Field{Name: name, Kind: schema.Reference, Refers: to, Required: true}
	}
	describe := func(key string, fields ...schema.Field) schema.Description {
		return schema.Description{Key: key, Segment: key, Name: key, Fields: fields}
	}
	unique := func(f schema.Field) schema.Field {
		f.Name, f.Unique = "f", true
		return f
	}
	tests := []struct {
		reason       string
		sizes        map[string]int
		descriptions []schema.Description
		want         string // part of the error
	}{
		{"empty key", nil, []schema.Description{describe("")}, `""`},
		{"repeated key", nil, []schema.Description{describe("a"), describe("a")}, `"a"`},
		{"size of another collection", map[string]int{"b": 1}, []schema.Description{describe("a")}, "b"},
		{"unknown collection", nil, []schema.Description{describe("a", ref("f", "b"))}, "a: f: "},
		{"unknown collection, nullable", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Reference, Refers: "b", Nullable: true})}, "a: f: "},
		{"unknown collection of a list", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.References, Refers: "b"})}, "a: f: "},
		{"a list of nothing that can be written", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.References})}, "a: f: "},
		{"cycle of one", nil, []schema.Description{describe("a", ref("f", "a"))}, "a: f: "},
		{"cycle of three", nil, []schema.Description{describe("x"), describe("a", ref("f", "b")), describe("b", ref("x", "x"), ref("g", "c")), describe("c", ref("h", "a"))}, "a: f: "},
		{"reference to an empty collection", map[string]int{"b": -1}, []schema.Description{describe("a", ref("f", "b")), describe("b")}, "a: f: "},
		{"invalid kind", nil, []schema.Description{describe("a", schema.Field{Name: "f"})}, "f"},
		{"no choices", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Choice})}, "f"},
		{"Min is greater than Max", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Integer, Min: pointer(2), Max: pointer(1)})}, "f"},
		{"too few choices", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Choice, Choices: []string{"x"}}))}, "a: f: 1 values for 12"},
		{"too few booleans", map[string]int{"a": 3}, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Boolean}))}, "a: f: 2 values for 3"},
		{"too few integers", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Integer, Min: pointer(-2), Max: pointer(8)}))}, "a: f: 11 values for 12"},
		{"too few decimals", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Decimal, Digits: 1}))}, "a: f: 10 values for 12"},
		{"too few records", map[string]int{"b": 11}, []schema.Description{describe("a", unique(ref("", "b"))), describe("b")}, "a: f: 11 values for 12"},
		{"unique lists of ids", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.References, Refers: "b"})), describe("b")}, "a: f: "},
	}
	for _, tt := range tests {
		all, err := sample.Records(1, tt.sizes, tt.descriptions...)
		if err == nil || all != nil || !strings.HasPrefix(err.Error(), "sample: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, error %v, want one with %q", tt.reason, all, err, tt.want)
		}
	}
}
