package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// An Implementation says how to make the collections that are tested. Its
// functions are called one at a time, but for Insert, which runs beside calls to
// the collection.
type Implementation struct {
	// About is what is known of the collection: [resources.Find] has those of the
	// document, and a program's own type has fields of its own. Records have
	// values for its Fields, by their kinds. No Fields: records are open and
	// hold members of any name and kind.
	Description resources.Description

	// New makes a collection that holds exactly these records, in no particular
	// order, ids included: compact JSON objects in the wire form. It is called
	// several times by each check; a collection is not used any more when the
	// next is asked for. Where a field refers to other collections
	// the records that it names need not exist. ctx ends with the check.
	New func(ctx context.Context, records [][]byte) (httpapi.Collection, error)

	// Insert adds a record to what New made. It is used while pages are read.
	// Nil: checks that need it are skipped.
	Insert func(ctx context.Context, c httpapi.Collection, record []byte) error

	// Body is a JSON object that can be posted to a collection without records.
	// Empty: a [httpapi.Creator] is not asked to create.
	Body string

	// Except are names of checks that are left out, for an implementation that is
	// not meant to pass them.
	Except []string
}

// ErrNonconforming is what each failure of [Check] matches with [errors.Is].
var ErrNonconforming = errors.New("the collection is wrong")

// timeout ends the context of a check.
const timeout = time.Minute

// Check runs all checks. The error is nil if all are passed or have nothing to
// look at; else it joins one [ErrNonconforming] for each that is not, with the name of
// the check and a sentence that says what was wrong. No New, and an exception that
// is no check, are errors of another kind. A panic fails its check. Each check's
// context ends after a minute; what does not return then is waited for.
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

// Verify is [Check] with a subtest for each check, named after it, so that one can be
// run alone:
//
//	go test -run TestBooks/ties-descending
//
// What there is nothing to look at for is skipped, with the reason.
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

// checks are those that are not left out.
func (impl *Implementation) checks() ([]check, error) {
	if impl.New == nil {
		return nil, errors.New("conformance: no New to make collections with")
	}
	all := allChecks()
	for _, name := range impl.Except {
		if !slices.ContainsFunc(all, func(c check) bool { return c.name == name }) {
			return nil, fmt.Errorf("conformance: Except: there is no check %q, only %s", name, strings.Join(names(all), ", "))
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

// run makes one check. It gives what is wrong, or why there was nothing to see.
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

// skip is the reason why a check has nothing to look at.
type skip string

func (s skip) Error() string { return string(s) }
