package httpapitest

import (
	"cmp"
	"context"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

// A planted fault is what a fake does wrong, and the checks that must find it.
type planted struct {
	fault fault
	open  bool     // in a collection of open records
	want  []string // checks
}

// faults returns all planted faults.
func faults() []planted {
	const films, open = false, true
	return []planted{
		{"", films, nil},
		{"", open, nil},

		{"the description lacks a filter", films, []string{"description"}},
		{"a field is sortable twice", open, []string{"fields"}},
		{"a sortable field is omitted", open, []string{"fields"}},
		{"a field cannot be ordered by", films, []string{"fields"}},
		{"records are not compact", open, []string{"records"}},
		{"an empty collection is an error", open, []string{"fields", "empty"}},
		{"the count is that of the page", films, []string{"count", "filter-pages"}},
		{"a page has at least two records", films, []string{"limits", "filter-pages"}},
		{"pages start at multiples of the limit", films, []string{"offsets", "offset-at-the-count", "largest-window", "filter-pages"}},
		{"a window past the end has the last record", films, []string{"offset-at-the-count", "offset-beyond-the-count", "largest-window", "filter-pages"}},
		{"limit plus offset overflows", films, []string{"largest-window", "filter-pages"}},

		{"text is compared case-insensitively", films, []string{"text-by-bytes"}},
		{"numbers are compared as float64s", open, []string{"big-integers", "numbers-by-value"}},
		{"numbers and ids are compared as text", open, []string{"big-integers", "numbers-by-value", "mixed-kinds", "one-instant"}},
		{"times are compared as text", films, []string{"times-by-instant"}},
		{"decimals are sorted as text", films, []string{"decimals-by-value"}},
		{"true is less than false", films, []string{"booleans", "mixed-directions"}},
		{"lists are compared as text", films, []string{"lists"}},
		{"null is smallest, as in SQLite", films, []string{"nulls-ascending", "nulls-descending"}},
		{"ties are broken by ascending id", films, []string{"ties-descending", "mixed-directions", "filter-orders"}},
		{"ties are broken by descending id", films, []string{"times-by-instant", "nulls-ascending", "ties-ascending", "mixed-directions", "filter-orders"}},
		{"all terms have the direction of the first", films, []string{"ties-descending", "mixed-directions"}},
		{"the default order is by id", films, []string{"default-order", "unknown-field", "filter-orders"}},
		{"the terms of the default order are returned", films, []string{"default-order", "unknown-field"}},
		{"unknown terms are returned", films, []string{"unknown-field"}},
		{"unknown terms are errors", films, []string{"unknown-field", "terms-are-read", "filter-orders"}},

		{"List ignores the context", films, []string{"cancellation"}},
		{"Get ignores the context", films, []string{"cancellation"}},
		{"Revision ignores the context", films, []string{"cancellation"}},
		{"terms are appended to in place", films, []string{"terms-are-read"}},
		{"terms are dropped in place", films, []string{"terms-are-read"}},
		{"pages share a buffer", films, []string{"kept-pages"}},
		{"the count is taken before the page", films, []string{"one-instant"}},
		{"the revision never changes", films, []string{"revision", "revision-of-writes"}},
		{"Revision returns an error", films, []string{"revision", "revision-of-writes"}},

		{"exact ignores case", films, []string{"filter-exact", "filter-several"}},
		{"in uses the first value", films, []string{"filter-in"}},
		{"gte is gt", films, []string{"filter-bounds"}},
		{"a range has no end", films, []string{"filter-bounds"}},
		{"null is less than all values", films, []string{"filter-bounds"}},
		{"decimals are ordered as text", films, []string{"filter-bounds"}},
		{"isnull always holds", films, []string{"filter-null"}},
		{"icontains is contains", films, []string{"filter-text"}},
		{"case is ignored in ASCII only", films, []string{"filter-text"}},
		{"_ matches any character", films, []string{"filter-text"}},
		{"one of several parameters is enough", films, []string{"filter-several"}},
		{"the window precedes the filter", films, []string{"filter-pages"}},
		{"the count is that of all records", films, []string{"filter-exact", "filter-in", "filter-bounds", "filter-null",
			"filter-text", "filter-several", "filter-pages", "filter-orders", "search"}},
		{"invalid parameters are ignored", films, []string{"filter-invalid", "get-filtered"}},
		{"only the first invalid parameter is an error", films, []string{"filter-invalid", "get-filtered"}},
		{"one of several words is enough", films, []string{"search"}},
		{"search ignores signs", films, []string{"search"}},

		{"Get returns another record", films, []string{"get", "get-filtered"}},
		{"Get of id 0 returns nothing", films, []string{"get-missing"}},
		{"Get ignores parameters", films, []string{"get-filtered"}},
		{"Get looks for the id first", films, []string{"get-filtered"}},
		{"white space is part of an id", films, []string{"get", "patch", "delete"}},
		{"text after an id is ignored", films, []string{"get-missing", "update-missing", "delete-missing"}},

		{"all created records get the same id", films, []string{"create", "deleted-ids"}},
		{"an invalid record is stored", films, []string{"create-invalid", "create-unique"}},
		{"the id is taken from the body", films, []string{"create-unknown-members"}},
		{"Create ignores the context", films, []string{"create-cancelled"}},
		{"posts are not unique", films, []string{"create-unique"}},

		{"a PATCH resets the synopsis", films, []string{"patch"}},
		{"a PATCH to null is ignored", films, []string{"patch"}},
		{"a PUT resets absent fields", films, []string{"put"}},
		{"a PUT requires no field", films, []string{"put-required"}},
		{"the time of creation is that of the update", films, []string{"update-ignored-members"}},
		{"an invalid update is stored", films, []string{"update-invalid"}},
		{"updates are not unique", films, []string{"update-unique"}},
		{"a record is compared with itself", films, []string{"put", "update-unique"}},
		{"Update of a missing record creates one", films, []string{"update-missing"}},
		{"Update ignores parameters", films, []string{"update-filtered"}},
		{"Update ignores the context", films, []string{"update-cancelled"}},
		{"Update stores nothing", films, []string{"patch", "put", "update-condition", "revision-of-writes"}},
		{"Update keeps the revision", films, []string{"revision-of-writes"}},
		{"Update ignores the condition", films, []string{"update-condition"}},
		{"Update ignores the result of the condition", films, []string{"update-condition"}},
		{"an invalid body precedes the condition", films, []string{"update-condition"}},
		{"conditions see another record", films, []string{"update-condition", "delete-condition"}},

		{"Delete deletes nothing", films, []string{"delete", "delete-filtered", "delete-condition", "revision-of-writes"}},
		{"Delete of id 0 succeeds", films, []string{"delete-missing"}},
		{"Delete ignores parameters", films, []string{"delete-filtered"}},
		{"Delete ignores the context", films, []string{"delete-cancelled"}},
		{"Delete keeps the revision", films, []string{"revision-of-writes"}},
		{"Delete ignores the condition", films, []string{"delete-condition"}},
		{"ids are used again", films, []string{"deleted-ids"}},
	}
}

// inFake returns the implementation of a fake.
func inFake(t *testing.T, p planted) Implementation {
	impl := inCatalogue[film](t, "films", newFilm)
	if p.open {
		impl = inCatalogue[film](t, "reviews", "")
	}
	d := impl.Description
	impl.New = func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
		return newFake(d, p.fault, records)
	}
	impl.Insert = func(_ context.Context, c httpapi.Collection, record []byte) error {
		return c.(*fake).insert(record)
	}
	return impl
}

// A correct implementation passes. One with a single fault fails the checks of that fault
// and no others.
func TestFaults(t *testing.T) {
	for i, p := range faults() {
		if testing.Short() && i%8 > 1 {
			continue // all take long
		}
		t.Run(cmp.Or(string(p.fault), "no fault"), func(t *testing.T) {
			t.Parallel()
			names, problems := run(t, inFake(t, p))
			if diff := gocmp.Diff(p.want, names); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s\n%s", diff, problems)
			}
		})
	}
}

// Each check finds a fault.
func TestChecksFindFaults(t *testing.T) {
	for _, c := range allChecks() {
		if !slices.ContainsFunc(faults(), func(p planted) bool { return slices.Contains(p.want, c.name) }) {
			t.Errorf("no planted fault is found by the check %s", c.name)
		}
	}
}
