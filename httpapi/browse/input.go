package browse

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// input is a field of a form.
type input struct {
	Key       string // part of the ids of its elements
	Name      string // of the field in JSON, or of a parameter
	Label     string
	Control   string // checkbox, textarea, select, or a type of input element
	Numeric   bool   // show a numeric keyboard
	Value     string
	Checked   bool
	Options   []option // of a select
	Required  bool
	Hint      string
	Faults    []string
	Focus     bool   // it is the first with a fault
	Describes string // ids of the elements that describe it
}

// option is an option of a select.
type option struct {
	Value, Label string
	Selected     bool
}

// newInput returns the input of a field, without its value.
func newInput(field schema.Field) input {
	in := input{
		Key:      field.Name,
		Name:     field.Name,
		Label:    heading(field.Name),
		Control:  "text",
		Required: field.Required && !mayBeEmpty(field),
	}
	switch field.Kind {
	case schema.Integer:
		in.Numeric = true
		in.Hint = boundsHint(field.Min, field.Max)
	case schema.Text:
		if field.Name == "description" {
			in.Control = "textarea"
		}
	case schema.Slug:
		in.Hint = "Letters, digits, - and _."
	case schema.Timestamp:
		in.Hint = "With a UTC offset, such as 2026-05-10 18:00 +02:00."
	case schema.Boolean:
		in.Control = "checkbox"
		if field.Nullable {
			in.Control = "select"
		}
	case schema.Choice:
		in.Control = "select"
	case schema.Date:
		in.Hint = "Such as 2026-05-10."
	case schema.Float:
		in.Hint = "A number, such as 7.5."
	case schema.Decimal:
		in.Hint = decimalHint(field.Places)
	case schema.URL:
		in.Control = "url"
		in.Hint = "Starts with https:// or http://."
	case schema.Reference:
		in.Numeric = true
		in.Hint = "An id from " + heading(field.Refers) + "."
	case schema.References:
		in.Hint = "Ids from " + heading(field.Refers) + ", separated by commas."
	case schema.TextList:
		in.Control = "textarea"
		in.Hint = "One per line."
	case schema.JSON:
		in.Control = "textarea"
		in.Hint = "JSON."
	}
	return in
}

// describe sets the elements that a screen reader reads with the field.
func (in *input) describe() {
	var ids []string
	if in.Faults != nil {
		ids = append(ids, "fault-"+in.Key)
	}
	if in.Hint != "" {
		ids = append(ids, "hint-"+in.Key)
	}
	in.Describes = strings.Join(ids, " ")
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

// setValue sets the value of the input of a field.
func (in *input) setValue(field schema.Field, text string) {
	in.Value, in.Checked = text, text != ""
	switch {
	case in.Control == "select" && field.Kind == schema.Boolean:
		in.selectFrom([]string{"true", "false"}, "null", true)
	case in.Control == "select":
		in.selectFrom(field.Choices, "none", mayBeEmpty(field))
	case in.Control != "checkbox" && strings.ContainsAny(text, "\r\n"):
		in.Control = "textarea" // browsers remove line endings from other inputs
	}
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
