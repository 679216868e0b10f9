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

// onePage is a collection that knows one order and one field.
type onePage [][]byte

func (p onePage) Fields(ctx context.Context) ([]string, error) {
	return []string{"id"}, ctx.Err()
}

func (p onePage) Page(ctx context.Context, w pagination.Window, terms []ordering.Term) (int, [][]byte, error) {
	for _, t := range terms {
		if t != ordering.Asc("id") {
			return 0, nil, fmt.Errorf("%w: %v", ordering.ErrUnknownField, t)
		}
	}
	return len(p), pagination.Slice(p, w), ctx.Err()
}

func newOnePage(_ context.Context, records [][]byte) (httpapi.Collection, error) {
	slices.SortFunc(records, func(a, b []byte) int { return idOf(a) - idOf(b) })
	return onePage(records), nil
}

func idOf(record []byte) int {
	var r struct{ ID int }
	if err := json.Unmarshal(record, &r); err != nil {
		panic(err)
	}
	return r.ID
}

// What comes of a collection that has much to learn; the other failures are left
// out here.
func ExampleCheck() {
	err := conformance.Check(conformance.Implementation{
		New: newOnePage,
		Except: []string{"limits", "offsets", "offset-at-the-count", "offset-beyond-the-count", "largest-window",
			"text-by-bytes", "big-integers", "numbers-by-value", "booleans", "lists", "mixed-kinds", "nulls-ascending",
			"nulls-descending", "ties-ascending", "ties-descending", "mixed-directions", "kept-pages"},
	})
	fmt.Println(err)
	// Output:
	// conformance: fields: the collection is wrong: its Fields leaves out "name", which all records have: ["id"]
}
