package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
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

// maxWrong is the number of bytes of the errors of elements after which no more are checked: a request
// may contain many that are not valid, and the response must not be many times as large.
const maxWrong = 64 << 10

// element cleans an element of f; left is the number of elements from this one on. more is false if
// no others are checked.
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
	case errs != nil && f.Item.Kind == Object && !checks.as.has(indexesErrors):
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
	values := fieldsIn(value, f.Fields, checks.unread)
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
		value = f.merged(stored, value, checks.unread)
	}
	checks.partial = true
	defer func() { checks.partial = false }()
	return f.clean(value, checks)
}

// merged returns an object with the described members of the value, and otherwise those of the
// stored object.
func (f Field) merged(stored, value string, unread unread) string {
	kept, sent := fieldsIn(stored, f.Fields, nil), fieldsIn(value, f.Fields, unread)
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

// fieldsIn returns the JSON of each field in an object, or "" if the field is absent. If a field is
// repeated, the last value counts. Other members are unread.
func fieldsIn(object string, fields []Field, unread unread) []string {
	values := make([]string, len(fields))
	var names []string // in snake_case, if a member is not spelled as its field
	for name, value := range jsontext.Members(object) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			if names == nil {
				names = Description{Fields: fields}.snakeNames()
			}
			i = slices.Index(names, ordering.Snake(name))
		}
		if i >= 0 {
			values[i] = value
		} else if unread != nil {
			unread(name, names)
		}
	}
	return values
}

// clean returns the JSON to store for a value, or the error if it is invalid.
func (f Field) clean(value string, checks *checker) (text string, wrong FieldError) {
	var messages []string
	switch {
	case value == "" && f.Required:
		return "", FieldError{Messages: []string{"This field is required."}}
	case value == "" && f.Kind == Reference && f.Default != "" && f.Default != "null":
		value = f.Default // the record may have been deleted
	case value == "":
		return f.Default, FieldError{Messages: f.taken(f.Default, checks)}
	}
	clean := f.Kind.row().clean
	switch {
	case jsontext.KindOf(value) == jsontext.Null:
		text, messages = f.cleanNull()
	case value == `""` && f.Blank:
		text = value
	case checks.stored && (f.Kind == Reference || f.Kind == References):
		text = value
	case f.isNumber() && !isCanonical(strings.Trim(value, `"`)):
		text, messages = invalid("A valid integer is required.")
	case clean == nil:
		text, wrong = f.cleanParts(value, checks)
	default:
		text, messages = clean(f, value, checks)
	}
	if own := f.checked(text, checks); own != nil {
		messages = append(own, messages...)
	}
	if messages != nil {
		wrong.Messages = messages
	}
	if !wrong.ok() {
		return "", wrong
	}
	if f.Rule != nil && text != "null" && checks.err == nil {
		var err error
		if text, err = f.Rule(checks.ctx, text); err != nil {
			return "", f.judge(err, checks)
		}
	}
	return f.quoted(text), wrong
}

// quoted returns a number or a boolean as a JSON string if the field is Quoted, and other values as
// they are.
func (f Field) quoted(text string) string {
	if !f.Quoted || text == "" || text == "null" || text[0] == '"' {
		return text
	}
	return `"` + text + `"`
}

// checked returns the messages of what the framework checks before bounds and lengths: patterns,
// the field's own check, and whether the value is unique. It returns none for an empty text.
func (f Field) checked(text string, checks *checker) (messages []string) {
	if text == "" || text == "null" {
		return nil
	}
	if text == `""` && f.Blank {
		return f.taken(text, checks)
	}
	if f.Key && f.Pattern == nil {
		f.Pattern, f.Message = keyPattern(), keyMessage
	}
	if text[0] == '"' && (f.Pattern != nil || f.Kind == UnicodeSlug) {
		messages = f.patternMessages(jsontext.Unquote(text))
	}
	if f.Check != nil {
		if err := f.Check(text); err != nil {
			messages = append(messages, f.judge(err, checks).Messages...)
		}
	}
	return append(messages, f.taken(text, checks)...)
}

// keyPattern is the form of a key that clients choose, unless its field has a Pattern: a segment of
// a path other than . and .., which have a meaning.
var keyPattern = compiled(`^[^/]*[^/.][^/]*$`)

const keyMessage = "A key does not contain /, and not only dots, because it is part of a path."

// patternMessages returns the messages of the validators that a field of the framework's model
// has: of the pattern and of a slug.
func (f Field) patternMessages(text string) (messages []string) {
	switch {
	case f.Kind == UnicodeSlug && !unicodeSlugForm().MatchString(text):
		messages = append(messages, "Enter a valid “slug” consisting of Unicode letters, numbers, underscores, or hyphens.")
	case f.Kind == Regex:
		return nil // it is the form of the text
	}
	if f.Pattern != nil && !f.Pattern.MatchString(text) {
		messages = append(messages, cmp.Or(f.Message, "Enter a valid value."))
	}
	return messages
}

// taken returns the message that another record has the value of a unique field, or nil.
func (f Field) taken(text string, checks *checker) []string {
	if !f.Unique || text == "" || text == "null" || !checks.taken([]string{f.Name}, []string{text}) {
		return nil
	}
	return []string{checks.name + " with this " + f.Label() + " already exists."}
}

// cleanNull returns null, or the message that it is not allowed.
func (f Field) cleanNull() (text string, messages []string) {
	if f.Nullable {
		return "null", nil
	}
	return invalid(isNull)
}

// judge returns the error of a field for the error of its rule.
func (f Field) judge(err error, checks *checker) FieldError {
	errs := checks.judge(err)
	if f.Kind != Object && len(errs) == 1 && errs[0].Field == nonField {
		return FieldError{Messages: errs[0].Messages}
	}
	return FieldError{Fields: errs}
}
