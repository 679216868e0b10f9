package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// A reloader finds out whether a record can be loaded from its own JSON. What
// methods write is parsed and, if they read it too, decoded. Of other values, only
// those in interfaces, raw JSON, and types that contain themselves need a look:
// their JSON can be nested too deep.
type reloader[T any] struct {
	schema        *schema[T]
	fields        *ordering.Fields[T]
	parse, decode bool
}

// check returns an error if the record could not be loaded.
func (l *reloader[T]) check(record *T) error {
	s, copied := l.schema, *record
	if s.id(record) == 0 {
		s.setID(&copied, 1) // an id is not assigned yet
	}
	var read T
	text, err := s.encode(&copied)
	if err == nil {
		read, err = l.load(text, s.required)
	}
	if err != nil {
		return l.blame(&copied, err)
	}
	if l.decode && s.id(&read) != s.id(&copied) {
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (l *reloader[T]) load(text []byte, required []string) (record T, err error) {
	if !l.parse {
		return record, resources.CheckDepth(text, maxLevels)
	}
	if _, err = resources.ParseRecord(text); err == nil && l.decode {
		record, err = l.schema.decode(text, required)
	}
	return record, err
}

// blame returns an error for the first field that by itself cannot be written
// and loaded. If all can, it returns err.
func (l *reloader[T]) blame(record *T, err error) error {
	for _, name := range l.fields.Names() {
		f, _ := l.fields.Lookup(name)
		v, nilPointer := reflect.ValueOf(record).Elem().FieldByIndexErr(f.Index)
		if nilPointer != nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{f.Wire: v.Addr().Interface()})
		if bad == nil {
			_, bad = l.load(text, nil)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", f.Wire, bad)
		}
	}
	return err
}
