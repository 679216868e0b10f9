// Package kinds describes the values of each kind of field, for documents and pages.
package kinds

import "github.com/gobacklist/backlist/catalogue/schema"

// A Row describes the values of a kind.
type Row struct {
	// Form, if true, means that the values are any text of a form, with a length and a pattern of the field.
	Form bool

	// Format, Pattern and About are those of a schema of the values. A text that may be empty has About,
	// and no Format.
	Format, Pattern, About string

	Control string // of an input
	Step    string // of a number, unless its places determine it
	Hint    string // beside the input
}

// rows has a row for each kind.
var rows = [...]Row{
	schema.Integer:   {Control: "number", Step: "1"},
	schema.Text:      {Form: true, Control: "text"},
	schema.Slug:      {Form: true, Control: "text", Pattern: "^[-a-zA-Z0-9_]+$", Hint: "Letters, digits, - and _."},
	schema.Timestamp: {Control: "datetime-local", Format: "date-time", Hint: "In UTC."},
	schema.Boolean:   {Control: "checkbox"},
	schema.URL:       {Form: true, Control: "url", Format: "uri", About: "A URL", Hint: "Starts with https:// or http://."},
	schema.Reference: {Control: "text"}, schema.References: {Control: "text"},
	schema.Array: {Control: "textarea"}, schema.JSON: {Control: "textarea"},
	schema.Float: {Control: "number", Step: "any"}, schema.Decimal: {Control: "number"},
	schema.Date:   {Control: "date", Format: "date"},
	schema.Choice: {Control: "select"},
	schema.Email:  {Form: true, Control: "email", Format: "email", About: "An e-mail address"},
	schema.UUID:   {Control: "text", Format: "uuid", Hint: "32 hexadecimal digits."},
	schema.UnicodeSlug: {Form: true, Control: "text", About: "Letters and numbers of any script, hyphens and underscores.",
		Hint: "Letters and digits of any script, - and _."},
	schema.Regex: {Form: true, Control: "text"},
	schema.Map:   {Control: "textarea"}, schema.Object: {Control: "textarea"},
	schema.TimeOfDay: {Control: "time", Pattern: "^" + clock + "$"},
	schema.Interval: {Control: "text", Pattern: "^(-?[0-9]+ )?" + clock + "$", About: "Days, if any, and a time.",
		Hint: "Hours, minutes and seconds, such as 08:30:00, after days if any."},
}

// clock is the pattern of a time. The format of that name has an offset.
const clock = `[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?`

// Of returns the row of a kind, or an empty one if it has none.
func Of(kind schema.Kind) (r Row) {
	if int(kind) < len(rows) {
		r = rows[kind]
	}
	return r
}
