package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A RecordError describes an invalid record in loaded data. It wraps [ErrInvalidData]
// and Err.
type RecordError struct {
	Collection string // key or name of the collection
	Index      int    // index of the record in the array
	Field      string // JSON name of the member, or "" for the whole record
	Err        error  // what is wrong
}

// Error returns a message with the collection, the index, the member and Err.
func (e *RecordError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %v: record %d: %v", e.Collection, ErrInvalidData, e.Index, e.Err)
	}
	return fmt.Sprintf("%s: %v: record %d: member %q: %v", e.Collection, ErrInvalidData, e.Index, e.Field, e.Err)
}

// Unwrap returns [ErrInvalidData] and Err.
func (e *RecordError) Unwrap() []error { return []error{ErrInvalidData, e.Err} }

// Load replaces all records at one instant by those in r. r must contain a JSON array of
// records, each with an id, or an object with such an array as the member results.
// Responses of the service and the output of [Collection.Save] have these forms. Load
// ignores other members of the object, except the $lastId that Save writes.
//
// Errors and cost are those of [Catalogue.Load]. After an error the collection is
// unchanged. Use [Collection.LoadWith] to skip unknown members.
func (c *Collection[T]) Load(r io.Reader) error { return c.LoadWith(r, LoadOptions{}) }

// LoadWith is like [Collection.Load], with options.
func (c *Collection[T]) LoadWith(r io.Reader, opts LoadOptions) error {
	if err := c.writable(); err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return c.typ.errorf("%w", err)
	}
	return load(c.typ.title(), data, opts, func(in *scanner) ([]store.Replacement, error) {
		entries, used, err := c.typ.readResults(in)
		return []store.Replacement{{Store: c.store, Entries: entries, UsedID: used}}, err
	})
}

var (
	errNoArray   = errors.New("want an array of records")
	errNoResults = errors.New("want an array of records, or an object whose results are one")
)

// readResults reads an array of records or an object that contains one. used is the id
// of lastIDKey, or 0.
func (s *recordType[T]) readResults(in *scanner) (entries []*store.Entry, used int, err error) {
	if in.skipSpace(); !bytes.HasPrefix(in.data[in.at:], []byte("{")) {
		entries, err = s.read(in)
		return entries, 0, err
	}
	found := false
	err = in.object(func(name string) (err error) {
		switch name {
		case resultsKey:
			found = true
			entries, err = s.read(in)
		case lastIDKey:
			if err = json.Unmarshal(in.value(), &used); err == nil && used < 1 {
				err = ErrInvalidID
			}
			if err != nil {
				err = fmt.Errorf("%s: %w: want a positive integer", lastIDKey, err)
			}
		default:
			err = in.skip()
		}
		return err
	})
	if err == nil && !found {
		err = errNoResults
	}
	return entries, used, err
}

// read reads an array of records and returns their entries, sorted by id.
func (s *recordType[T]) read(in *scanner) (entries []*store.Entry, err error) {
	if !in.take("[") {
		return nil, s.errorf("%w: %w", ErrInvalidData, errNoArray)
	}
	record, ascending, last := new(T), true, 0
	for !in.take("]") {
		if len(entries) > 0 && !in.take(",") {
			return nil, errBroken
		}
		e, err := s.load(in, record)
		if err != nil {
			return nil, s.recordError(len(entries), err)
		}
		ascending, last = ascending && last < e.ID, e.ID
		entries = append(entries, e)
	}
	if d := s.duplicates(entries); d != nil {
		return nil, s.recordError(d.index, &schema.MemberError{Member: d.field, Err: d})
	}
	if !ascending {
		if err := s.sort(entries); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// sort sorts entries by id. It returns an error if two have the same id.
func (s *recordType[T]) sort(entries []*store.Entry) error {
	seen := make(map[int]int, len(entries))
	for i, e := range entries {
		if first, twice := seen[e.ID]; twice {
			err := fmt.Errorf("%w: record %d has %d too", ErrExists, first, e.ID)
			return s.recordError(i, &schema.MemberError{Member: s.idWire, Err: err})
		}
		seen[e.ID] = i
	}
	slices.SortFunc(entries, func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return nil
}

func (s *recordType[T]) recordError(i int, err error) error {
	invalid := &RecordError{Collection: s.title(), Index: i, Err: err}
	var member *schema.MemberError
	if errors.As(err, &member) {
		invalid.Field, invalid.Err = member.Member, member.Err
	}
	return invalid
}

// load reads a record and returns its entry. It reads into *record, which the calls for
// all records of an array share.
func (s *recordType[T]) load(in *scanner, record *T) (*store.Entry, error) {
	in.skipSpace()
	start := in.at
	plain, ok := s.readPlain(in, record)
	if !ok {
		in.at = start
		object, err := in.value(), error(nil)
		if in.opts.SkipUnknown {
			object, err = s.known(object)
		}
		if err == nil {
			*record, err = s.decode(object, s.required)
		}
		if err != nil {
			return nil, err
		}
	}
	s.fillLists(record)
	id := s.id(record)
	if id < 1 {
		return nil, &schema.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: want a positive integer", ErrInvalidID)}
	}
	if plain {
		return newEntry(id, *record), nil
	}
	if err := s.check(record); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return newEntry(id, s.clone(record)), nil
}

// known returns an object without the members that T does not have.
func (s *recordType[T]) known(object []byte) ([]byte, error) {
	if s.anyMember {
		return object, nil
	}
	record, err := schema.ParseRecord(object)
	if err != nil {
		return nil, err
	}
	for name := range record.All() {
		if !slices.ContainsFunc(s.members, func(m jsonmember.Member) bool { return m.Name == name }) {
			record = record.Without(name)
		}
	}
	return record.AppendJSON(nil), nil
}
