package browse

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

var errNotObject = errors.New("browse: not a JSON object")

// readMembers returns the members of a JSON object in order.
func readMembers(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, errNotObject
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // names are strings
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	_, err := decoder.Token() // closing brace
	return members, err
}

// readText returns the value of a JSON string. It returns false for other values.
func readText(value json.RawMessage) (text string, ok bool) {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return "", false
	}
	if plain := value[1 : len(value)-1]; !bytes.ContainsAny(plain, `\"`) && utf8.Valid(plain) {
		return string(plain), true // most strings
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}
