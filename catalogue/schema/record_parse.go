package schema

import (
	"fmt"
	"strconv"
)

// ParseRecord parses a JSON object. Its member id, if present, must be a positive
// integer. The record does not share memory with data.
//
// All errors match [ErrInvalid]. The error is a [*SyntaxError] if the text is not JSON
// in UTF-8, or is nested more than 200 levels deep. Otherwise the text is not an object,
// or the error names a member that is invalid: its name or a name inside it is repeated,
// it contains an unpaired surrogate, or it is the id and not a positive integer.
//
// O(len), in one pass and with about three allocations.
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

// record reads a record. The error is the first one that is not a syntax error. The
// texts of all members are parts of one string, which takes one allocation instead of
// two for each member.
func (s *scanner) record() (r Record, err error) {
	if s.next() != '{' {
		s.whole()
		return r, fmt.Errorf("%w record: want an object, got %s", ErrInvalid, excerpt(trimSpace(string(s.data))))
	}
	var (
		textRoom [512]byte
		nameRoom [32][]byte
		endRoom  [32]int
		text     = textRoom[:0] // names and values of all members except the id
		names    = nameRoom[:0]
		ends     = endRoom[:0] // ends of the members in text
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
