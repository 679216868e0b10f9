package main

import (
	"bytes"
	"encoding/json"

	"github.com/gobacklist/backlist/resources"
)

// jsonEnvelope is the envelope of a page for encoding/json.
type jsonEnvelope struct {
	Count    int               `json:"count"`
	Next     *json.RawMessage  `json:"next"`
	Previous *json.RawMessage  `json:"previous"`
	Results  []resources.Event `json:"results"`
}

// marshal returns JSON in which <, > and & are not escaped.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
