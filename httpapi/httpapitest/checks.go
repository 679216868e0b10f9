package httpapitest

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// TestCollection runs the checks as subtests, named after the checks, so that each can be
// run separately, and those that the implementation is not expected to pass can be omitted:
//
//	go test -run TestFilms/ties
//	go test -skip 'TestFilms/(ties|nulls)'
//
// Checks that do not apply to the implementation are skipped. The context of each check expires
// after one minute. TestCollection waits for functions that ignore this. It calls t.Fatal if
// impl.New is nil, impl.Body is neither empty nor a JSON object, or a field is Hidden, Computed or
// a Key: there are no checks for records that have a key in place of an id.
func TestCollection(t *testing.T, impl Implementation) {
	t.Helper()
	if err := impl.valid(); err != nil {
		t.Fatal(err)
	}
	for _, c := range allChecks() {
		t.Run(c.name, func(t *testing.T) { impl.run(t, c) })
	}
}

// A check is a named check.
type check struct {
	name string
	run  func(*subject)
}

// allChecks returns all checks, starting with the simplest.
func allChecks() []check {
	return []check{
		{"description", checkDescription},
		{"records", checkRecords},
		{"empty", windows(0, [2]int{21, 0}, [2]int{21, 1}, [2]int{21, 1000})},
		{"limits", windows(7, [2]int{1, 0}, [2]int{6, 0}, [2]int{7, 0}, [2]int{8, 0}, [2]int{1000, 0})},
		{"offsets", windows(7, [2]int{2, 1}, [2]int{2, 5}, [2]int{2, 6}, [2]int{1, 6}, [2]int{3, 5}, [2]int{21, 3})},
		{"offset-beyond-the-end", windows(7, [2]int{1, 7}, [2]int{21, 7}, [2]int{1, 8}, [2]int{21, 1000})},
		// The sum of limit and offset overflows.
		{"largest-window", windows(7, [2]int{math.MaxInt, 0}, [2]int{21, math.MaxInt}, [2]int{math.MaxInt, 3}, [2]int{math.MaxInt, math.MaxInt})},

		{"text-by-bytes", orders("text is compared by the bytes of its UTF-8", schema.Text, schema.Slug, schema.URL, schema.Choice)},
		{"big-ids", checkBigIDs},
		{"integers", orders("integers are compared exactly", schema.Integer, schema.Reference)},
		{"numbers-by-value", orders("numbers are compared by value", schema.Float, schema.Decimal)},
		{"times-by-instant", orders("times are compared by instant, regardless of their offsets", schema.Timestamp, schema.Date, schema.TimeOfDay, schema.Interval)},
		{"booleans", orders("false is less than true", schema.Boolean)},
		{"lists", orders("lists are compared element by element, and a prefix is less than a longer list", schema.References, schema.Array)},
		{"mixed-kinds", orders("the order of kinds is booleans, numbers of any length by value, text, lists, objects", schema.JSON)},
		{"nulls", checkNulls},
		{"ties", checkTies},
		{"mixed-directions", checkMixedDirections},
		{"default-order", checkDefaultOrder},
		{"unknown-field", checkUnknownField},

		{"cancellation", checkCancellation},
		{"terms-are-read", checkTermsUnmodified},
		{"kept-pages", checkKeptPages},
		{"one-instant", checkOneInstant},

		{"filter-exact", lookups("exact")},
		{"filter-in", lookups("in")},
		{"filter-bounds", lookups("gt", "gte", "lt", "lte", "range")},
		{"filter-null", lookups("isnull")},
		{"filter-text", lookups("iexact", "contains", "icontains", "startswith", "istartswith", "endswith", "iendswith")},
		{"filter-several", checkFilterSeveral},
		{"filter-pages", checkFilterPages},
		{"positions", checkPositions},
		{"references", checkReferences},
		{"search", checkSearch},

		{"get", named(schema.Retrieve)},
		{"get-missing", missing(schema.Retrieve)},
		{"get-filtered", filtered(schema.Retrieve)},

		{"create", writes(schema.Create, valid)},
		{"create-invalid", writes(schema.Create, invalid)},
		{"create-unique", writes(schema.Create, unique)},
		{"create-assigned", assigned(schema.Create)},

		{"patch", writes(schema.PartialUpdate, valid)},
		{"patch-invalid", writes(schema.PartialUpdate, invalid)},
		{"patch-unique", writes(schema.PartialUpdate, unique)},
		{"patch-assigned", assigned(schema.PartialUpdate)},
		{"patch-segments", named(schema.PartialUpdate)},
		{"patch-missing", missing(schema.PartialUpdate)},
		{"patch-filtered", filtered(schema.PartialUpdate)},
		{"patch-condition", conditions(schema.PartialUpdate)},

		{"put", writes(schema.Update, valid)},
		{"put-invalid", writes(schema.Update, invalid)},
		{"put-unique", writes(schema.Update, unique)},
		{"put-assigned", assigned(schema.Update)},
		{"put-missing", missing(schema.Update)},
		{"put-filtered", filtered(schema.Update)},
		{"put-condition", conditions(schema.Update)},

		{"delete", named(schema.Destroy)},
		{"delete-missing", missing(schema.Destroy)},
		{"delete-filtered", filtered(schema.Destroy)},
		{"delete-condition", conditions(schema.Destroy)},
		{"deleted-ids", checkDeletedIDs},
		{"revision", checkRevision},
	}
}

// timeout is the time limit of a check.
const timeout = time.Minute

// run runs one check.
func (impl *Implementation) run(tb testing.TB, c check) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c.run(&subject{tb, *impl, ctx, map[string][]string{}, map[string]map[int]string{}})
}
