// Package httpapitest tests implementations of [httpapi.Collection], such as one that
// stores records in a database.
//
//	func TestFilms(t *testing.T) {
//		httpapitest.TestCollection(t, httpapitest.Implementation{
//			Description: description,
//			New: func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
//				return newTable(ctx, db, records)
//			},
//			Insert: func(ctx context.Context, c httpapi.Collection, record []byte) error {
//				return c.(*table).insert(ctx, record)
//			},
//			Body: `{"title":"Alien","minutes":117}`,
//		})
//	}
//
// The expected results come from a collection of open records in a catalogue, which has the
// same description and the same records.
//
// The optional interfaces [httpapi.Getter], [httpapi.Creator], [httpapi.Updater],
// [httpapi.Deleter] and [httpapi.Revisioner] are checked too if the collection implements
// them and the description has their actions. The error messages of single fields, searches
// in other collections, deletions of records that others refer to, and writes between a
// condition and its write are not checked.
package httpapitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// An Implementation provides the collections under test. Its functions are called one
// at a time, except for Insert, which is called concurrently with the methods of the
// collection.
type Implementation struct {
	// Description is the one that the collection must return. Test records have a value for
	// each of its Fields, according to their kinds. If Fields is nil, the records are open:
	// they have members of any name and kind. The checks of an optional interface are skipped
	// if Actions lacks its action, and checks of a parameter if Filters or Search does not
	// have it.
	Description schema.Description

	// New returns a collection that holds exactly the given records. They are compact
	// JSON objects with ids, in no particular order. The records that they refer to in
	// other collections need not exist. A check may call New several times; it does
	// not use a collection after calling New again. ctx is canceled at the end of the
	// check.
	New func(ctx context.Context, records [][]byte) (httpapi.Collection, error)

	// Insert adds a record to a collection returned by New. It is called while pages
	// are read. If nil, the checks that need it are skipped.
	Insert func(ctx context.Context, c httpapi.Collection, record []byte) error

	// Body is a JSON object that can be posted to an empty collection, and also be put in
	// place of a record. It can be posted repeatedly, with other values in unique fields
	// other than references. Its texts have no surrounding white space. To check filters
	// of references, Body must have the ids of some. If Body is empty, the checks of
	// [httpapi.Creator] and those that need a valid object or a reference are skipped.
	Body string

	// Skip lists the names of checks that the implementation is not expected to pass.
	Skip []string
}

// TestCollection runs the checks as subtests, named after the checks, so that each can be
// run separately:
//
//	go test -run TestFilms/ties-descending
//
// Checks that do not apply to the implementation are skipped. The context of each check expires
// after one minute. TestCollection waits for functions that ignore this. It calls t.Fatal if
// impl.New is nil, impl.Body is neither empty nor a JSON object, or impl.Skip contains an
// unknown name.
func TestCollection(t *testing.T, impl Implementation) {
	t.Helper()
	checks, err := impl.checks()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
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
		{"fields", checkFields},
		{"records", checkRecords},
		{"empty", windows(0, [2]int{21, 0}, [2]int{21, 1}, [2]int{21, 1000})},
		{"count", windows(7, [2]int{1, 0}, [2]int{3, 5})},
		{"limits", windows(7, [2]int{1, 0}, [2]int{6, 0}, [2]int{7, 0}, [2]int{8, 0}, [2]int{1000, 0})},
		{"offsets", windows(7, [2]int{2, 1}, [2]int{2, 5}, [2]int{2, 6}, [2]int{1, 6}, [2]int{21, 3})},
		{"offset-at-the-count", windows(7, [2]int{1, 7}, [2]int{21, 7})},
		{"offset-beyond-the-count", windows(7, [2]int{1, 8}, [2]int{21, 1000})},
		// The sum of limit and offset overflows.
		{"largest-window", windows(7, [2]int{math.MaxInt, 0}, [2]int{21, math.MaxInt}, [2]int{math.MaxInt, 3}, [2]int{math.MaxInt, math.MaxInt})},

		{"text-by-bytes", values("text is compared by the bytes of its UTF-8", false, schema.Text, []string{
			`"b"`, `"B"`, `"a"`, `"A"`, `"é"`, `"e"`, `"z"`, `"Z"`, `"10"`, `"9"`, `" a"`, `"_"`, `"-"`, `"a b"`, `"ab"`, `"�"`, `"😀"`,
		}, asc, desc)},
		{"big-integers", checkBigIntegers},
		{"numbers-by-value", values("numbers of any length are compared by value", true, schema.JSON, []string{
			"10", "9.5", "1e1", "-0.25", "-0.5", "123456789012345678901234567890", "123456789012345678901234567891", "0.1", "0",
		}, asc)},
		{"times-by-instant", values("times are compared by instant, regardless of their offsets", false, schema.Timestamp, []string{
			`"2024-05-10T18:00:00+02:00"`, `"2024-05-10T16:30:00Z"`, `"2024-05-10T12:00:00-05:00"`, `"2024-05-10T16:00:00Z"`,
			`"2024-05-10T15:59:59.999999Z"`, `"2024-12-31T23:30:00-02:00"`, `"2025-01-01T00:30:00Z"`,
		}, asc)},
		{"decimals-by-value", checkDecimals},
		{"booleans", values("false is less than true", false, schema.Boolean, []string{"false", "true"}, asc, desc)},
		{"lists", values("lists are compared element by element, and a prefix is less than a longer list", false, schema.References,
			[]string{"[2]", "[1,2]", "[10]", "[1]", "[]", "[1,1]"}, asc, desc)},
		{"mixed-kinds", values("the order of kinds is booleans, numbers, text, lists, objects", true, schema.JSON,
			[]string{`{"a":1}`, `"a"`, "[1]", "true", "-1", `""`, "[]", "false", "5"}, asc, desc)},
		{"nulls-ascending", nulls("mnzna", asc)},
		{"nulls-descending", nulls("mnza", desc)},
		{"ties-ascending", values(tiesByID, false, schema.Text, ties[:], asc)},
		{"ties-descending", values(tiesByID, false, schema.Text, ties[:], desc, thenDown)},
		{"mixed-directions", checkMixedDirections},
		{"default-order", checkDefaultOrder},
		{"unknown-field", checkUnknownField},

		{"cancellation", checkCancellation},
		{"terms-are-read", checkTermsUnmodified},
		{"kept-pages", checkKeptPages},
		{"one-instant", checkOneInstant},
		{"revision", checkRevision},

		{"filter-exact", lookups("exact")},
		{"filter-in", lookups("in")},
		{"filter-bounds", lookups("gt", "gte", "lt", "lte", "range")},
		{"filter-null", lookups("isnull")},
		{"filter-text", lookups("iexact", "contains", "icontains", "startswith", "istartswith")},
		{"filter-several", checkFilterSeveral},
		{"filter-pages", checkFilterPages},
		{"filter-orders", checkFilterOrders},
		{"search", checkSearch},

		{"get", checkGet},
		{"get-missing", checkGetMissing},
		{"get-filtered", checkGetFiltered},

		{"create", checkCreate},
		{"create-invalid", checkCreateInvalid},
		{"create-unknown-members", checkCreateUnknown},
		{"create-cancelled", checkCreateCancelled},
		{"create-unique", checkCreateUnique},

		{"patch", checkPatch},
		{"put", checkPut},
		{"put-required", checkPutRequired},
		{"update-ignored-members", checkUpdateIgnored},
		{"update-invalid", checkUpdateInvalid},
		{"update-unique", checkUpdateUnique},
		{"update-missing", checkUpdateMissing},
		{"update-filtered", checkUpdateFiltered},
		{"update-cancelled", checkUpdateCancelled},
		{"update-condition", checkUpdateCondition},

		{"delete", checkDelete},
		{"delete-missing", checkDeleteMissing},
		{"delete-filtered", checkDeleteFiltered},
		{"delete-cancelled", checkDeleteCancelled},
		{"delete-condition", checkDeleteCondition},
		{"deleted-ids", checkDeletedIDs},
		{"revision-of-writes", checkWriteRevision},
	}
}

// checks returns the checks that are not in Skip.
func (impl *Implementation) checks() ([]check, error) {
	if impl.New == nil {
		return nil, errors.New("httpapitest: New is nil")
	}
	if err := json.Unmarshal([]byte(impl.Body), new(members)); err != nil && impl.Body != "" {
		return nil, fmt.Errorf("httpapitest: Body is not a JSON object: %w", err)
	}
	var names []string
	all := allChecks()
	for _, c := range all {
		names = append(names, c.name)
	}
	for _, name := range impl.Skip {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("httpapitest: Skip has the unknown check %q; the checks are %s", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(c check) bool { return slices.Contains(impl.Skip, c.name) }), nil
}

// timeout is the time limit of a check.
const timeout = time.Minute

// run runs one check.
func (impl *Implementation) run(tb testing.TB, c check) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	c.run(&subject{tb, *impl, ctx})
}

// A subject is the implementation under test, in one check.
type subject struct {
	testing.TB
	Implementation
	ctx context.Context
}
