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
// [httpapi.Deleter], [httpapi.ReferenceChecker] and [httpapi.Revisioner] are checked too if the
// collection implements them and the description has their actions. The windows of a list, which
// pages with limits or numbers need, are always checked. The positions that pages by cursors need
// are checked if the collection is an [httpapi.Positioner], which it must be if its description
// has such pages. The error messages of single fields, searches in other collections, deletions
// of records that others refer to, and writes between a condition and its write are not checked.
package httpapitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
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
	// they have members of any name and kind. Checks of an optional interface are skipped
	// unless Actions has its action, and those of a parameter unless Filters or Search has it.
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

	// Body is a JSON object that can be posted to a collection, and also be put in place of a
	// record. Its members have the names of the Fields. It can be posted repeatedly, with
	// other values in unique fields other than references. Its texts have no surrounding
	// white space. The records that it refers to exist, and none with id 977 in their
	// collections. If Body is empty, the checks of [httpapi.Creator] and of a PUT are skipped.
	Body string
}

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

func (impl *Implementation) valid() error {
	if impl.New == nil {
		return errors.New("httpapitest: New is nil")
	}
	for _, f := range impl.Description.Fields {
		if f.Hidden || f.Computed {
			return fmt.Errorf("httpapitest: Description: the field %s is hidden or computed: what is stored is not what is served", f.Name)
		}
		if f.Key {
			return fmt.Errorf("httpapitest: Description: the field %s is a key: want records with an id", f.Name)
		}
	}
	if err := json.Unmarshal([]byte(impl.Body), new(members)); err != nil && impl.Body != "" {
		return fmt.Errorf("httpapitest: Body is not a JSON object: %w", err)
	}
	return nil
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
		{"times-by-instant", orders("times are compared by instant, regardless of their offsets", schema.Timestamp, schema.Date)},
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
		{"filter-text", lookups("iexact", "contains", "icontains", "startswith", "istartswith")},
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
	c.run(&subject{tb, *impl, ctx, map[string][]string{}})
}

// A subject is the implementation under test, in one check.
type subject struct {
	testing.TB
	Implementation
	ctx   context.Context
	known map[string][]string // values of fields
}
