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
// The expected results follow the documentation of [httpapi.Collection]. They come from a
// model that filters and sorts a slice and shares no code with any implementation.
//
// The optional interfaces [httpapi.Getter], [httpapi.Creator], [httpapi.Updater],
// [httpapi.Deleter] and [httpapi.Revisioner] are checked too if the collection implements
// them and the description has their actions. The error messages of single fields, searches
// in other collections, deletions of records that others refer to, and writes between a
// condition and its write are not checked.
package httpapitest

import (
	"context"
	"errors"
	"fmt"
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
	// Description is the one that the collection must return. Test records have a value
	// for each of its Fields, according to their kinds. If Fields is nil, the records are
	// open: they have members of any name and kind. The checks of an optional interface
	// are skipped if Actions lacks its action, and those of a parameter if Filters or
	// Search does not have it.
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
// Checks that do not apply to the implementation are skipped. A check that panics fails.
// The context of each check expires after one minute. TestCollection waits for functions
// that ignore this. It calls t.Fatal if impl.New is nil or impl.Skip contains an unknown
// name.
func TestCollection(t *testing.T, impl Implementation) {
	t.Helper()
	checks, err := impl.checks()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			problem, skipped := impl.run(c)
			if skipped != "" {
				t.Skip(skipped)
			}
			if problem != "" {
				t.Error(problem)
			}
		})
	}
}

// check is a named check. run returns if the check passes.
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
		{"empty", checkEmpty},
		{"count", checkCount},
		{"limits", checkLimits},
		{"offsets", checkOffsets},
		{"offset-at-the-count", checkOffsetAtCount},
		{"offset-beyond-the-count", checkOffsetBeyond},
		{"largest-window", checkLargest},

		{"text-by-bytes", checkText},
		{"big-integers", checkBigIntegers},
		{"numbers-by-value", checkNumbers},
		{"times-by-instant", checkTimes},
		{"decimals-by-value", checkDecimals},
		{"booleans", checkBooleans},
		{"lists", checkLists},
		{"mixed-kinds", checkMixedKinds},
		{"nulls-ascending", checkNullsAscending},
		{"nulls-descending", checkNullsDescending},
		{"ties-ascending", checkTiesAscending},
		{"ties-descending", checkTiesDescending},
		{"mixed-directions", checkMixedDirections},
		{"default-order", checkDefaultOrder},
		{"unknown-field", checkUnknownField},

		{"cancellation", checkCancellation},
		{"terms-are-read", checkTermsUnmodified},
		{"kept-pages", checkKeptPages},
		{"one-instant", checkOneInstant},
		{"revision", checkRevision},

		{"filter-exact", checkFilterExact},
		{"filter-in", checkFilterIn},
		{"filter-bounds", checkFilterBounds},
		{"filter-null", checkFilterNull},
		{"filter-text", checkFilterText},
		{"filter-several", checkFilterSeveral},
		{"filter-pages", checkFilterPages},
		{"filter-orders", checkFilterOrders},
		{"filter-invalid", checkFilterInvalid},
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

// run runs one check. It returns what is wrong, or why the check was skipped.
func (impl *Implementation) run(c check) (problem, skipped string) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case failure:
			problem = string(reason)
		case skip:
			skipped = string(reason)
		default:
			problem = fmt.Sprintf("panicked: %v", reason)
		}
	}()
	c.run(&subject{*impl, ctx})
	return "", ""
}

// subject is the implementation under test, with the context of one check.
type subject struct {
	Implementation
	ctx context.Context
}

// A check ends early with a panic of one of these types.
type (
	failure string // what is wrong
	skip    string // why the check does not apply
)

// fail ends the check: it does not pass.
func (s *subject) fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// skip ends the check: it does not apply.
func (s *subject) skip(reason string) { panic(skip(reason)) }

// open returns a collection with the records of a model.
func (s *subject) open(m model) httpapi.Collection {
	c, err := s.New(s.ctx, m.encoded())
	if err != nil || c == nil {
		s.fail("New with %d records: collection %v, error %v", len(m), c, err)
	}
	return c
}
