package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// LoadOptions configures loading. With the zero value, members and keys that cannot be
// stored are errors.
type LoadOptions struct {
	// SkipUnknown drops unknown members of records and unknown keys of a catalogue.
	// Without it they are errors. It has no effect on open records, which can have any
	// member, and on types with a method UnmarshalJSON or UnmarshalText.
	SkipUnknown bool

	// Validate makes the load fail if a record is not valid, as Options.Validate does for all
	// writes. The records are stored as they are read: what rules return is discarded.
	Validate bool

	// References makes the load fail if a record, in any collection of the catalogue, would then
	// refer to a record that does not exist, or if the collection belongs to no catalogue and has
	// references. Other writers to the catalogue wait meanwhile.
	References bool
}

// LoadOptions are the options of a load. Package catalogue documents them.
type loadOptions struct{ SkipUnknown, Validate, References bool }

// lists reports whether the load lists all violations, not only the first.
func (o loadOptions) lists() bool { return o.Validate || o.References }

// Load replaces the records of collections by the ones in r, which must contain the form that
// [Catalogue.Save] writes: a JSON object with an array of records for each key of a collection.
// Each record must have an id. Other members of a record may be missing, unless
// Options.StrictLoad is set. Collections whose key the object lacks are unchanged. References are
// checked only if opts.References is set. Bounds, formats and rules are checked only if
// Options.Validate or opts.Validate is set.
//
// A member is also loaded under the names in [schema.Field].Formerly. A described member that is
// missing has its [schema.Field].Default. Without a default it has its zero
// value or, in an open record, stays missing. None of this applies to types with a method
// UnmarshalJSON. A missing member with omitempty or omitzero is zero, because Save omits it then.
//
// Load reads and checks all of r, and then replaces the collections at one instant. After an
// error the catalogue is unchanged. An error of r is wrapped. If the catalogue is a snapshot, the
// error wraps [ErrReadOnly]. All other errors wrap [ErrInvalidData]: for an invalid record the
// error is a [*RecordError], for an unknown or repeated key it names the key, and for invalid
// JSON it is a [*schema.SyntaxError]. If Validate or References is set in opts, the error wraps
// [Violations] instead of a RecordError. They list all invalid records, with each field that is
// invalid, or the first value that the type cannot hold. If all records could be read, they also
// list the records with the id or the unique values of another, and the references to no record.
//
// O(n) for records sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Catalogue) Load(r io.Reader, opts LoadOptions) error {
	return loader{c.set, nil, loadOptions(opts)}.load(r)
}

// Load replaces all records at one instant by the ones in r. r must contain a JSON array of
// records, each with an id, or an object with such an array as the member results. A page
// over HTTP and the output of [Collection.Save] have these forms. Load ignores other members
// of the object, except the $lastId that Save writes.
//
// After an error the collection is unchanged. An error of r is wrapped. If the collection
// belongs to a snapshot, the error wraps [ErrReadOnly]. All other errors wrap
// [ErrInvalidData]; an invalid record is reported as a [*RecordError]. O(n) for records
// sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Collection[T]) Load(r io.Reader, opts LoadOptions) error {
	return loader{c.core.set, c.core, loadOptions(opts)}.load(r)
}

// A loader reads into the collections of a set, or only into one of them.
type loader struct {
	set  *set
	one  *core // nil for all
	opts loadOptions
}

// title returns the prefix of errors.
func (to loader) title() string {
	if to.one != nil {
		return to.one.typ.title()
	}
	return "catalogue"
}

// load replaces the records of collections by the ones in r.
func (to loader) load(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", to.title(), err)
	}
	return to.loadData(data)
}

// loadFile replaces the records of collections by the ones in a file.
func (to loader) loadFile(path string) error {
	if path == "" {
		return errNoPath
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := to.loadData(data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// loadData replaces the records of collections by the ones in data if all of it is valid. A
// syntax error takes precedence over an error of the records.
func (to loader) loadData(data []byte) error {
	writable := to.set.writable
	if to.one != nil {
		writable = to.one.writable
	}
	if err := writable(); err != nil {
		return err
	}
	in := newScanner(data, to.opts, to.set.errors)
	all, err := to.read(in)
	if err == nil && in.End() {
		check := func() error { return to.check(in, all) }
		switch {
		case in.found != nil:
			err = check()
		default:
			return to.replace(all, check)
		}
	}
	if syntax := schema.CheckSyntax(data); syntax != nil {
		err = syntax
	} else if errors.Is(err, ErrInvalidData) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", to.title(), ErrInvalidData, err)
}

// replace replaces the records of collections. If references are checked, no other
// collection changes while check runs, and its error means that nothing changes.
func (to loader) replace(all []store.Replacement, check func() error) error {
	stores := storesOf(to.set.all)
	if !to.opts.References {
		stores = slices.DeleteFunc(stores, func(s *store.Store) bool {
			return !slices.ContainsFunc(all, func(r store.Replacement) bool { return r.Store == s })
		})
	}
	return store.Replace(stores, func() ([]store.Replacement, error) {
		if to.opts.References {
			if err := check(); err != nil {
				return nil, err
			}
		}
		for _, r := range all {
			if id := &to.set.of(r.Store).typ.identity; id.key != nil {
				id.numberAll(r.Store.Current(), r.Entries)
			}
		}
		return all, nil
	})
}

// check returns an error that lists what the options find wrong with the records that have been
// read, or nil.
func (to loader) check(s *scanner, all []store.Replacement) error {
	if s.opts.References && !s.undecoded {
		loaded := map[*core][]*store.Entry{}
		for _, r := range all {
			loaded[to.set.of(r.Store)] = r.Entries
		}
		s.found = append(s.found, to.set.violations(loaded, func(e *store.Entry) int {
			if at, read := s.starts[e]; read {
				return s.line(at)
			}
			return 0
		})...)
	}
	if s.found == nil {
		return nil
	}
	return fmt.Errorf("%s: %w: %w", to.title(), ErrInvalidData, to.set.errors.violations(s.found))
}

// refuse returns the error of an invalid record or, if all are listed, lists it and returns nil.
func (s *scanner) refuse(e recordFault) error {
	if !s.opts.lists() {
		return s.errors.record(e)
	}
	v := violation{e.Collection, e.Identity, e.Line, e.Field, e.Err}
	var fields schema.FieldErrors
	if !errors.As(e.Err, &fields) {
		s.found = append(s.found, v)
	}
	for _, f := range fields {
		if v.Field = f.Field; f.Field == "nonFieldErrors" {
			v.Field = ""
		}
		v.Err = fmt.Errorf("%w: %w", ErrInvalid, schema.FieldErrors{f})
		s.found = append(s.found, v)
	}
	return nil
}

// read reads the replacements, in the order of the collections.
func (to loader) read(in *scanner) ([]store.Replacement, error) {
	if to.one == nil {
		return to.readAll(in)
	}
	refers := func(f *field) bool { return f.Refers != "" }
	if to.opts.References && to.set.byKey == nil && slices.ContainsFunc(to.one.typ.fields, refers) {
		return nil, to.one.typ.errorf("%w: the collection belongs to no catalogue, so its references cannot be checked", ErrInvalidData)
	}
	entries, used, err := in.results(to.one.typ)
	return []store.Replacement{replacementOf(to.one, entries, used)}, err
}

// replacementOf returns the replacement of the records of a collection by those of entries.
func replacementOf(c *core, entries []*store.Entry, used int) store.Replacement {
	if c.typ.identity.key != nil {
		used = 0
	}
	return store.Replacement{Store: c.store, Entries: entries, UsedID: used}
}

// readAll reads a catalogue.
func (to loader) readAll(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string][]*store.Entry{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return to.readLastIDs(in, used)
		}
		m, err := to.set.lookup(key)
		switch {
		case err != nil && in.opts.SkipUnknown:
			return in.skip()
		case err != nil:
			return to.set.unknown(key)
		}
		found[key], err = in.records(m.typ)
		return err
	})
	for _, m := range to.set.all {
		if entries, ok := found[m.key()]; ok {
			all = append(all, replacementOf(m, entries, used[m.key()]))
		}
	}
	return all, err
}

// readLastIDs reads the member of lastIDsKey into used.
func (to loader) readLastIDs(in *scanner, used map[string]int) error {
	list, ok := in.Raw()
	if !ok {
		return errBroken
	}
	var ids []struct {
		Collection string `json:"collection"`
		ID         int    `json:"id"`
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.DisallowUnknownFields()
	if d.Decode(&ids) != nil {
		return fmt.Errorf(`%s: want an array of objects such as {"collection":"books","id":7}`, lastIDsKey)
	}
	for _, last := range ids {
		switch _, err := to.set.lookup(last.Collection); {
		case err != nil && in.opts.SkipUnknown:
		case err != nil:
			return fmt.Errorf("%s: %w", lastIDsKey, to.set.unknown(last.Collection))
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want a positive integer", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
}

// results reads an array of records or an object that contains one. used is the id
// of lastIDKey, or 0.
func (in *scanner) results(s *recordType) (entries []*store.Entry, used int, err error) {
	if in.Next() != '{' {
		entries, err = in.records(s)
		return entries, 0, err
	}
	found := false
	err = in.object(func(name string) (err error) {
		switch name {
		case resultsKey:
			found = true
			entries, err = in.records(s)
		case lastIDKey:
			text, _ := in.Raw()
			if err = json.Unmarshal(text, &used); err == nil && used < 1 {
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
		err = errors.New("want an array of records, or an object whose results are one")
	}
	return entries, used, err
}

// records reads an array of records and returns their entries, sorted by id.
func (in *scanner) records(s *recordType) (entries []*store.Entry, err error) {
	if in.Next() != '[' {
		return nil, s.errorf("%w: want an array of records", ErrInvalidData)
	}
	var starts []int
	for more := in.Open(']'); more; more = in.Another(']') {
		in.Next()
		starts = append(starts, in.At())
		e, err := in.record(s)
		switch {
		case in.Syntax != nil:
			return nil, errBroken
		case err != nil:
			if err := in.refuse(in.fault(s, e, starts[len(starts)-1], len(starts)-1, err)); err != nil {
				return nil, err
			}
		}
		if entries = append(entries, e); in.opts.References {
			in.starts[e] = starts[len(starts)-1]
		}
	}
	if err := in.broken(); err != nil {
		return nil, err
	}
	if in.undecoded = in.undecoded || slices.Contains(entries, nil); in.undecoded {
		return nil, nil
	}
	return entries, s.arrange(entries, func(i int, wrong *schema.MemberError) error {
		return in.refuse(in.fault(s, entries[i], starts[i], i, wrong))
	})
}

// fault returns the error of the i-th record of an array, which begins at start. e is its
// entry, or nil if it cannot be decoded.
func (in *scanner) fault(s *recordType, e *store.Entry, start, i int, err error) recordFault {
	invalid := recordFault{Collection: s.title(), Index: i, Line: in.line(start), Err: err}
	var members map[string]json.RawMessage
	if e != nil {
		invalid.Identity = s.identity.of(e)
	} else if text, _ := newScanner(in.data[start:], in.opts, in.errors).Raw(); json.Unmarshal(text, &members) == nil {
		_ = json.Unmarshal(members[s.identity.wire], &invalid.Identity) // it remains zero if it is invalid
		if (invalid.Identity.Key != "") != (s.identity.key != nil) {
			invalid.Identity = schema.Identity{}
		}
	}
	var member *schema.MemberError
	if errors.As(err, &member) {
		invalid.Field, invalid.Err = member.Member, member.Err
		switch _, has := members[s.identity.wire]; {
		case member.Member != s.identity.wire || errors.Is(member.Err, ErrExists):
		case members != nil && !has && s.identity.key == nil:
			invalid.Err = fmt.Errorf("%w: the record has no %s; Insert and ReplaceAll assign one", ErrInvalidID, s.identity.wire)
		case !errors.Is(member.Err, ErrInvalidID):
			invalid.Err = fmt.Errorf("%w: %w", ErrInvalidID, member.Err)
		}
	}
	return invalid
}

// record reads a record and returns its entry, also if the only error is that it is not valid.
func (in *scanner) record(s *recordType) (*store.Entry, error) {
	e, err := s.load(&in.Scanner, in.opts.SkipUnknown)
	if err == nil && (s.validates || in.opts.Validate) {
		if _, _, err := s.validated(e); err != nil {
			return e, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	return e, err
}

// load reads a record and returns its entry. If what is read is not JSON, the scanner has a syntax
// error.
func (s *layout) load(in *jsontext.Scanner, skipUnknown bool) (*store.Entry, error) {
	start, e := *in, s.new()
	r := recordOf(e)
	if !s.readCommon(in, r) {
		*in = start // all that has been read is read again
		text, ok := in.Raw()
		if !ok {
			return nil, errors.New(in.Syntax.Reason)
		}
		if err := s.decodeLoaded(r, text, skipUnknown); err != nil {
			return nil, err
		}
	}
	s.fillLists(r)
	if err := s.identity.invalid(r); err != nil {
		return nil, &schema.MemberError{Member: s.identity.wire, Err: err}
	}
	e.ID = s.identity.id(r)
	if !s.trusted {
		if err := s.check(r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		s.copy(s.copier, r, r)
	}
	return e, nil
}

// readCommon reads an object with the members of a struct in their order, as Save writes
// them, into a zero record and reports whether it did. It is faster than decodeLoaded, and
// allocates less. Where it succeeds, the result is the same.
func (s *layout) readCommon(in *jsontext.Scanner, to *record) bool {
	if s.ownJSON || !in.Take("{") {
		return false
	}
	count, next, lacking := 0, 0, s.filled
	for !in.Take("}") {
		if count > 0 && !in.Take(",") {
			return false
		}
		for next < len(s.members) && !in.Take(s.members[next].key) {
			next++
		}
		if next == len(s.members) {
			return false
		}
		m := &s.members[next]
		if count, next = count+1, next+1; m.filled {
			lacking--
		}
		text, ok := in.Raw()
		if !ok {
			return false
		}
		read := m.common != nil && m.common(unsafe.Add(unsafe.Pointer(to), m.offset), text)
		if !read && !m.decode(s.value(to), text) || m.strict && string(text) == "null" {
			return false
		}
	}
	return (count == len(s.members) || s.strict == nil) && lacking == 0 && s.identity.invalid(to) == nil
}

// decode decodes a value into a record and reports whether it did.
func (m *member) decode(record reflect.Value, text []byte) bool {
	canonical, err := schema.ParseRecord(slices.Concat([]byte(`{"value":`), text, []byte("}")))
	if err != nil {
		return false
	}
	valid, _ := canonical.Get("value")
	return m.decoder.Decode(value.Settable(record, m.Field.Index), valid) == nil
}

// decodeLoaded decodes a record that is loaded into a zero one. If its type implements
// json.Unmarshaler, that decides what is valid. Otherwise decodeLoaded is stricter than
// encoding/json: names must match exactly, and an unknown or repeated name is an error, as is
// null for a field that cannot hold it.
func (s *layout) decodeLoaded(to *record, object []byte, skipUnknown bool) error {
	if s.ownJSON && s.strict == nil {
		return json.Unmarshal(object, s.pointer(to))
	}
	members, err := s.parse(object)
	if err == nil && s.evolving.Fields != nil {
		members, err = s.evolving.Upgrade(members)
	}
	if err != nil {
		return err
	}
	if err := s.set(to, members, skipUnknown); err != nil {
		return err
	}
	return s.checkStrict(members)
}

// fillLists makes the nil lists of a record empty, because their JSON would be null, which
// no request could send back.
func (s *layout) fillLists(r *record) {
	if s.fill != nil {
		s.fill(s.value(r))
	}
}

// with returns a fresh entry whose record has the given members and otherwise the values of
// old, or zero values if old is nil.
func (s *layout) with(old *store.Entry, members schema.Record) (fresh *store.Entry, err error) {
	switch {
	case old == nil:
		fresh = s.new()
	case s.open(), s.ownJSON: // the method reads all members, because it may check them together
		fresh = s.new()
		if members, err = s.merged(old, members); err != nil {
			return nil, err
		}
	default:
		fresh = s.copied(old)
	}
	return fresh, s.set(recordOf(fresh), members, false)
}

// merged returns the members of an entry, replaced by the given ones.
func (s *layout) merged(old *store.Entry, members schema.Record) (schema.Record, error) {
	all, err := s.parsed(old)
	if err != nil {
		return all, err
	}
	for name, text := range members.All() {
		if all, err = all.With(name, json.RawMessage(text)); err != nil {
			return all, err
		}
	}
	return all, nil
}

// set sets members of a record. An open record, and one that a method reads, has no others.
// If skipUnknown is set, members that the record type does not have are ignored.
func (s *layout) set(to *record, members schema.Record, skipUnknown bool) error {
	switch {
	case s.open():
		*typed[schema.Record](to) = members
		return nil
	case s.ownJSON:
		object, _ := members.MarshalJSON()
		return json.Unmarshal(object, s.pointer(to))
	}
	v := s.value(to)
	for name, text := range members.All() {
		m := s.member(name)
		if m == nil && skipUnknown {
			continue
		}
		if m == nil {
			err := fmt.Errorf("is unknown: %s", suggest(name, s.members, func(m member) string { return m.Name }))
			return &schema.MemberError{Member: name, Err: err}
		}
		field := value.Settable(v, m.Field.Index)
		field.SetZero() // encoding/json would merge the value with the old one
		if err := m.decoder.Decode(field, text); err != nil {
			return &schema.MemberError{Member: name, Err: err}
		}
	}
	return nil
}

// checkStrict returns an error if loads are strict and a loaded object has null in a member
// that is not nullable, or lacks a required member.
func (s *layout) checkStrict(members schema.Record) error {
	var missing []string
	for _, f := range s.strict {
		text, ok := members.Get(f.Name)
		switch {
		case text == "null" && !f.Nullable:
			return &schema.MemberError{Member: f.Name, Err: value.ErrNull}
		case f.Required && !ok:
			missing = append(missing, f.Name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	text := "is missing"
	if others := missing[1:]; len(others) > 0 {
		text += ", and so are " + strings.Join(others, ", ")
	}
	return &schema.MemberError{Member: missing[0], Err: errors.New(text)}
}

// A scanner reads what is loaded.
type scanner struct {
	jsontext.Scanner
	data   []byte
	opts   loadOptions
	errors *errorTypes

	found         []violation          // if they are listed
	undecoded     bool                 // there are others in found than of valid records
	starts        map[*store.Entry]int // where records begin, if references are checked
	counted, ends int                  // number of line ends before a place
}

func newScanner(data []byte, opts loadOptions, errors *errorTypes) *scanner {
	return &scanner{errors: errors, Scanner: jsontext.Scan(data, jsontext.MaxTextDepth), data: data, opts: opts, starts: map[*store.Entry]int{}}
}

// line returns the line number of a place, from 1. It is fast if the place is after the last one.
func (s *scanner) line(at int) int {
	if at < s.counted {
		s.counted, s.ends = 0, 0
	}
	s.ends += bytes.Count(s.data[s.counted:at], []byte("\n"))
	s.counted = at
	return s.ends + 1
}

var errBroken = errors.New("invalid JSON") // schema.CheckSyntax finds the place

// object reads an object. It calls f with the name of each member; f must read the value.
// A repeated name is an error.
func (s *scanner) object(f func(name string) error) error {
	if s.Next() != '{' {
		return errors.New("want a JSON object")
	}
	seen := map[string]bool{}
	for more := s.Open('}'); more; more = s.Another('}') {
		name, ok := s.Name()
		switch {
		case !ok:
			return errBroken
		case seen[string(name)]:
			return fmt.Errorf("key %q is repeated", name)
		}
		seen[string(name)] = true
		if err := f(string(name)); err != nil {
			return err
		}
	}
	return s.broken()
}

// skip reads a value.
func (s *scanner) skip() error {
	s.Raw()
	return s.broken()
}

// broken returns an error if what has been read is not JSON.
func (s *scanner) broken() error {
	if s.Syntax != nil {
		return errBroken
	}
	return nil
}
