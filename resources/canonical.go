package resources

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

var errHalfPair = errors.New("half a surrogate pair")

// canonical is the canonical text of a JSON value that stands in a record: no
// white space, strings escaped as the service does, numbers as they are.
func canonical(data []byte) ([]byte, error) {
	if serr := checkSyntax(data, maxDepth-1); serr != nil {
		return nil, serr
	}
	return appendCanonical(make([]byte, 0, len(data)), trimSpace(string(data)))
}

// appendCanonical appends the canonical form of a value that is valid JSON.
// Half a surrogate pair, and a name that comes twice in an object, are errors.
func appendCanonical(dst []byte, text string) ([]byte, error) {
	c := canon{text: text, dst: dst}
	err := c.value()
	return c.dst, err
}

// canon rewrites text from its front into dst.
type canon struct {
	text string
	at   int
	dst  []byte
}

// value rewrites the value that comes next.
func (c *canon) value() error {
	c.at = skipSpace(c.text, c.at)
	switch c.text[c.at] {
	case '{':
		return c.object()
	case '[':
		return c.list()
	case '"':
		_, err := c.quoted()
		return err
	}
	end := valueEnd(c.text, c.at)
	c.dst = append(c.dst, c.text[c.at:end]...)
	c.at = end
	return nil
}

// object rewrites an object.
func (c *canon) object() error {
	var names []string
	for c.punctuation(); !c.closes('}'); {
		name, err := c.quoted()
		if err != nil {
			return err
		}
		names = append(names, name)
		c.punctuation() // colon
		if err := c.value(); err != nil {
			return err
		}
	}
	if name, found := repeated(names); found {
		return fmt.Errorf("name %q comes twice in an object", name)
	}
	return nil
}

// list rewrites a list.
func (c *canon) list() error {
	for c.punctuation(); !c.closes(']'); {
		if err := c.value(); err != nil {
			return err
		}
	}
	return nil
}

// punctuation copies the character that comes next, a bracket, comma or colon.
func (c *canon) punctuation() {
	c.at = skipSpace(c.text, c.at)
	c.dst = append(c.dst, c.text[c.at])
	c.at = skipSpace(c.text, c.at+1)
}

// closes copies the closing bracket, or a comma before the next value.
func (c *canon) closes(bracket byte) bool {
	c.at = skipSpace(c.text, c.at)
	switch c.text[c.at] {
	case bracket:
		c.dst = append(c.dst, bracket)
		c.at++
		return true
	case ',':
		c.punctuation()
	}
	return false
}

// quoted rewrites a string and gives what it says.
func (c *canon) quoted() (string, error) {
	end := stringEnd(c.text, c.at)
	quoted := c.text[c.at:end]
	c.at = end
	if !strings.ContainsAny(quoted, "\\\u2028\u2029") {
		c.dst = append(c.dst, quoted...)
		return quoted[1 : len(quoted)-1], nil
	}
	text := unquote(quoted)
	if _, found := firstSurrogate(text); found {
		return "", errHalfPair
	}
	c.dst = appendQuoted(c.dst, text)
	return text, nil
}

// memberText is the canonical text of a member of a record.
func memberText(name string, value any) (string, error) {
	if name == "id" {
		return "", errors.New("set the field ID instead")
	}
	if !utf8.ValidString(name) {
		return "", errors.New("the name is not UTF-8")
	}
	data, err := encode(value)
	if err != nil {
		return "", err
	}
	text, err := canonical(data)
	return string(text), err
}

// encode is json.Marshal without its escapes for HTML.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
