package cataloguetest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// An envelope is the body of a page with the positions of its members, so that a
// fault can change a member and no other byte.
type envelope struct {
	body                           []byte
	count, next, previous, results span
	rows                           []span // of results
}

// A span is the part of a body from start up to but not including end.
type span struct{ start, end int }

func (s span) of(body []byte) []byte { return body[s.start:s.end] }

// parseEnvelope finds the members of a page. It reports false if the body is not a
// page.
func parseEnvelope(body []byte) (e envelope, ok bool) {
	e.body = body
	found := 0
	dec := json.NewDecoder(bytes.NewReader(body))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return e, false
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return e, false
		}
		value, ok := nextValue(dec, body, 0)
		if !ok {
			return e, false
		}
		if member := e.member(name); member != nil {
			*member = value
			found++
		}
	}
	if _, err := dec.Token(); err != nil || found != 4 {
		return e, false
	}
	e.rows, ok = elements(body, e.results)
	return e, ok
}

// member returns the field for a member's span, or nil if a page has no such member.
func (e *envelope) member(name json.Token) *span {
	switch name {
	case "count":
		return &e.count
	case "next":
		return &e.next
	case "previous":
		return &e.previous
	case "results":
		return &e.results
	}
	return nil
}

// elements returns the spans of an array's elements.
func elements(body []byte, array span) (rows []span, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(array.of(body)))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return nil, false
	}
	for dec.More() {
		row, ok := nextValue(dec, body, array.start)
		if !ok {
			return nil, false
		}
		rows = append(rows, row)
	}
	return rows, true
}

// nextValue decodes a value and returns its span. The decoder reads the body from
// offset from.
func nextValue(dec *json.Decoder, body []byte, from int) (span, bool) {
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return span{}, false
	}
	end := from + int(dec.InputOffset())
	return span{end - len(value), end}, true
}

// replaced returns the body with a span replaced.
func (e *envelope) replaced(s span, with string) []byte {
	return slices.Concat(e.body[:s.start], []byte(with), e.body[s.end:])
}

// link decodes a link. It returns "" for null and for other values.
func (e *envelope) link(s span) string {
	var link string
	_ = json.Unmarshal(s.of(e.body), &link)
	return link
}

// anyLink returns a link to another page of the list, or "" if there is none.
func (e *envelope) anyLink() string {
	if next := e.link(e.next); next != "" {
		return next
	}
	return e.link(e.previous)
}

// quote returns text as a JSON string, like the service without escaping '&'.
func quote(text string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // strings can always be encoded
	return strings.TrimSuffix(out.String(), "\n")
}
