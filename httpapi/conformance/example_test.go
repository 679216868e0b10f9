package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/conformance"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// sortedByID is an incomplete collection that can only be ordered by id.
type sortedByID [][]byte

func (s sortedByID) Fields(ctx context.Context) ([]string, error) {
	return []string{"id"}, ctx.Err()
}

func (s sortedByID) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	for _, t := range terms {
		if t != ordering.Asc("id") {
			return 0, nil, fmt.Errorf("%w: %v", ordering.ErrUnknownField, t)
		}
	}
	return len(s), pagination.Slice(s, w), ctx.Err()
}

func newSortedByID(_ context.Context, records [][]byte) (httpapi.Collection, error) {
	slices.SortFunc(records, func(a, b []byte) int { return idOf(a) - idOf(b) })
	return sortedByID(records), nil
}

func idOf(record []byte) int {
	var r struct{ ID int }
	if err := json.Unmarshal(record, &r); err != nil {
		panic(err)
	}
	return r.ID
}

// Checks an incomplete collection. For a short output, most of the failing checks are
// omitted.
func ExampleCheck() {
	err := conformance.Check(conformance.Implementation{
		New: newSortedByID,
		Except: []string{"limits", "offsets", "offset-at-the-count", "offset-beyond-the-count", "largest-window",
			"text-by-bytes", "big-integers", "numbers-by-value", "booleans", "lists", "mixed-kinds", "nulls-ascending",
			"nulls-descending", "ties-ascending", "ties-descending", "mixed-directions", "kept-pages"},
	})
	fmt.Println(err)
	// Output:
	// conformance: fields: the collection does not conform: Fields omits "name", which all records have: ["id"]
}
