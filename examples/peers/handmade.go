package main

import (
	"bytes"
	"encoding/json"

	"github.com/gobacklist/backlist/resources"
)

// handmade is the envelope for encoding/json.
type handmade struct {
	Count    int              `json:"count"`
	Next     *json.RawMessage `json:"next"`
	Previous *json.RawMessage `json:"previous"`
	Results  []wireEvent      `json:"results"`
}

// wireEvent is an event without the method that would encode it twice.
type wireEvent resources.Event

// marshal writes JSON with <, > and & as they are and no newline at the end.
func marshal(page handmade) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(page)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
