package resources

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A Record is an open record: an id and any JSON members, which come out in the
// order and with the digits they went in. The zero Record has no id and no
// members; it is written {}.
//
// Nothing but ID can be changed in place, so copies may share and several
// goroutines may read them. Texts are canonical JSON: no white space, strings
// escaped only where the service escapes them, numbers as they were sent.
type Record struct {
	ID      int // from 1; 0 when the record has none (yet)
	members []member
	idAt    int // how many members stand before the id
	unused  int // how many bytes its texts may hold beyond those of the members
}

// member is a name and the canonical JSON text of its value.
type member struct{ name, value string }

// Get gives the JSON text of a member, and false when there is none. The name
// id gives the id, unless it is 0. O(members).
func (r Record) Get(name string) (text string, ok bool) {
	if name == "id" {
		return strconv.Itoa(r.ID), r.ID != 0
	}
	if i := r.index(name); i >= 0 {
		return r.members[i].value, true
	}
	return "", false
}

// index is the place of a member other than id, or -1.
func (r Record) index(name string) int {
	return slices.IndexFunc(r.members, func(m member) bool { return m.name == name })
}

// Decode unmarshals a member into a pointer, as [json.Unmarshal] does. Without
// that member the error matches [ErrNoMember]; others are those of
// json.Unmarshal, with the member's name. O(members + size of the value).
func (r Record) Decode(name string, into any) error {
	text, ok := r.Get(name)
	if !ok {
		return fmt.Errorf("%w: %q", ErrNoMember, name)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("resources: member %q: %w", name, err)
	}
	return nil
}

// With returns a copy in which the member holds value as [json.Marshal] writes it:
// in the place it had, or as the last. [json.RawMessage] and [json.Number] keep
// their digits. The name id, a name that is not UTF-8, and a value that cannot
// be marshalled, or whose JSON [ParseRecord] would not take, are errors that match
// [ErrInvalid]. O(members + size of the value), and O(size) each time that what
// was replaced or taken away is more than what is left.
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

// Without returns a copy that lacks the member; the same record if it has none of
// that name. The name id takes the id away. The cost is that of [Record.With].
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

// compact cuts the members, which no other record may share, from a new text if
// more than half of what they are cut from is unused.
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

// All gives names and JSON texts in order, the id in its place unless it is 0.
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

// Len counts what All gives: the members, and the id unless it is 0. O(1).
func (r Record) Len() int {
	if r.ID != 0 {
		return len(r.members) + 1
	}
	return len(r.members)
}

// Equal says whether both records are written with the same bytes: the same
// members, digits and order. O(size).
func (r Record) Equal(other Record) bool {
	return r.ID == other.ID && (r.ID == 0 || r.idAt == other.idAt) &&
		slices.Equal(r.members, other.members)
}

// AppendJSON appends the record in wire form. O(size).
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

// MarshalJSON is the record in wire form; it gives no error. O(size).
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// UnmarshalJSON is [ParseRecord]; on an error the record is unchanged. O(len).
func (r *Record) UnmarshalJSON(data []byte) error {
	read, err := ParseRecord(data)
	if err != nil {
		return err
	}
	*r = read
	return nil
}

// String is the record in wire form.
func (r Record) String() string { return string(r.AppendJSON(nil)) }
