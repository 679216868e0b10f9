package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// members are the JSON values of an object by name.
type members map[string]json.RawMessage

// decode returns the members of an object. It panics if the text is not an object, which
// the check reports.
func decode(object []byte) members {
	var m members
	if err := json.Unmarshal(object, &m); err != nil {
		panic(fmt.Sprintf("%s: %v", object, err))
	}
	return m
}

func encode(m members) []byte {
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // the values are valid JSON
	}
	return body
}

// sent returns the members of the Body by the names of their fields. Others are omitted.
func (s *subject) sent() members {
	if s.impl.Body == "" {
		return members{}
	}
	body, sent := decode([]byte(s.impl.Body)), members{}
	for name, value := range body {
		for _, f := range s.impl.fields() {
			if ordering.Snake(name) == ordering.Snake(f.Name) {
				sent[f.Name] = value
			}
		}
	}
	return sent
}

// body returns the Body with other values in unique fields for each n. For 0 it is the
// Body itself.
func (s *subject) body(n int) []byte {
	if n == 0 {
		return []byte(s.impl.Body)
	}
	body := s.sent()
	for _, f := range s.impl.fields() {
		if f.Unique && !f.ReadOnly && f.Kind != schema.Reference {
			body[f.Name] = json.RawMessage(numbered(f, unused+n))
		}
	}
	return encode(body)
}

// without returns the Body without a field.
func (s *subject) without(name string) []byte {
	body := s.sent()
	delete(body, name)
	return encode(body)
}

// unused is a number that no record has as its id, nor a value for it in a unique field.
const unused = 900

// another returns a value of a field other than that of existing records. ok is false if
// there may be none.
func (s *subject) another(f schema.Field) (value json.RawMessage, ok bool) {
	switch {
	case f.Kind == schema.Reference || f.Kind == schema.References:
		value = s.sent()[f.Name]
	case f.Unique:
		value = json.RawMessage(numbered(f, unused))
	default:
		value = json.RawMessage(numbered(f, 1))
	}
	return value, value != nil && !equal(f, value, json.RawMessage(filler(f, 0)))
}

// equal reports whether two values of a field are equal. Absent ones are not.
func equal(f schema.Field, a, b json.RawMessage) bool {
	if a == nil || b == nil {
		return false
	}
	return compare(parse(f.Kind, string(a)), parse(f.Kind, string(b))) == 0
}
