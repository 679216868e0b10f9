package schema

import (
	"context"
	"testing"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

const (
	notBlank = "This field may not be blank."
	notNull  = "This field may not be null."
	required = "This field is required."

	badSlug = `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`

	badBool    = "Must be a valid boolean."
	badInteger = "A valid integer is required."
)

// exists reports true for the ids 1 to 20 of every collection.
func exists(_ context.Context, _ string, id int) (bool, error) { return 1 <= id && id <= 20, nil }

// TestKinds checks what Django REST framework calls each kind and how its values are sorted.
func TestKinds(t *testing.T) {
	for _, row := range []struct {
		kind           Kind
		name           string
		lesser, higher string // values of a Test that compare in this order
		special        bool   // text in JSON that compares by another value
	}{
		{Integer, "integer", "-10", "9", false},
		{Text, "string", "10", "9", false},
		{Slug, "slug", "10", "9", false},
		{Timestamp, "datetime", "2024-05-10T18:00:00+02:00", "2024-05-10T17:00:00Z", true},
		{Boolean, "boolean", "false", "true", false},
		{URL, "url", "https://a.example", "https://b.example", false},
		{Reference, "field", "9", "10", false},
		{References, "field", "9", "10", false},
		{Array, "list", "10", "9", false},
		{JSON, "field", "10", "9", false},
		{Float, "float", "-1e3", "0.5", false},
		{Decimal, "decimal", "9.50", "12.00", true},
		{Date, "date", "2024-05-10", "2024-05-11", false},
		{Choice, "choice", "announced", "released", false},
		{Email, "email", "a@b.example", "b@a.example", false},
		{UUID, "string", "01234567-89ab-cdef-0123-456789abcdef", "11234567-89ab-cdef-0123-456789abcdef", false},
		{UnicodeSlug, "slug", "a", "é", false},
		{Regex, "regex", "a", "b", false},
		{Map, "nested object", "a", "b", false},
		{Object, "nested object", "a", "b", false},
	} {
		if got := row.kind.String(); got != row.name {
			t.Errorf("kind %d is %q, want %q", row.kind, got, row.name)
		}
		if c := row.kind.Key(row.lesser).Compare(row.kind.Key(row.higher)); c >= 0 {
			t.Errorf("%v %d: %s is not less than %s", row.kind, row.kind, row.lesser, row.higher)
		}
		key := row.kind.TextKey()
		if (key != nil) != row.special {
			t.Errorf("%v %d: a function for text: %v, want %v", row.kind, row.kind, key != nil, row.special)
		}
		if key != nil && (key(row.lesser).Compare(key(row.higher)) >= 0 || key("x").Compare(sortkey.Text("x")) != 0) {
			t.Errorf("%v: wrong keys of text", row.kind)
		}
	}
	for _, unknown := range []Kind{0, Object + 1} {
		if unknown.String() != "field" || unknown.TextKey() != nil || len(unknown.lookups()) > 0 {
			t.Errorf("kind %d is not like JSON", unknown)
		}
	}
}
