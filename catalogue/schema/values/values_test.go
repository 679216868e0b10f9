package values

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func anyRecord() schema.Checks {
	return schema.Checks{Find: func(context.Context, string, string, string) (int, string, error) { return 1, "", nil }}
}

// fields are of all kinds and bounds.
func fields() []schema.Field {
	inner := []schema.Field{
		{Name: "city", Kind: schema.Text, Required: true, MinLength: 2, MaxLength: 20},
		{Name: "lat", Kind: schema.Float, Min: "-90.5", Max: "90"},
	}
	return []schema.Field{
		{Kind: schema.Integer}, {Kind: schema.Integer, Min: "5"}, {Kind: schema.Integer, Max: "-2000"}, {Kind: schema.Integer, Min: "0", Max: "0"},
		{Kind: schema.Integer, Min: "-9223372036854775808", Max: "9223372036854775807", Unique: true}, {Kind: schema.Integer, Min: "9223372036854775806"},
		{Kind: schema.Float, Min: "0.001", Max: "5000"}, {Kind: schema.Float, Min: "0.3", Max: "0.4"}, {Kind: schema.Float, Min: "0.31", Max: "0.39"}, {Kind: schema.Float, Min: "2000"},
		{Kind: schema.Decimal, Digits: 8, Places: 2, Min: "0.01", Max: "9999.99"}, {Kind: schema.Decimal, Digits: 2, Places: 2}, {Kind: schema.Decimal, Digits: 3, Places: 2, Max: "0.5"},
		{Kind: schema.Text, Nullable: true, MinLength: 3}, {Kind: schema.Text, Blank: true, MaxLength: 5}, {Kind: schema.Text, Pattern: regexp.MustCompile(`^\+?[0-9]+$`)},
		{Kind: schema.Text, MinLength: 90, MaxLength: 100}, {Kind: schema.Text, MaxLength: 1},
		{Kind: schema.Regex, Pattern: regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)}, {Kind: schema.Slug, MinLength: 4, MaxLength: 8}, {Kind: schema.UnicodeSlug, MaxLength: 3},
		{Kind: schema.Email, MaxLength: 60}, {Kind: schema.Email, MinLength: 40, MaxLength: 40}, {Kind: schema.URL}, {Kind: schema.URL, MinLength: 50},
		{Kind: schema.Integer, Choices: []string{"-1", "10"}}, {Kind: schema.TimeOfDay}, {Kind: schema.Interval}, {Kind: schema.UUID}, {Kind: schema.Timestamp}, {Kind: schema.Date}, {Kind: schema.Boolean},
		{Kind: schema.Choice, Choices: []string{"a", "b"}}, {Kind: schema.Reference, Refers: "x"}, {Kind: schema.References, Refers: "x"}, {Kind: schema.JSON, Nullable: true},
		{Kind: schema.Array, MinLength: 1, MaxLength: 3, Item: &schema.Field{Kind: schema.Integer}}, {Kind: schema.Map, Item: &schema.Field{Kind: schema.Boolean}},
		{Kind: schema.Object, Fields: inner}, {Kind: schema.Array, Item: &schema.Field{Kind: schema.Object, Fields: inner}},
	}
}

// A value of each kind is valid, and unless it is odd, it is what is stored.
func TestValue(t *testing.T) {
	choose := rand.New(rand.NewPCG(3, 4)).IntN
	titles := func(schema.Field) string { return "Größe & Straße 9 · 塩の静けさ" }
	first, second := func(int) int { return 0 }, func(n int) int { return min(1, n-1) }
	for _, f := range slices.Concat(Fields(), fields()) {
		f.Name, f.Required = "f", true
		d := schema.Description{Key: "x", Segment: "x", Name: "x", Fields: []schema.Field{f}}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		for _, m := range []Maker{{Choose: choose}, {Choose: choose, Odd: true}, {Choose: choose, Text: titles}, {Choose: first}, {Choose: second}} {
			for range 300 {
				value := m.Value(f)
				r, err := d.Validate(t.Context(), []byte(`{"f":`+value+`}`), anyRecord())
				if err != nil {
					t.Fatalf("%v, kind %d: %s: %v", f.Kind, f.Kind, value, err)
				}
				if stored, _ := r.Get("f"); !m.Odd && stored != value {
					t.Fatalf("%v: %s is stored as %s", f.Kind, value, stored)
				}
			}
		}
	}
}

// Fields has a field of each kind.
func TestFields(t *testing.T) {
	all := Fields()
	for i, f := range all {
		if f.Kind != schema.Integer+schema.Kind(i) {
			t.Errorf("field %d has the kind %d", i, f.Kind)
		}
		if err := (schema.Description{Key: "x", Segment: "x", Name: "x", Fields: all[:i+1]}).Check(); err != nil {
			t.Errorf("%v, kind %d: %v", f.Kind, f.Kind, err)
		}
	}
	if last := all[len(all)-1].Kind; last < schema.Interval {
		t.Errorf("the last kind is %v", last)
	}
}

// An Object has the members that a request can send.
func TestObject(t *testing.T) {
	m := Maker{Choose: func(n int) int { return min(1, n-1) }, Refer: func(f schema.Field) string { return `"it"` }}
	got := m.Object([]schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "total", Kind: schema.JSON, Computed: true},
		{Name: "name", Kind: schema.Text}, {Name: "maker", Kind: schema.Reference, Refers: "makers", By: "slug"}, {Name: "price", Kind: schema.Decimal, Digits: 4, Places: 2},
	})
	if want := `{"name":"name","maker":"it","price":"0.01"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Where there is no value, a field is null if it may be, and otherwise nothing is made up.
func TestNoValue(t *testing.T) {
	m := Maker{Choose: func(int) int { return 0 }, Refer: func(schema.Field) string { return "" }}
	for _, tt := range []struct {
		reason string
		f      schema.Field
		want   string
	}{
		{"nothing to refer to", schema.Field{Kind: schema.Reference}, ""},
		{"nothing to refer to, nullable", schema.Field{Kind: schema.Reference, Nullable: true}, "null"},
		{"nothing to refer to in a list", schema.Field{Kind: schema.References}, "[]"},
		{"nothing to refer to in a list that must not be empty", schema.Field{Kind: schema.References, MinLength: 1}, ""},
		{"in a list", schema.Field{Kind: schema.Array, MinLength: 1, Item: &schema.Field{Kind: schema.Reference}}, ""},
		{"in an object", schema.Field{Kind: schema.Object, Fields: []schema.Field{{Name: "a", Kind: schema.Reference}}}, ""},
		{"the pattern contradicts the length", schema.Field{Kind: schema.Text, Pattern: regexp.MustCompile(`^abc$`), MaxLength: 2}, ""},
		{"a pattern that Go's syntax does not have", schema.Field{Kind: schema.Text, Pattern: regexp.MustCompile(`\bx`)}, `"x"`},
	} {
		if got := m.Value(tt.f); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// Texts are the label or what the program makes up, in the form and the length of the field.
func TestForms(t *testing.T) {
	m := Maker{Choose: func(int) int { return 0 }, Text: func(schema.Field) string { return "12 L'œuvre à l'aube" }}
	for _, tt := range []struct {
		f    schema.Field
		want string
	}{
		{schema.Field{Kind: schema.Text}, "12 L'œuvre à l'aube"},
		{schema.Field{Kind: schema.Text, MaxLength: 3}, "12"},
		{schema.Field{Kind: schema.Slug}, "12-l-uvre-l-aube"},
		{schema.Field{Kind: schema.Email, MaxLength: 17}, "12-l@example.org"},
		{schema.Field{Kind: schema.URL, MinLength: 45}, "https://www.example.org/12-l-uvre-l-aubexxxxx"},
	} {
		if got := m.Value(tt.f); got != quote(tt.want) {
			t.Errorf("%v: %s, want %q", tt.f.Kind, got, tt.want)
		}
	}
	if got := (Maker{Choose: m.Choose}).Value(schema.Field{Name: "startDate", Kind: schema.Slug}); got != `"start-date"` {
		t.Errorf("the slug of a label: %s", got)
	}
	for text, want := range map[string]string{
		"Gruppo di lettura": "gruppo-di-lettura", "«Größe»: Straße 9!": "gr-e-stra-e-9", "サイン会": "text", "": "text",
	} {
		if got := slug(text); got != want {
			t.Errorf("slug(%q) = %q, want %q", text, got, want)
		}
	}
}

// A pattern is found in the texts for it.
func TestText(t *testing.T) {
	m := Maker{Choose: rand.New(rand.NewPCG(1, 2)).IntN}
	for _, pattern := range []string{
		`^[A-Z]{3}-[0-9]{4}$`, `^\+?[0-9 ]*$`, `^[0-9]{4,5}$`, `^(a|bc)+d?$`, `^[^a]$`, `(?i)^x.y\.$`, `^\p{L}{2,}$`, `\d\d`, ``, `^[\x00-\x1f]$`, `^(?:é|[α-ω])*?$`,
	} {
		re := regexp.MustCompile(pattern)
		for range 100 {
			if text := m.matching(re); !re.MatchString(text) {
				t.Fatalf("%s does not match %q", pattern, text)
			}
		}
	}
	last := Maker{Choose: func(n int) int { return n - 1 }}
	if got := last.matching(regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)); got != "ZZZ-9999" {
		t.Errorf("the last of all texts: %q", got)
	}
}
