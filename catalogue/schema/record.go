package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// A Record is an open record: an id and any JSON members. Members keep their order. The zero Record
// has no members; its JSON is {}.
//
// A Record is immutable except for the field ID, so its copies share memory and are safe for
// concurrent use. Its values are canonical JSON: without white space, with strings as [AppendQuote]
// escapes them, and with numbers as they were sent. If two members are the same field in
// snake_case, such as unitPrice and unit_price, collections compare the one in camelCase or,
// without it, the first.
type Record struct {
	ID      int // at least 1, or 0 if the record has no id
	members []member
	idAt    int // number of members before the id
}

// member is a name and the canonical JSON text of its value.
type member struct{ name, value string }

// Get returns the JSON of the member with the given name and reports whether the record has it. The
// id is the member "id", unless it is 0. O(members).
func (r Record) Get(name string) (text string, ok bool) {
	if name == "id" && r.ID != 0 {
		return strconv.Itoa(r.ID), true
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

// With returns a copy of the record in which the member with the given name has the given value,
// encoded as [json.Marshal] does but without HTML escapes. The member keeps its position, or is
// appended if the record does not have it. A [json.RawMessage] or [json.Number] keeps its digits.
//
// The error wraps [ErrInvalid] if the name is not valid UTF-8, if the value cannot be marshalled to
// JSON that [ParseRecord] accepts, or if the name is "id", unless the value is a text, a
// json.RawMessage or a json.Number and ID is 0, as in a record with a key. O(members + size of the value).
func (r Record) With(name string, value any) (Record, error) {
	text, err := memberText(name, value)
	_, raw := value.(json.RawMessage)
	_, digits := value.(json.Number)
	if name == "id" && (r.ID != 0 || !raw && !digits && !strings.HasPrefix(text, `"`)) {
		err = cmp.Or(err, errors.New("set the field ID instead"))
	}
	if err != nil {
		return Record{}, fmt.Errorf("%w member %q: %w", ErrInvalid, name, err)
	}
	i := r.index(name)
	if i < 0 {
		r.members = append(slices.Clip(r.members), member{strings.Clone(name), text})
		return r, nil
	}
	r.members = slices.Clone(r.members)
	r.members[i].value = text
	return r, nil
}

// Without returns a copy of the record without the member with the given name, if there is one. The
// name "id" sets the id to 0. O(members).
func (r Record) Without(name string) Record {
	if name == "id" && r.ID != 0 {
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

// set sets a member other than the id. It keeps its position, or is appended. The slice
// of members must not be shared with another record.
func (r *Record) set(name, text string) {
	if i := r.index(name); i >= 0 {
		r.members[i].value = text
		return
	}
	r.members = append(r.members, member{name, text})
}

// All returns an iterator over the names of the members and their JSON, in order and including the
// id, unless it is 0.
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

// Equal reports whether two records have the same JSON: the same members in the same order, with
// the same digits in numbers. cmp.Diff uses it; reflect.DeepEqual may be false for equal records.
func (r Record) Equal(other Record) bool { return r.String() == other.String() }

// MarshalJSON returns the JSON of the record. The error is always nil.
func (r Record) MarshalJSON() ([]byte, error) {
	dst := []byte{'{'}
	for name, value := range r.All() {
		dst = appendMember(dst, name, value)
	}
	return append(dst, '}'), nil
}

// UnmarshalJSON parses a record as [ParseRecord] does. After an error the record is unchanged.
func (r *Record) UnmarshalJSON(data []byte) error {
	read, err := ParseRecord(data)
	if err != nil {
		return err
	}
	*r = read
	return nil
}

// String returns the JSON of the record.
func (r Record) String() string {
	text, _ := r.MarshalJSON()
	return string(text)
}

// ParseRecord parses a JSON object. Its member id, if present, must be a positive integer. The
// record does not share memory with data.
//
// All errors match [ErrInvalid]. The error is a [*SyntaxError] if data is not JSON in UTF-8, or is
// nested more than 200 levels deep. Otherwise data is not an object, or the error names a member
// that has a repeated name, an unpaired surrogate, a number beyond a float64, such as 1e400, or an
// id that is not a positive integer. An integer may have any number of digits.
func ParseRecord(data []byte) (Record, error) {
	return parseRecord(data, false)
}

// ParseKeyed parses a record that has a key and no id, as [ParseRecord] does, but a member named id
// is an ordinary member.
func ParseKeyed(data []byte) (Record, error) { return parseRecord(data, true) }

// parseRecord reads a record. The texts of all members are parts of one string, which takes one
// allocation instead of two for each member. If keyed is set, the member id is not the id.
func parseRecord(data []byte, keyed bool) (r Record, err error) {
	s := jsontext.Rewrite(data, jsontext.MaxDepth)
	if s.Next() != '{' {
		err = fmt.Errorf("%w record: want an object, got %s", ErrInvalid, excerpt(string(bytes.Trim(data, jsontext.Space))))
		s.Value()
	} else {
		r, err = record(&s, len(data), keyed)
	}
	if s.Syntax == nil && s.End() && err == nil {
		return r, nil
	}
	if s.Syntax != nil {
		err = (*SyntaxError)(s.Syntax)
	}
	return Record{}, err
}

// record reads a record of at most size bytes. The error is the first one that is not a syntax
// error.
func record(s *jsontext.Scanner, size int, keyed bool) (r Record, err error) {
	var (
		textRoom [512]byte
		nameRoom [32][]byte
		endRoom  [32]int
		text     = textRoom[:0] // names and values of all members except the id
		names    = nameRoom[:0]
		ends     = endRoom[:0] // ends of the members in text
	)
	if size > len(textRoom) {
		text = make([]byte, 0, size)
	}
	for more := s.Open('}'); more; more = s.Another('}') {
		name, ok := s.Name()
		if !ok {
			return r, nil
		}
		names = append(names, name)
		if s.Fault != nil && err == nil {
			err = fmt.Errorf("%w record: member name %q: %w", ErrInvalid, name, s.Fault)
		}
		value, ok := s.Raw()
		if !ok {
			return r, nil
		}
		if s.Fault != nil && err == nil {
			err = &MemberError{string(name), s.Fault}
		}
		if keyed || string(name) != "id" {
			text = s.AppendCanonical(append(text, name...))
			ends = append(ends, len(text))
			continue
		}
		r.idAt = len(ends)
		id, wrong := parseID(value)
		if wrong != nil && err == nil {
			err = wrong
		}
		r.ID = id
	}
	if name, found := jsontext.Repeated(names); found && err == nil {
		err = &MemberError{string(name), errRepeated}
	}
	r.members = cut(string(text), names, ends, keyed)
	return r, err
}

// parseID parses the value of the member id.
func parseID(value []byte) (int, error) {
	id, err := strconv.Atoi(string(value))
	if err != nil || id < 1 {
		return 0, &MemberError{"id", fmt.Errorf("want a positive integer, got %s", excerpt(string(value)))}
	}
	return id, nil
}

// cut divides a text into members other than the id. Each member is its name, followed
// by its value up to its end.
func cut(text string, names [][]byte, ends []int, keyed bool) []member {
	list := make([]member, 0, len(ends))
	start := 0
	for _, name := range names {
		if keyed || string(name) != "id" {
			middle, end := start+len(name), ends[len(list)]
			list = append(list, member{text[start:middle], text[middle:end]})
			start = end
		}
	}
	return list
}

// canonical returns the canonical text of a JSON value inside a record.
func canonical(data []byte) (string, error) {
	s := jsontext.Rewrite(data, jsontext.MaxDepth-1)
	if !s.Whole() {
		return "", (*SyntaxError)(s.Syntax)
	}
	return string(s.AppendCanonical(nil)), s.Fault
}

// memberText returns the canonical text of a member of a record.
func memberText(name string, value any) (string, error) {
	if !utf8.ValidString(name) {
		return "", errors.New("the name is not valid UTF-8")
	}
	data, err := encode(value)
	if err != nil {
		return "", err
	}
	return canonical(data)
}

// encode marshals a value without HTML escapes.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// membersOf returns the members of an object. If camel is set, their names are in the form that
// the framework stores and serves: each converted to snake_case and back. Of members with equal
// names, the last value counts, at the place of the first.
func membersOf(object string, camel bool) (list []member) {
	places := map[string]int{}
	for name, value := range jsontext.Members(object) {
		if camel {
			name = ordering.Camel(ordering.Snake(name))
		}
		if i, found := places[name]; found {
			list[i].value = value
			continue
		}
		places[name] = len(list)
		list = append(list, member{name, value})
	}
	return list
}

// appendMember appends a member to the text of an object that has an opening brace.
func appendMember(object []byte, name, value string) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	return append(append(jsontext.AppendString(object, name), ':'), value...)
}

// An Identity is what identifies a record of a collection: its integer id, or its key, which is a text
// or the digits of a number.
// Identities can be compared with ==. The zero Identity identifies no record.
type Identity struct {
	ID  int    // at least 1, or 0 if the record has a key
	Key string // not empty, or "" if the record has an id
}

// String returns the digits of an id or a key in quotes, as in Go.
func (i Identity) String() string {
	if i.Key != "" {
		return strconv.Quote(i.Key)
	}
	return strconv.Itoa(i.ID)
}

// MarshalJSON returns the JSON of an id as records have it, of a key as text, or null for the zero Identity.
// The error is always nil.
func (i Identity) MarshalJSON() ([]byte, error) {
	switch {
	case i.Key != "":
		return jsontext.AppendString(nil, i.Key), nil
	case i.ID != 0:
		return strconv.AppendInt(nil, int64(i.ID), 10), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON parses an id, a key or null, which becomes the zero Identity. If data is neither a
// positive integer that fits in an int nor text that is not empty, the error wraps [ErrInvalid],
// and the identity is unchanged.
func (i *Identity) UnmarshalJSON(data []byte) error {
	var read Identity
	text := strings.Trim(string(data), jsontext.Space)
	if text != "null" && (json.Unmarshal(data, &read.Key) != nil || read.Key == "") {
		var err error
		if read.ID, err = strconv.Atoi(text); err != nil || read.ID < 1 {
			return fmt.Errorf("%w identity: want a positive integer or a text that is not empty, got %s", ErrInvalid, excerpt(text))
		}
	}
	*i = read
	return nil
}

// isInteger reports whether text is ASCII digits with an optional sign. Package strconv
// reports that a number is out of range before it has read all of the text.
func isInteger(text string) bool {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// isCanonical reports whether a text is an integer as JSON has it, and not -0.
func isCanonical(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return text == "0" || isInteger(digits) && digits[0] > '0' // a sign is less
}
