package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/kinds"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// form is a form that posts a record to a collection or changes a record.
type form struct {
	Title   string // of its page if it was posted
	Action  string
	Cancel  string
	Another bool     // it is for a new record, and another one can follow
	Failed  string   // why it was posted and rejected, or ""
	Faults  []string // errors that belong to no field
	Shown   string   // the texts of the record that the form has been made from, or ""
	Inputs  []input
	Again   bool // buttons send it to be shown again
}

// Names of inputs that are not of fields.
const (
	shownName    = "_shown"   // the texts of the record that the form has been made from, as JSON
	removePrefix = "_remove." // before the name of an object of a list: it is removed
	findPrefix   = "_find."   // before the name of a reference: what to find
	againName    = "_again"   // the form is shown again, with what was typed
	anotherName  = "_another" // a form for another record follows
)

// stored returns the record with the values of a response as it is stored, with the names in bodies.
func (v *view) stored(values schema.Record, valid bool) (record schema.Record, ok bool) {
	of, knows := v.c.of.(interface {
		Stored(context.Context, string) ([]byte, error)
	})
	record, ok = values, valid
	if ok && knows && v.c.Shown != nil {
		text, err := of.Stored(v.r.Context(), v.id)
		if err == nil {
			record, err = schema.ParseKeyed(text)
		}
		ok = err == nil
	}
	for i, f := range v.c.Fields {
		if value, has := record.Get(f.Name); ok && has && f.Write != "" {
			record, _ = record.With(v.c.written[i].Name, json.RawMessage(value)) // a valid value
		}
	}
	return record, ok
}

// newForm returns the form for a new record or for changing one. The texts are nil, the record's
// or, if the form was posted, the posted ones. wrong are the errors if it was rejected.
func (v *view) newForm(texts url.Values, wrong faults) *form {
	f := &form{Title: "Add " + spelled(v.c.Name), Action: v.query.with(methodName, http.MethodPost), Cancel: v.cleanLink(), Another: v.id == ""}
	if v.id != "" {
		f.Title, f.Action = "Change "+v.c.recordName(v.id), v.query.with(methodName, v.c.updateMethod())
	}
	if wrong != nil {
		f.Title, f.Failed = "Not stored", "Nothing was stored. Please correct the following:"
	}
	again := texts.Get(againName)
	f.Shown = texts.Get(shownName)
	for i, field := range v.c.written {
		of := texts
		if field.Hidden && texts != nil { // it shows nothing but its default
			of = url.Values{}
		}
		f.Inputs = append(f.Inputs, newInputs("", "", v.c.written[i:i+1], of, field.Hidden && v.id != "")...)
	}
	if f.Another && texts == nil {
		focus(f.Inputs)
	}
	for _, in := range allOf(f.Inputs) {
		f.Again = f.Again || in.Adds != ""
		if in.Control == "group" {
			if in.Adds != "" && in.Name == again {
				focus(in.Inputs[len(in.Inputs)-1:])
			}
			continue
		}
		v.complete(in, texts)
		f.Again = f.Again || in.Find != ""
		in.Focus = in.Focus || in.Sought != "" && (again == "" || again == in.Find)
	}
	f.blame(wrong)
	return f
}

// focus makes the first of some inputs the one where the visitor goes on.
func focus(inputs []input) {
	for _, in := range allOf(inputs) {
		if in.Control != "group" {
			in.Focus = true
			return
		}
	}
}

// blame adds errors to the inputs that they are about, or to the nearest input around them.
func (f *form) blame(wrong faults) {
	inputs, byPath := allOf(f.Inputs), map[string]*input{}
	for _, in := range inputs {
		byPath[in.path] = in
	}
	for _, path := range slices.Sorted(maps.Keys(wrong)) {
		at := path
		for byPath[at] == nil && strings.Contains(at, ".") {
			at = at[:strings.LastIndexByte(at, '.')]
		}
		in := byPath[at]
		for _, text := range wrong[path] {
			if at != path {
				text = path + ": " + text
			}
			if in == nil {
				f.Faults = append(f.Faults, text)
			} else {
				in.Faults = append(in.Faults, text)
			}
		}
	}
	if at := slices.IndexFunc(inputs, func(in *input) bool { return in.Faults != nil }); at >= 0 {
		inputs[at].Focus = true
	}
}

// postable reports whether the sender of the request may post to a collection.
func (v *view) postable(c *collection) bool {
	return c.Actions.Has(schema.Create) && v.denied(http.MethodPost, c.path) == nil
}

// faults maps the paths of values, such as lines.0.sku, to error messages.
type faults map[string][]string

// readFaults parses the body of a response of 400. It returns nil if that is no JSON object.
func readFaults(body []byte) faults {
	var all map[string]any
	if json.Unmarshal(body, &all) != nil || all == nil {
		return nil
	}
	wrong := make(faults, len(all))
	for name, value := range all {
		wrong.read(name, value)
	}
	return wrong
}

// read adds the messages about a value, and about its parts.
func (f faults) read(path string, value any) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			at := path
			if _, isMessage := item.(string); !isMessage { // it is about an element
				at += "." + strconv.Itoa(i)
			}
			f.read(at, item)
		}
	case map[string]any:
		for name, part := range value {
			at := path
			if ordering.Snake(name) != "non_field_errors" {
				at += "." + name
			}
			f.read(at, part)
		}
	default:
		f[path] = append(f[path], fmt.Sprint(value))
	}
}

// kind is what pages know of the values of a field.
type kind struct {
	Control string // checkbox, textarea, select, group, or a type of input element
	Step    string // of a number
	Hint    string
	Code    bool     // a text is JSON
	choices []string // of a select in a form or a filter

	empty     string // JSON of an empty input that is a list or has JSON
	separator string // of the elements of a list whose text is not JSON, or ""
}

// kindOf returns what pages know of the values of a field.
func kindOf(field schema.Field) kind {
	row := kinds.Of(field.Kind)
	k := kind{Control: row.Control, Step: row.Step, Hint: row.Hint}
	switch by := heading(cmp.Or(field.By, "id")); field.Kind {
	case schema.Text:
		if strings.EqualFold(field.Name, "description") {
			k.Control = "textarea"
		}
	case schema.Regex:
		k.Hint = field.Message
	case schema.Boolean:
		k.choices = []string{"true", "false"}
		if field.Nullable || field.Hidden { // with a choice for what is not shown
			k.Control = "select"
		}
	case schema.Decimal:
		k.Step = strconv.FormatFloat(math.Pow10(-field.Places), 'f', -1, 64)
	case schema.Reference:
		k.Hint = by + " of a record from " + heading(field.Refers) + "."
	case schema.References:
		k.Hint, k.separator, k.empty = by+" of records from "+heading(field.Refers)+", separated by commas.", ", ", "[]"
		if field.By != "" { // a text can have commas
			k.Control, k.Hint, k.separator = "textarea", by+" of records from "+heading(field.Refers)+", one per line.", "\n"
		}
	case schema.Array:
		if k.empty = "[]"; field.Item.Kind.Scalar() && !field.Item.Nullable {
			k.Hint, k.separator = "One per line.", "\n"
		}
	case schema.Map:
		k.empty = "{}"
	case schema.JSON, schema.Object:
		k.empty = "null"
	}
	if field.Choices != nil {
		k.Control, k.choices = "select", field.Choices
	}
	if k.Code = k.empty != "" && k.separator == ""; k.Code {
		k.Hint = "JSON."
	}
	return k
}

// valueText returns the text that a form has for a JSON value, which may be nil.
func valueText(field schema.Field, value string) string {
	k := kindOf(field)
	switch {
	case value == "":
		return ""
	case k.Code:
		return indented(value)
	case k.separator != "":
		if texts, nested := readList(value); texts != nil || !nested {
			return strings.Join(texts, k.separator)
		}
		return value
	case value == "null", k.Control == "checkbox" && value != "true":
		return ""
	}
	text, ok := readText(value)
	switch {
	case !ok:
		return value
	case field.Kind == schema.Timestamp:
		return localTime(text)
	case k.Control == "time" && len(text) == len(time.TimeOnly):
		return strings.TrimSuffix(text, ":00") // as browsers send it
	}
	return text
}

// maxElements is the maximum number of elements of a list whose text is not JSON.
const maxElements = 10_000

// split returns the elements of a list whose text is not JSON, trimmed and without empty ones: at most
// one more than maxElements.
func (k kind) split(text string) (elements []string) {
	for element := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r == '\n' || k.separator != "\n" && strings.ContainsRune(",; \t\r", r)
	}) {
		if element = strings.TrimSpace(element); element != "" && len(elements) <= maxElements {
			elements = append(elements, element)
		}
	}
	return elements
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
	if control == "number" && text != "" {
		_, err := strconv.ParseFloat(text, 64)
		return err == nil && json.Valid([]byte(text))
	}
	layouts, isTime := map[string][]string{
		"date":           {time.DateOnly},
		"time":           {"15:04", time.TimeOnly},
		"datetime-local": {"2006-01-02T15:04", "2006-01-02T15:04:05"},
	}[control]
	return text == "" || !isTime || !strings.HasPrefix(text, "0000-") && slices.ContainsFunc(layouts, func(layout string) bool {
		at, err := time.Parse(layout, text)
		return err == nil && at.Format(layout) == text && !(strings.HasSuffix(layout, ":05") && strings.HasSuffix(text, ":00"))
	})
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

// maxForm is the maximum size of a form in bytes. A form for a record has each text twice.
const maxForm = 2 << 20

// readForm reads the body of a form. If it fails, it returns the response.
func (v *view) readForm() (posted url.Values, refused *wire.Recorder) {
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, maxForm))
	if errors.As(err, new(*http.MaxBytesError)) {
		v.w.Header().Set("Connection", "close") // as http.MaxBytesReader does for net/http's own writer
		return nil, v.refusal(http.StatusRequestEntityTooLarge, wire.Detail("The form is larger than 2 MiB."))
	}
	values, fault := formdata.Parse(v.r.Header.Get("Content-Type"), body)
	if err != nil {
		fault = "The form could not be read."
	}
	if fault != "" {
		return nil, v.refusal(http.StatusBadRequest, wire.Detail(fault))
	}
	posted = make(url.Values)
	for _, value := range values {
		posted.Add(value.Name, value.Text)
	}
	return posted, nil
}

// withShown adds the texts of a form to them, as what it has shown.
func withShown(texts url.Values) url.Values {
	text, _ := json.Marshal(texts) // never fails
	texts.Set(shownName, string(text))
	return texts
}
