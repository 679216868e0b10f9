package schema

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

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
// Validate rejects what Django REST framework 3.14 rejects, or that of [WithFramework], with the
// same messages, except as noted in the package documentation. The error is a [*SyntaxError] if
// the body is not JSON, the error of a callback of checks, or [FieldErrors]; the first and the
// last match [ErrInvalid]. O(len of body), without the calls of checks.
func (d Description) Validate(ctx context.Context, body []byte, checks Checks) (Record, error) {
	d = frameworkOf(ctx).Describe(d)
	values, err := d.sent(body)
	if err == nil {
		d.Fields, err = d.assign(values, checks.Assigned)
	}
	if err != nil {
		return Record{}, err
	}
	var record Record
	var errs FieldErrors
	check := d.checker(ctx, checks)
	check.room = max(check.room, len(body))
	for i, f := range d.Fields {
		var text string
		var wrong FieldError
		switch {
		case f.isID():
			record.idAt = len(record.members)
		case f.Computed:
		case f.Created && (f.ReadOnly || values[i] == ""):
			text = check.created()
		case f.ReadOnly:
			text = f.Default
		default:
			text, wrong = f.clean(values[i], check)
		}
		if errs.take(f.Name, d.addressed(f, text, wrong)) && text != "" {
			record.members = append(record.members, member{f.Name, text})
		}
	}
	if err := d.judge(&record, errs, check); err != nil {
		return Record{}, err
	}
	return record, nil
}

// judge returns the errors of a record whose fields have the given errors: these, or those of
// fields that are unique together, or those of the rule.
func (d Description) judge(record *Record, errs FieldErrors, checks *checker) error {
	if errs == nil {
		errs = d.together(*record, checks)
	}
	if errs == nil && d.Rule != nil && checks.err == nil {
		if err := d.Rule(checks.ctx, record); err != nil {
			errs = checks.judge(err)
		}
	}
	return checks.failure(errs)
}

// together returns an error with a message for each set of fields whose values another record has.
func (d Description) together(record Record, checks *checker) FieldErrors {
	var messages []string
	for _, set := range d.Unique {
		var fields, values []string
		for _, name := range set {
			f, _ := d.snakeField(name)
			if value, _ := record.Get(f.Name); value != "" && value != "null" {
				fields, values = append(fields, f.Name), append(values, value)
			}
		}
		if len(fields) == len(set) && checks.taken(fields, values) {
			messages = append(messages, "The fields "+strings.Join(set, ", ")+" must make a unique set.")
		}
	}
	if messages == nil {
		return nil
	}
	return wholeError(messages...)
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
	d = frameworkOf(ctx).Describe(d)
	values, err := d.sent(body)
	if err == nil {
		d.Fields, err = d.assign(values, checks.Assigned)
	}
	if err != nil {
		return Record{}, err
	}
	record := current
	record.members = slices.Clone(current.members)
	var errs FieldErrors
	check := d.checker(ctx, checks)
	check.room = max(check.room, len(body))
	for i, f := range d.Fields {
		reset := f.Reset && !partial && (values[i] == "" || f.ReadOnly)
		kept := values[i] == "" && (partial || !f.Required) || f.ReadOnly || f.Computed || f.isID()
		var text string
		var wrong FieldError
		switch {
		case reset:
			text = f.Default
		case kept:
			continue
		case partial:
			stored, _ := current.Get(f.Name)
			text, wrong = f.cleanPart(values[i], stored, check)
		default:
			text, wrong = f.clean(values[i], check)
		}
		if errs.take(f.Name, d.addressed(f, text, wrong)) {
			record.set(f.Name, text)
		}
	}
	if err := d.judge(&record, errs, check); err != nil {
		return Record{}, err
	}
	record.compact()
	return record, nil
}

// assign replaces values, one of each field, by those that are assigned. It returns the fields, of
// which those that are assigned can be written.
func (d Description) assign(values []string, assigned Record) ([]Field, error) {
	if len(assigned.members) == 0 && assigned.ID == 0 {
		return d.Fields, nil
	}
	fields := slices.Clone(d.Fields)
	for name, value := range assigned.All() {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && !f.isID() })
		if i < 0 {
			return nil, fmt.Errorf("%w assigned member %q: no field of %s has this name", ErrInvalid, name, d.Key)
		}
		fields[i].ReadOnly, fields[i].Created, values[i] = false, false, value
	}
	return fields, nil
}

// ValidateRecord checks a stored record, or one that a program stores, as Validate checks an
// object that has its members, and returns the record to store: values are normalized, absent
// members have their default, and rules may change it. Fields that are read-only, in nested
// objects too, and members that the description does not know keep their values. References are
// not looked up, and no value counts as taken. All members keep their place; new ones are
// appended. ValidateRecord does not modify record. The error is [FieldErrors], which match
// [ErrInvalid], or that of a rule that wraps the error of ctx. O(size × fields).
func (d Description) ValidateRecord(ctx context.Context, record Record) (Record, error) {
	record.members = slices.Clone(record.members)
	var errs FieldErrors
	check := d.checker(ctx, Checks{})
	check.stored = true
	for _, f := range d.Fields {
		value, _ := record.Get(f.Name)
		if f.ReadOnly || f.Computed || f.isID() || f.Created && value == "" {
			continue
		}
		text, wrong := f.clean(value, check)
		if errs.take(f.Name, d.addressed(f, text, wrong)) && text != "" {
			record.set(f.Name, text)
		}
	}
	if err := d.judge(&record, errs, check); err != nil {
		return Record{}, err
	}
	record.compact()
	return record, nil
}

// maxSegment is the maximum length of a text in the Lookup field, in bytes as paths escape it. The
// path of the record has at most 2,048.
const maxSegment = 1536

// CheckLookup returns an error if a text of the Lookup field is too long to be the last segment of a
// path: it has more than 1,536 bytes as paths escape it. The error is [FieldErrors]. A text with a
// slash is valid, as in Django REST framework, although no path names its record; the tag key refuses
// it. O(len).
func (d Description) CheckLookup(text string) error {
	if len(text) <= maxSegment/3 || len(url.PathEscape(text)) <= maxSegment {
		return nil
	}
	f, _ := d.snakeField(d.Lookup)
	message := fmt.Sprintf("Ensure this field has no more than %d bytes in a path.", maxSegment)
	return FieldErrors{{Field: f.Name, Messages: []string{message}}}
}

// addressed returns the error of the text of a field, or else that of CheckLookup if the field is
// the Lookup.
func (d Description) addressed(f Field, text string, wrong FieldError) FieldError {
	if wrong.ok() && d.Lookup != "" && ordering.Snake(f.Name) == d.Lookup && strings.HasPrefix(text, `"`) {
		if err, ok := d.CheckLookup(jsontext.Unquote(text)).(FieldErrors); ok {
			return err[0]
		}
	}
	return wrong
}

// sent returns the JSON of each field in a body, or "" if the field is absent.
func (d Description) sent(body []byte) ([]string, error) {
	if len(body) == 0 {
		return make([]string, len(d.Fields)), nil
	}
	if syntax := jsontext.Check(body, jsontext.MaxDepth); syntax != nil {
		return nil, (*SyntaxError)(syntax)
	}
	text := strings.Trim(string(body), jsontext.Space)
	switch kind := jsontext.KindOf(text); kind {
	case jsontext.Object:
		return fieldsIn(text, d.Fields), nil
	case jsontext.Null:
		return nil, wholeError("No data provided")
	default:
		return nil, wholeError(notADictionary(kind))
	}
}

// fieldsIn returns the JSON of each field in an object, or "" if the field is absent. If a field is
// repeated, the last value counts.
func fieldsIn(object string, fields []Field) []string {
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
	case checks.stored && (f.Kind == Reference || f.Kind == References):
		text = value
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
	return text, wrong
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
	if f.Pattern != nil || f.Kind == UnicodeSlug {
		messages = f.patternMessages(jsontext.Unquote(text))
	}
	if f.Check != nil {
		if err := f.Check(text); err != nil {
			messages = append(messages, f.judge(err, checks).Messages...)
		}
	}
	return append(messages, f.taken(text, checks)...)
}

// patternMessages returns the messages of the validators that a field of the framework's model
// has: of the pattern and of a slug.
func (f Field) patternMessages(text string) (messages []string) {
	switch {
	case f.Kind == UnicodeSlug && !validUnicodeSlug(text):
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
