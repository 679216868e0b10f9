package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

// A validator is a record, or the value of a field, that has a rule.
type validator interface {
	Validate(ctx context.Context) error
}

// isValidator reports whether a type has a rule. It is an error if the type declares a method
// Validate with another signature, which would never be called.
func isValidator(t reflect.Type) (bool, error) {
	if jsontext.Implements[validator](t) {
		return true, nil
	}
	if !hasValidate(t) || isPromoted(t) {
		return false, nil
	}
	return false, fmt.Errorf("%v: the method Validate must be Validate(context.Context) error", t)
}

// hasValidate reports whether a type or a pointer to it has a method Validate, with any signature.
// The name is constant: with another, the linker would keep every exported method of a program.
func hasValidate(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("Validate")
	return ok
}

// isPromoted reports whether an embedded field of a struct has a method Validate, which is promoted
// to the struct unless the struct declares one.
func isPromoted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && hasValidate(elem(f.Type)) {
			return true
		}
	}
	return false
}

// fieldRule returns the rule of a field whose values are of a type with a method Validate, or nil.
// The method may have a pointer receiver.
func fieldRule(t reflect.Type) (func(ctx context.Context, value string) (string, error), error) {
	if ok, err := isValidator(t); !ok {
		return nil, err
	}
	return func(ctx context.Context, value string) (string, error) {
		before, after, err := validated(ctx, t, value)
		if err != nil || bytes.Equal(before, after) {
			return value, err
		}
		return string(after), nil
	}, nil
}

// recordRule returns the rule of records of a type with a method Validate, or nil. Of the record,
// only members that the method changes are written back, so that numbers keep their digits.
func recordRule(t reflect.Type) (func(ctx context.Context, r *Record) error, error) {
	if ok, err := isValidator(t); !ok {
		return nil, err
	}
	return func(ctx context.Context, r *Record) error {
		before, after, err := validated(ctx, t, r.String())
		if err != nil || bytes.Equal(before, after) {
			return err
		}
		old, changed := membersOf(string(before), false), membersOf(string(after), false)
		r.members = slices.Clone(r.members)
		for _, m := range old {
			if !slices.ContainsFunc(changed, func(c member) bool { return c.name == m.name }) { // it is omitted now
				*r = r.Without(m.name)
			}
		}
		for _, m := range changed {
			if m.name == "id" && m.value[0] != '"' || slices.Contains(old, m) {
				continue
			}
			text, err := canonical([]byte(m.value))
			if err != nil {
				return err
			}
			r.set(m.name, text)
		}
		return nil
	}, nil
}

// validated calls the method Validate of a value of a type and returns the JSON of the value before
// and after it. A text that the type cannot hold is not validated: whoever decodes it reports that.
func validated(ctx context.Context, t reflect.Type, text string) (before, after []byte, err error) {
	p := reflect.New(t)
	if json.Unmarshal([]byte(text), p.Interface()) != nil {
		return nil, nil, nil
	}
	if before, err = encode(p.Interface()); err != nil {
		return nil, nil, err
	}
	if err := p.Interface().(validator).Validate(ctx); err != nil {
		return nil, nil, err
	}
	after, err = encode(p.Interface())
	return before, after, err
}
