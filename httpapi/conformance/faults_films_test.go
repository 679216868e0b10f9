package conformance_test

import (
	"cmp"
	"context"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/conformance"
)

// A correct implementation of the optional interfaces passes. One with a single fault
// fails the checks of that fault and no others.
func TestFaultsOfFilms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long; TestFaults is similar")
	}
	tests := []struct {
		fault fault
		want  []string // checks
	}{
		{"", nil},
		{"decimals are sorted as text", []string{"decimals-by-value"}},
		{"posts are not unique", []string{"create-unique"}},
		{"the description lacks a field", []string{"description"}},
		{"Get returns another record", []string{"get", "get-filtered"}},
		{"Get of id 0 returns nothing", []string{"get-missing"}},
		{"Get ignores parameters", []string{"get-filtered"}},
		{"Get looks for the id first", []string{"get-filtered"}},
		{"Get ignores the context", []string{"cancellation"}},
		{"a PATCH resets the synopsis", []string{"patch"}},
		{"a PATCH to null is ignored", []string{"patch"}},
		{"a PUT resets absent fields", []string{"put"}},
		{"a PUT requires no field", []string{"put-required"}},
		{"the time of creation is that of the update", []string{"update-ignored-members"}},
		{"an invalid update is stored", []string{"update-invalid"}},
		{"updates are not unique", []string{"update-unique"}},
		{"a record is compared with itself", []string{"put", "update-unique"}},
		{"Update of a missing record creates one", []string{"update-missing"}},
		{"Update ignores parameters", []string{"update-filtered"}},
		{"Update ignores the context", []string{"update-cancelled"}},
		{"Update stores nothing", []string{"patch", "put", "update-if", "revision-of-writes"}},
		{"Update keeps the revision", []string{"revision-of-writes"}},
		{"Delete deletes nothing", []string{"delete", "delete-filtered", "delete-if", "revision-of-writes"}},
		{"Delete of id 0 succeeds", []string{"delete-missing"}},
		{"Delete ignores parameters", []string{"delete-filtered"}},
		{"Delete ignores the context", []string{"delete-cancelled"}},
		{"Delete keeps the revision", []string{"revision-of-writes"}},
		{"UpdateIf ignores the condition", []string{"update-if"}},
		{"UpdateIf ignores the result", []string{"update-if"}},
		{"DeleteIf ignores the condition", []string{"delete-if"}},
		{"conditions see another record", []string{"update-if", "delete-if"}},
		{"ids are used again", []string{"deleted-ids"}},
		{"exact ignores case", []string{"filter-exact", "filter-several"}},
		{"in uses the first value", []string{"filter-in"}},
		{"gte is gt", []string{"filter-bounds"}},
		{"a range has no end", []string{"filter-bounds"}},
		{"null is less than all values", []string{"filter-bounds"}},
		{"decimals are ordered as text", []string{"filter-bounds"}},
		{"isnull always holds", []string{"filter-null"}},
		{"icontains is contains", []string{"filter-text"}},
		{"case is ignored in ASCII only", []string{"filter-text"}},
		{"_ matches any character", []string{"filter-text"}},
		{"one of several parameters is enough", []string{"filter-several"}},
		{"the window precedes the filter", []string{"filter-pages"}},
		{"the count is that of all records", []string{"filter-pages"}},
		{"PageWhere has no default order", []string{"filter-orders"}},
		{"unknown terms are errors", []string{"filter-orders"}},
		{"ties are by ascending id", []string{"filter-orders"}},
		{"invalid parameters are ignored", []string{"get-filtered", "filter-invalid"}},
		{"only the first invalid parameter is an error", []string{"get-filtered", "filter-invalid"}},
		{"PageWhere ignores the context", []string{"cancellation"}},
		{"one of several words is enough", []string{"search"}},
		{"search ignores signs", []string{"search"}},
	}
	for _, test := range tests {
		t.Run(cmp.Or(string(test.fault), "no fault"), func(t *testing.T) {
			impl := ofFilms[film](t, "films", newFilm)
			d := impl.Description
			impl.New = func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
				return newFilmSlice(d, test.fault, records)
			}
			impl.Insert = nil
			err := conformance.Check(impl)
			if diff := gocmp.Diff(test.want, failed(err)); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
