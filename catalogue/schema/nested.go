package schema

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

const notAList = `Expected a list of items but got type "%s".`

// cleanParts returns the JSON to store for a value of a kind with parts, or what is wrong with
// them.
func (f Field) cleanParts(value string, checks *checker) (text string, wrong FieldError) {
	checks.depth++
	defer func() { checks.depth-- }()
	switch f.Kind {
	case Array:
		return f.cleanArray(value, checks)
	case Map:
		return f.cleanMap(value, checks)
	}
	return f.cleanObject(value, checks)
}

// A request may contain many elements of lists and maps that are not valid, or that have defaults.
// The response and the record must not be many times as large.
const (
	maxWrong    = 64 << 10 // bytes of the errors of elements, after which no more are checked
	maxDefaults = 1 << 20  // bytes that defaults add, if the body is not larger
)

// element cleans an element of f, of which left are left. more is false if no others are checked.
func (c *checker) element(f Field, value string, left int) (text string, wrong FieldError, more bool) {
	if c.wrong > maxWrong {
		return "", f.listError(fmt.Sprintf("There are many errors: %d more items have not been checked.", left)), false
	}
	before := c.wrong
	if text, wrong = f.Item.clean(value, c); !wrong.ok() { // those inside it have been counted
		c.wrong = max(c.wrong, before+len(wrong.appendJSON(nil)))
	}
	if c.filled > c.room && !c.stored {
		return "", f.listError(fmt.Sprintf("The defaults of what the items lack have more than %d bytes.", c.room)), false
	}
	return text, wrong, true
}

// cleanArray accepts a list whose elements are valid. Errors are by the index of the element, or,
// for a list of objects, a list as long as the value unless the framework indexes them too.
func (f Field) cleanArray(value string, checks *checker) (text string, wrong FieldError) {
	if kind := jsontext.KindOf(value); kind != jsontext.List {
		return "", f.listError(fmt.Sprintf(notAList, kind))
	}
	n := 0
	for range jsontext.Elements(value) {
		n++
	}
	message := f.lengthMessage(n)
	if message != "" && f.Item.Kind == Object {
		return "", f.listError(message)
	}
	var errs []FieldError // of the elements, if one is not valid
	list, i := []byte{'['}, 0
	for item := range jsontext.Elements(value) {
		clean, wrong, more := checks.element(f, item, n-i)
		if !wrong.ok() && errs == nil {
			errs = make([]FieldError, i)
		}
		if errs != nil {
			errs = append(errs, wrong)
		} else if i > 0 {
			list = append(list, ',')
		}
		list = append(list, clean...)
		if i++; !more {
			break
		}
	}
	switch {
	case errs != nil && f.Item.Kind == Object && !checks.as.indexesErrors:
		return "", FieldError{Items: errs}
	case errs != nil:
		return "", FieldError{Fields: byIndex(errs)}
	case message != "":
		return "", f.listError(message)
	}
	return string(append(list, ']')), FieldError{}
}

// lengthMessage returns the message about the number of elements of a list, or "".
func (f Field) lengthMessage(n int) string {
	switch {
	case n == 0 && f.MinLength > 0 && (f.Kind == References || f.Item.Kind == Object):
		return "This list may not be empty."
	case f.MaxLength > 0 && n > f.MaxLength:
		return fmt.Sprintf("Ensure this field has no more than %d elements.", f.MaxLength)
	case n < f.MinLength:
		return fmt.Sprintf("Ensure this field has at least %d elements.", f.MinLength)
	}
	return ""
}

// listError returns the error of a list as a whole.
func (f Field) listError(message string) FieldError {
	if f.Item.Kind == Object {
		return FieldError{Fields: wholeError(message)}
	}
	return FieldError{Messages: []string{message}}
}

// byIndex returns the errors of invalid elements, which are named after their indexes.
func byIndex(items []FieldError) (errs FieldErrors) {
	for i, e := range items {
		if !e.ok() {
			e.Field = strconv.Itoa(i)
			errs = append(errs, e)
		}
	}
	return errs
}

// cleanMap accepts an object whose elements are valid. Errors are by name.
func (f Field) cleanMap(value string, checks *checker) (text string, wrong FieldError) {
	if kind := jsontext.KindOf(value); kind != jsontext.Object {
		return "", FieldError{Messages: []string{fmt.Sprintf(`Expected a dictionary of items but got type "%s".`, kind)}}
	}
	var errs FieldErrors
	object := []byte{'{'}
	members := membersOf(value, !checks.snake)
	for i, m := range members {
		clean, wrong, more := checks.element(f, m.value, len(members)-i)
		errs.take(m.name, wrong)
		object = appendMember(object, m.name, clean)
		if !more {
			break
		}
	}
	if errs != nil {
		return "", FieldError{Fields: errs}
	}
	return string(append(object, '}')), FieldError{}
}

// cleanObject accepts an object whose members are valid. Unknown members are ignored.
func (f Field) cleanObject(value string, checks *checker) (text string, wrong FieldError) {
	if kind := jsontext.KindOf(value); kind != jsontext.Object {
		return "", FieldError{Fields: wholeError(notADictionary(kind))}
	}
	values := fieldsIn(value, f.Fields)
	var errs, missing FieldErrors
	object := []byte{'{'}
	for i, m := range f.Fields {
		clean, wrong := m.Default, FieldError{}
		switch {
		case m.ReadOnly && checks.stored:
			clean = values[i]
		case !m.ReadOnly:
			clean, wrong = m.clean(values[i], checks)
		}
		if values[i] == "" {
			checks.filled += len(m.Name) + len(clean)
		}
		list := &errs
		if checks.partial && values[i] == "" {
			list = &missing
		}
		if list.take(m.Name, wrong) && clean != "" {
			object = appendMember(object, m.Name, clean)
		}
	}
	if errs == nil {
		errs = missing
	}
	if errs != nil {
		return "", FieldError{Fields: errs}
	}
	return string(append(object, '}')), FieldError{}
}

func notADictionary(kind jsontext.Kind) string {
	return "Invalid data. Expected a dictionary, but got " + string(kind) + "."
}

// cleanPart cleans a value of a PATCH. The members of an object that are absent keep the values
// of the stored object, or are required if nothing is stored; so are those of objects in a list.
func (f Field) cleanPart(value, stored string, checks *checker) (text string, wrong FieldError) {
	if f.Kind == Object && strings.HasPrefix(value, "{") && strings.HasPrefix(stored, "{") {
		value = f.merged(stored, value)
	}
	checks.partial = true
	defer func() { checks.partial = false }()
	return f.clean(value, checks)
}

// merged returns an object with the described members of the value, and otherwise those of the
// stored object.
func (f Field) merged(stored, value string) string {
	kept, sent := fieldsIn(stored, f.Fields), fieldsIn(value, f.Fields)
	object := []byte{'{'}
	for i, m := range f.Fields {
		if sent[i] == "" {
			sent[i] = kept[i]
		}
		if sent[i] != "" {
			object = appendMember(object, m.Name, sent[i])
		}
	}
	return string(append(object, '}'))
}

var errNotStorable = errors.New("cannot be stored")

// cleanJSON accepts any value that a record can hold. It stores what the framework does: numbers
// as Python writes them, and names as membersOf returns them.
func cleanJSON(_ Field, value string, checks *checker) (text string, messages []string) {
	clean, err := appendFree(nil, value, !checks.snake)
	if err != nil {
		return invalid("Value must be valid JSON.")
	}
	return string(clean), nil
}

// appendFree appends a JSON value as cleanJSON stores it.
func appendFree(b []byte, value string, camel bool) (_ []byte, err error) {
	switch jsontext.KindOf(value) {
	case jsontext.Object:
		start := len(b)
		b = append(b, '{')
		for _, m := range membersOf(value, camel) {
			if _, found := jsontext.FirstSurrogate(m.name); found {
				return nil, errNotStorable
			}
			if len(b) > start+1 {
				b = append(b, ',')
			}
			if b, err = appendFree(append(jsontext.AppendString(b, m.name), ':'), m.value, camel); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case jsontext.List:
		start := len(b)
		b = append(b, '[')
		for item := range jsontext.Elements(value) {
			if len(b) > start+1 {
				b = append(b, ',')
			}
			if b, err = appendFree(b, item, camel); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case jsontext.String:
		text := jsontext.Unquote(value)
		if _, found := jsontext.FirstSurrogate(text); found {
			return nil, errNotStorable
		}
		return jsontext.AppendString(b, text), nil
	case jsontext.Float:
		if n, _ := strconv.ParseFloat(value, 64); math.IsInf(n, 0) {
			return nil, errNotStorable
		}
		return append(b, pythonFloat(value)...), nil
	case jsontext.Int:
		if value == "-0" {
			value = "0"
		}
	}
	return append(b, bytes.TrimSpace([]byte(value))...), nil
}
