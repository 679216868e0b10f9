package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Encoded returns the JSON of an entry as it is served. Concurrent first calls may each make it;
// the results are equal.
func (s *Type) Encoded(e *store.Entry) ([]byte, error) {
	kept := &headerOf(e).encoding
	if b := kept.Load(); b != nil {
		return *b, nil
	}
	b, err := s.Stored(e)
	if err == nil && s.hasTwoForms {
		b, err = s.served(e, b)
	}
	if err != nil {
		return nil, err
	}
	kept.Store(&b)
	return b, nil
}

// Stored returns the JSON of an entry as it is saved, with hidden members and without computed
// ones. If it is not also what is served, it is not kept.
func (s *Type) Stored(e *store.Entry) ([]byte, error) {
	if b := headerOf(e).encoding.Load(); b != nil && !s.hasTwoForms {
		return *b, nil
	}
	b, err := s.encode(RecordOf(e))
	if err != nil {
		return nil, s.Invalid(e, err)
	}
	return b, nil
}

// served returns the JSON of an entry as it is served: the members of what is stored that are not
// hidden, and the computed ones, in the order of the description.
func (s *Type) served(e *store.Entry, stored []byte) ([]byte, error) {
	members, err := s.parse(stored)
	if err != nil {
		return nil, s.Invalid(e, err)
	}
	computed, err := s.computed(e)
	if err != nil {
		return nil, s.Invalid(e, err)
	}
	b := []byte{'{'}
	add := func(name, text string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(jsontext.AppendString(b, name), ':'), text...)
	}
	for _, f := range s.About.Fields {
		from := members
		if f.Computed {
			from = computed
		}
		if text, ok := from.Get(f.Name); ok && !f.Hidden {
			add(f.Name, text)
		}
	}
	for name, text := range members.All() {
		if !slices.ContainsFunc(s.About.Fields, func(f schema.Field) bool { return f.Name == name }) {
			add(name, text)
		}
	}
	return append(b, '}'), nil
}

// computed returns the members that the method Computed of a record returns, if it has one.
func (s *Type) computed(e *store.Entry) (schema.Record, error) {
	if s.computes == nil {
		return schema.Record{}, nil
	}
	method := reflect.ValueOf(s.pointer(RecordOf(e))).MethodByName("Computed")
	result := reflect.New(method.Type().Out(0))
	result.Elem().Set(method.Call(nil)[0])
	b, err := s.computes.Encode(result.UnsafePointer())
	if err != nil {
		return schema.Record{}, err
	}
	return schema.ParseRecord(b)
}

// encoderOfComputed returns the encoder of the result of a struct's method Computed, or nil if it has
// none.
func encoderOfComputed(t reflect.Type) (*value.Encoder, error) {
	members, err := schema.ComputedMembers(t)
	if err != nil || members == nil {
		return nil, err
	}
	method, _ := reflect.PointerTo(t).MethodByName("Computed")
	return value.EncoderOf(method.Type.Out(0), members), nil
}

// Parsed returns the members of the JSON of an entry.
func (s *Type) Parsed(e *store.Entry) (schema.Record, error) {
	if s.Open() {
		return *Typed[schema.Record](RecordOf(e)), nil
	}
	b, err := s.Stored(e)
	if err != nil {
		return schema.Record{}, err
	}
	r, err := s.parse(b)
	if err != nil {
		return r, s.Invalid(e, err)
	}
	return r, nil
}

// Load reads a record and returns its entry. The id of the entry is 0 if the record has no member
// for it; then the record has the one after last. If what is read is not JSON, the scanner has a
// syntax error.
func (s *Type) Load(in *jsontext.Scanner, skipUnknown bool, last int) (*store.Entry, error) {
	start, e := *in, s.New()
	r := RecordOf(e)
	var text []byte
	if !s.readCommon(in, r) {
		*in = start // all that has been read is read again
		var ok bool
		if text, ok = in.Raw(); !ok {
			return nil, errors.New(in.Syntax.Reason)
		}
		if err := s.decodeLoaded(r, text, skipUnknown); err != nil {
			return nil, err
		}
	}
	s.fillLists(r)
	e.ID = s.Identity.ID(r)
	err := s.Identity.Invalid(r)
	if e.ID == 0 && s.Identity.Key == nil && (s.Open() || !hasMember(text, s.Identity.Wire)) {
		err = s.Identity.Assign(e, min(last, s.Identity.most-1), nil)
	}
	if err != nil {
		return nil, &schema.MemberError{Member: s.Identity.Wire, Err: err}
	}
	if !s.trusted {
		if err := s.check(r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		s.copy(s.Copier, r, r)
	}
	return e, nil
}

// hasMember reports whether an object has a member with a name.
func hasMember(object []byte, name string) bool {
	_, has := maps.Collect(jsontext.Members(string(object)))[name]
	return has
}

// readCommon reads an object with the members of a struct in their order, as Save writes
// them, into a zero record and reports whether it did. It is faster than decodeLoaded, and
// allocates less. Where it succeeds, the result is the same.
func (s *Type) readCommon(in *jsontext.Scanner, to *Record) bool {
	if s.OwnJSON || !in.Take("{") {
		return false
	}
	next := 0
	for !in.Take("}") {
		if next > 0 && !in.Take(",") {
			return false
		}
		for next < len(s.members) && !in.Take(s.members[next].key) {
			if s.members[next].needed {
				return false
			}
			next++
		}
		if next == len(s.members) {
			return false
		}
		m := s.members[next]
		next++
		text, ok := in.Raw()
		if !ok {
			return false
		}
		read := m.decoder.Common != nil && !m.Go.Indirect && m.decoder.Common(m.in(to), text)
		if !read && !m.decode(s.value(to), text) {
			return false
		}
	}
	lacks := slices.ContainsFunc(s.members[next:], func(m *Field) bool { return m.needed })
	return !lacks && s.Identity.Invalid(to) == nil
}

// decode decodes a value into a record and reports whether it did.
func (f *Field) decode(record reflect.Value, text []byte) bool {
	canonical, err := schema.ParseRecord(slices.Concat([]byte(`{"value":`), text, []byte("}")))
	if err != nil {
		return false
	}
	valid, _ := canonical.Get("value")
	return f.decoder.Decode(value.Settable(record, f.Go.Field.Index, false), valid) == nil
}

// decodeLoaded decodes a record that is loaded into a zero one. If its type implements
// json.Unmarshaler, that decides what is valid. Otherwise decodeLoaded is stricter than
// encoding/json: names must match exactly, and an unknown or repeated name is an error, as is
// null for a field that cannot hold it.
func (s *Type) decodeLoaded(to *Record, object []byte, skipUnknown bool) error {
	if s.OwnJSON {
		return json.Unmarshal(object, s.pointer(to))
	}
	members, err := s.parse(object)
	if err == nil && s.evolving.Fields != nil {
		members, err = s.evolving.Upgrade(members)
	}
	if err != nil {
		return err
	}
	return s.set(to, members, skipUnknown)
}

// With returns a fresh entry whose record has the given members and otherwise the values of
// old, or zero values if old is nil.
func (s *Type) With(old *store.Entry, members schema.Record) (fresh *store.Entry, err error) {
	switch {
	case old == nil:
		fresh = s.New()
	case s.Open(), s.OwnJSON: // the method reads all members, because it may check them together
		fresh = s.New()
		if members, err = s.merged(old, members); err != nil {
			return nil, err
		}
	default:
		fresh = s.Copied(old)
	}
	return fresh, s.set(RecordOf(fresh), members, false)
}

// merged returns the members of an entry, replaced by the given ones.
func (s *Type) merged(old *store.Entry, members schema.Record) (schema.Record, error) {
	all, err := s.Parsed(old)
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
func (s *Type) set(to *Record, members schema.Record, skipUnknown bool) error {
	switch {
	case s.Open():
		*Typed[schema.Record](to) = members
		return nil
	case s.OwnJSON:
		object, _ := members.MarshalJSON()
		return json.Unmarshal(object, s.pointer(to))
	}
	v := s.value(to)
	for name, text := range members.All() {
		m := s.Member(name)
		if m == nil && skipUnknown {
			continue
		}
		if m == nil {
			err := fmt.Errorf("is unknown: %s", Suggest(name, s.members, (*Field).member))
			return &schema.MemberError{Member: name, Err: err}
		}
		field := value.Settable(v, m.Go.Field.Index, false)
		field.SetZero() // encoding/json would merge the value with the old one
		if err := m.decoder.Decode(field, text); err != nil {
			return &schema.MemberError{Member: name, Err: err}
		}
	}
	return nil
}

// encode returns the JSON of a record that passes its check, without white space, and without
// escaping <, > and &.
func (s *Type) encode(r *Record) ([]byte, error) {
	if s.Open() {
		return Typed[schema.Record](r).MarshalJSON()
	}
	return s.encoder.Encode(unsafe.Pointer(r))
}

// parse parses the JSON of a record.
func (s *Type) parse(text []byte) (schema.Record, error) {
	if s.plain || s.Open() && s.Identity.Key == nil {
		return schema.ParseRecord(text)
	}
	return schema.ParseKeyed(text)
}

// Keep stores a copy of a record in a fresh entry, after it has checked it. The record may be the
// entry's.
func (s *Type) Keep(fresh *store.Entry, from *Record) error {
	id := s.Identity.ID(from)
	if err := s.check(from); err != nil { // otherwise it may contain itself
		return err
	}
	to := RecordOf(fresh)
	s.copy(s.Copier, to, from)
	s.fillLists(to)
	s.Identity.SetID(to, id) // a method Clone may have changed it
	fresh.ID = id
	if s.About != nil && s.About.Lookup != "" {
		if text, ok := s.Text(s.About.Lookup).JSONKey(fresh).AsText(); ok {
			if err := s.About.CheckLookup(text); err != nil {
				return err
			}
		}
	}
	if s.hasTwoForms { // an error of the method Computed changes nothing
		_, err := s.Encoded(fresh)
		return err
	}
	return nil
}

// fillLists makes the nil lists of a record empty, because their JSON would be null, which
// no request could send back.
func (s *Type) fillLists(r *Record) {
	if s.fill != nil {
		s.fill(s.value(r))
	}
}

// checkJSON returns an error if a record, which has its id, cannot be loaded from its JSON,
// which is parsed and, if decode is set, decoded.
func (s *Type) checkJSON(r *Record, decode bool) error {
	read := RecordOf(s.New())
	text, err := s.encode(r)
	if err == nil {
		err = s.reload(read, text, decode)
	}
	switch {
	case err != nil && s.OwnJSON: // only the method knows which member is at fault
		return err
	case err != nil:
		return s.blame(r, err, decode)
	case decode && s.Identity.ID(read) != s.Identity.ID(r):
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (s *Type) reload(to *Record, text []byte, decode bool) error {
	members, err := s.parse(text)
	if err == nil && decode {
		err = s.set(to, members, false)
	}
	return err
}

// blame returns an error for the first field whose JSON alone cannot be loaded. If there
// is none, it returns err.
func (s *Type) blame(r *Record, err error, decode bool) error {
	for _, m := range s.members {
		p := m.in(r)
		if p == nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{m.member(): reflect.NewAt(m.Go.Field.Type, p).Interface()})
		if bad == nil {
			bad = s.reload(RecordOf(s.New()), text, decode)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", m.member(), bad)
		}
	}
	return err
}

// CheckEntry returns an error unless an entry has the id and the JSON of its record.
func (s *Type) CheckEntry(e *store.Entry) error {
	if id := s.Identity.ID(RecordOf(e)); id != e.ID && s.Identity.Key == nil {
		return fmt.Errorf("the record has the id %d", id)
	}
	kept := headerOf(e).encoding.Load()
	if kept == nil {
		return nil
	}
	fresh, err := s.encode(RecordOf(e))
	if err == nil && s.hasTwoForms {
		fresh, err = s.served(e, fresh)
	}
	if err != nil || !bytes.Equal(fresh, *kept) {
		return fmt.Errorf("the stored JSON is %s, want %s (%v)", *kept, fresh, err)
	}
	return nil
}
