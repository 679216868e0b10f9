package browse

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is one name and value of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// errNoObject says that JSON is of another kind.
var errNoObject = errors.New("browse: not a JSON object")

// readMembers takes an object apart, in its order, which a map would lose.
func readMembers(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, errNoObject
	}
	var members []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		m := member{name: name.(string)} // a name is nothing else
		if err := decoder.Decode(&m.value); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	_, err := decoder.Token() // the brace
	return members, err
}

// readText gives the string that JSON holds; other values have none.
func readText(value json.RawMessage) (text string, ok bool) {
	if len(value) == 0 || value[0] != '"' {
		return "", false
	}
	err := json.Unmarshal(value, &text)
	return text, err == nil
}
