package schema

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A tagWord is a word of the tag backlist.
type tagWord struct {
	name   string
	valued bool // followed by = and a value
	apply  func(f *Field, value string, t reflect.Type) error
}

// tagWords returns the words in the order in which they are applied.
func tagWords() []tagWord {
	return []tagWord{
		{"slug", false, kindWord(Slug)},
		{"url", false, kindWord(URL)},
		{"date", false, kindWord(Date)},
		{"choices", true, (*Field).tagChoices},
		{"decimal", true, (*Field).tagDecimal},
		{"refers", true, (*Field).tagRefers},
		{"min", true, (*Field).tagMin},
		{"max", true, (*Field).tagMax},
		{"blank", false, (*Field).tagBlank},
		{"unique", false, (*Field).tagUnique},
		{"readonly", false, (*Field).tagReadOnly},
		{"created", false, (*Field).tagCreated},
		{"default", true, (*Field).tagDefault},
	}
}

// apply changes a field as the words of a tag say. The type is that of the Go field, or
// the one it points to.
func (f *Field) apply(tag string, t reflect.Type) error {
	known := tagWords()
	values := map[string]string{}
	for word := range strings.SplitSeq(tag, ",") {
		name, value, valued := strings.Cut(word, "=")
		i := slices.IndexFunc(known, func(w tagWord) bool { return w.name == name })
		_, twice := values[name]
		switch {
		case i < 0:
			var names []string
			for _, w := range known {
				names = append(names, w.name)
			}
			hint := ordering.Suggest(name, names)
			switch {
			case strings.ContainsAny(strings.TrimSpace(name), " ;"):
				hint = "separate words with commas"
			case strings.Contains(tag, "choices="):
				hint += ", and choices are separated by |"
			}
			return fmt.Errorf("unknown tag word %q: %s", name, hint)
		case twice:
			return fmt.Errorf("tag word %q is repeated", name)
		case valued != known[i].valued && valued:
			return fmt.Errorf("tag word %q has a value", name)
		case valued != known[i].valued:
			return fmt.Errorf("tag word %q has no value", name)
		}
		values[name] = value
	}
	for _, w := range known {
		value, found := values[w.name]
		if !found {
			continue
		}
		if err := w.apply(f, value, t); err != nil {
			return fmt.Errorf("tag word %q: %w", w.name, err)
		}
	}
	return nil
}

// kindWord returns a function that sets the kind of a string.
func kindWord(kind Kind) func(*Field, string, reflect.Type) error {
	return func(f *Field, _ string, t reflect.Type) error {
		marshals := implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
		switch {
		case f.Kind == Text, f.Kind == JSON && marshals:
			f.Kind = kind
			return nil
		case slices.Contains([]Kind{Slug, URL, Date, Choice, Decimal}, f.Kind):
			return errors.New("contradicts another word")
		}
		return fmt.Errorf("want a string, got %v", t)
	}
}

func (f *Field) tagChoices(value string, t reflect.Type) error {
	f.Choices = strings.Split(value, "|")
	for i, choice := range f.Choices {
		if choice == "" || slices.Contains(f.Choices[:i], choice) {
			return fmt.Errorf("the choice %q is empty or repeated", choice)
		}
	}
	return kindWord(Choice)(f, "", t)
}

func (f *Field) tagDecimal(value string, t reflect.Type) error {
	digits, places, _ := strings.Cut(value, ".")
	var err1, err2 error
	f.Digits, err1 = strconv.Atoi(digits)
	f.Places, err2 = strconv.Atoi(places)
	if err1 != nil || err2 != nil || f.Digits < 1 || f.Digits > maxNumber || f.Places < 0 || f.Places > f.Digits {
		return fmt.Errorf("want the number of digits and of those after the point, such as 8.2, got %q", value)
	}
	return kindWord(Decimal)(f, "", t)
}

func (f *Field) tagRefers(value string, t reflect.Type) error {
	switch {
	case value == "":
		return errors.New("want the key of a collection")
	case f.Kind == Integer:
		f.Kind, f.Min, f.Max = Reference, nil, nil
	case t.Kind() == reflect.Slice && isIntegral(t.Elem()) && f.Kind == JSON:
		f.Kind = References
	default:
		return fmt.Errorf("want an integer or a slice of integers, got %v", t)
	}
	f.Refers = value
	return nil
}

func (f *Field) tagMin(value string, t reflect.Type) (err error) {
	f.Min, err = f.bound(value, t)
	return err
}

func (f *Field) tagMax(value string, t reflect.Type) (err error) {
	f.Max, err = f.bound(value, t)
	return err
}

// bound returns a bound of an Integer that is inside its present bounds.
func (f *Field) bound(value string, t reflect.Type) (*int, error) {
	if f.Refers != "" {
		return nil, errors.New(`contradicts "refers"`)
	}
	if f.Kind != Integer {
		return nil, fmt.Errorf("want an integer, got %v", t)
	}
	n, err := strconv.Atoi(value)
	if err != nil || f.Min != nil && n < *f.Min || f.Max != nil && n > *f.Max {
		return nil, fmt.Errorf("%q is not an integer within the other bounds of the field", value)
	}
	return &n, nil
}

func (f *Field) tagBlank(_ string, t reflect.Type) error {
	if !slices.Contains([]Kind{Text, Slug, URL, Choice}, f.Kind) {
		return fmt.Errorf("want a string that is neither a number nor a date, got %v", t)
	}
	f.Blank = true
	if !f.Nullable {
		f.Default = `""`
	}
	return nil
}

func (f *Field) tagUnique(_ string, t reflect.Type) error {
	if f.Kind == References || f.Kind == TextList {
		return fmt.Errorf("want a single value, got %v", t)
	}
	f.Unique = true
	return nil
}

func (f *Field) tagReadOnly(string, reflect.Type) error {
	f.ReadOnly = true
	return nil
}

func (f *Field) tagCreated(_ string, t reflect.Type) error {
	if f.Kind != Timestamp {
		return fmt.Errorf("want a time, got %v", t)
	}
	f.Created, f.ReadOnly, f.Default = true, true, ""
	return nil
}

func (f *Field) tagDefault(value string, t reflect.Type) error {
	if f.Created {
		return errors.New(`contradicts "created"`)
	}
	quoted := strings.HasPrefix(value, `"`) || f.Nullable && value == "null"
	if !quoted && slices.Contains([]Kind{Text, Slug, URL, Choice, Date, Decimal, Timestamp}, f.Kind) {
		value = string(appendQuoted(nil, value))
	}
	if serr := checkSyntax([]byte(value), maxDepth-1); serr != nil {
		return fmt.Errorf("%q is not JSON", value)
	}
	text, messages := f.clean(trimSpace(value), Checks{Exists: func(string, int) bool { return true }})
	if messages != nil {
		return fmt.Errorf("%s: %s", value, strings.Join(messages, " "))
	}
	f.Default = text
	return nil
}
