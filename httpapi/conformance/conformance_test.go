package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/conformance"
	"github.com/google/go-cmp/cmp"
)

const (
	newEvent = `{"name":"Reading","slug":"reading","startDate":"2026-05-01T18:00:00+02:00","endDate":"2026-05-01T20:00:00+02:00"}`
	newLink  = `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`
)

// inMemory returns an implementation by a collection of a catalogue.
func inMemory(t *testing.T, key string) conformance.Implementation {
	description, _ := schema.Lookup(key)
	var house *catalogue.Catalogue
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return conformance.Implementation{
		Description: description,
		Body:        map[string]string{"events": newEvent, "social-links": newLink}[key],
		New: func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
			house = catalogue.New()
			if err := house.LoadCollection("authors", strings.NewReader(`[{"id":1}]`)); err != nil {
				return nil, err
			}
			array := "[" + string(bytes.Join(records, []byte(","))) + "]"
			if err := house.LoadCollection(key, strings.NewReader(array)); err != nil {
				return nil, err
			}
			return house.Encoded(key)
		},
		Insert: func(_ context.Context, _ httpapi.Collection, record []byte) error {
			switch key {
			case "events":
				return insert(house.Events(), record)
			case "labels":
				return insert(house.Labels(), record)
			case "social-links":
				return insert(house.SocialLinks(), record)
			}
			open, err := house.Records(key)
			if err != nil {
				return err
			}
			return insert(open, record)
		},
	}
}

func insert[T any](c *catalogue.Collection[T], encoded []byte) error {
	var record T
	if err := json.Unmarshal(encoded, &record); err != nil {
		return err
	}
	_, err := c.Insert(record)
	return err
}

func TestCatalogue(t *testing.T) {
	for _, key := range []string{"events", "labels", "social-links", "books"} {
		t.Run(key, func(t *testing.T) { conformance.Verify(t, inMemory(t, key)) })
	}
}

func inSlice(key string, f faults) conformance.Implementation {
	description, _ := schema.Lookup(key)
	return conformance.Implementation{
		Description: description,
		Body:        map[string]string{"events": newEvent}[key],
		New: func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
			return newSliceCollection(description, f, records)
		},
		Insert: func(_ context.Context, c httpapi.Collection, record []byte) error {
			return c.(*sliceCollection).insert(record)
		},
	}
}

// A correct implementation passes. One with a single fault fails the checks of that
// fault and no others.
func TestFaults(t *testing.T) {
	tests := []struct {
		reason string
		key    string
		faults faults
		want   []string // checks
	}{
		{"no fault", "events", faults{}, nil},
		{"no fault, open records", "books", faults{}, nil},
		{"null is smallest, as in SQLite", "books", faults{nullsSmallest: true}, []string{"nulls-ascending", "nulls-descending"}},
		{"ties are broken by ascending id", "events", faults{tiesAscending: true}, []string{"ties-descending"}},
		{"text is compared case-insensitively", "events", faults{noCase: true}, []string{"text-by-bytes"}},
		{"times are compared as text", "events", faults{timesAsText: true}, []string{"times-by-instant"}},
		{"numbers are compared as float64s", "books", faults{floats: true}, []string{"big-integers", "numbers-by-value"}},
		{"all terms have the direction of the first", "events", faults{oneDirection: true}, []string{"ties-descending", "mixed-directions"}},
		{"the count is taken before the page", "events", faults{twoInstants: true}, []string{"one-instant"}},
		{"limit plus offset overflows", "events", faults{overflow: true}, []string{"largest-window"}},
		{"a window past the end has the last record", "events", faults{clampsOffset: true}, []string{"offset-at-the-count", "offset-beyond-the-count", "largest-window"}},
		{"the context is ignored", "events", faults{ignoresContext: true}, []string{"cancellation", "create-cancelled"}},
		{"unknown fields are ignored", "events", faults{ignoresUnknown: true}, []string{"unknown-field"}},
		{"pages share a buffer", "events", faults{sharesBuffer: true}, []string{"kept-pages"}},
		{"an invalid record is stored", "events", faults{storesFirst: true}, []string{"create-invalid"}},
		{"a field is returned twice", "events", faults{repeatsField: true}, []string{"fields"}},
		{"records are not compact", "events", faults{notCompact: true}, []string{"records", "create"}},
		{"an empty collection is an error", "events", faults{emptyIsError: true}, []string{"empty", "create-invalid", "create-cancelled"}},
		{"the count is that of the page", "events", faults{countsPage: true}, []string{"count"}},
		{"a page has at least two records", "events", faults{atLeastTwo: true}, []string{"limits"}},
		{"pages start at multiples of the limit", "events", faults{roundsOffset: true}, []string{"offsets", "offset-at-the-count", "largest-window"}},
		{"ties are broken by descending id", "events", faults{tiesDescending: true}, []string{"times-by-instant", "ties-ascending"}},
		{"true is less than false", "events", faults{trueFirst: true}, []string{"booleans", "mixed-directions"}},
		{"lists are compared as text", "events", faults{listsAsText: true}, []string{"lists"}},
		{"numbers and ids are compared as text", "books", faults{numbersAsText: true}, []string{"big-integers", "numbers-by-value", "mixed-kinds", "one-instant"}},
		{"all created records get the same id", "events", faults{sameID: true}, []string{"create"}},
		{"the id is taken from the body", "events", faults{acceptsID: true}, []string{"create-unknown-members"}},
		{"terms are appended to in place", "events", faults{appendsToTerms: true}, []string{"terms-are-read"}},
		{"the revision never changes", "events", faults{sameRevision: true}, []string{"revision"}},
		{"Revision ignores the context", "events", faults{revisionIgnoresContext: true}, []string{"cancellation"}},
		{"Revision returns an error", "events", faults{revisionFails: true}, []string{"revision", "revision-of-writes"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			err := conformance.Check(inSlice(test.key, test.faults))
			if (err != nil) != (test.want != nil) || err != nil && !errors.Is(err, conformance.ErrNonconforming) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, failed(err)); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// failed returns the names of the checks in an error of Check.
func failed(err error) (names []string) {
	if err == nil {
		return nil
	}
	name := regexp.MustCompile(`(?m)^conformance: ([a-z-]+): the collection does not conform: .`)
	for _, m := range name.FindAllStringSubmatch(err.Error(), -1) {
		names = append(names, m[1])
	}
	return names
}

func TestExcept(t *testing.T) {
	impl := inSlice("events", faults{ignoresContext: true})
	impl.Except = []string{"cancellation", "create-cancelled"}
	if err := conformance.Check(impl); err != nil {
		t.Errorf("Check without the failing checks: %v", err)
	}
	impl.Except = append(impl.Except, "bogus")
	if err := conformance.Check(impl); err == nil || errors.Is(err, conformance.ErrNonconforming) || !strings.Contains(err.Error(), `"bogus"`) {
		t.Errorf("Check without an unknown check: %v", err)
	}
}

func TestMissingNew(t *testing.T) {
	if err := conformance.Check(conformance.Implementation{}); err == nil || errors.Is(err, conformance.ErrNonconforming) {
		t.Errorf("Check = %v, want an error other than ErrNonconforming", err)
	}
}

// A New that fails makes all checks fail.
func TestFailingNew(t *testing.T) {
	for reason, newFunc := range map[string]func(context.Context, [][]byte) (httpapi.Collection, error){
		"error":   func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, errors.New("no table") },
		"nothing": func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, nil },
		"panic":   func(context.Context, [][]byte) (httpapi.Collection, error) { panic("no table") },
	} {
		err := conformance.Check(conformance.Implementation{New: newFunc})
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) < 15 || slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !errors.Is(e, conformance.ErrNonconforming) }) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
