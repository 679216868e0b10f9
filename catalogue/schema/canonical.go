package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// canonical returns the canonical text of a JSON value inside a record: without white
// space, with strings escaped as the service does, and with numbers unchanged.
func canonical(data []byte) ([]byte, error) {
	s := scanner{data: data, limit: maxDepth - 1}
	if !s.whole() {
		return nil, s.syntax
	}
	return s.appendCanonical(make([]byte, 0, len(data))), s.fault
}

// memberText returns the canonical text of a member of a record.
func memberText(name string, value any) (string, error) {
	if name == "id" {
		return "", errors.New("set the field ID instead")
	}
	if !utf8.ValidString(name) {
		return "", errors.New("the name is not valid UTF-8")
	}
	data, err := encode(value)
	if err != nil {
		return "", err
	}
	text, err := canonical(data)
	return string(text), err
}

// encode is json.Marshal without HTML escapes.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
