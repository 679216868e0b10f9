package sample_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

func TestRecordsErrors(t *testing.T) {
	ref := func(name, to string) resources.Field {
		return resources.Field{Name: name, Kind: resources.Reference, Refers: to, Required: true}
	}
	describe := func(key string, fields ...resources.Field) resources.Description {
		return resources.Description{Key: key, Segment: key, Name: key, Fields: fields}
	}
	unique := func(f resources.Field) resources.Field {
		f.Name, f.Unique = "f", true
		return f
	}
	tests := []struct {
		reason       string
		sizes        map[string]int
		descriptions []resources.Description
		want         string // part of the error
	}{
		{"empty key", nil, []resources.Description{describe("")}, `""`},
		{"repeated key", nil, []resources.Description{describe("a"), describe("a")}, `"a"`},
		{"size of another collection", map[string]int{"b": 1}, []resources.Description{describe("a")}, "b"},
		{"unknown collection", nil, []resources.Description{describe("a", ref("f", "b"))}, "a: f: "},
		{"unknown collection, nullable", nil, []resources.Description{describe("a", resources.Field{Name: "f", Kind: resources.Reference, Refers: "b", Nullable: true})}, "a: f: "},
		{"unknown collection of a list", nil, []resources.Description{describe("a", resources.Field{Name: "f", Kind: resources.References, Refers: "b"})}, "a: f: "},
		{"a list of nothing that can be written", nil, []resources.Description{describe("a", resources.Field{Name: "f", Kind: resources.References})}, "a: f: "},
		{"cycle of one", nil, []resources.Description{describe("a", ref("f", "a"))}, "a: f: "},
		{"cycle of three", nil, []resources.Description{describe("x"), describe("a", ref("f", "b")), describe("b", ref("x", "x"), ref("g", "c")), describe("c", ref("h", "a"))}, "a: f: "},
		{"reference to an empty collection", map[string]int{"b": -1}, []resources.Description{describe("a", ref("f", "b")), describe("b")}, "a: f: "},
		{"invalid kind", nil, []resources.Description{describe("a", resources.Field{Name: "f"})}, "f"},
		{"no choices", nil, []resources.Description{describe("a", resources.Field{Name: "f", Kind: resources.Choice})}, "f"},
		{"Min is greater than Max", nil, []resources.Description{describe("a", resources.Field{Name: "f", Kind: resources.Integer, Min: pointer(2), Max: pointer(1)})}, "f"},
		{"too few choices", nil, []resources.Description{describe("a", unique(resources.Field{Kind: resources.Choice, Choices: []string{"x"}}))}, "a: f: 1 values for 12"},
		{"too few booleans", map[string]int{"a": 3}, []resources.Description{describe("a", unique(resources.Field{Kind: resources.Boolean}))}, "a: f: 2 values for 3"},
		{"too few integers", nil, []resources.Description{describe("a", unique(resources.Field{Kind: resources.Integer, Min: pointer(-2), Max: pointer(8)}))}, "a: f: 11 values for 12"},
		{"too few decimals", nil, []resources.Description{describe("a", unique(resources.Field{Kind: resources.Decimal, Digits: 1}))}, "a: f: 10 values for 12"},
		{"too few records", map[string]int{"b": 11}, []resources.Description{describe("a", unique(ref("", "b"))), describe("b")}, "a: f: 11 values for 12"},
		{"unique lists of ids", nil, []resources.Description{describe("a", unique(resources.Field{Kind: resources.References, Refers: "b"})), describe("b")}, "a: f: "},
	}
	for _, tt := range tests {
		all, err := sample.Records(1, tt.sizes, tt.descriptions...)
		if err == nil || all != nil || !strings.HasPrefix(err.Error(), "sample: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, error %v, want one with %q", tt.reason, all, err, tt.want)
		}
	}
}
