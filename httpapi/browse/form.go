package browse

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// form is a form that posts a record to a collection.
type form struct {
	Failed bool     // it was posted and rejected
	Faults []string // errors that belong to no field
	Inputs []input
}

// input is a field of a form.
type input struct {
	Name      string // in JSON
	Label     string
	Control   string // checkbox, textarea, or a type of input element
	Numeric   bool   // show a numeric keyboard
	Value     string
	Checked   bool
	Required  bool
	Hint      string
	Faults    []string
	Focus     bool   // it is the first with a fault
	Describes string // ids of the elements that describe it
}

// faults maps fields to error messages.
type faults map[string][]string

// postable reports whether the sender of r may post to its path, according to the
// handler's response to OPTIONS.
func (b *browser) postable(r *http.Request) bool {
	if c, ok := b.collections[r.URL.Path]; !ok || !c.Actions.Has(resources.Create) {
		return false
	}
	resp := b.request(r, http.MethodOptions, r.URL.Path, "")
	var metadata struct {
		Actions struct{ POST json.RawMessage }
	}
	err := json.Unmarshal(resp.body.Bytes(), &metadata)
	return err == nil && resp.status == http.StatusOK && metadata.Actions.POST != nil
}

// newForm returns the form of a collection. If it was posted and rejected, posted and
// wrong are its values and errors; otherwise they are nil.
func newForm(c resources.Description, posted url.Values, wrong faults) *form {
	f := &form{Failed: wrong != nil}
	known := make(map[string]bool)
	focused := false
	for _, field := range c.Fields {
		if field.ReadOnly {
			continue
		}
		known[field.Name] = true
		in := newInput(field)
		in.Value = posted.Get(field.Name)
		in.Checked = in.Value != "" || posted == nil && field.Default == "true"
		in.Faults = wrong[field.Name]
		in.describe()
		if in.Faults != nil && !focused {
			in.Focus, focused = true, true
		}
		f.Inputs = append(f.Inputs, in)
	}
	for _, name := range slices.Sorted(maps.Keys(wrong)) {
		if !known[name] {
			f.Faults = append(f.Faults, wrong[name]...)
		}
	}
	return f
}

func newInput(field resources.Field) input {
	in := input{
		Name:     field.Name,
		Label:    heading(field.Name),
		Control:  "text",
		Required: field.Required,
	}
	switch field.Kind {
	case resources.Integer:
		in.Numeric = true
	case resources.Text:
		if field.Name == "description" {
			in.Control = "textarea"
		}
	case resources.Slug:
		in.Hint = "Letters, digits, - and _."
	case resources.Timestamp:
		in.Hint = "With a UTC offset, such as 2026-05-10 18:00 +02:00."
	case resources.Boolean:
		in.Control = "checkbox"
	case resources.URL:
		in.Control = "url"
		in.Hint = "Starts with https:// or http://."
	case resources.Reference:
		in.Numeric = true
		in.Hint = "An id from " + heading(field.Refers) + "."
	case resources.References:
		in.Hint = "Ids from " + heading(field.Refers) + ", separated by commas."
	case resources.TextList:
		in.Control = "textarea"
		in.Hint = "One per line."
	case resources.JSON:
		in.Control = "textarea"
		in.Hint = "JSON."
	}
	return in
}

// describe sets the elements that a screen reader reads with the field.
func (in *input) describe() {
	var ids []string
	if in.Faults != nil {
		ids = append(ids, "fault-"+in.Name)
	}
	if in.Hint != "" {
		ids = append(ids, "hint-"+in.Name)
	}
	in.Describes = strings.Join(ids, " ")
}

// readFaults parses the body of a response of 400.
func readFaults(body []byte) (faults, error) {
	members, err := readMembers(body)
	if err != nil {
		return nil, err
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
	return wrong, nil
}
