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
}

// Load replaces the records of collections by the ones in r, which must contain the form that
// [Catalogue.Save] writes: a JSON object with an array of records for each key of a
// collection. Each record must have an id. Other members of a record may be missing, unless
// Options.StrictLoad is set. Collections whose key the object lacks are unchanged.
// References are not checked, and bounds, formats and rules only if Options.Validate is set.
//
// Load reads and checks all of r, and then replaces the collections at one instant. After
// an error the catalogue is unchanged. An error of r is wrapped. If the catalogue is a
// snapshot, the error wraps [ErrReadOnly]. All other errors wrap [ErrInvalidData]: for an
// invalid record the error is a [*RecordError], for an unknown or repeated key it names
// the key, and for invalid JSON it is a [*schema.SyntaxError].
//
// O(n) for records sorted by id, and O(n log n) otherwise and for each ordering in use.
func (c *Catalogue) Load(r io.Reader, opts LoadOptions) error {
	return load(c, r, opts)
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
func (c *Collection[T]) Load(r io.Reader, opts LoadOptions) error { return load(c.core, r, opts) }

// A loader is a collection or a catalogue.
type loader interface {
	title() string   // the prefix of errors
	writable() error // not nil if it is a snapshot
	read(in *scanner) ([]store.Replacement, error)
}

// load replaces the records of collections by the ones in r.
func load(to loader, r io.Reader, opts LoadOptions) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("%s: %w", to.title(), err)
	}
	return loadData(to, data, opts)
}

// loadFile replaces the records of collections by the ones in a file.
func loadFile(to loader, path string, opts LoadOptions) error {
	if path == "" {
		return errNoPath
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	if err := loadData(to, data, opts); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// loadData replaces the records of collections by the ones in data if all of it is valid. A
// syntax error takes precedence over an error of read.
func loadData(to loader, data []byte, opts LoadOptions) error {
	if err := to.writable(); err != nil {
		return err
	}
	in := &scanner{data: data, opts: opts}
	all, err := to.read(in)
	if in.skipSpace(); err == nil && in.at == len(data) {
		return store.Replace(all)
	}
	if syntax := schema.CheckSyntax(data); syntax != nil {
		err = syntax
	} else if errors.Is(err, ErrInvalidData) {
		return err
	}
	return fmt.Errorf("%s: %w: %w", to.title(), ErrInvalidData, err)
}

func (c *core) title() string { return c.typ.title() }

// read reads the replacement of a single collection.
func (c *core) read(in *scanner) ([]store.Replacement, error) {
	entries, used, err := c.typ.readResults(in)
	return []store.Replacement{c.replacement(entries, used)}, err
}

// replacement returns the replacement of the records by those of entries.
func (c *core) replacement(entries []*store.Entry, used int) store.Replacement {
	r := store.Replacement{Store: c.store, Entries: entries, UsedID: used}
	if c.typ.key != nil {
		r.UsedID, r.Number = 0, c.typ.inheritIDs
	}
	return r
}

func (c *Catalogue) title() string { return "catalogue" }

// read reads a catalogue. The replacements are in the order of the collections.
func (c *Catalogue) read(in *scanner) (all []store.Replacement, err error) {
	found, used := map[string][]*store.Entry{}, map[string]int{}
	err = in.object(func(key string) error {
		if key == lastIDsKey {
			return c.readLastIDs(in, used)
		}
		m, err := c.lookup(key)
		switch {
		case err != nil && in.opts.SkipUnknown:
			return in.skip()
		case err != nil:
			return c.unknown(key)
		}
		found[key], err = m.typ.read(in)
		return err
	})
	for _, m := range c.all {
		if entries, ok := found[m.key()]; ok {
			all = append(all, m.replacement(entries, used[m.key()]))
		}
	}
	return all, err
}

// readLastIDs reads the member of lastIDsKey into used.
func (c *Catalogue) readLastIDs(in *scanner, used map[string]int) error {
	list := in.value()
	if !json.Valid(list) {
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
		switch _, err := c.lookup(last.Collection); {
		case err != nil && in.opts.SkipUnknown:
		case err != nil:
			return fmt.Errorf("%s: %w", lastIDsKey, c.unknown(last.Collection))
		case last.ID < 1:
			return fmt.Errorf("%s: %q: %w: want a positive integer", lastIDsKey, last.Collection, ErrInvalidID)
		}
		used[last.Collection] = last.ID
	}
	return nil
}

// A RecordError describes an invalid record in loaded data. It wraps [ErrInvalidData]
// and Err.
type RecordError struct {
	Collection string // key or name of the collection
	Index      int    // index of the record in the array, from 0
	ID         int    // its id, or 0 if it has no valid one
	Line       int    // number of the line where it begins, from 1
	Field      string // JSON name of the member, or "" for the whole record
	Err        error  // what is wrong
}

// Error returns a message with the collection, the id or, if there is none, the index, the
// line, the member and Err.
func (e *RecordError) Error() string {
	record := fmt.Sprint("record ", e.ID)
	if e.ID == 0 {
		record = fmt.Sprint("record at index ", e.Index)
	}
	text := fmt.Sprintf("%s: %v: %s (line %d): ", e.Collection, ErrInvalidData, record, e.Line)
	if e.Field != "" {
		text += e.Field + ": "
	}
	return text + e.Err.Error()
}

// Unwrap returns [ErrInvalidData] and Err.
func (e *RecordError) Unwrap() []error { return []error{ErrInvalidData, e.Err} }

// readResults reads an array of records or an object that contains one. used is the id
// of lastIDKey, or 0.
func (s *recordType) readResults(in *scanner) (entries []*store.Entry, used int, err error) {
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
		err = errors.New("want an array of records, or an object whose results are one")
	}
	return entries, used, err
}

// read reads an array of records and returns their entries, sorted by id.
func (s *recordType) read(in *scanner) (entries []*store.Entry, err error) {
	start := *in
	if !in.take("[") {
		return nil, s.errorf("%w: want an array of records", ErrInvalidData)
	}
	for !in.take("]") {
		if len(entries) > 0 && !in.take(",") {
			return nil, errBroken
		}
		e, err := s.load(in)
		if err != nil {
			return nil, s.recordError(start, len(entries), err)
		}
		entries = append(entries, e)
	}
	if i, wrong := s.arrange(entries); wrong != nil {
		return nil, s.recordError(start, i, wrong)
	}
	return entries, nil
}

// recordError returns the error of the i-th record of an array that begins at in.
func (s *recordType) recordError(in scanner, i int, err error) error {
	in.take("[")
	for range i {
		in.value()
		in.take(",")
	}
	in.skipSpace()
	invalid := &RecordError{Collection: s.title(), Index: i, Line: 1 + bytes.Count(in.data[:in.at], []byte("\n")), Err: err}
	var members map[string]json.RawMessage
	if json.Unmarshal(in.value(), &members) == nil {
		invalid.ID = schema.ParseID(string(members[s.idWire]))
	}
	var member *schema.MemberError
	if errors.As(err, &member) {
		invalid.Field, invalid.Err = member.Member, member.Err
		if member.Member == s.idWire && !errors.Is(member.Err, ErrInvalidID) && !errors.Is(member.Err, ErrExists) {
			invalid.Err = fmt.Errorf("%w: %w", ErrInvalidID, member.Err)
		}
	}
	return invalid
}

// load reads a record and returns its entry.
func (s *recordType) load(in *scanner) (*store.Entry, error) {
	in.skipSpace()
	start, e := in.at, s.new()
	if !s.readCommon(in, recordOf(e)) {
		in.at = start // all that has been read is read again
		if err := s.decodeLoaded(recordOf(e), in.value(), in.opts); err != nil {
			return nil, err
		}
	}
	r := recordOf(e)
	s.fillLists(r)
	if s.key != nil && s.isKeyless(r) {
		return nil, &schema.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: it is empty", ErrInvalidID)}
	}
	if e.ID = *s.id(r); e.ID < 1 && s.key == nil {
		return nil, &schema.MemberError{Member: s.idWire, Err: fmt.Errorf("%w: want a positive integer", ErrInvalidID)}
	}
	if !s.trusted {
		if err := s.check(r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		s.copy(s.copier, r, r)
	}
	if err := s.validate(e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return e, nil
}

// readCommon reads an object with the members of a struct in their order, as Save writes
// them, into a zero record and reports whether it did. It is faster than decodeLoaded, and
// allocates less. Where it succeeds, the result is the same.
func (s *recordType) readCommon(in *scanner, to *record) bool {
	if s.ownJSON || !in.take("{") {
		return false
	}
	count, next := 0, 0
	for !in.take("}") {
		if count > 0 && !in.take(",") {
			return false
		}
		for next < len(s.members) && !in.take(s.members[next].key) {
			next++
		}
		if next == len(s.members) {
			return false
		}
		m := &s.members[next]
		count, next = count+1, next+1
		text := in.value()
		read := m.common != nil && m.common(unsafe.Add(unsafe.Pointer(to), m.offset), text)
		if !read && !m.decode(s.value(to), text) || m.strict && string(text) == "null" {
			return false
		}
	}
	return (count == len(s.members) || s.strict == nil) && (s.key != nil || *s.id(to) > 0)
}

// decode decodes a value, which need not be valid JSON, into a record and reports whether it did.
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
func (s *recordType) decodeLoaded(to *record, object []byte, opts LoadOptions) error {
	if s.ownJSON && s.strict == nil {
		return json.Unmarshal(object, s.pointer(to))
	}
	members, err := s.parse(object)
	if err != nil {
		return err
	}
	if err := s.set(to, members, opts.SkipUnknown); err != nil {
		return err
	}
	return s.checkStrict(members)
}

// fillLists makes the nil lists of a record empty, because their JSON would be null, which
// no request could send back.
func (s *recordType) fillLists(r *record) {
	for _, m := range s.lists {
		f, err := s.value(r).FieldByIndexErr(m.Field.Index)
		switch {
		case err != nil || !f.IsNil() || !f.CanSet(): // in an embedded struct that is nil or not exported
		case m.Field.Type.Kind() == reflect.Map:
			f.Set(reflect.MakeMap(m.Field.Type))
		default:
			f.Set(reflect.MakeSlice(m.Field.Type, 0, 0))
		}
	}
}

// with returns a fresh entry whose record has the given members and otherwise the values of
// old, or zero values if old is nil.
func (s *recordType) with(old *store.Entry, members schema.Record) (fresh *store.Entry, err error) {
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
func (s *recordType) merged(old *store.Entry, members schema.Record) (schema.Record, error) {
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
func (s *recordType) set(to *record, members schema.Record, skipUnknown bool) error {
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
func (s *recordType) checkStrict(members schema.Record) error {
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

// A scanner reads JSON sequentially. It checks what it reads, except the values that the
// method value returns.
type scanner struct {
	data []byte
	at   int
	opts LoadOptions
}

var errBroken = errors.New("invalid JSON") // schema.CheckSyntax finds the place

func (s *scanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\r' || s.data[s.at] == '\t') {
		s.at++
	}
}

// take skips white space and a token, and reports whether the token was there.
func (s *scanner) take(token string) bool {
	s.skipSpace()
	if len(s.data)-s.at < len(token) || string(s.data[s.at:s.at+len(token)]) != token {
		return false
	}
	s.at += len(token)
	return true
}

// value skips the next value and returns its bytes. It looks only for the end that a
// valid value would have: the caller must check that the bytes are one valid value.
func (s *scanner) value() []byte {
	s.skipSpace()
	start, depth, quoted := s.at, 0, false
	if rest := s.data[start:]; len(rest) > 0 && rest[0] == '"' { // faster for a string without escapes
		if n := bytes.IndexByte(rest[1:], '"'); n >= 0 && bytes.IndexByte(rest[1:1+n], '\\') < 0 {
			s.at += n + 2
			return rest[:n+2]
		}
	}
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case quoted:
			if c == '\\' {
				s.at++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case depth == 0 && (c == ',' || c == ':' || c == ']' || c == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t'):
			return s.data[start:s.at]
		case c == '}' || c == ']':
			depth--
		}
	}
	s.at = len(s.data)
	return s.data[start:]
}

// skip skips a value. It returns an error if the value is invalid.
func (s *scanner) skip() error {
	if !json.Valid(s.value()) {
		return errBroken
	}
	return nil
}

// object reads an object. It calls f with the name of each member; f must read the value.
// A repeated name is an error.
func (s *scanner) object(f func(name string) error) error {
	if !s.take("{") {
		return errors.New("want a JSON object")
	}
	seen := map[string]bool{}
	for !s.take("}") {
		var name string
		if len(seen) > 0 && !s.take(",") || json.Unmarshal(s.value(), &name) != nil || !s.take(":") {
			return errBroken
		}
		if seen[name] {
			return fmt.Errorf("key %q is repeated", name)
		}
		seen[name] = true
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}
