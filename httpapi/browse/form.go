package browse

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// form is a form that posts a record to a collection or changes a record.
type form struct {
	Action string
	Cancel string
	Button string
	Failed string   // why it was posted and rejected, or ""
	Faults []string // errors that belong to no field
	Kept   []pair   // texts of the record that the form has been made from
	Inputs []input
}

// newForm returns the form for a new record or for changing one. The values are nil, the record's
// or, if the form was posted and rejected with errors, the posted ones. Fields with choices have
// their default if values is nil. tag is the entity tag of the record.
func (v *view) newForm(values url.Values, wrong faults, tag string) *form {
	f := &form{Action: v.query.with(methodName, http.MethodPost), Cancel: v.cleanLink(), Button: "Add"}
	if v.id != "" {
		f.Action, f.Button = v.query.with(methodName, v.c.updateMethod(), tagName, tag), "Save"
	}
	if wrong != nil {
		f.Failed = "Nothing was stored. Please correct the following:"
	}
	focused := false
	for _, field := range v.c.Fields {
		if isReadOnly(field) {
			continue
		}
		text := values.Get(field.Name)
		if field.Hidden {
			text = "" // of a form that was rejected
		}
		if values == nil && kindOf(field).choices != nil {
			text = valueText(field, json.RawMessage(field.Default))
		}
		if shown := shownPrefix + field.Name; values.Has(shown) {
			f.Kept = append(f.Kept, pair{shown, values.Get(shown)})
		}
		in := v.newInput(field, text)
		in.Required = in.Required && !(field.Hidden && v.id != "") // a form for a record does not show its value
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
	return f
}

// postable reports whether the sender of the request may post to its path, which is a
// collection's.
func (v *view) postable() bool {
	return v.c.Actions.Has(schema.Create) && v.offers(http.MethodPost)
}

// faults maps fields to error messages.
type faults map[string][]string

// readFaults parses the body of a response of 400. It returns nil if that is no JSON object.
func readFaults(body []byte) faults {
	var all members
	if json.Unmarshal(body, &all) != nil {
		return nil
	}
	wrong := make(faults, len(all))
	for _, m := range all {
		wrong[m.name] = messagesOf(m.name, m.name, m.value)
	}
	return wrong
}

// messagesOf returns the messages about a field: about its value and, with their path, its parts.
func messagesOf(field, path string, value json.RawMessage) (messages []string) {
	var parts members
	var items []json.RawMessage
	text, ok := readText(value)
	switch {
	case !ok && json.Unmarshal(value, &items) == nil && items != nil:
		for i, item := range items {
			at := path
			if item[0] != '"' { // about an element
				at += "." + strconv.Itoa(i)
			}
			messages = append(messages, messagesOf(field, at, item)...)
		}
		return messages
	case !ok && json.Unmarshal(value, &parts) == nil:
		for _, m := range parts {
			at := path
			if ordering.Snake(m.name) != "non_field_errors" {
				at += "." + m.name
			}
			messages = append(messages, messagesOf(field, at, m.value)...)
		}
		return messages
	case !ok:
		text = string(value)
	}
	if path != field {
		text = path + ": " + text
	}
	return []string{text}
}

// input is a field of a form.
type input struct {
	Name     string // of the field in JSON, or of a parameter
	Label    string
	Control  string // checkbox, textarea, select, or a type of input element
	Value    string
	Step     string // of a number
	Min, Max string // of a number

	MinLength, MaxLength int    // of a text, or 0
	Pattern              string // of a whole text

	Multiple bool     // several options can be selected
	Options  []option // of a select
	Required bool
	Hint     string
	Named    string // name of the record to which the value refers, or ""
	Lookup   string // link to records to which the value can refer, or ""
	Faults   []string
	Focus    bool // it is the first with a fault
}

// newInput returns the input of a field with a text.
func (v *view) newInput(field schema.Field, text string) input {
	k := kindOf(field)
	in := input{
		Name:     field.Name,
		Label:    heading(field.Name),
		Control:  k.control,
		Value:    text,
		Step:     k.step,
		Min:      field.Min,
		Max:      field.Max,
		Required: field.Required && !mayBeEmpty(field),
		Hint:     k.hint,
	}
	if isText(field) {
		in.MinLength, in.MaxLength = field.MinLength, field.MaxLength
		if p := field.Pattern; p != nil && wire.IsPortable(p.String()) {
			in.Pattern = ".*(?:" + p.String() + ").*"
		}
		if field.Hidden {
			in.Control = "password"
			return in
		}
	}
	if in.Control != "checkbox" && strings.ContainsAny(text, "\r\n") {
		in.Control = "textarea" // browsers remove line endings from other inputs
	} else if !fits(in.Control, text) {
		in.Control = "text"
	}
	switch {
	case in.Control == "select":
		in.selectAmong(optionsOf(k.choices), k.none, mayBeEmpty(field))
	case v.byKey[field.Refers] != nil:
		v.offer(&in, field, v.byKey[field.Refers])
	}
	return in
}

// offer makes the input of a field that refers to records a select of them if they are few, and
// otherwise links to them.
func (v *view) offer(in *input, field schema.Field, c *collection) {
	known, k := v.records(c, field.By), kindOf(field)
	switch {
	case field.Kind == schema.Reference && known.whole:
		in.Hint = ""
		in.selectAmong(known.options, "none", mayBeEmpty(field))
	case !known.whole:
		in.Lookup = v.rootLink(v.r) + url.PathEscape(c.Segment) + "/"
		if field.Kind == schema.Reference {
			if name, _ := v.name(c, field.By, in.Value); name != in.Value {
				in.Named = name
			}
		}
	case len(known.options) > 0 && strings.Join(k.split(in.Value), k.separator) == in.Value:
		options, values, next := slices.Clone(known.options), k.split(in.Value), 0
		for i := range options { // a browser sends the selected options in this order
			if next < len(values) && options[i].Value == values[next] {
				options[i].Selected = true
				next++
			}
		}
		if next == len(values) {
			in.Control, in.Multiple, in.Options, in.Hint = "select", true, options, "Several can be selected."
		}
	}
}

// optionsOf returns options that are labelled with their values.
func optionsOf(values []string) (options []option) {
	for _, value := range values {
		options = append(options, option{Value: value, Label: value})
	}
	return options
}

// selectAmong makes the input a select. It offers the empty value, labelled none, if that
// is valid or the current value. A current value that is no option is offered too.
func (in *input) selectAmong(options []option, none string, optional bool) {
	in.Control = "select"
	if optional || in.Value == "" {
		in.Options = append(in.Options, option{Label: "(" + none + ")"})
	}
	if in.Value != "" && !slices.ContainsFunc(options, func(o option) bool { return o.Value == in.Value }) {
		in.Options = append(in.Options, optionsOf([]string{in.Value})...)
	}
	in.Options = append(in.Options, options...)
	for i := range in.Options {
		in.Options[i].Selected = in.Options[i].Value == in.Value
	}
}

// kind is what pages know of the values of a field.
type kind struct {
	control string // of an input
	step    string // of a number
	hint    string
	choices []string // of a select in a form or a filter
	none    string   // label of the empty choice in a form

	json  func(text string) string           // JSON of a text that is not blank
	empty string                             // JSON of an empty input
	text  func(value json.RawMessage) string // text of a value; nil if it is that of its JSON

	split     func(text string) []string // elements of a list whose text is not JSON
	separator string                     // of their texts

	nested bool // a text is JSON
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
		k.control, k.step, k.json = "number", "1", numberJSON
	case schema.Text:
		if strings.EqualFold(field.Name, "description") {
			k.control = "textarea"
		}
	case schema.Slug:
		k.hint = "Letters, digits, - and _."
	case schema.UnicodeSlug:
		k.hint = "Letters and digits of any script, - and _."
	case schema.Email:
		k.control = "email"
	case schema.UUID:
		k.hint, k.json = "32 hexadecimal digits.", wordJSON
	case schema.Regex:
		k.hint = field.Message
	case schema.Timestamp:
		k.control, k.hint = "datetime-local", "In UTC."
		k.json = func(text string) string { return wire.Quote(utcTime(strings.TrimSpace(text))) }
	case schema.Boolean:
		k.control, k.choices, k.none = "checkbox", []string{"true", "false"}, "null"
		if field.Nullable {
			k.control, k.json = "select", anyJSON
		}
	case schema.Choice:
		k.control, k.choices, k.none = "select", field.Choices, "none"
	case schema.Date:
		k.control, k.json = "date", wordJSON
	case schema.Float:
		k.control, k.step, k.json = "number", "any", floatJSON
	case schema.Decimal:
		k.control, k.json = "number", wordJSON
		k.step = strconv.FormatFloat(math.Pow10(-field.Places), 'f', -1, 64)
	case schema.URL:
		k.control, k.hint = "url", "Starts with https:// or http://."
	case schema.Reference:
		k.hint, k.json = "An id from "+heading(field.Refers)+".", numberJSON
		if field.By != "" {
			k.hint, k.json = heading(field.By)+" of a record from "+heading(field.Refers)+".", wordJSON
		}
	case schema.References:
		k.hint = "Ids from " + heading(field.Refers) + ", separated by commas."
		if field.By == "" {
			return listControl(k, splitIDs, ", ", numberJSON)
		}
		k.control, k.hint = "textarea", heading(field.By)+" from "+heading(field.Refers)+", one per line."
		return listControl(k, lines, "\n", wire.Quote)
	case schema.Array:
		if !isText(*field.Item) {
			return jsonControl(k, "[]")
		}
		k.control, k.hint = "textarea", "One per line."
		return listControl(k, lines, "\n", wire.Quote)
	case schema.Map:
		return jsonControl(k, "{}")
	case schema.JSON, schema.Object:
		return jsonControl(k, "null")
	}
	return k
}

// jsonControl returns a control whose text is JSON.
func jsonControl(k kind, empty string) kind {
	k.control, k.hint = "textarea", "JSON."
	k.json, k.empty, k.nested = anyJSON, empty, true
	k.text = func(value json.RawMessage) string { return indented(value) }
	return k
}

// listControl returns a control whose text has the elements of a list.
func listControl(k kind, split func(string) []string, separator string, element func(string) string) kind {
	k.split, k.separator, k.empty = split, separator, "[]"
	k.json = func(text string) string { return listJSON(split(text), element) }
	k.text = func(value json.RawMessage) string { return listText(value, separator) }
	return k
}

// separator returns what separates the elements of a list in the text of a field.
func (c *collection) separator(name string) string {
	if c != nil {
		for _, f := range c.Fields {
			if f.Name == name {
				return cmp.Or(kindOf(f).separator, ", ")
			}
		}
	}
	return ", "
}

// isText reports whether the values of a field are any text of some form.
func isText(field schema.Field) bool {
	switch field.Kind {
	case schema.Text, schema.Slug, schema.UnicodeSlug, schema.URL, schema.Email, schema.Regex:
		return true
	}
	return false
}

// isReadOnly reports whether requests cannot write a field.
func isReadOnly(field schema.Field) bool { return field.ReadOnly || field.Computed }

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
	if text, ok := readText(value); ok && field.Kind == schema.Timestamp {
		return localTime(text)
	} else if ok {
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
		if isReadOnly(field) {
			continue
		}
		value, ok := fieldJSON(field, posted.Get(field.Name))
		if ok || mayBeEmpty(field) && field.Required {
			members = append(members, wire.Quote(field.Name)+":"+value)
		}
	}
	return objectJSON(members)
}

// misspelled returns the response to a form in which texts that should be JSON are not, or nil. As
// text they could be valid values.
func misspelled(fields []schema.Field, texts url.Values) *response {
	var wrong []string
	for _, field := range fields {
		text := unixLines(texts.Get(field.Name))
		if kindOf(field).nested && !isReadOnly(field) && strings.TrimSpace(text) != "" {
			if err := schema.CheckSyntax([]byte(text)); err != nil {
				wrong = append(wrong, wire.Quote(field.Name)+":"+wire.Quote(err.Error()))
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return refusal(http.StatusBadRequest, objectJSON(wrong))
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

// floatJSON returns a number as it is and any other text as a string.
func floatJSON(text string) string {
	if text = strings.TrimSpace(text); fits("number", text) {
		return text
	}
	return wire.Quote(text)
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

// returned returns the text that comes back if a form has text as a value: browsers
// replace all line endings, and the template replaces U+0000.
func returned(text string) string {
	return strings.NewReplacer("\r", "\n", "\x00", "\uFFFD").Replace(unixLines(text))
}

// fits reports whether a browser keeps a text in an input with a control, which need not be
// valid otherwise. Browsers empty inputs whose text has another form.
func fits(control, text string) bool {
	switch {
	case text == "":
		return true
	case control == "date":
		day, err := time.Parse(time.DateOnly, text)
		return err == nil && day.Year() > 0
	case control == "datetime-local":
		return utcTime(text) != text && localTime(utcTime(text)) == text
	case control == "number":
		_, err := strconv.ParseFloat(text, 64)
		return err == nil && json.Valid([]byte(text))
	}
	return true
}

// localTime returns a time in UTC as browsers send it: without an offset, and without seconds
// that are zero. It returns texts that they do not keep, such as fractions of a second, as they
// are.
func localTime(text string) string {
	at, err := time.Parse(time.RFC3339, text)
	at = at.UTC()
	if err != nil || at.Nanosecond() != 0 || at.Year() < 1 || at.Year() > 9999 {
		return text
	}
	return strings.TrimSuffix(at.Format("2006-01-02T15:04:05"), ":00")
}

// utcTime returns a time that a browser has sent, with the offset of UTC. It returns any other
// text as it is.
func utcTime(text string) string {
	for _, local := range []string{text, text + ":00"} {
		if at, err := time.Parse("2006-01-02T15:04:05", local); err == nil {
			return at.Format(time.RFC3339Nano)
		}
	}
	return text
}

// recordTexts returns what a form for a record sends if nobody changes it: the texts of its
// values, twice.
func recordTexts(fields []schema.Field, stored map[string]json.RawMessage) url.Values {
	texts := make(url.Values)
	for _, field := range fields {
		text := valueText(field, stored[field.Name])
		texts.Set(field.Name, text)
		texts.Set(shownPrefix+field.Name, text)
	}
	return texts
}

// maxForm is the maximum size of a form in bytes. A form for a record has each text twice.
const maxForm = 2 << 20

// readForm reads the body of a form. Of several values of an input, those of a select are joined;
// the first is empty. If it fails, it returns the response.
func (v *view) readForm() (posted url.Values, refused *response) {
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, maxForm))
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, refusal(http.StatusRequestEntityTooLarge, wire.Detail("The form is larger than 2 MiB."))
	}
	posted, invalid := url.ParseQuery(string(body))
	if err != nil || invalid != nil {
		return nil, refusal(http.StatusBadRequest, wire.Detail("The form could not be read."))
	}
	for name, texts := range posted {
		if len(texts) > 1 {
			separator := v.c.separator(name)
			posted.Set(name, strings.TrimPrefix(strings.Join(texts, separator), separator))
		}
	}
	return posted, nil
}
