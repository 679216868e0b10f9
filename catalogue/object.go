package catalogue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// orderedObject is a JSON object whose members are read in their order, none of
// them twice.
type orderedObject []objectPart

type objectPart struct {
	key   string
	value json.RawMessage
}

var errNoObject = errors.New("want a JSON object")

func (o *orderedObject) read(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	switch start, err := d.Token(); {
	case err != nil:
		return unexpectedEnd(err)
	case start != json.Delim('{'):
		return errNoObject
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return unexpectedEnd(err)
		}
		part := objectPart{key: key.(string)} // the decoder takes nothing else
		if slices.ContainsFunc(*o, func(p objectPart) bool { return p.key == part.key }) {
			return fmt.Errorf("key %q comes twice", part.key)
		}
		if err := d.Decode(&part.value); err != nil {
			return fmt.Errorf("key %q: %w", part.key, unexpectedEnd(err))
		}
		*o = append(*o, part)
	}
	if _, err := d.Token(); err != nil {
		return unexpectedEnd(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more behind the object")
	}
	return nil
}

func unexpectedEnd(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
