package schema

import (
	"context"
	"testing"
	"time"

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
func exists(_ context.Context, _, field, text string) (int, string, error) {
	id := ParseID(text)
	if field != "id" || id > 20 {
		return 0, "", nil
	}
	return id, "", nil
}

// TestKinds checks what Django REST framework calls each kind and how its values are sorted.
func TestKinds(t *testing.T) {
	missing := map[Kind]bool{}
	for kind := range kinds[1:] {
		missing[Integer+Kind(kind)] = true
	}
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
		{TimeOfDay, "time", "08:00:00", "08:00:00.500000", true},
		{Interval, "field", "9 00:00:00", "10 00:00:00", true},
	} {
		delete(missing, row.kind)
		if got := row.kind.String(); got != row.name {
			t.Errorf("kind %d is %q, want %q", row.kind, got, row.name)
		}
		f := Field{Kind: row.kind}
		if c := f.SortKey(row.lesser).Compare(f.SortKey(row.higher)); c >= 0 {
			t.Errorf("%v %d: %s is not less than %s", row.kind, row.kind, row.lesser, row.higher)
		}
		order := f.Order()
		if (order != nil) != row.special {
			t.Errorf("%v %d: an order of its own: %v, want %v", row.kind, row.kind, order != nil, row.special)
			continue
		}
		if row.special && (order(sortkey.Text(row.lesser)) != f.SortKey(row.lesser) || order(sortkey.Text("x")) != sortkey.Text("x") || order(sortkey.Int(7)) != sortkey.Int(7)) {
			t.Errorf("%v: wrong keys", row.kind)
		}
	}
	for kind := range missing {
		t.Errorf("%v, kind %d, is not in the table", kind, kind)
	}
	for _, unknown := range []Kind{0, Kind(len(kinds))} {
		if unknown.String() != "field" || (Field{Kind: unknown}).Order() != nil || len(Field{Kind: unknown}.lookups()) > 1 {
			t.Errorf("kind %d is not like JSON", unknown)
		}
	}
}

// Text that is Fold compares without regard to case, and date-times by the microsecond.
func TestOrder(t *testing.T) {
	moment := time.Date(2024, 5, 10, 18, 0, 0, 123456789, time.UTC)
	for _, row := range []struct {
		reason string
		f      Field
		a, b   sortkey.Key
		equal  bool
	}{
		{"another case", Field{Kind: Text, Fold: true}, sortkey.Text("Anna"), sortkey.Text("aNNA"), true},
		{"other text", Field{Kind: Email, Fold: true}, sortkey.Text("a@b.example"), sortkey.Text("a@c.example"), false},
		{"times in a microsecond", Field{Kind: Timestamp}, sortkey.Time(moment), sortkey.Time(moment.Add(-789)), true},
		{"times that differ by one", Field{Kind: Timestamp}, sortkey.Time(moment), sortkey.Time(moment.Add(-790)), false},
		{"times and text", Field{Kind: Timestamp}, sortkey.Time(moment), sortkey.Text("2024-05-10T20:00:00.123456+02:00"), true},
	} {
		if order := row.f.Order(); (order(row.a) == order(row.b)) != row.equal {
			t.Errorf("%s: equal %t, want %t", row.reason, !row.equal, row.equal)
		}
	}
}
