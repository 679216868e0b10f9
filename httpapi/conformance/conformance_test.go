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
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/conformance"
	"github.com/gobacklist/backlist/resources"
	"github.com/google/go-cmp/cmp"
)

const (
	newEvent = `{"name":"Reading","slug":"reading","startDate":"2026-05-01T18:00:00+02:00","endDate":"2026-05-01T20:00:00+02:00"}`
	newLink  = `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`
)

// inMemory is a collection of a catalogue.
func inMemory(t *testing.T, key string) conformance.Implementation {
	about, _ := resources.Lookup(key)
	var house *catalogue.Catalogue
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return conformance.Implementation{
		Description: about,
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

func insert[T any](c *catalogue.Collection[T], wire []byte) error {
	var record T
	if err := json.Unmarshal(wire, &record); err != nil {
		return err
	}
	_, err := c.Insert(record)
	return err
}

// The collections of a catalogue pass: structs of all kinds, and open records.
func TestInMemory(t *testing.T) {
	for _, key := range []string{"events", "labels", "social-links", "books"} {
		t.Run(key, func(t *testing.T) { conformance.Verify(t, inMemory(t, key)) })
	}
}

func inSlice(key string, f faults) conformance.Implementation {
	about, _ := resources.Lookup(key)
	return conformance.Implementation{
		Description: about,
		Body:        map[string]string{"events": newEvent}[key],
		New: func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
			return newSliced(about, f, records)
		},
		Insert: func(_ context.Context, c httpapi.Collection, record []byte) error {
			return c.(*sliced).insert(record)
		},
	}
}

// Another implementation that has no faults passes as well; one that has a single
// fault fails the checks that are about it, and no other.
func TestBroken(t *testing.T) {
	tests := []struct {
		reason string
		key    string
		faults faults
		want   []string // checks
	}{
		{"nothing", "events", faults{}, nil},
		{"nothing, open records", "books", faults{}, nil},
		{"null is smallest, as SQLite has it", "books", faults{nullsSmallest: true}, []string{"nulls-ascending", "nulls-descending"}},
		{"ties break by ascending id", "events", faults{tiesUp: true}, []string{"ties-descending"}},
		{"text is compared without case", "events", faults{noCase: true}, []string{"text-by-bytes"}},
		{"times are compared as text", "events", faults{timesAsText: true}, []string{"times-by-instant"}},
		{"numbers are float64s", "books", faults{floats: true}, []string{"big-integers", "numbers-by-value"}},
		{"all terms go the way of the first", "events", faults{oneDirection: true}, []string{"ties-descending", "mixed-directions"}},
		{"the count is taken before the page", "events", faults{twoInstants: true}, []string{"one-instant"}},
		{"limit and offset are added up", "events", faults{overflow: true}, []string{"largest-window"}},
		{"behind the end is the last record", "events", faults{lastPage: true}, []string{"offset-at-the-count", "offset-beyond-the-count", "largest-window"}},
		{"the context is not looked at", "events", faults{deaf: true}, []string{"cancellation", "create-cancelled"}},
		{"unknown fields order by nothing", "events", faults{lenient: true}, []string{"unknown-field"}},
		{"pages share a buffer", "events", faults{oneBuffer: true}, []string{"kept-pages"}},
		{"an invalid record is stored", "events", faults{storesFirst: true}, []string{"create-invalid"}},
		{"a name comes twice", "events", faults{repeatsNames: true}, []string{"fields"}},
		{"records have blanks in them", "events", faults{blanks: true}, []string{"records", "create"}},
		{"no records are an error", "events", faults{noneIsError: true}, []string{"empty", "create-invalid", "create-cancelled"}},
		{"the count is that of the page", "events", faults{countsPage: true}, []string{"count"}},
		{"no page of one record", "events", faults{atLeastTwo: true}, []string{"limits"}},
		{"pages begin at multiples of the limit", "events", faults{wholePages: true}, []string{"offsets", "offset-at-the-count", "largest-window"}},
		{"ties break by descending id, and equal instants are ties", "events", faults{tiesDown: true}, []string{"times-by-instant", "ties-ascending"}},
		{"true is before false", "events", faults{trueFirst: true}, []string{"booleans", "mixed-directions"}},
		{"lists are compared as text", "events", faults{listsAsText: true}, []string{"lists"}},
		{"numbers are compared as text, ids among them", "books", faults{numbersAsText: true}, []string{"big-integers", "numbers-by-value", "mixed-kinds", "one-instant"}},
		{"each record that is made gets one id", "events", faults{sameID: true}, []string{"create"}},
		{"the id is taken from the body", "events", faults{takesID: true}, []string{"create-unknown-members"}},
		{"terms are appended to in their place", "events", faults{appends: true}, []string{"terms-are-read"}},
		{"the revision stays", "events", faults{stuck: true}, []string{"revision"}},
		{"the revision does not look at the context", "events", faults{deafRevision: true}, []string{"cancellation"}},
		{"the revision fails", "events", faults{noRevision: true}, []string{"revision"}},
	}
	name := regexp.MustCompile(`(?m)^conformance: ([a-z-]+): the collection is wrong: .`)
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			err := conformance.Check(inSlice(test.key, test.faults))
			if (err != nil) != (test.want != nil) || err != nil && !errors.Is(err, conformance.ErrNonconforming) {
				t.Fatal(err)
			}
			var got []string
			if err != nil {
				for _, m := range name.FindAllStringSubmatch(err.Error(), -1) {
					got = append(got, m[1])
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// A check that is left out is not made; what is no check, and no New, are errors.
func TestExcept(t *testing.T) {
	impl := inSlice("events", faults{deaf: true})
	impl.Except = []string{"cancellation", "create-cancelled"}
	if err := conformance.Check(impl); err != nil {
		t.Error(err)
	}
	impl.Except = append(impl.Except, "bogus")
	if err := conformance.Check(impl); err == nil || errors.Is(err, conformance.ErrNonconforming) || !strings.Contains(err.Error(), `"bogus"`) {
		t.Errorf("a check that there is not: %v", err)
	}
	if err := conformance.Check(conformance.Implementation{}); err == nil || errors.Is(err, conformance.ErrNonconforming) {
		t.Errorf("without New: %v", err)
	}
}

// An implementation that cannot be made fails every check, and none hangs.
func TestBrokenNew(t *testing.T) {
	for reason, made := range map[string]func(context.Context, [][]byte) (httpapi.Collection, error){
		"error":   func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, errors.New("no table") },
		"nothing": func(context.Context, [][]byte) (httpapi.Collection, error) { return nil, nil },
		"panic":   func(context.Context, [][]byte) (httpapi.Collection, error) { panic("no table") },
	} {
		err := conformance.Check(conformance.Implementation{New: made})
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok || len(joined.Unwrap()) < 15 || slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !errors.Is(e, conformance.ErrNonconforming) }) {
			t.Errorf("%s: %v", reason, err)
		}
	}
}
