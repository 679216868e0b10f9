package main

import (
	"bytes"
	"encoding/json"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// jsonEnvelope is the envelope of a page for encoding/json.
type jsonEnvelope struct {
	Count    int              `json:"count"`
	Next     *json.RawMessage `json:"next"`
	Previous *json.RawMessage `json:"previous"`
	Results  []wireEvent      `json:"results"`
}

// wireEvent is an event without MarshalJSON, whose result encoding/json would check again.
type wireEvent schema.Event

// marshal returns JSON in which <, > and & are not escaped.
func marshal(page jsonEnvelope) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(page)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
