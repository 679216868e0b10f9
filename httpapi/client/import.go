package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// Import fills a catalogue from a source: the collections with these keys, or all
// that the source has.
//
// A collection is loaded when the whole of it is there and proven, in place of all
// its records; others see the old ones or the new ones. One that cannot be read or
// loaded stays as it is, and the next is tried, as a service may not show
// everything to everybody; the errors are joined. After an [ErrUnavailable], or
// when ctx is done, nothing more is asked for. The report has those that were
// tried, in their order; without an error these are all.
//
// The errors are those of the source, ctx's if it was done while there were more
// to come, and, of a record that the catalogue does not take, a
// [catalogue.RecordError].
func Import(ctx context.Context, into *catalogue.Catalogue, from Source, keys ...string) (Report, error) {
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
			if left > 0 && !errors.Is(err, done) { // else nobody would hear of them
				failed = append(failed, fmt.Errorf("client: %w: %s not asked for", done, number(left, "collection")))
			}
			break
		}
	}
	return report, errors.Join(failed...)
}

// load replaces the records of a collection.
func load(into *catalogue.Catalogue, key string, records [][]byte) error {
	var array bytes.Buffer
	array.WriteByte('[')
	array.Write(bytes.Join(records, []byte(",")))
	array.WriteByte(']')
	return into.LoadCollection(key, &array)
}

// A Report says what an import did, collection by collection.
type Report []Imported

// Imported is what became of one collection.
type Imported struct {
	Collection string // key
	Records    int
	Pages      int
	From       string
	Err        error // nil if it was loaded
}

// String has a line for each collection, such as
//
//	events: 121 records from 2 pages of https://shop.example/api/events/
//
// or what it failed with.
func (r Report) String() string {
	var text strings.Builder
	for _, c := range r {
		text.WriteString(c.String() + "\n")
	}
	return text.String()
}

// String is the line of a [Report].
func (i Imported) String() string {
	if i.Err != nil {
		return fmt.Sprintf("%s: not loaded: %s", i.Collection, strings.TrimPrefix(i.Err.Error(), i.Collection+": "))
	}
	return fmt.Sprintf("%s: %s from %s of %s", i.Collection, number(i.Records, "record"), number(i.Pages, "page"), i.From)
}

// number is "1 page" or "2 pages".
func number(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
