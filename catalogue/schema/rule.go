package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
)

// A validator is a record, or the value of a field, that has a rule.
type validator interface {
	Validate(ctx context.Context) error
}

// judge returns the error of a field for the error of its rule.
func (f Field) judge(err error, checks *checker) FieldError {
	errs := checks.judge(err)
	if f.Kind != Object && len(errs) == 1 && errs[0].Field == nonField {
		return FieldError{Messages: errs[0].Messages}
	}
	return FieldError{Fields: errs}
}

// judge returns the errors of a record for the error of a rule: those that it wraps, or its text.
// The error of the context is not one of the record.
func (c *checker) judge(err error) FieldErrors {
	if canceled := c.ctx.Err(); canceled != nil && errors.Is(err, canceled) {
		c.err = err
	}
	var errs FieldErrors
	if errors.As(err, &errs) {
		return errs
	}
	return wholeError(err.Error())
}

// fieldRule returns the rule of a field whose values are of a type with a method Validate, or nil.
// The method may have a pointer receiver.
func fieldRule(t reflect.Type) func(ctx context.Context, value string) (string, error) {
	if !implements[validator](t) {
		return nil
	}
	return func(ctx context.Context, value string) (string, error) { return validated(ctx, t, value) }
}

// recordRule returns the rule of records of a type with a method Validate, or nil. Of the record,
// only members that the method changes are written back, so that numbers keep their digits.
func recordRule(t reflect.Type) func(ctx context.Context, r *Record) error {
	if !implements[validator](t) {
		return nil
	}
	return func(ctx context.Context, r *Record) error {
		before := r.String()
		after, err := validated(ctx, t, before)
		if err != nil || after == before {
			return err
		}
		changed, err := ParseRecord([]byte(after))
		if err != nil {
			return err
		}
		r.members = append([]member(nil), r.members...)
		for _, m := range changed.members {
			r.set(m.name, m.value)
		}
		return nil
	}
}

// validated calls the method Validate of a value of a type and returns the JSON of the value after
// it. If the method has not changed the value, the text is the same. A text that the type cannot
// hold is not validated: whoever decodes it reports that.
func validated(ctx context.Context, t reflect.Type, text string) (string, error) {
	p := reflect.New(t)
	if json.Unmarshal([]byte(text), p.Interface()) != nil {
		return text, nil
	}
	before, err := encode(p.Interface())
	if err != nil {
		return "", err
	}
	if err := p.Interface().(validator).Validate(ctx); err != nil {
		return "", err
	}
	after, err := encode(p.Interface())
	if err != nil || bytes.Equal(before, after) {
		return text, err
	}
	return string(after), nil
}
