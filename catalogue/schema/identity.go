package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

// An Identity is what identifies a record of a collection: its integer id, or its key, a text.
// Identities can be compared with == and are keys of maps. The zero Identity identifies no record.
type Identity struct {
	ID  int    // at least 1, or 0 if the record has a key
	Key string // not empty, or "" if the record has an id
}

// String returns the digits of an id or a key in quotes, as in Go. O(len).
func (i Identity) String() string {
	if i.Key != "" {
		return strconv.Quote(i.Key)
	}
	return strconv.Itoa(i.ID)
}

// MarshalJSON returns the JSON of an id or a key as records have it, or null for the zero
// Identity. The error is always nil. O(len).
func (i Identity) MarshalJSON() ([]byte, error) {
	switch {
	case i.Key != "":
		return jsontext.AppendString(nil, i.Key), nil
	case i.ID != 0:
		return strconv.AppendInt(nil, int64(i.ID), 10), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON parses the JSON of the id or the key of a record. Null becomes the zero Identity.
// The error wraps [ErrInvalid] if the JSON is another value than a positive integer that fits in
// an int or a text that is not empty; the identity is unchanged then. O(len).
func (i *Identity) UnmarshalJSON(data []byte) error {
	var read Identity
	var err error
	switch text := strings.Trim(string(data), jsontext.Space); {
	case text == "null":
	case len(text) > 0 && text[0] == '"':
		if err = json.Unmarshal(data, &read.Key); err == nil && read.Key == "" {
			err = fmt.Errorf("the key is empty")
		}
	default:
		if read.ID, err = strconv.Atoi(text); err != nil || read.ID < 1 {
			err = fmt.Errorf("want a positive integer or a text, got %s", excerpt(text))
		}
	}
	if err != nil {
		return fmt.Errorf("%w identity: %w", ErrInvalid, err)
	}
	*i = read
	return nil
}

// LookupText returns the value of the Lookup field for a path segment: the segment or, for a UUID,
// its canonical form. It returns "" if no record can have it. O(len).
func (d Description) LookupText(segment string) string {
	if f, _ := d.snakeField(d.Lookup); f.Kind != UUID {
		return segment
	}
	digits := uuidDigits(segment)
	if digits == "" {
		return ""
	}
	return formatUUID(digits)
}

// ParseID returns the id that a segment of a path holds, or 0, which is not the id of a
// record. White space around the number is ignored. As in Python's int(), U+001C to U+001F
// are not white space. O(len).
func ParseID(segment string) int {
	id, err := strconv.Atoi(strings.TrimSpace(segment))
	if err != nil || id < 0 {
		return 0
	}
	return id
}
