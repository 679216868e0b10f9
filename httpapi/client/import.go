package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// Import replaces collections of a catalogue with those of a source. If no keys are
// given, it imports all collections of the source. Those of a [Client] without
// Options.Catalogue are the collections of into.
//
// A collection is loaded once all of it has been read and verified. Its records are
// replaced in one step: concurrent readers see either the old or the new records. If a
// collection cannot be read or loaded, it keeps its records and the import
// continues, because a service may deny access to some collections; Import then
// returns the errors joined. After an [ErrUnavailable], or when ctx is done, it reads
// no further collections. The report lists the collections that were tried, in order.
// If the error is nil, it lists all of them.
//
// The errors are those of the source, that of ctx if it was done before all
// collections were tried, and a [catalogue.RecordError] if the catalogue rejects a
// record.
func Import(ctx context.Context, into *catalogue.Catalogue, from Source, keys ...string) (Report, error) {
	if c, ok := from.(*Client); ok {
		from = c.serving(into)
	}
	if len(keys) == 0 {
		keys = from.Keys()
	}
	var report Report
	var failed []error
	for _, key := range keys {
		walk, err := from.Walk(ctx, key)
		if err == nil {
			err = load(into, key, walk.Records)
		}
		report = append(report, Imported{key, len(walk.Records), walk.Pages, walk.From, err})
		if err != nil {
			failed = append(failed, err)
		}
		if errors.Is(err, ErrUnavailable) {
			break
		}
		if done := ctx.Err(); done != nil {
			left := len(keys) - len(report)
			if left > 0 && !errors.Is(err, done) { // otherwise the error is already included
				failed = append(failed, fmt.Errorf("client: %w: %s not read", done, number(left, "collection")))
			}
			break
		}
	}
	return report, errors.Join(failed...)
}

// load replaces the records of a collection with those given.
func load(into *catalogue.Catalogue, key string, records [][]byte) error {
	var array bytes.Buffer
	array.WriteByte('[')
	array.Write(bytes.Join(records, []byte(",")))
	array.WriteByte(']')
	return into.LoadCollection(key, &array)
}

// A Report is the result of [Import], one element for each collection tried.
type Report []Imported

// Imported is the result for one collection.
type Imported struct {
	Collection string // key
	Records    int    // number of records read
	Pages      int    // number of pages read
	From       string // as in [Walk]
	Err        error  // nil if the collection was loaded
}

// String returns one line for each collection, such as
//
//	events: 121 records from 2 pages of https://shop.example/api/events/
//
// or, if it was not loaded, a line with its error.
func (r Report) String() string {
	var text strings.Builder
	for _, c := range r {
		text.WriteString(c.String() + "\n")
	}
	return text.String()
}

// String returns the collection's line of a [Report], without a newline.
func (i Imported) String() string {
	if i.Err != nil {
		return fmt.Sprintf("%s: not loaded: %s", i.Collection, strings.TrimPrefix(i.Err.Error(), i.Collection+": "))
	}
	return fmt.Sprintf("%s: %s from %s of %s", i.Collection, number(i.Records, "record"), number(i.Pages, "page"), i.From)
}

// number returns a phrase such as "1 page" or "2 pages".
func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
