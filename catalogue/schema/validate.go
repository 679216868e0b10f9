package schema

import (
	"context"
	"slices"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// Checks are callbacks of Validate and ValidateUpdate that look up stored records. They are
// called before the method returns and not afterwards, with its context. After an error of
// one, none is called, and the method returns that error.
type Checks struct {
	// Exists reports whether a collection has a record with an id, which is at least 1.
	// It is called once for each record. If nil, no record exists.
	Exists func(ctx context.Context, collection string, id int) (bool, error)

	// Taken reports whether another record than the written one has a value of a unique
	// field. The field is its JSON name, and the value is JSON. If nil, no value is taken.
	Taken func(ctx context.Context, field, value string) (bool, error)

	// Now returns the time for fields that are Created. If nil, it is [time.Now].
	Now func() time.Time
}

// A checker calls Checks for one value of a caller.
type checker struct {
	Checks
	ctx   context.Context
	known map[reference]bool // what Exists has returned: a list may repeat an id many times
	err   error              // of a callback
}

// A reference is an id of a collection.
type reference struct {
	collection string
	id         int
}

// exists reports whether a collection has a record.
func (c *checker) exists(collection string, id int) bool {
	if c.Exists == nil || c.err != nil {
		return false
	}
	to := reference{collection, id}
	found, ok := c.known[to]
	if ok {
		return found
	}
	if found, c.err = c.Exists(c.ctx, collection, id); c.known == nil {
		c.known = map[reference]bool{}
	}
	c.known[to] = found
	return found
}

// taken reports whether another record has a value of a unique field.
func (c *checker) taken(f Field, value string) (found bool) {
	if f.Unique && value != "" && value != "null" && c.Taken != nil && c.err == nil {
		found, c.err = c.Taken(c.ctx, f.Name, value)
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

// created returns the JSON of the current time.
func (c *checker) created() string {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	return `"` + string(At(now().UTC()).appendWire(nil)) + `"`
}

// Validate converts a posted JSON object to a record without an id. The record has all fields
// that can be written, in wire order and with normalized values. Absent fields have their
// default, or are omitted if they have none. The same holds for read-only fields, but Created
// fields have the current time in UTC. After setting its id, the record can be decoded into
// the struct of the collection. If the collection has no fields, the record is empty.
// Validate does not check whether Create is one of the actions.
//
// An empty body counts as {}. Names may be in camelCase or snake_case. If a field is
// repeated, the last value counts. Unknown and read-only members are ignored.
//
// Validate rejects what Django REST framework 3.14 rejects, with the same messages,
// except as noted in the package documentation. The error is a [*SyntaxError] if the
// body is not JSON, the error of a callback of checks, or [FieldErrors]; the first and the
// last match [ErrInvalid]. O(len of body), without the calls of checks.
func (d Description) Validate(ctx context.Context, body []byte, checks Checks) (Record, error) {
	values, err := d.sent(body)
	if err != nil {
		return Record{}, err
	}
	var record Record
	var errs FieldErrors
	check := &checker{Checks: checks, ctx: ctx}
	for i, f := range d.Fields {
		var text string
		var messages []string
		switch {
		case f.Name == "id":
			record.idAt = len(record.members)
		case f.Created:
			text = check.created()
		case f.ReadOnly:
			text = f.Default
		default:
			text, messages = d.clean(f, values[i], check)
		}
		if messages != nil {
			errs = append(errs, FieldError{f.Name, messages})
		} else if text != "" {
			record.members = append(record.members, member{f.Name, text})
		}
	}
	if err := check.failure(errs); err != nil {
		return Record{}, err
	}
	return record, nil
}

// ValidateUpdate converts the JSON object of a PUT or, if partial is set, of a PATCH to
// the record that replaces current. A field that is absent from the object keeps its
// value; it is an error if the field is required and partial is not set. The id, fields
// that are read-only, and members of current that the description does not know are kept
// too. All members keep their place; new ones are appended. ValidateUpdate does not
// check whether Update or PartialUpdate is one of the actions.
//
// Values are checked by the same rules as in a post, with the same messages. The error is a
// [*SyntaxError] if the body is not JSON, the error of a callback of checks, or [FieldErrors];
// the first and the last match [ErrInvalid]. ValidateUpdate does not modify current. If current
// is the zero Record, the result has exactly the fields that were sent and can be written.
// O(len of body + members × fields).
func (d Description) ValidateUpdate(ctx context.Context, current Record, body []byte, partial bool, checks Checks) (Record, error) {
	values, err := d.sent(body)
	if err != nil {
		return Record{}, err
	}
	record := current
	record.members = slices.Clone(current.members)
	var errs FieldErrors
	check := &checker{Checks: checks, ctx: ctx}
	for i, f := range d.Fields {
		kept := values[i] == "" && (partial || !f.Required)
		if kept || f.ReadOnly || f.Created || f.Name == "id" {
			continue
		}
		text, messages := d.clean(f, values[i], check)
		if messages != nil {
			errs = append(errs, FieldError{f.Name, messages})
		} else {
			record.set(f.Name, text)
		}
	}
	if err := check.failure(errs); err != nil {
		return Record{}, err
	}
	record.compact()
	return record, nil
}

// sent returns the JSON of each field in a body, or "" if the field is absent.
func (d Description) sent(body []byte) ([]string, error) {
	values := make([]string, len(d.Fields))
	if len(body) == 0 {
		return values, nil
	}
	var names []string // in snake_case, if a member is not spelled as its field
	s := scanner{data: body, limit: maxDepth}
	if s.next() == '{' {
		for name, value := range s.members() {
			i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name })
			if i < 0 {
				if names == nil {
					names = d.snakeNames()
				}
				i = slices.Index(names, ordering.Snake(name))
			}
			if i >= 0 {
				values[i] = value
			}
		}
		if s.syntax != nil || !s.end() {
			return nil, s.syntax
		}
		return values, nil
	}
	if !s.whole() {
		return nil, s.syntax
	}
	kind := kindOf(trimSpace(string(body)))
	message := "Invalid data. Expected a dictionary, but got " + string(kind) + "."
	if kind == jsonNull {
		message = "No data provided"
	}
	return nil, FieldErrors{{nonField, []string{message}}}
}

// clean calls [Field.clean] and returns an empty text if there are messages. It also
// checks whether the value is unique. The framework checks that first.
func (d Description) clean(f Field, value string, checks *checker) (text string, messages []string) {
	text, messages = f.clean(value, checks)
	if checks.taken(f, text) {
		messages = slices.Insert(messages, 0, d.Name+" with this "+f.Label()+" already exists.")
	}
	if messages != nil {
		return "", messages
	}
	return text, nil
}

// clean returns the JSON to store for a value, or the messages if it is invalid. It
// returns both if the value has the right type but is not in the range of the field.
func (f Field) clean(value string, checks *checker) (text string, messages []string) {
	switch {
	case value == "" && f.Required:
		return "", []string{"This field is required."}
	case value == "" && f.Kind == Reference && f.Default != "" && f.Default != "null":
		value = f.Default // the record may have been deleted
	case value == "":
		return f.Default, nil
	case kindOf(value) == jsonNull:
		return f.cleanNull()
	}
	return f.Kind.row().clean(f, value, checks)
}

// cleanNull returns null, or the message that it is not allowed.
func (f Field) cleanNull() (text string, messages []string) {
	if f.Nullable {
		return "null", nil
	}
	return invalid(isNull)
}
