package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// orderedObject is a JSON object whose members are read in their order, none of
// them twice.
type orderedObject []objectPart

type objectPart struct {
	key   string
	value json.RawMessage
}

var errNoObject = errors.New("want a JSON object")

// read takes the members of data, which is valid JSON.
func (o *orderedObject) read(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errNoObject
	}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		part := objectPart{key: key.(string)} // valid JSON has nothing else here
		if seen[part.key] {
			return fmt.Errorf("key %q comes twice", part.key)
		}
		seen[part.key] = true
		if err := d.Decode(&part.value); err != nil {
			return err
		}
		*o = append(*o, part)
	}
	return nil
}

// checkSyntax says where data is no JSON, if it is none.
func checkSyntax(data []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, byte %d: %w", line, column, err)
}
