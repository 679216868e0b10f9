package cataloguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// part is a JSON value in a text: where it stands, and its name if it is a member
// of an object, with the place of that.
type part struct {
	name   string
	nameAt int
	text   []byte
	at     int
}

// objectParts takes apart an object that is valid JSON; listParts does a list.
// Both give nothing for any other value. base is where the text stands.
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

// member finds the first part of a name.
func member(parts []part, name string) (part, bool) {
	i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
	if i < 0 {
		return part{}, false
	}
	return parts[i], true
}

// place says where a byte of a text stands, as compilers do: line and column,
// both from 1, the column in bytes.
func place(text []byte, at int) string {
	before := text[:min(max(at, 0), len(text))]
	return fmt.Sprintf("%d:%d", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'))
}

// syntaxFault says what keeps a text from being one JSON value, and where; nil if
// nothing does.
func syntaxFault(text []byte) (at int, err error) {
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
