package browse

import (
	"bytes"
	"encoding/json"
	"errors"
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
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}
