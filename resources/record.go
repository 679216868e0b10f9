package resources

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
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
}

// member is a name and the canonical JSON text of its value.
type member struct{ name, value string }

// ParseRecord reads a JSON object. Its member id may be absent, else it is an
// integer from 1 on. Broken JSON is a [*SyntaxError]; a text that is no object,
// another id, a name that comes twice in any object, half a surrogate pair and
// bytes that are not UTF-8 are errors that match [ErrInvalid] and name the
// member they stand in. O(len).
func ParseRecord(data []byte) (Record, error) {
	if serr := checkSyntax(data, maxDepth); serr != nil {
		return Record{}, serr
	}
	text := trimSpace(string(data))
	if kindOf(text) != jsonObject {
		return Record{}, fmt.Errorf("%w record: want an object, got %s", ErrInvalid, excerpt(text))
	}
	return readRecord(text)
}

// readRecord reads an object that is valid JSON. All texts of a record are cut
// from one string, so that it costs one allocation, not two a member.
func readRecord(object string) (Record, error) {
	var (
		r     Record
		names []string
		ends  []int
		text  []byte
		err   error
	)
	for quoted, value := range members(object) {
		name := unquote(quoted)
		names = append(names, name)
		if _, half := firstSurrogate(name); half {
			return Record{}, fmt.Errorf("%w record: member name %q: %w", ErrInvalid, name, errHalfPair)
		}
		if name == "id" {
			r.idAt = len(ends)
			if r.ID, err = parseID(value); err != nil {
				return Record{}, err
			}
			continue
		}
		if text, err = appendCanonical(append(text, name...), value); err != nil {
			return Record{}, &MemberError{name, err}
		}
		ends = append(ends, len(text))
	}
	if name, found := repeated(names); found {
		return Record{}, &MemberError{name, errRepeated}
	}
	r.members = cut(string(text), slices.DeleteFunc(names, func(n string) bool { return n == "id" }), ends)
	return r, nil
}

// parseID reads the value of the member id.
func parseID(value string) (int, error) {
	id, err := strconv.Atoi(value)
	if err != nil || id < 1 {
		return 0, &MemberError{"id", fmt.Errorf("want an integer from 1 on, got %s", excerpt(value))}
	}
	return id, nil
}

// cut takes a text apart into members: each is its name and, up to its end, its
// value.
func cut(text string, names []string, ends []int) []member {
	list := make([]member, len(names))
	start := 0
	for i, end := range ends {
		middle := start + len(names[i])
		list[i] = member{text[start:middle], text[middle:end]}
		start = end
	}
	return list
}

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

// With is a copy in which the member holds value as [json.Marshal] writes it:
// in the place it had, or as the last. [json.RawMessage] and [json.Number] keep
// their digits. The name id, a name that is not UTF-8, and a value that cannot
// be marshalled, or whose JSON [ParseRecord] would not take, are errors that match
// [ErrInvalid]. O(members + size of the value).
func (r Record) With(name string, value any) (Record, error) {
	text, err := memberText(name, value)
	if err != nil {
		return Record{}, fmt.Errorf("%w member %q: %w", ErrInvalid, name, err)
	}
	m := member{name, text}
	if i := r.index(name); i >= 0 {
		r.members = slices.Clone(r.members)
		r.members[i] = m
	} else {
		r.members = append(slices.Clip(r.members), m)
	}
	return r, nil
}

// Without is a copy that lacks the member; the same record if it has none of
// that name. The name id takes the id away. O(members).
func (r Record) Without(name string) Record {
	if name == "id" {
		r.ID = 0
		return r
	}
	i := r.index(name)
	if i < 0 {
		return r
	}
	r.members = slices.Delete(slices.Clone(r.members), i, i+1)
	if i < r.idAt {
		r.idAt--
	}
	return r
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
