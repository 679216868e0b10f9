package browse

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/kinds"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// input is a field of a form, or a group of inputs: an object, a list of objects or one of these.
type input struct {
	kind
	Field schema.Field

	Name  string // as package formdata reads it, such as address.city or lines[0]sku, or of a parameter
	Label string
	Value string

	Pattern  string   // of a whole text
	Multiple bool     // several options can be selected
	Options  []option // of a select
	Rows     int      // of a textarea
	Required bool
	Faults   []string
	Focus    bool // the visitor goes on here

	Inputs  []input // of a group
	Adds    string  // what a button adds to a list, or ""
	Remove  string  // name of the box that removes an object of a list, or ""
	Removed bool    // the box is checked, or the object is a new one without a text

	Named  []string // names of the records to which the value refers
	New    string   // link to a form that adds the first of them, or ""
	Find   string   // name of the input that finds them, or ""
	Sought string   // what has been found
	Pick   string   // radio or checkbox: for each one that has been found
	Found  []option // records
	More   string   // the number of all that could be found, if these are not all

	path string // in the errors of the handler, such as lines.0.sku; of several, it is that of the last
}

// maxItems is the maximum number of objects of a list with inputs. A longer list is JSON.
const maxItems = 20

// newInputs returns the inputs of fields that can be written, inside a value whose names and paths
// begin with the prefixes. Without texts they have their defaults. None is required if the value is
// optional.
func newInputs(prefix, path string, fields []schema.Field, texts url.Values, optional bool) (inputs []input) {
	for _, field := range fields {
		if field.ReadOnly || field.Computed {
			continue
		}
		in := input{
			kind: kindOf(field), Field: field, Name: prefix + field.Name, Label: heading(field.Name), Value: blankText(field),
			Required: field.Required && !field.Nullable && !field.Blank && !optional, path: path + field.Name,
		}
		switch values := texts[in.Name]; {
		case in.separator != "" && len(values) > 1:
			in.Value = strings.TrimPrefix(strings.Join(values, in.separator), in.separator)
		case len(values) > 0:
			in.Value = values[len(values)-1]
		case field.Kind == schema.Object && len(field.Fields) > 0:
			in.group(in.Name+".", texts, !in.Required)
		case isItems(field):
			in.list(texts)
		case texts != nil && in.Control == "checkbox": // browsers send a box only if it is checked
			in.Value = ""
		}
		inputs = append(inputs, in)
	}
	return inputs
}

// isItems reports whether the values of a field are lists of objects whose members are known.
func isItems(field schema.Field) bool {
	return field.Kind == schema.Array && field.Item.Kind == schema.Object && len(field.Item.Fields) > 0
}

// blankText returns the text of an input before anybody has typed.
func blankText(field schema.Field) string {
	return valueText(field, strings.TrimPrefix(field.Default, "null"))
}

// group makes the input that of an object, the names of whose members begin with a prefix. It reports
// whether there are texts of them.
func (in *input) group(prefix string, texts url.Values, optional bool) (ok bool) {
	for name := range texts {
		ok = ok || strings.HasPrefix(name, prefix)
	}
	if !ok {
		texts = nil
	}
	in.Control, in.Hint, in.Value, in.Code = "group", "", "", false
	in.Inputs = newInputs(prefix, in.path+".", in.Field.Fields, texts, optional)
	return ok
}

// list makes the input that of a list of objects, with an empty one at the end.
func (in *input) list(texts url.Values) {
	in.Control, in.Hint, in.Code, in.Adds = "group", "", false, inWords(in.Field.Name)
	for n, sent, more := 0, 0, true; more; n++ {
		name := in.Name + "[" + strconv.Itoa(n) + "]"
		item := input{Name: name, Label: strconv.Itoa(sent + 1), Field: *in.Field.Item, path: in.path + "." + strconv.Itoa(sent)}
		item.Remove, item.Removed = removePrefix+name, texts.Has(removePrefix+name)
		if more = item.group(name, texts, false); !more && n > 0 && in.Inputs[n-1].blank() && texts.Get(againName) != in.Name {
			return
		}
		if item.blank() {
			item.Label, item.Remove, item.Removed = "New", "", true
			item.Inputs = newInputs(name, item.path+".", item.Field.Fields, nil, true)
		}
		if !item.Removed {
			sent++
		}
		in.Inputs = append(in.Inputs, item)
	}
}

// allOf returns inputs and those inside them.
func allOf(inputs []input) (all []*input) {
	for i := range inputs {
		all = append(append(all, &inputs[i]), allOf(inputs[i].Inputs)...)
	}
	return all
}

// blank reports whether nobody has typed into the input or into those inside it.
func (in *input) blank() bool {
	return !slices.ContainsFunc(allOf([]input{*in}), func(in *input) bool {
		text := strings.TrimSpace(in.Value)
		return (text != "" || in.Control == "checkbox") && text != blankText(in.Field)
	})
}

// touched reports whether the visitor has changed the input or one inside it: its text is not the one
// that the form has shown. An input that is not in the form is not changed, except a boolean, since
// browsers send a box only if it is checked.
func (in *input) touched(texts, shown url.Values) bool {
	return slices.ContainsFunc(allOf([]input{*in}), func(in *input) bool {
		was := blankText(in.Field)
		switch {
		case in.Control == "group":
			return in.Removed && in.Remove != ""
		case !texts.Has(in.Name) && (in.Control != "checkbox" || in.Name != in.Field.Name && !texts.Has(shownName)):
			return false
		case shown.Has(in.Name):
			was = shown.Get(in.Name)
		}
		return returned(in.Value) != returned(was)
	})
}

// appendTo appends the values of the input to a form. The handler applies the default of an absent
// value, requires it, or reports the error of an invalid one.
func (in *input) appendTo(f formdata.Form) formdata.Form {
	add := func(text string, as formdata.Type) {
		f = append(f, formdata.Value{Name: in.Name, Text: text, Type: as})
	}
	text := strings.TrimSpace(in.Value)
	switch {
	case in.Control == "group" && in.Adds != "":
		empty := len(f)
		for i := range in.Inputs {
			if !in.Inputs[i].Removed {
				f = in.Inputs[i].appendTo(f)
			}
		}
		if len(f) == empty && in.Field.Required {
			add("[]", formdata.JSON)
		}
	case in.Control == "group" && in.blank() && in.Field.Nullable:
		add("null", formdata.JSON)
	case in.Control == "group":
		for i := range in.Inputs {
			if !in.blank() || in.Field.Required {
				f = in.Inputs[i].appendTo(f)
			}
		}
	case text == "" && (in.Control == "checkbox" || in.Required): // absent
	case text == "" && in.Name == in.Field.Name && !in.Field.Required && blankText(in.Field) == "": // has its default
	case text == "" && in.empty != "":
		add(in.empty, formdata.JSON)
	case in.separator != "":
		elements := in.split(in.Value)
		if list := "[" + strings.Join(elements, ",") + "]"; in.Field.Item != nil && isLiteral(*in.Field.Item, list) {
			add(list, formdata.JSON)
			break
		}
		for _, element := range elements {
			add(element, formdata.Text)
		}
	case in.Code, isLiteral(in.Field, text):
		add(text, formdata.JSON)
	case kinds.Of(in.Field.Kind).Form || in.choices != nil:
		add(unixLines(in.Value), formdata.Text)
	case in.Field.Kind == schema.Timestamp:
		add(utcTime(text), formdata.Text)
	default:
		add(text, formdata.Text)
	}
	return f
}

// isLiteral reports whether a text is the JSON of a number or a boolean, or of a list of them. As texts, some
// collections would store them as they are.
func isLiteral(field schema.Field, text string) bool {
	return (field.Kind == schema.Float || field.Kind == schema.Boolean) && schema.CheckSyntax([]byte(text)) == nil
}

// inputsJSON returns the values of the inputs of a form as a JSON object.
func inputsJSON(inputs []input) []byte {
	var f formdata.Form
	var fields []schema.Field
	for i := range inputs {
		before := len(f)
		if f = inputs[i].appendTo(f); len(f) > before || !inputs[i].Field.Hidden { // otherwise it has its default
			fields = append(fields, inputs[i].Field)
		}
	}
	return f.Object(fields, formdata.Options{Framework: schema.DRF318(nil)})
}

// misspelled returns the errors of texts that should be JSON and are not, which as text could be valid
// values, and of lists that are too long for a form.
func misspelled(inputs []input) faults {
	wrong := make(faults)
	for _, in := range allOf(inputs) {
		if err := schema.CheckSyntax([]byte(unixLines(in.Value))); in.Code && strings.TrimSpace(in.Value) != "" && err != nil {
			wrong[in.path] = []string{err.Error()}
		} else if in.separator != "" && len(in.split(in.Value)) > maxElements {
			wrong[in.path] = []string{fmt.Sprintf("A list of a form can have at most %d elements.", maxElements)}
		}
	}
	return wrong
}

// recordTexts returns the texts of the values of a record that its form shows.
func recordTexts(fields []schema.Field, stored schema.Record) url.Values {
	texts := make(url.Values)
	for _, field := range fields {
		value, _ := stored.Get(field.Name)
		add := func(prefix string, fields []schema.Field, value string) {
			object, _ := schema.ParseKeyed([]byte(value)) // of null, one without members
			for name, text := range recordTexts(fields, object) {
				texts[prefix+name] = text
			}
		}
		switch items := itemsOf(value); {
		case field.Hidden, field.ReadOnly, field.Computed:
		case (field.Kind == schema.Object || isItems(field)) && (value == "" || value == "null"):
		case field.Kind == schema.Object && len(field.Fields) > 0:
			add(field.Name+".", field.Fields, value)
		case isItems(field) && len(items) <= maxItems:
			for i, item := range items {
				add(field.Name+"["+strconv.Itoa(i)+"]", field.Item.Fields, string(item))
			}
		default:
			texts.Set(field.Name, valueText(field, value))
		}
	}
	return texts
}

// complete makes the input show its text, with what can be chosen.
func (v *view) complete(in *input, texts url.Values) {
	field := in.Field
	if kinds.Of(field.Kind).Form {
		if p := field.Pattern; p != nil && wire.IsPortable(p.String()) {
			in.Pattern = ".*(?:" + p.String() + ").*"
		}
		if field.Hidden {
			if slices.ContainsFunc([]string{"pass", "secret", "token", "key"}, func(word string) bool { return strings.Contains(inWords(field.Name), word) }) {
				in.Control = "password"
			}
			return
		}
	} else {
		in.Field.MinLength, in.Field.MaxLength = 0, 0 // of elements
	}
	if in.Control != "checkbox" && strings.ContainsAny(in.Value, "\r\n") {
		in.Control = "textarea" // browsers remove line endings from other inputs
	} else if !fits(in.Control, in.Value) {
		in.Control = "text"
	}
	in.Rows = min(max(3, strings.Count(in.Value, "\n")+1), 30)
	switch {
	case in.Control == "select":
		in.selectAmong(optionsOf(in.choices, field.Labels))
	case v.byKey[field.Refers] != nil:
		v.offer(in, v.byKey[field.Refers], texts.Get(findPrefix+in.Name))
	}
}

// offer makes the input of a field that refers to records a select of them if they are few, and
// otherwise one that finds them by a text.
func (v *view) offer(in *input, c *collection, sought string) {
	known, values := v.records(c, in.Field.By), in.split(in.Value)
	switch {
	case known.whole && len(known.options) == 0:
		in.Hint = heading(c.Key) + " has no records yet."
		if v.postable(c) {
			in.New = v.rootLink(v.r) + url.PathEscape(c.Segment) + "/?" + methodName + "=" + http.MethodPost
		}
	case in.separator == "" && known.whole:
		in.Hint = ""
		in.selectAmong(known.options)
	case !known.whole:
		if in.Pick = "checkbox"; in.separator == "" {
			in.Pick, values = "radio", []string{in.Value}
		}
		for _, value := range values {
			if name, _ := v.name(c, in.Field.By, value); name != value {
				in.Named = append(in.Named, name)
			}
		}
		if len(c.Search) > 0 {
			in.Find, in.Sought = findPrefix+in.Name, sought
		}
		if in.Sought != "" {
			list, count := v.list(c.path, url.Values{c.search: {sought}}.Encode(), maxFound)
			if in.Found = options(c, in.Field.By, list); count > len(list) {
				in.More = grouped(count)
			}
		}
	case strings.Join(values, in.separator) == in.Value:
		in.Control, in.Multiple, in.Hint = "select", true, "Several can be selected."
		for _, value := range values { // a browser sends them in this order
			name, _ := v.name(c, in.Field.By, value)
			in.Options = append(in.Options, option{Value: value, Label: name, Selected: true})
		}
		for _, o := range known.options {
			if !slices.Contains(values, o.Value) {
				in.Options = append(in.Options, o)
			}
		}
	}
}

// maxFound is the maximum number of records that a form offers of those that it finds.
const maxFound = 20

// optionsOf returns an option for each value, with its label or, without labels, the value itself.
func optionsOf(values, labels []string) (options []option) {
	if labels == nil {
		labels = values
	}
	for i, value := range values {
		options = append(options, option{Value: value, Label: labels[i]})
	}
	return options
}

// selectAmong makes the input a select. It offers the empty value if that is valid. Otherwise it asks
// to choose if there is no value. A current value that is no option is offered too.
func (in *input) selectAmong(options []option) {
	in.Control = "select"
	switch {
	case in.Field.Nullable || in.Field.Blank:
		in.Options = append(in.Options, option{Label: "(none)"})
	case in.Value == "":
		in.Options = append(in.Options, option{Label: "Choose…"})
	}
	if in.Value != "" && !slices.ContainsFunc(options, func(o option) bool { return o.Value == in.Value }) {
		in.Options = append(in.Options, option{Value: in.Value, Label: in.Value})
	}
	in.Options = append(in.Options, options...)
	for i := range in.Options {
		in.Options[i].Selected = in.Options[i].Value == in.Value
	}
}
