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
	Name     string // as package formdata reads it, such as address.city or lines[0]sku, or of a parameter
	Label    string
	Control  string // checkbox, textarea, select, group, or a type of input element
	Value    string
	Step     string // of a number
	Min, Max string // of a number

	MinLength, MaxLength int    // of a text, or 0
	Pattern              string // of a whole text

	Multiple bool     // several options can be selected
	Options  []option // of a select
	Rows     int      // of a textarea
	Code     bool     // the text is JSON
	Required bool
	Hint     string
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

	field schema.Field
	path  string // in the errors of the handler, such as lines.0.sku; of several, it is that of the last
}

// maxItems is the maximum number of objects of a list with inputs. A longer list is JSON.
const maxItems = 20

// newInputs returns the inputs of fields that can be written, inside a value whose names and paths
// begin with the prefixes. Without texts they have their defaults. None is required if the value is
// optional.
func newInputs(prefix, path string, fields []schema.Field, texts url.Values, optional bool) (inputs []input) {
	for _, field := range fields {
		if isReadOnly(field) {
			continue
		}
		k := kindOf(field)
		in := input{
			Name: prefix + field.Name, Label: heading(field.Name), Control: k.control, Value: blankText(field), Hint: k.hint,
			Step: k.step, Min: field.Min, Max: field.Max, Code: k.nested, Required: field.Required && !mayBeEmpty(field) && !optional,
			field: field, path: path + field.Name,
		}
		switch values := texts[in.Name]; {
		case k.separator != "" && len(values) > 1:
			in.Value = strings.TrimPrefix(strings.Join(values, k.separator), k.separator)
		case len(values) > 0:
			in.Value = values[len(values)-1]
		case field.Kind == schema.Object && len(field.Fields) > 0:
			in.group(in.Name+".", texts, !in.Required)
		case isItems(field):
			in.list(texts)
		case texts != nil && k.control == "checkbox": // browsers send a box only if it is checked
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
	in.Inputs = newInputs(prefix, in.path+".", in.field.Fields, texts, optional)
	return ok
}

// list makes the input that of a list of objects, with an empty one at the end.
func (in *input) list(texts url.Values) {
	in.Control, in.Hint, in.Code, in.Adds = "group", "", false, inWords(in.field.Name)
	for n, sent, more := 0, 0, true; more; n++ {
		name := in.Name + "[" + strconv.Itoa(n) + "]"
		item := input{Name: name, Label: strconv.Itoa(sent + 1), field: *in.field.Item, path: in.path + "." + strconv.Itoa(sent)}
		item.Remove, item.Removed = removePrefix+name, texts.Has(removePrefix+name)
		if more = item.group(name, texts, false); !more && n > 0 && in.Inputs[n-1].blank() && texts.Get(againName) != in.Name {
			return
		}
		if item.blank() {
			item.Label, item.Remove, item.Removed = "New", "", true
			item.Inputs = newInputs(name, item.path+".", item.field.Fields, nil, true)
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
		return (text != "" || in.Control == "checkbox") && text != blankText(in.field)
	})
}

// touched reports whether the visitor has changed the input or one inside it: its text is not the one
// that the form has shown. A form without the text that it has shown counts as showing the stored
// record. An input that is not in the form is not changed, except a boolean, since browsers send a
// box only if it is checked.
func (in *input) touched(texts, stored url.Values) bool {
	return slices.ContainsFunc(allOf([]input{*in}), func(in *input) bool {
		shown := blankText(in.field)
		switch {
		case in.Control == "group":
			return in.Removed && in.Remove != ""
		case texts.Has(shownPrefix + in.Name):
			shown = texts.Get(shownPrefix + in.Name)
		case !texts.Has(in.Name) && (in.Control != "checkbox" || in.Name != in.field.Name):
			return false
		case stored.Has(in.Name):
			shown = stored.Get(in.Name)
		}
		return returned(in.Value) != returned(shown)
	})
}

// appendTo appends the values of the input to a form. The handler applies the default of an absent
// value, requires it, or reports the error of an invalid one.
func (in *input) appendTo(f formdata.Form) formdata.Form {
	add := func(text string, as formdata.Type) {
		f = append(f, formdata.Value{Name: in.Name, Text: text, Type: as})
	}
	k, text := kindOf(in.field), strings.TrimSpace(in.Value)
	switch {
	case in.Control == "group" && in.Adds != "":
		empty := len(f)
		for i := range in.Inputs {
			if !in.Inputs[i].Removed {
				f = in.Inputs[i].appendTo(f)
			}
		}
		if len(f) == empty && in.field.Required {
			add("[]", formdata.JSON)
		}
	case in.Control == "group" && in.blank() && in.field.Nullable:
		add("null", formdata.JSON)
	case in.Control == "group":
		for i := range in.Inputs {
			if !in.blank() || in.field.Required {
				f = in.Inputs[i].appendTo(f)
			}
		}
	case text == "" && (k.control == "checkbox" || in.Required): // absent
	case text == "" && in.Name == in.field.Name && !in.field.Required && blankText(in.field) == "": // has its default
	case text == "" && k.empty != "":
		add(k.empty, formdata.JSON)
	case k.separator != "":
		elements := k.split(in.Value)
		if list := "[" + strings.Join(elements, ",") + "]"; in.field.Item != nil && isLiteral(*in.field.Item, list) {
			add(list, formdata.JSON)
			break
		}
		for _, element := range elements {
			add(element, formdata.Text)
		}
	case k.nested, isLiteral(in.field, text):
		add(text, formdata.JSON)
	case kinds.Of(in.field.Kind).Form || k.choices != nil:
		add(unixLines(in.Value), formdata.Text)
	case in.field.Kind == schema.Timestamp:
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
		if f = inputs[i].appendTo(f); len(f) > before || !inputs[i].field.Hidden { // otherwise it has its default
			fields = append(fields, inputs[i].field)
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
		} else if k := kindOf(in.field); k.separator != "" && len(k.split(in.Value)) > maxElements {
			wrong[in.path] = []string{fmt.Sprintf("A list of a form can have at most %d elements.", maxElements)}
		}
	}
	return wrong
}

// recordTexts returns the texts of the values of a record in a form.
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
	field, k := in.field, kindOf(in.field)
	if kinds.Of(field.Kind).Form {
		in.MinLength, in.MaxLength = field.MinLength, field.MaxLength
		if p := field.Pattern; p != nil && wire.IsPortable(p.String()) {
			in.Pattern = ".*(?:" + p.String() + ").*"
		}
		if field.Hidden {
			if slices.ContainsFunc([]string{"pass", "secret", "token", "key"}, func(word string) bool { return strings.Contains(inWords(field.Name), word) }) {
				in.Control = "password"
			}
			return
		}
	}
	if in.Control != "checkbox" && strings.ContainsAny(in.Value, "\r\n") {
		in.Control = "textarea" // browsers remove line endings from other inputs
	} else if !fits(in.Control, in.Value) {
		in.Control = "text"
	}
	in.Rows = min(max(3, strings.Count(in.Value, "\n")+1), 30)
	switch {
	case in.Control == "select":
		in.selectAmong(optionsOf(k.choices, field.Labels), "none", mayBeEmpty(field))
	case v.byKey[field.Refers] != nil:
		v.offer(in, v.byKey[field.Refers], texts.Get(findPrefix+in.Name))
	}
}

// offer makes the input of a field that refers to records a select of them if they are few, and
// otherwise one that finds them by a text.
func (v *view) offer(in *input, c *collection, sought string) {
	known, k := v.records(c, in.field.By), kindOf(in.field)
	switch {
	case known.whole && len(known.options) == 0:
		in.Hint = heading(c.Key) + " has no records yet."
		if v.postable(c) {
			in.New = v.rootLink(v.r) + url.PathEscape(c.Segment) + "/?" + methodName + "=" + http.MethodPost
		}
	case k.separator == "" && known.whole:
		in.Hint = ""
		in.selectAmong(known.options, "none", mayBeEmpty(in.field))
	case !known.whole:
		in.Pick = "radio"
		values := []string{in.Value}
		if k.separator != "" {
			in.Pick, values = "checkbox", k.split(in.Value)
		}
		for _, value := range values {
			if name, _ := v.name(c, in.field.By, value); name != value {
				in.Named = append(in.Named, name)
			}
		}
		if len(c.Search) > 0 {
			in.Find, in.Sought = findPrefix+in.Name, sought
		}
		if in.Sought != "" {
			list, count := v.list(c.path, url.Values{c.search: {sought}}.Encode(), maxFound)
			if in.Found = options(c, in.field.By, list); count > len(list) {
				in.More = grouped(count)
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

// selectAmong makes the input a select. It offers the empty value, labelled none, if that
// is valid. Otherwise it asks to choose if there is no value. A current value that is no option is
// offered too.
func (in *input) selectAmong(options []option, none string, optional bool) {
	in.Control = "select"
	switch {
	case optional:
		in.Options = append(in.Options, option{Label: "(" + none + ")"})
	case in.Value == "":
		in.Options = append(in.Options, option{Label: "Choose…"})
	}
	if in.Value != "" && !slices.ContainsFunc(options, func(o option) bool { return o.Value == in.Value }) {
		in.Options = append(in.Options, optionsOf([]string{in.Value}, nil)...)
	}
	in.Options = append(in.Options, options...)
	for i := range in.Options {
		in.Options[i].Selected = in.Options[i].Value == in.Value
	}
}
