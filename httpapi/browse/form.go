package browse

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// form is a form that posts a record to a collection or changes a record.
type form struct {
	Key    string // id of its heading
	Title  string
	Action string
	Button string
	Failed string   // why it was posted and rejected, or ""
	Faults []string // errors that belong to no field
	Inputs []input
}

// newForm returns the form of a collection. If it was posted and rejected, posted and
// wrong are its values and errors; otherwise they are nil.
func newForm(fields []schema.Field, posted url.Values, wrong faults) *form {
	f := &form{Key: "add", Title: "Add a record", Action: "?format=api", Button: "Add"}
	f.fill(fields, posted, wrong)
	return f
}

// newChangeForm returns the form for changing a record, or nil if it has no fields that
// can be changed. The values are those of the record or, if the form was posted and
// rejected with errors, those that were posted. shown and tag are the digests and the entity
// tag of the record.
func newChangeForm(c *collection, values url.Values, wrong faults, shown, tag string) *form {
	action := formAction(c.updateMethod(), tag) + "&" + shownName + "=" + url.QueryEscape(shown)
	f := &form{Key: "change", Title: "Change the record", Action: action, Button: "Save"}
	f.fill(c.Fields, values, wrong)
	if f.Inputs == nil {
		return nil
	}
	return f
}

// formAction returns the link of a form for the record with the given entity tag, which may
// be empty.
func formAction(method, tag string) string {
	action := "?format=api&" + methodName + "=" + method
	if tag != "" {
		action += "&" + tagName + "=" + url.QueryEscape(tag)
	}
	return action
}

// fill adds the inputs for the fields. If values is nil, they are empty, except that those
// with choices have their default.
func (f *form) fill(fields []schema.Field, values url.Values, wrong faults) {
	if wrong != nil {
		f.Failed = "Nothing was stored. Please correct the following:"
	}
	focused := false
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		text := values.Get(field.Name)
		if values == nil && kindOf(field).choices != nil {
			text = valueText(field, json.RawMessage(field.Default))
		}
		in := newInput(field, text)
		in.Faults = wrong[field.Name]
		in.Focus = in.Faults != nil && !focused
		focused = focused || in.Focus
		f.Inputs = append(f.Inputs, in)
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if !slices.ContainsFunc(f.Inputs, func(in input) bool { return in.Name == name }) {
			f.Faults = append(f.Faults, wrong[name]...)
		}
	}
}

// postable reports whether the sender of the request may post to its path, which is that of
// a collection.
func (v *view) postable() bool {
	return v.c.actions.Has(schema.Create) && v.offers(http.MethodPost)
}

// faults maps fields to error messages.
type faults map[string][]string

// readFaults parses the body of a response of 400. It returns nil if that is no JSON object.
func readFaults(body []byte) faults {
	members, ok := readMembers(body)
	if !ok {
		return nil
	}
	wrong := make(faults, len(members))
	for _, m := range members {
		var messages []string
		if text, ok := readText(m.value); ok {
			messages = []string{text}
		} else if json.Unmarshal(m.value, &messages) != nil {
			messages = []string{string(m.value)}
		}
		wrong[m.name] = messages
	}
	return wrong
}

// input is a field of a form.
type input struct {
	Key      string // part of the ids of its elements
	Name     string // of the field in JSON, or of a parameter
	Label    string
	Control  string // checkbox, textarea, select, or a type of input element
	Numeric  bool   // show a numeric keyboard
	Value    string
	Checked  bool
	Options  []option // of a select
	Required bool
	Hint     string
	Faults   []string
	Focus    bool // it is the first with a fault
}

// option is an option of a select.
type option struct {
	Value, Label string
	Selected     bool
}

// newInput returns the input of a field with a text.
func newInput(field schema.Field, text string) input {
	k := kindOf(field)
	in := input{
		Key:      field.Name,
		Name:     field.Name,
		Label:    heading(field.Name),
		Control:  k.control,
		Numeric:  k.numeric,
		Value:    text,
		Checked:  text != "",
		Required: field.Required && !mayBeEmpty(field),
		Hint:     k.hint,
	}
	switch {
	case in.Control == "select":
		in.selectFrom(k.choices, k.none, mayBeEmpty(field))
	case in.Control != "checkbox" && strings.ContainsAny(text, "\r\n"):
		in.Control = "textarea" // browsers remove line endings from other inputs
	}
	return in
}

// selectFrom makes the input a select. It offers the empty value, labelled none, if that
// is valid or the current value. A current value that is no choice is offered too.
func (in *input) selectFrom(choices []string, none string, optional bool) {
	in.Control = "select"
	if optional || in.Value == "" {
		in.Options = append(in.Options, option{"", "(" + none + ")", in.Value == ""})
	}
	if in.Value != "" && !slices.Contains(choices, in.Value) {
		choices = append([]string{in.Value}, choices...)
	}
	for _, choice := range choices {
		in.Options = append(in.Options, option{choice, choice, choice == in.Value})
	}
}

// Describes returns the ids of the elements that a screen reader reads with the field.
func (in input) Describes() string {
	var ids []string
	if in.Faults != nil {
		ids = append(ids, "fault-"+in.Key)
	}
	if in.Hint != "" {
		ids = append(ids, "hint-"+in.Key)
	}
	return strings.Join(ids, " ")
}

// kind is what pages know of the values of a field.
type kind struct {
	control  string // of an input
	numeric  bool
	hint     string
	choices  []string // of a select in a form or a filter
	none     string   // label of the empty choice in a form
	isNumber bool     // text is aligned as a number
	unsent   bool     // a form may leave out the empty text, as that of an empty box

	json  func(text string) string           // JSON of a text that is not blank
	empty string                             // JSON of an empty input
	text  func(value json.RawMessage) string // text of a value; nil if it is that of its JSON

	filterHint string
	filterList bool                     // a filter has several ids
	filterText func(text string) string // value of a filter; nil if it is the text
}

// kindOf returns what pages know of the values of a field. An empty input is null if the
// field does not permit empty text. The handler reports an error if it permits neither.
func kindOf(field schema.Field) kind {
	k := kind{control: "text", json: textJSON, empty: `""`}
	if field.Nullable && !field.Blank {
		k.empty = "null"
	}
	switch field.Kind {
	case schema.Integer:
		k.numeric, k.hint, k.json = true, boundsHint(field.Min, field.Max), numberJSON
	case schema.Text:
		if field.Name == "description" {
			k.control = "textarea"
		}
	case schema.Slug:
		k.hint = "Letters, digits, - and _."
	case schema.Timestamp:
		k.hint = "With a UTC offset, such as 2026-05-10 18:00 +02:00."
		k.json = func(text string) string { return wire.Quote(timestamp(text)) }
		k.filterHint, k.filterText = k.hint, timestamp
	case schema.Boolean:
		k.control, k.choices, k.none, k.unsent = "checkbox", []string{"true", "false"}, "null", true
		if field.Nullable {
			k.control, k.json = "select", booleanJSON
		}
	case schema.Choice:
		k.control, k.choices, k.none = "select", field.Choices, "none"
	case schema.Date:
		k.hint, k.json = "Such as 2026-05-10.", wordJSON
		k.filterHint = k.hint
	case schema.Float:
		k.hint, k.json = "A number, such as 7.5.", wordJSON
	case schema.Decimal:
		k.hint, k.json, k.isNumber = decimalHint(field.Places), wordJSON, true
	case schema.URL:
		k.control, k.hint = "url", "Starts with https:// or http://."
	case schema.Reference:
		k.numeric, k.hint, k.json = true, "An id from "+heading(field.Refers)+".", numberJSON
	case schema.References:
		k.hint = "Ids from " + heading(field.Refers) + ", separated by commas."
		k.json = func(text string) string { return listJSON(splitIDs(text), numberJSON) }
		k.text = func(value json.RawMessage) string { return listText(value, ", ") }
		k.empty = "[]"
		k.filterHint, k.filterList = "Ids, separated by commas: records that have one of them.", true
	case schema.TextList:
		k.control, k.hint = "textarea", "One per line."
		k.json = func(text string) string { return listJSON(lines(text), wire.Quote) }
		k.text = func(value json.RawMessage) string { return listText(value, "\n") }
		k.empty = "[]"
	case schema.JSON:
		k.control, k.hint = "textarea", "JSON."
		k.json, k.empty = anyJSON, "null"
		k.text = func(value json.RawMessage) string { return indented(value) }
	}
	return k
}

func boundsHint(least, most *int) string {
	switch {
	case least != nil && most != nil:
		return "From " + strconv.Itoa(*least) + " to " + strconv.Itoa(*most) + "."
	case least != nil:
		return "At least " + strconv.Itoa(*least) + "."
	case most != nil:
		return "At most " + strconv.Itoa(*most) + "."
	}
	return ""
}

func decimalHint(places int) string {
	switch places {
	case 0:
		return "A whole number."
	case 1:
		return "A number with at most 1 decimal place."
	}
	return "A number with at most " + strconv.Itoa(places) + " decimal places."
}

// mayBeEmpty reports whether the empty text is a valid value in a form.
func mayBeEmpty(field schema.Field) bool { return field.Nullable || field.Blank }

// valueText returns the text that a form has for a JSON value, which may be nil.
func valueText(field schema.Field, value json.RawMessage) string {
	k := kindOf(field)
	switch {
	case len(value) == 0:
		return ""
	case k.text != nil:
		return k.text(value)
	case string(value) == "null", k.control == "checkbox" && string(value) != "true":
		return ""
	}
	if text, ok := readText(value); ok {
		return text
	}
	return string(value)
}

// listText returns the elements of a JSON list, separated, or the JSON of any other value.
func listText(value json.RawMessage, separator string) string {
	texts, nested := readList(value)
	if texts == nil && nested {
		return string(value)
	}
	return strings.Join(texts, separator)
}

// formJSON returns the values of a form as a JSON object. It omits empty values, so
// that the handler applies the default or requires the field, and passes invalid values
// as text, so that the handler reports the error.
func formJSON(fields []schema.Field, posted url.Values) []byte {
	var members []string
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		value, ok := fieldJSON(field, posted.Get(field.Name))
		if ok || mayBeEmpty(field) && field.Required {
			members = append(members, wire.Quote(field.Name)+":"+value)
		}
	}
	return objectJSON(members)
}

// fieldJSON returns the JSON of one field. ok is false if the text is empty.
func fieldJSON(field schema.Field, text string) (value string, ok bool) {
	k := kindOf(field)
	switch {
	case k.control == "checkbox":
		return strconv.FormatBool(text != ""), true
	case strings.TrimSpace(text) == "":
		return k.empty, false
	}
	return k.json(text), true
}

func objectJSON(members []string) []byte { return []byte("{" + strings.Join(members, ",") + "}") }

func textJSON(text string) string { return wire.Quote(unixLines(text)) }

func wordJSON(text string) string { return wire.Quote(strings.TrimSpace(text)) }

// numberJSON returns an integer as a JSON number and any other text as a string.
func numberJSON(text string) string {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(n, 10)
	}
	return wire.Quote(text)
}

func booleanJSON(text string) string {
	if text == "true" || text == "false" {
		return text
	}
	return textJSON(text)
}

func anyJSON(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	return textJSON(text)
}

func listJSON(texts []string, element func(string) string) string {
	elements := make([]string, len(texts))
	for i, text := range texts {
		elements[i] = element(text)
	}
	return "[" + strings.Join(elements, ",") + "]"
}

func splitIDs(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\n\r", r) })
}

// lines returns the lines of a text, trimmed, without empty ones.
func lines(text string) []string {
	var all []string
	for line := range strings.SplitSeq(unixLines(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// unixLines replaces the line endings that forms send.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// received returns the text that comes back if a form has text as a value: browsers
// replace all line endings, and the template replaces U+0000.
func received(text string) string {
	return strings.NewReplacer("\r", "\n", "\x00", "\uFFFD").Replace(unixLines(text))
}

// timestamp converts a date-time with spaces, such as 2026-05-10 18:00 +02:00, to RFC
// 3339. It does not validate it.
func timestamp(text string) string {
	date, rest, ok := strings.Cut(strings.TrimSpace(text), " ")
	if !ok {
		return date
	}
	return date + "T" + strings.ReplaceAll(rest, " ", "")
}
