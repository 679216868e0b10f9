package cataloguetest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// envelope is the body of a page, and where in it its members stand, so that a lie
// changes these and no byte else.
type envelope struct {
	body                           []byte
	count, next, previous, results span
	rows                           []span // of results
}

// span is a part of a body: from start up to and without end.
type span struct{ start, end int }

// of is the part.
func (s span) of(body []byte) []byte { return body[s.start:s.end] }

// parseEnvelope finds the members of a page, if that is what a body is.
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

// member is the place for a member's span, nil for one that a page does not have.
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

// elements finds the values of an array.
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

// nextValue reads a value, and says where in the body it stands. The decoder
// reads the body from a place on.
func nextValue(dec *json.Decoder, body []byte, from int) (span, bool) {
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return span{}, false
	}
	end := from + int(dec.InputOffset())
	return span{end - len(value), end}, true
}

// replaced is the body with something else in the place of a part.
func (e *envelope) replaced(s span, with string) []byte {
	return slices.Concat(e.body[:s.start], []byte(with), e.body[s.end:])
}

// link reads a link, "" for null.
func (e *envelope) link(s span) string {
	var link string
	_ = json.Unmarshal(s.of(e.body), &link) // what is no string is no link
	return link
}

// anyLink is the link to some other page of the list, "" if there is none.
func (e *envelope) anyLink() string {
	if next := e.link(e.next); next != "" {
		return next
	}
	return e.link(e.previous)
}

// quote writes text as JSON as the service does: '&' stays.
func quote(text string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string never fails
	return strings.TrimSuffix(out.String(), "\n")
}
