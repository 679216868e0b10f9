package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A reloader checks that a record can be loaded from its JSON. If methods marshal the
// record or parts of it, the JSON is parsed and, if methods unmarshal it too, decoded.
// Otherwise only its depth is checked, because interfaces, raw JSON and types that contain
// themselves can be nested too deep.
type reloader[T any] struct {
	typ           *recordType[T]
	parse, decode bool
	own           bool // methods of T write or read the whole record
}

// check returns an error if the record cannot be loaded from its JSON.
func (l *reloader[T]) check(record *T) error {
	s, copied := l.typ, *record
	if s.id(record) == 0 {
		s.setID(&copied, 1) // the id is not assigned yet
	}
	var read T
	text, err := s.encode(&copied)
	if err == nil {
		read, err = l.load(text, s.required)
	}
	switch {
	case err != nil && l.own: // only the method knows which member is at fault
		return err
	case err != nil:
		return l.blame(&copied, err)
	}
	if l.decode && s.id(&read) != s.id(&copied) {
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (l *reloader[T]) load(text []byte, required []string) (record T, err error) {
	if !l.parse {
		return record, checkDepth(text, maxLevels)
	}
	if _, err = schema.ParseRecord(text); err == nil && l.decode {
		record, err = l.typ.decode(text, required)
	}
	return record, err
}

// blame returns an error for the first field whose JSON alone cannot be loaded. If there
// is none, it returns err.
func (l *reloader[T]) blame(record *T, err error) error {
	for _, m := range l.typ.members {
		v, nilPointer := reflect.ValueOf(record).Elem().FieldByIndexErr(m.Field.Index)
		if nilPointer != nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{m.Name: v.Addr().Interface()})
		if bad == nil {
			_, bad = l.load(text, nil)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", m.Name, bad)
		}
	}
	return err
}

// checkDepth returns an error if arrays and objects in text, which must be valid JSON, are
// nested more than limit levels deep.
func checkDepth(text []byte, limit int) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted:
			if c == '\\' {
				i++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return fmt.Errorf("arrays and objects are nested more than %d levels deep", limit)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}
