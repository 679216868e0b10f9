package sample_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/resources/sample"
	"github.com/google/go-cmp/cmp"
)

// decode stores the value of a member.
func decode(r schema.Record, name string, into any) error {
	text, _ := r.Get(name)
	return json.Unmarshal([]byte(text), into)
}

// cinema returns descriptions with fields of all kinds.
func cinema() []schema.Description {
	id := schema.Field{Name: "id", Kind: schema.Integer, ReadOnly: true}
	return []schema.Description{
		{Key: "films", Segment: "films", Name: "film", Fields: []schema.Field{
			id,
			{Name: "title", Kind: schema.Text, Required: true},
			{Name: "slug", Kind: schema.Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: schema.Text, Blank: true, Default: `""`},
			{Name: "released", Kind: schema.Date, Nullable: true, Default: "null"},
			{Name: "premiereAt", Kind: schema.Timestamp, Nullable: true, Default: "null"},
			{Name: "minutes", Kind: schema.Integer, Required: true, Min: "1", Max: "240"},
			{Name: "rating", Kind: schema.Float, Nullable: true, Default: "null"},
			{Name: "price", Kind: schema.Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: schema.Choice, Choices: []string{"announced", "released"}, Default: `"announced"`},
			{Name: "published", Kind: schema.Boolean, Default: "false"},
			{Name: "website", Kind: schema.URL, Blank: true, Nullable: true, Default: "null"},
			{Name: "director", Kind: schema.Reference, Required: true, Refers: "directors"},
			{Name: "sequelOf", Kind: schema.Reference, Nullable: true, Default: "null", Refers: "films"},
			{Name: "genres", Kind: schema.References, Default: "[]", Refers: "genres"},
			{Name: "tags", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}, Default: "[]"},
			{Name: "extra", Kind: schema.JSON, Default: "0"},
			{Name: "contact", Kind: schema.Email, Required: true, Unique: true},
			{Name: "token", Kind: schema.UUID, Required: true, Unique: true},
			{Name: "path", Kind: schema.UnicodeSlug, Required: true, MaxLength: 9},
			{Name: "shortName", Kind: schema.Text, Required: true, Unique: true, MaxLength: 8},
			{Name: "essay", Kind: schema.Text, Required: true, MinLength: 90, MaxLength: 100},
			{Name: "studio", Kind: schema.Object, Required: true, Fields: []schema.Field{
				{Name: "city", Kind: schema.Text, Required: true}, {Name: "founder", Kind: schema.Reference, Nullable: true, Default: "null", Refers: "directors"},
			}},
			{Name: "scores", Kind: schema.Array, Required: true, MinLength: 1, Item: &schema.Field{Kind: schema.Integer, Required: true, Max: "9"}},
			{Name: "prices", Kind: schema.Map, Default: "{}", Item: &schema.Field{Kind: schema.Decimal, Required: true, Digits: 6, Places: 2}},
			{Name: "total", Kind: schema.JSON, ReadOnly: true, Computed: true},
			{Name: "createdAt", Kind: schema.Timestamp, ReadOnly: true, Created: true},
		}},
		{Key: "directors", Segment: "directors", Name: "director", Fields: []schema.Field{
			id,
			{Name: "name", Kind: schema.Text, Required: true, Unique: true},
			{Name: "born", Kind: schema.Date, Required: true, Unique: true},
			{Name: "award", Kind: schema.Choice, Nullable: true, Unique: true, Choices: []string{"gold", "silver"}, Default: "null"},
			{Name: "mentor", Kind: schema.Reference, Nullable: true, Unique: true, Refers: "directors", Default: "null"},
		}},
		{Key: "genres", Segment: "genres", Name: "genre", Fields: []schema.Field{
			id,
			{Name: "position", Kind: schema.Integer, Required: true, Unique: true, Min: "-4", Max: "15"},
			{Name: "share", Kind: schema.Decimal, Required: true, Unique: true, Digits: 3, Places: 3},
			{Name: "weight", Kind: schema.Float, Required: true, Unique: true},
			{Name: "since", Kind: schema.Timestamp, Required: true, Unique: true},
			{Name: "page", Kind: schema.URL, Required: true, Unique: true},
			{Name: "words", Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}, Required: true, Unique: true},
			{Name: "note", Kind: schema.JSON, Required: true, Unique: true},
			{Name: "leader", Kind: schema.Reference, Required: true, Unique: true, Refers: "directors"},
		}},
	}
}

func records(t *testing.T, seed uint64, sizes map[string]int, descriptions ...schema.Description) map[string][]schema.Record {
	t.Helper()
	all, err := sample.Records(sample.Options{Seed: seed, Sizes: sizes}, descriptions...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRecordsAreValid posts every record to Validate, which must return the same values.
// Fields that may be null or blank are so in some records, and unique values are.
func TestRecordsAreValid(t *testing.T) {
	for seed := range uint64(3) {
		all := records(t, seed, map[string]int{"films": 300, "directors": 25, "genres": 20}, cinema()...)
		find := func(_ context.Context, key, _, text string) (int, string, error) {
			i := slices.IndexFunc(all[key], func(r schema.Record) bool { return strconv.Itoa(r.ID) == text })
			return i + 1, "", nil
		}
		for _, d := range cinema() {
			for _, r := range all[d.Key] {
				want := r.Without("id").Without("createdAt")
				got, err := d.Validate(t.Context(), []byte(want.String()), schema.Checks{Find: find})
				if err != nil {
					t.Fatalf("%s %d: %v", d.Key, r.ID, err)
				}
				got = got.Without("createdAt") // Validate sets the time of the post
				if diff := cmp.Diff(want.String(), got.String()); diff != "" {
					t.Fatalf("%s %d (-made +validated):\n%s", d.Key, r.ID, diff)
				}
			}
			for _, f := range d.Fields {
				count := map[string]int{}
				for _, r := range all[d.Key] {
					text, ok := r.Get(f.Name)
					if f.Computed {
						continue
					}
					if !ok {
						t.Fatalf("%s %d has no %s", d.Key, r.ID, f.Name)
					}
					if count[text]++; f.Unique && text != "null" && count[text] > 1 {
						t.Errorf("%s %d: %s is %s again", d.Key, r.ID, f.Name, text)
					}
				}
				if (count["null"] > 0) != f.Nullable || (count[`""`] > 0) != f.Blank {
					t.Errorf("%s.%s: %d nulls and %d blanks", d.Key, f.Name, count["null"], count[`""`])
				}
				delete(count, "null")
				if !f.Unique && !f.Computed && len(count) < 2 {
					t.Errorf("%s.%s: %d different values", d.Key, f.Name, len(count))
				}
			}
		}
	}
}

func TestRecordsIDs(t *testing.T) {
	tests := []struct {
		reason string
		size   int
		want   []int
	}{
		{"every eighth id is missing", 9, []int{1, 2, 3, 4, 5, 6, 7, 9, 10}},
		{"none", 0, nil},
		{"twelve", 12, []int{1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13}},
		{"negative", -1, nil},
	}
	for _, tt := range tests {
		d := schema.Description{Key: "a", Segment: "a", Name: "a", Fields: []schema.Field{{Name: "id", Kind: schema.Integer}}}
		all := records(t, 1, map[string]int{"a": tt.size}, d)["a"]
		var got []int
		for _, r := range all {
			got = append(got, r.ID)
			if r.String() != fmt.Sprintf(`{"id":%d}`, r.ID) {
				t.Errorf("%s: record %s, want only an id", tt.reason, r)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" || all == nil {
			t.Errorf("%s (-want +got):\n%s\n%v", tt.reason, diff, all)
		}
	}
}

// TestRecordsSelfReferences checks that references to the same collection form no cycle.
func TestRecordsSelfReferences(t *testing.T) {
	all := records(t, 5, map[string]int{"films": 60, "directors": 60}, cinema()...)
	for key, member := range map[string]string{"films": "sequelOf", "directors": "mentor"} {
		some := false
		for _, r := range all[key] {
			var id *int
			if err := decode(r, member, &id); err != nil {
				t.Fatal(err)
			}
			if id != nil && *id >= r.ID {
				t.Errorf("%s %d: %s is %d, want a lower id", key, r.ID, member, *id)
			}
			some = some || id != nil
		}
		if !some {
			t.Errorf("all %s of %s are null", member, key)
		}
	}
}

func TestRecordsCreated(t *testing.T) {
	last := time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, r := range records(t, 5, map[string]int{"films": 500}, cinema()...)["films"] {
		var at time.Time
		if err := decode(r, "createdAt", &at); err != nil {
			t.Fatal(err)
		}
		if !at.After(last) || at.Year() > 2025 {
			t.Fatalf("film %d was created at %v, want a time after %v and before 2026", r.ID, at, last)
		}
		last = at
	}
}

// TestRecordsDependOnLittle checks that a change elsewhere leaves a record unchanged.
func TestRecordsDependOnLittle(t *testing.T) {
	before := records(t, 7, nil, cinema()...)
	descriptions := cinema()
	films := &descriptions[0]
	films.Fields = slices.Insert(films.Fields, 3, schema.Field{Name: "added", Kind: schema.Text})
	slices.Reverse(descriptions)
	after := records(t, 7, map[string]int{"films": 20}, descriptions...)
	for key, list := range before {
		for i, want := range list {
			if got := after[key][i].Without("added"); key != "films" && got.String() != want.String() {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
		}
	}
	for i, film := range before["films"] { // fields that are not unique
		for _, name := range []string{"title", "minutes", "price", "director", "genres"} {
			want, _ := film.Get(name)
			if got, _ := after["films"][i].Get(name); got != want {
				t.Errorf("film %d: %s is %s, want %s", film.ID, name, got, want)
			}
		}
	}
}

func TestRecordsIntegerBounds(t *testing.T) {
	tests := []struct {
		reason    string
		min, max  string
		low, high int // of all values
	}{
		{"none", "", "", 0, 999},
		{"at least 5", "5", "", 5, 1004},
		{"at most 5", "", "5", 0, 5},
		{"at most -5", "", "-5", -1004, -5},
		{"one value", "7", "7", 7, 7},
		{"32 bits", "-2147483648", "2147483647", 0, 999},
		{"all", strconv.Itoa(math.MinInt), strconv.Itoa(math.MaxInt), 0, 999},
		{"the least", "", strconv.Itoa(math.MinInt), math.MinInt, math.MinInt},
		{"the greatest", strconv.Itoa(math.MaxInt - 1), "", math.MaxInt - 1, math.MaxInt},
	}
	for _, tt := range tests {
		d := schema.Description{Key: "a", Segment: "a", Name: "a", Fields: []schema.Field{{Name: "f", Kind: schema.Integer, Min: tt.min, Max: tt.max}}}
		low, high := math.MaxInt, math.MinInt
		for _, r := range records(t, 1, map[string]int{"a": 5000}, d)["a"] {
			var n int
			if err := decode(r, "f", &n); err != nil {
				t.Fatal(err)
			}
			low, high = min(low, n), max(high, n)
		}
		if low < tt.low || high > tt.high || high-low < (tt.high-tt.low)*9/10 {
			t.Errorf("%s: from %d to %d, want from %d to %d", tt.reason, low, high, tt.low, tt.high)
		}
	}
}

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
		{"reference to an empty collection", map[string]int{"b": -1}, []schema.Description{describe("a", ref("f", "b")), describe("b")}, "a: f: "},
		{"invalid kind", nil, []schema.Description{describe("a", schema.Field{Name: "f"})}, "f"},
		{"no choices", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Choice})}, "f"},
		{"Min is greater than Max", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Integer, Min: "2", Max: "1"})}, "f"},
		{"too few choices", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Choice, Choices: []string{"x"}}))}, "a: f: no value is left for record 2 of 12"},
		{"a reference by a text", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Reference, Refers: "b", By: "slug"}), describe("b")}, "a: f: it refers to b by slug, which is no field of these"},
		{"a pattern that contradicts the length", nil, []schema.Description{describe("a", schema.Field{Name: "f", Kind: schema.Text, Pattern: regexp.MustCompile("^aaa$"), MaxLength: 2})}, "a: f: no value"},
		{"too few booleans", map[string]int{"a": 3}, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Boolean}))}, "a: f: no value is left for record 3 of 3"},
		{"too few integers", nil, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Integer, Min: "-2", Max: "8"}))}, "a: f: no value is left for record 12 of 12"},
		{"too few decimals", map[string]int{"a": 20}, []schema.Description{describe("a", unique(schema.Field{Kind: schema.Decimal, Digits: 1}))}, "a: f: no value is left for record 20 of 20"},
		{"too few records", map[string]int{"b": 11}, []schema.Description{describe("a", unique(ref("", "b"))), describe("b")}, "a: f: no value is left for record 12 of 12"},
	}
	for _, tt := range tests {
		all, err := sample.Records(sample.Options{Seed: 1, Sizes: tt.sizes}, tt.descriptions...)
		if err == nil || all != nil || !strings.HasPrefix(err.Error(), "sample: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, error %v, want one with %q", tt.reason, all, err, tt.want)
		}
	}
}

// Records have valid values of each kind.
func TestKinds(t *testing.T) {
	about := schema.Description{Key: "x", Segment: "x", Name: "x", Fields: values.Fields()}
	for i, f := range about.Fields { // the first record has none to refer to
		about.Fields[i].Nullable = f.Nullable || f.Refers != ""
	}
	records, err := sample.Records(sample.Options{}, about)
	if err != nil {
		t.Fatal(err)
	}
	find := func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }
	for _, r := range records["x"] {
		for _, f := range about.Fields {
			value, _ := r.Get(f.Name)
			one := schema.Description{Fields: []schema.Field{f}}
			if _, err := one.Validate(t.Context(), []byte(`{"`+f.Name+`":`+value+`}`), schema.Checks{Find: find}); err != nil {
				t.Errorf("%v, kind %d: %s: %v", f.Kind, f.Kind, value, err)
			}
		}
	}
}
