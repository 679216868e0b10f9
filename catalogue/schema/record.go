package schema

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A Record is an open record: an id and any JSON members. Members keep their order, and
// numbers keep their digits. The zero Record has no id and no members; its JSON is {}.
//
// A Record is immutable except for the field ID, so its copies share memory and are safe
// for concurrent use. Its values are canonical JSON: without white space, with strings
// escaped as the service does, and with numbers as they were sent.
type Record struct {
	ID      int // at least 1, or 0 if the record has no id
	members []member
	idAt    int // number of members before the id
	unused  int // number of bytes that the members retain but do not use
}

// member is a name and the canonical JSON text of its value.
type member struct{ name, value string }

// Get returns the JSON of the member with the given name and reports whether the record
// has it. The id is the member "id", unless it is 0. O(members).
func (r Record) Get(name string) (text string, ok bool) {
	if name == "id" {
		return strconv.Itoa(r.ID), r.ID != 0
	}
	if i := r.index(name); i >= 0 {
		return r.members[i].value, true
	}
	return "", false
}

// index returns the index of a member other than the id, or -1.
func (r Record) index(name string) int {
	return slices.IndexFunc(r.members, func(m member) bool { return m.name == name })
}

// Decode stores the value of the member with the given name in the value that into
// points to, as [json.Unmarshal] does. It returns an error wrapping [ErrNoMember] if the
// record has no such member. Other errors name the member and wrap those of
// json.Unmarshal. O(members + size of the value).
func (r Record) Decode(name string, into any) error {
	text, ok := r.Get(name)
	if !ok {
		return fmt.Errorf("%w: %q", ErrNoMember, name)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("schema: member %q: %w", name, err)
	}
	return nil
}

// With returns a copy of the record in which the member with the given name has the
// given value, encoded as [json.Marshal] does but without HTML escapes. The member keeps
// its position, or is appended if the record does not have it. A [json.RawMessage] or
// [json.Number] keeps its digits.
//
// With returns an error wrapping [ErrInvalid] if the name is "id" or is not valid UTF-8,
// or if the value cannot be marshalled to JSON that [ParseRecord] accepts.
//
// O(members + size of the value). If more bytes have been replaced and removed than
// remain, the record is copied in O(size).
func (r Record) With(name string, value any) (Record, error) {
	text, err := memberText(name, value)
	if err != nil {
		return Record{}, fmt.Errorf("%w member %q: %w", ErrInvalid, name, err)
	}
	i := r.index(name)
	if i < 0 {
		r.members = append(slices.Clip(r.members), member{strings.Clone(name), text})
		return r, nil
	}
	r.members = slices.Clone(r.members)
	r.unused += len(r.members[i].value)
	r.members[i].value = text
	r.compact()
	return r, nil
}

// Without returns a copy of the record without the member with the given name. If there
// is no such member, it returns the record unchanged. The name "id" sets the id to 0.
// The cost is that of [Record.With].
func (r Record) Without(name string) Record {
	if name == "id" {
		r.ID = 0
		return r
	}
	i := r.index(name)
	if i < 0 {
		return r
	}
	r.unused += len(name) + len(r.members[i].value)
	r.members = slices.Delete(slices.Clone(r.members), i, i+1)
	if i < r.idAt {
		r.idAt--
	}
	r.compact()
	return r
}

// set sets a member other than the id. It keeps its position, or is appended. The slice
// of members must not be shared with another record.
func (r *Record) set(name, text string) {
	if i := r.index(name); i >= 0 {
		r.unused += len(r.members[i].value)
		r.members[i].value = text
		return
	}
	r.members = append(r.members, member{name, text})
}

// compact copies the texts of the members if they retain more unused bytes than used
// ones. The slice of members must not be shared with another record.
func (r *Record) compact() {
	size := 0
	for _, m := range r.members {
		size += len(m.name) + len(m.value)
	}
	if r.unused <= size {
		return
	}
	joined := make([]byte, 0, size)
	for _, m := range r.members {
		joined = append(append(joined, m.name...), m.value...)
	}
	text := string(joined)
	for i, m := range r.members {
		end := len(m.name) + len(m.value)
		r.members[i] = member{text[:len(m.name)], text[len(m.name):end]}
		text = text[end:]
	}
	r.unused = 0
}

// All returns an iterator over the names of the members and their JSON, in order and
// including the id, unless it is 0. O(members).
func (r Record) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for i := 0; i <= len(r.members); i++ {
			if i == r.idAt && r.ID != 0 && !yield("id", strconv.Itoa(r.ID)) {
				return
			}
			if i < len(r.members) && !yield(r.members[i].name, r.members[i].value) {
				return
			}
		}
	}
}

// Len returns the number of members, including the id, unless it is 0. O(1).
func (r Record) Len() int {
	if r.ID != 0 {
		return len(r.members) + 1
	}
	return len(r.members)
}

// Equal reports whether both records have the same JSON: the same members in the same
// order, with numbers in the same digits. O(size).
func (r Record) Equal(other Record) bool {
	return r.ID == other.ID && (r.ID == 0 || r.idAt == other.idAt) &&
		slices.Equal(r.members, other.members)
}

// AppendJSON appends the JSON of the record to dst and returns the extended slice.
// O(size).
func (r Record) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	first := true
	for name, value := range r.All() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, name), ':')
		dst = append(dst, value...)
	}
	return append(dst, '}')
}

// MarshalJSON returns the JSON of the record. The error is always nil. O(size).
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// UnmarshalJSON parses a record as [ParseRecord] does. After an error the record is
// unchanged. O(len).
func (r *Record) UnmarshalJSON(data []byte) error {
	read, err := ParseRecord(data)
	if err != nil {
		return err
	}
	*r = read
	return nil
}

// String returns the JSON of the record. O(size).
func (r Record) String() string { return string(r.AppendJSON(nil)) }
