package cataloguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A part is a JSON value with its offset in a text. If it is a member of an object,
// it has a name, which has an offset too.
type part struct {
	name   string
	nameAt int
	text   []byte
	at     int
}

// objectParts returns the members of an object, and listParts the elements of an
// array. Both return nothing for any other value. The text must be valid JSON; base
// is its offset.
func objectParts(text []byte, base int) []part { return partsOf(text, base, '{') }

func listParts(text []byte, base int) []part { return partsOf(text, base, '[') }

func partsOf(text []byte, base int, opening json.Delim) (parts []part) {
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != opening {
		return nil
	}
	for d.More() {
		var p part
		if opening == '{' {
			before := int(d.InputOffset())
			name, err := d.Token()
			if err != nil {
				return parts
			}
			p.name, _ = name.(string)
			p.nameAt = base + before + bytes.IndexByte(text[before:], '"')
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return parts
		}
		p.text = value
		p.at = base + int(d.InputOffset()) - len(value)
		parts = append(parts, p)
	}
	return parts
}

// member returns the first part with the given name.
func member(parts []part, name string) (part, bool) {
	i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
	if i < 0 {
		return part{}, false
	}
	return parts[i], true
}

// position returns the line and column of an offset, as compilers write them. Both
// count from 1; columns are counted in bytes.
func position(text []byte, at int) string {
	before := text[:min(max(at, 0), len(text))]
	return fmt.Sprintf("%d:%d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// syntaxError returns an error and its offset if a text is not one JSON value.
func syntaxError(text []byte) (at int, err error) {
	var value json.RawMessage
	err = json.Unmarshal(text, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return 0, err
	}
	at = int(syntax.Offset) - 1
	if at >= len(text)-1 && syntax.Error() == "unexpected end of JSON input" {
		return len(text), io.ErrUnexpectedEOF
	}
	return at, err
}
