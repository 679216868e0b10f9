package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// A Source provides whole collections. A [Client] is one, and [ReadFiles] returns one.
type Source interface {
	// Keys returns the keys of the collections of the source, in the default order
	// of an import.
	Keys(ctx context.Context) ([]string, error)

	// Walk returns a whole, verified collection, or an error. It must not return
	// part of a collection.
	Walk(ctx context.Context, key string) (Walk, error)
}

// Imported is the result of [Import] for one collection.
type Imported struct {
	Collection string // key
	Records    int    // number of records read
	Pages      int    // number of pages read
	From       string // as in [Walk]
	Err        error  // nil if the collection was loaded
}

// Import replaces collections of a catalogue with those of a source. If no keys are
// given, it imports all collections of the source, or if that is a [Client] without
// Options.Catalogue, all collections of into that can be listed.
//
// A collection is loaded once all of it has been read and verified. Its records are
// replaced in one step: concurrent readers see either the old or the new records. If a
// collection cannot be read or loaded, it keeps its records and the import
// continues, because a service may deny access to some collections; Import then
// returns the errors joined. After an [ErrUnavailable], or when ctx is done, it reads
// no further collections. The results are those of the collections that were tried, in
// order. If the error is nil, these are all of them.
//
// The errors are those of the source, that of ctx if it was done before all
// collections were tried, and a [catalogue.RecordError] if the catalogue rejects a
// record. If the method Keys of the source fails, Import returns its error and no results.
func Import(ctx context.Context, into *catalogue.Catalogue, from Source, keys ...string) ([]Imported, error) {
	all, err := from.Keys(ctx)
	if err != nil {
		return nil, err
	}
	if c, ok := from.(*Client); ok && c.opts.Catalogue == nil {
		all = serviceOf(into, c.opts.Root).keys()
	}
	if len(keys) == 0 {
		keys = all
	}
	var results []Imported
	var failed []error
	for _, key := range keys {
		walk, err := from.Walk(ctx, key)
		if err == nil {
			err = load(into, key, walk.Records)
		}
		results = append(results, Imported{key, len(walk.Records), walk.Pages, walk.From, err})
		if err != nil {
			failed = append(failed, err)
		}
		if errors.Is(err, ErrUnavailable) {
			break
		}
		if done := ctx.Err(); done != nil {
			left := keys[len(results):]
			if len(left) > 0 && !errors.Is(err, done) { // otherwise the error is already included
				failed = append(failed, fmt.Errorf("client: %w: not read: %s", done, strings.Join(left, ", ")))
			}
			break
		}
	}
	return results, errors.Join(failed...)
}

// load replaces the records of a collection with those given.
func load(into *catalogue.Catalogue, key string, records [][]byte) error {
	var array bytes.Buffer
	array.WriteByte('[')
	array.Write(bytes.Join(records, []byte(",")))
	array.WriteByte(']')
	collection, err := into.Collection(key)
	if err != nil {
		return err
	}
	return collection.Load(&array, catalogue.LoadOptions{})
}
