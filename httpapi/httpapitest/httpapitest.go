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
	if err := json.Unmarshal([]byte(impl.Body), new(map[string]json.RawMessage)); err != nil && impl.Body != "" {
		return fmt.Errorf("httpapitest: Body is not a JSON object: %w", err)
	}
	return nil
}
