package schema

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// Checks are callbacks of Validate and ValidateUpdate that look up stored records. They are
// called before the method returns and not afterwards, with its context. After an error of
// one, none is called, and the method returns that error.
type Checks struct {
	// Find returns the id of the record of a collection that has a text in a field, whose name is in
	// snake_case, or 0 if none exists. The field is unique text, or id, of which the text is the
	// digits, of a number that is at least 1. stored is the text that the record has, which the
	// reference gets: the case can differ if the field is Fold. If that is empty, the reference has
	// the text that was sent. Find is called once for each text. If it is nil, no record exists.
	Find func(ctx context.Context, collection, field, text string) (id int, stored string, err error)

	// Taken reports whether another record than the written one has the values of a unique
	// field, or of fields that are unique together. The fields are their JSON names, and the
	// values are JSON other than null. If nil, no value is taken.
	Taken func(ctx context.Context, fields, values []string) (bool, error)

	// Now returns the time for fields that are Created. If nil, it is [time.Now].
	Now func() time.Time

	// Assigned has the values of fields that the server determines, under their names in
	// JSON. They replace what was sent, are validated as if they had been sent, and may be of
	// read-only and Created fields. A name that is not that of a field, or is that of the id, is
	// an error matching [ErrInvalid].
	Assigned Record
}

// A checker calls Checks for one value of a caller.
type checker struct {
	Checks
	ctx     context.Context
	name    string // of a record
	related map[string]*Description
	snake   bool // names in JSON are in snake_case
	partial bool // of a PATCH: what objects lack is reported if nothing else is wrong
	depth   int  // of objects, lists and maps around the value
	wrong   int  // bytes of the errors of elements
	filled  int  // bytes of the defaults of members of objects
	room    int  // for these
	program int  // instructions of regular expressions
	as      Framework
	stored  bool                // the values are those of a stored record
	known   map[reference]found // what Find has returned: a list may repeat a text many times
	visible visible
	err     error // of a callback
}

// maxDefaults is the number of bytes that the defaults of what elements of lists and maps lack may
// add to a record, if the body is not larger.
const maxDefaults = 1 << 20

func (d Description) checker(ctx context.Context, checks Checks) *checker {
	c := &checker{Checks: checks, ctx: ctx, name: d.Name, related: d.Related, snake: d.SnakeCase(), as: frameworkOf(ctx), room: maxDefaults}
	c.visible, _ = ctx.Value(visibleKey{}).(visible)
	return c
}

// visible is the function of [WithVisible].
type visible = func(ctx context.Context, collection, field, value string) (bool, error)

type visibleKey struct{}

// WithVisible returns a context with which [Description.Validate], ValidateUpdate and Filter find
// only records for which f returns true, as if others did not exist. f is called for a record that
// Find of [Checks] has found, with the key of its collection and the field, in snake_case,
// that has the value: id, or that in By of the reference. Its errors are handled like those of Find. If f is
// nil, all records are found. O(1).
func WithVisible(ctx context.Context, f func(ctx context.Context, collection, field, value string) (bool, error)) context.Context {
	return context.WithValue(ctx, visibleKey{}, f)
}

// sees reports whether a record that was found is visible.
func (c *checker) sees(collection, field, value string) (ok bool) {
	if c.visible == nil || c.err != nil {
		return c.err == nil
	}
	ok, c.err = c.visible(c.ctx, collection, field, value)
	return ok
}

// A reference is to the record of a collection that has a text in a field.
type reference struct{ collection, field, text string }

// found is a record, and the text that it has.
type found struct {
	id     int
	stored string
}

// target returns the field by which a field refers to records, or the zero Field.
func (c *checker) target(f Field) Field {
	d := c.related[f.Refers]
	if d == nil {
		return Field{}
	}
	to, _ := d.snakeField(f.By)
	return to
}

// find returns the id of the record that has a text in the field to which f refers, which is its id
// unless By names another, or 0, and the text that the record has.
func (c *checker) find(f Field, text string) (id int, stored string) {
	to := reference{f.Refers, cmp.Or(f.By, "id"), text}
	if c.Find == nil || c.err != nil {
		return 0, text
	}
	is, ok := c.known[to]
	if !ok {
		is.id, is.stored, c.err = c.Find(c.ctx, to.collection, to.field, text)
		if is.id != 0 && !c.sees(to.collection, to.field, text) {
			is.id = 0
		}
		if c.known == nil {
			c.known = map[reference]found{}
		}
		c.known[to] = is
	}
	return is.id, cmp.Or(is.stored, text)
}

// finds reports whether a record has a text in the field to which f refers.
func (c *checker) finds(f Field, text string) bool {
	id, _ := c.find(f, text)
	return id != 0
}

// taken reports whether another record has the values of some fields.
func (c *checker) taken(fields, values []string) (found bool) {
	if c.Taken != nil && c.err == nil {
		found, c.err = c.Taken(c.ctx, fields, values)
	}
	return found
}

// failure returns the error of a callback, the errors of the fields, or nil.
func (c *checker) failure(errs FieldErrors) error {
	if c.err == nil && errs != nil {
		return errs
	}
	return c.err
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
