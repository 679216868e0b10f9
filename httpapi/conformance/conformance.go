package conformance

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
	// Description describes the collection. [schema.Lookup] returns those of the
	// service's document. Test records have a value for each of its Fields, according
	// to their kinds. If Fields is nil, the records are open: they have members of any
	// name and kind. The checks of an optional interface are skipped if Actions lacks
	// its action, and those of a parameter if Filters or Search does not have it.
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

	// Except lists the names of checks that the implementation is not expected to
	// pass. They are omitted.
	Except []string
}

// ErrNonconforming is wrapped by the errors that [Check] returns for failed checks.
var ErrNonconforming = errors.New("the collection does not conform")

// timeout is the time limit of a check.
const timeout = time.Minute

// Check runs all checks, except those in impl.Except. It returns nil if all checks
// pass or are skipped. Otherwise it returns the joined errors of the checks that
// failed. Each of these wraps [ErrNonconforming] and describes what is wrong.
//
// Check returns an error that does not wrap ErrNonconforming if impl.New is nil or
// impl.Except contains an unknown name. A check that panics fails. The context of each
// check expires after one minute. Check waits for functions that ignore this.
func Check(impl Implementation) error {
	checks, err := impl.checks()
	if err != nil {
		return err
	}
	var failures []error
	for _, c := range checks {
		if problem, _ := impl.run(c); problem != "" {
			failures = append(failures, fmt.Errorf("conformance: %s: %w: %s", c.name, ErrNonconforming, problem))
		}
	}
	return errors.Join(failures...)
}

// Verify runs the checks as subtests, named after the checks, so that each can be run
// separately:
//
//	go test -run TestBooks/ties-descending
//
// Checks that do not apply to the implementation are skipped. Verify calls t.Fatal if
// impl.New is nil or impl.Except contains an unknown name.
func Verify(t *testing.T, impl Implementation) {
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

// checks returns the checks that are not omitted.
func (impl *Implementation) checks() ([]check, error) {
	if impl.New == nil {
		return nil, errors.New("conformance: New is nil")
	}
	all := allChecks()
	for _, name := range impl.Except {
		if !slices.ContainsFunc(all, func(c check) bool { return c.name == name }) {
			return nil, fmt.Errorf("conformance: Except has the unknown check %q; the checks are %s", name, strings.Join(names(all), ", "))
		}
	}
	return slices.DeleteFunc(all, func(c check) bool { return slices.Contains(impl.Except, c.name) }), nil
}

func names(all []check) []string {
	var list []string
	for _, c := range all {
		list = append(list, c.name)
	}
	return list
}

// run runs one check. It returns what is wrong, or why the check was skipped.
func (impl *Implementation) run(c check) (problem, skipped string) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	defer func() {
		if reason := recover(); reason != nil {
			problem = fmt.Sprintf("panicked: %v", reason)
		}
	}()
	err := c.run(&subject{impl: impl, ctx: ctx})
	var skip skip
	if errors.As(err, &skip) {
		return "", string(skip)
	}
	if err != nil {
		return err.Error(), ""
	}
	return "", ""
}

// skip is the reason for skipping a check.
type skip string

func (s skip) Error() string { return string(s) }
