package browse

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
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

// faults maps fields to error messages.
type faults map[string][]string

// postable reports whether the sender of r may post to its path, which is that of c.
func (b *browser) postable(r *http.Request, c *collection) bool {
	return c.actions.Has(schema.Create) && b.offers(r, http.MethodPost)
}

// offers reports whether the handler's response to OPTIONS has the fields that the sender
// of r may send to its path with a method.
func (b *browser) offers(r *http.Request, method string) bool {
	resp := b.request(r, http.MethodOptions, r.URL.Path, "")
	var metadata struct{ Actions map[string]json.RawMessage }
	err := json.Unmarshal(resp.body.Bytes(), &metadata)
	return err == nil && resp.status == http.StatusOK && metadata.Actions[method] != nil
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

// fill adds the inputs for the fields. If values is nil, they have the default values.
func (f *form) fill(fields []schema.Field, values url.Values, wrong faults) {
	if wrong != nil {
		f.Failed = "Nothing was stored. Please correct the following:"
	}
	known := make(map[string]bool)
	focused := false
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		known[field.Name] = true
		in := newInput(field)
		if values == nil {
			in.setValue(field, defaultText(field))
		} else {
			in.setValue(field, values.Get(field.Name))
		}
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
