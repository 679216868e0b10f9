package catalogue

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// step is what is to be done with one field of a struct.
type step struct {
	i    int
	name string
	*plan
}

func (p planner) structure(t reflect.Type, pl *plan) error {
	var copies, checks []step
	for i := range t.NumField() {
		f := t.Field(i)
		field, err := p.field(f)
		if err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
		if field == nil {
			continue
		}
		pl.open = pl.open || field.open
		if field.copy != nil {
			copies = append(copies, step{i, f.Name, field})
		}
		if field.check != nil && f.Tag.Get("json") != "-" {
			checks = append(checks, step{i, f.Name, field})
		}
	}
	if len(copies) > 0 {
		pl.copy = func(v reflect.Value) {
			for _, s := range copies {
				s.copy(v.Field(s.i))
			}
		}
	}
	if len(checks) > 0 {
		pl.check = func(v reflect.Value, depth int) error {
			for _, s := range checks {
				if err := s.check(v.Field(s.i), depth); err != nil {
					return fmt.Errorf("field %s: %w", s.name, err)
				}
			}
			return nil
		}
	}
	return nil
}

// field gives the plan of a struct's field, nil for one that is neither copied
// nor checked.
func (p planner) field(f reflect.StructField) (*plan, error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	pl, err := p.of(f.Type)
	switch {
	case err != nil:
		return nil, err
	case strings.Contains(","+options+",", ",string,"):
		return nil, errors.New("the option string of a json tag is not supported")
	case name == "-" && options == "" && pl.open:
		return nil, errors.New("it is not in the JSON and can hold anything: give the record a method Clone")
	case f.IsExported():
		return pl, nil
	case f.Anonymous && (f.Type.Kind() != reflect.Struct || hasClone(f.Type) || marshals(f.Type)):
		return nil, fmt.Errorf("embed an exported type, %v cannot be copied from outside", f.Type)
	case f.Anonymous:
		return pl, nil
	case pl.copy != nil:
		return nil, fmt.Errorf("%v cannot be copied from outside; give the type a method Clone", f.Type)
	}
	return nil, nil
}
