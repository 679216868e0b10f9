package resources

import (
	"fmt"
	"strconv"
)

// ParseRecord reads a JSON object. Its member id, if present, must be an integer
// of 1 or more. The error is a [*SyntaxError] if the text is not JSON in UTF-8, or
// nested deeper than 200. Otherwise it is about the first thing that a record
// cannot hold: a name that comes twice in an object, half a surrogate pair, or
// another id. It then matches [ErrInvalid], as all errors do, and names the member.
// The record does not share memory with data. O(len), in one pass and about three
// allocations, whatever the number of members.
func ParseRecord(data []byte) (Record, error) {
	s := scanner{data: data, limit: maxDepth}
	r, err := s.record()
	if s.syntax != nil {
		return Record{}, s.syntax
	}
	if err != nil {
		return Record{}, err
	}
	return r, nil
}

// record reads a text that is a record. The error is the first one that is not of
// syntax. All texts of a record are cut from one string, so that it costs one
// allocation, not two a member.
func (s *scanner) record() (r Record, err error) {
	if s.next() != '{' {
		s.whole()
		return r, fmt.Errorf("%w record: want an object, got %s", ErrInvalid, excerpt(trimSpace(string(s.data))))
	}
	var (
		textRoom [512]byte
		nameRoom [32][]byte
		endRoom  [32]int
		text     = textRoom[:0] // the names and values of all members but the id
		names    = nameRoom[:0]
		ends     = endRoom[:0] // of the members in text
	)
	if len(s.data) > len(textRoom) {
		text = make([]byte, 0, len(s.data))
	}
	for more := s.open('}'); more; more = s.another('}', "after a member") {
		name, ok := s.name()
		if !ok {
			return r, nil
		}
		names = append(names, name)
		if s.fault != nil && err == nil {
			err = fmt.Errorf("%w record: member name %q: %w", ErrInvalid, name, s.fault)
		}
		s.next()
		s.skip()
		start := s.at
		if !s.value() {
			return r, nil
		}
		if s.fault != nil && err == nil {
			err = &MemberError{string(name), s.fault}
		}
		if string(name) != "id" {
			text = s.appendCanonical(append(text, name...))
			ends = append(ends, len(text))
			continue
		}
		r.idAt = len(ends)
		id, wrong := parseID(s.data[start:s.at])
		if wrong != nil && err == nil {
			err = wrong
		}
		r.ID = id
	}
	if name, found := repeated(names); found && err == nil {
		err = &MemberError{string(name), errRepeated}
	}
	if s.syntax == nil && s.end() && err == nil {
		r.members = cut(string(text), names, ends)
	}
	return r, err
}

// parseID reads the value of the member id.
func parseID(value []byte) (int, error) {
	id, err := strconv.Atoi(string(value))
	if err != nil || id < 1 {
		return 0, &MemberError{"id", fmt.Errorf("want an integer from 1 on, got %s", excerpt(string(value)))}
	}
	return id, nil
}

// cut takes a text apart into members: each is its name, unless that is id, and
// up to its end its value.
func cut(text string, names [][]byte, ends []int) []member {
	list := make([]member, 0, len(ends))
	start := 0
	for _, name := range names {
		if string(name) != "id" {
			middle, end := start+len(name), ends[len(list)]
			list = append(list, member{text[start:middle], text[middle:end]})
			start = end
		}
	}
	return list
}
