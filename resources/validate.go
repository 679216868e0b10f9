package resources

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// Validate turns a posted JSON object into a record without an id: all fields
// that may be written, in wire order, with clean values and with defaults for
// what was not sent. Give it an id and it decodes into the collection's struct.
// An optional field that has no default and was not sent is left out; a
// collection without fields gives an empty record. Whether the collection may
// be posted to at all is not asked.
//
// An empty body counts as {}. Names are taken in camelCase and snake_case, the
// last mention of a field counts, unknown and read-only members are ignored.
// exists says whether a collection has a record of an id, which is 1 or more;
// it is asked while Validate runs, never later. With a nil exists no record
// exists.
//
// What is refused, and in which words, follows Django REST framework 3.14, see
// the package's documentation. A body that is no JSON is a [*SyntaxError], all
// else that is wrong with it [FieldErrors]; both match [ErrInvalid].
// O(len of body), not counting what exists does.
func (c Description) Validate(body []byte, exists func(collection string, id int) bool) (Record, error) {
	values, err := c.sent(body)
	if err != nil {
		return Record{}, err
	}
	if exists == nil {
		exists = func(string, int) bool { return false }
	}
	var record Record
	var errs FieldErrors
	for i, f := range c.Fields {
		if f.ReadOnly {
			continue
		}
		text, messages := f.clean(values[i], exists)
		if messages != nil {
			errs = append(errs, FieldError{f.Name, messages})
		} else if text != "" {
			record.members = append(record.members, member{f.Name, text})
		}
	}
	if errs != nil {
		return Record{}, errs
	}
	return record, nil
}

// sent gives the JSON text sent for each field, empty where there is none.
func (c Description) sent(body []byte) ([]string, error) {
	values := make([]string, len(c.Fields))
	if len(body) == 0 {
		return values, nil
	}
	if serr := checkSyntax(body, maxDepth); serr != nil {
		return nil, serr
	}
	text := trimSpace(string(body))
	switch kind := kindOf(text); kind {
	case jsonObject:
	case jsonNull:
		return nil, FieldErrors{{nonField, []string{"No data provided"}}}
	default:
		message := "Invalid data. Expected a dictionary, but got " + string(kind) + "."
		return nil, FieldErrors{{nonField, []string{message}}}
	}
	names := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		names[i] = ordering.Snake(f.Name)
	}
	for quoted, value := range members(text) {
		if i := slices.Index(names, ordering.Snake(unquote(quoted))); i >= 0 {
			values[i] = value
		}
	}
	return values, nil
}

// clean gives the text to keep of a value, or what is wrong with it.
func (f Field) clean(value string, exists func(string, int) bool) (text string, messages []string) {
	switch {
	case value == "" && f.Required:
		return "", []string{"This field is required."}
	case value == "":
		return f.Default, nil
	case kindOf(value) == jsonNull && f.Nullable:
		return "null", nil
	case kindOf(value) == jsonNull:
		return "", []string{"This field may not be null."}
	}
	switch f.Kind {
	case Text, Slug, URL:
		return f.cleanText(value)
	case Timestamp:
		return one(cleanTime(value))
	case Boolean:
		return one(cleanBool(value))
	case Reference:
		return one(f.cleanReference(value, exists))
	case References:
		return one(f.cleanReferences(value, exists))
	case Integer:
		return one(cleanInteger(value))
	case TextList:
		return one(cleanTextList(value))
	}
	return one(cleanJSON(value))
}

// one makes a list of a message, nil of none.
func one(text, message string) (string, []string) {
	if message != "" {
		return "", []string{message}
	}
	return text, nil
}
