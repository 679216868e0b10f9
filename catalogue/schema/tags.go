package schema

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// A tagWord is a word of the tag backlist.
type tagWord struct {
	name   string
	valued bool // followed by = and a value
	apply  func(f *Field, value string, t reflect.Type) error
}

// tagWords returns the words in the order in which they are applied.
func tagWords() (words []tagWord) {
	for kind, row := range kinds {
		if kind := Kind(kind); row.word != "" && kind != Choice && kind != Decimal {
			words = append(words, tagWord{row.word, false, kindWord(kind)})
		}
	}
	return append(words, []tagWord{
		{"choices", true, (*Field).tagChoices},
		{"labels", true, listWord(func(f *Field) *[]string { return &f.Labels })},
		{"decimal", true, (*Field).tagDecimal},
		{"refers", true, (*Field).tagRefers},
		{"ondelete", true, (*Field).tagOnDelete},
		{"related", true, textWord(func(f *Field) *string { return &f.Related })},
		{"write", true, textWord(func(f *Field) *string { return &f.Write })},
		{"min", true, func(f *Field, value string, _ reflect.Type) error { return f.tagBound(&f.Min, value) }},
		{"max", true, func(f *Field, value string, _ reflect.Type) error { return f.tagBound(&f.Max, value) }},
		{"minlength", true, func(f *Field, value string, t reflect.Type) error { return f.tagLength(&f.MinLength, value, t) }},
		{"maxlength", true, func(f *Field, value string, t reflect.Type) error { return f.tagLength(&f.MaxLength, value, t) }},
		{"untrimmed", false, flagWord("a string without another kind", func(f *Field) bool { return f.Kind == Text },
			func(f *Field) { f.Untrimmed = true })},
		{"blank", false, flagWord("a string that is neither a number nor a date", isTextual, func(f *Field) {
			if f.Blank = true; !f.Nullable {
				f.Default = `""`
			}
		})},
		{"unique", false, flagWord("a single value", func(f *Field) bool { return f.Kind.row().json != jsontext.List },
			func(f *Field) { f.Unique = true })},
		{"fold", false, flagWord("", always, func(f *Field) { f.Fold = true })},
		{"method", false, flagWord("", always, func(f *Field) { f.Method, f.ReadOnly = true, true })},
		{"readonly", false, flagWord("", always, func(f *Field) { f.ReadOnly = true })},
		{"created", false, flagWord("a time", func(f *Field) bool { return f.Kind == Timestamp },
			func(f *Field) { f.Created, f.ReadOnly, f.Default = true, true, "" })},
		{"hidden", false, flagWord("", always, func(f *Field) { f.Hidden = true })},
		{"key", false, (*Field).tagKey},
		{"optional", false, flagWord("", always, func(f *Field) { f.Default, f.Required = "", false })},
		{"default", true, (*Field).tagDefault},
		{"reset", false, flagWord("a default", func(f *Field) bool { return f.Default != "" }, func(f *Field) { f.Reset = true })},
		{"formerly", true, listWord(func(f *Field) *[]string { return &f.Formerly })},
	}...)
}

// apply applies the words of a tag to a field. The type is the type of the Go field or, if it
// is a pointer, the type that it points to.
func (f *Field) apply(tag string, t reflect.Type) error {
	known := tagWords()
	values := map[string]string{}
	var ofItem []string
	for word := range strings.SplitSeq(tag, ",") {
		if word, ok := strings.CutPrefix(word, "item."); ok {
			ofItem = append(ofItem, word)
			continue
		}
		name, value, valued := strings.Cut(word, "=")
		i := slices.IndexFunc(known, func(w tagWord) bool { return w.name == name })
		_, twice := values[name]
		switch {
		case i < 0:
			return unknownWord(name, tag, known)
		case twice:
			return fmt.Errorf("tag word %q is repeated", name)
		case valued != known[i].valued && valued:
			return fmt.Errorf("tag word %q has a value", name)
		case valued != known[i].valued:
			return fmt.Errorf("tag word %q has no value", name)
		}
		values[name] = value
	}
	if ofItem != nil {
		if f.Item == nil {
			return fmt.Errorf("tag word %q: %v is not a list or map of described elements", "item."+ofItem[0], t)
		}
		if err := f.Item.apply(strings.Join(ofItem, ","), jsontext.Elem(t.Elem())); err != nil {
			return fmt.Errorf("item: %w", err)
		}
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

// unknownWord returns the error of a word of a tag, with the nearest known one.
func unknownWord(name, tag string, known []tagWord) error {
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
}

// kindWord returns a function that sets the kind of a string.
func kindWord(kind Kind) func(*Field, string, reflect.Type) error {
	return func(f *Field, _ string, t reflect.Type) error {
		switch {
		case f.Kind == Text, isWritten(f, t):
			f.Kind = kind
			return nil
		case f.Kind.row().word != "":
			return errors.New("contradicts another word")
		}
		return fmt.Errorf("want a string, got %v", t)
	}
}

// isWritten reports whether a field, without a word about its kind, is JSON that a method of its type
// writes. It counts as a string.
func isWritten(f *Field, t reflect.Type) bool { return f.Kind == JSON && jsontext.Writes(t) }

// textWord returns a function that sets a text of a field to the value.
func textWord(of func(*Field) *string) func(*Field, string, reflect.Type) error {
	return func(f *Field, value string, _ reflect.Type) error {
		*of(f) = value
		return nil
	}
}

// listWord returns a function that sets a list of a field to the parts of the value.
func listWord(of func(*Field) *[]string) func(*Field, string, reflect.Type) error {
	return func(f *Field, value string, _ reflect.Type) error {
		*of(f) = strings.Split(value, "|")
		return nil
	}
}

// flagWord returns a function that sets something of a field that fits.
func flagWord(want string, fits func(*Field) bool, set func(*Field)) func(*Field, string, reflect.Type) error {
	return func(f *Field, _ string, t reflect.Type) error {
		if !fits(f) {
			return fmt.Errorf("want %s, got %v", want, t)
		}
		set(f)
		return nil
	}
}

func always(*Field) bool { return true }

func isTextual(f *Field) bool { return f.Kind.isText() }

// tagChoices makes the field a Choice or, for an integer type, restricts it to the listed values.
func (f *Field) tagChoices(value string, t reflect.Type) error {
	f.Choices = strings.Split(value, "|")
	for i, choice := range f.Choices {
		switch {
		case choice == "" || slices.Contains(f.Choices[:i], choice):
			return fmt.Errorf("the choice %q is empty or repeated", choice)
		case f.Kind == Integer && f.outside(choice) != nil:
			return fmt.Errorf("the choice %s is not one of the type %v", choice, t)
		}
	}
	if f.Kind == Integer {
		f.Min, f.Max = "", ""
		return nil
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
	case value == "" || strings.HasPrefix(value, ".") || strings.HasSuffix(value, "."):
		return errors.New("want the key of a collection, or the key and a field of it, such as customers.email")
	case f.Kind == Text && (t.Kind() != reflect.Slice || jsontext.Writes(t)), isWritten(f, t):
		f.Kind = Reference
	case f.Kind == Array && f.Item.Kind == Text, f.Kind == JSON && t.Kind() == reflect.Slice && jsontext.Writes(jsontext.Elem(t.Elem())):
		f.Kind, f.Item = References, nil
	case strings.Contains(value, "."):
		return fmt.Errorf("want a string or a slice of strings, got %v", t)
	case f.Kind == Integer:
		f.Kind, f.Min, f.Max = Reference, "", ""
	case f.Kind == Array && f.Item.Kind == Integer && !f.Item.Nullable:
		f.Kind, f.Item = References, nil
	default:
		return fmt.Errorf("want an integer, a string, or a slice of either, got %v", t)
	}
	f.Refers, f.By, _ = strings.Cut(value, ".")
	return nil
}

func (f *Field) tagOnDelete(value string, _ reflect.Type) error {
	i := slices.Index([]string{"protect", "cascade", "setnull"}, value)
	if i < 0 {
		return fmt.Errorf("want protect, cascade or setnull, got %q", value)
	}
	f.OnDelete = OnDelete(i)
	return nil
}

// tagBound sets a bound of a number, which must be inside its present bounds.
func (f *Field) tagBound(bound *string, value string) error {
	if value == "" || f.outside(value) != nil {
		return fmt.Errorf("%q is not a number within the other bounds of the field", value)
	}
	*bound = value
	return nil
}

// tagLength sets a bound of the length of a text or list.
func (f *Field) tagLength(bound *int, value string, t reflect.Type) (err error) {
	list := f.Kind == Array || f.Kind == References
	if !list && !f.Kind.isText() {
		return fmt.Errorf("want a string or a slice, got %v", t)
	}
	if *bound, err = strconv.Atoi(value); err != nil || *bound < 1 {
		return fmt.Errorf("%q is not a positive integer", value)
	}
	if list && f.MinLength > 0 && f.Default == "[]" {
		f.Default = ""
	}
	return nil
}

// tagKey makes the field the key.
func (f *Field) tagKey(_ string, t reflect.Type) error {
	if isWritten(f, t) {
		f.Kind = Text
	}
	if f.Nullable { // a pointer to nothing is a record without a key
		f.Nullable, f.Default = false, ""
	}
	if row := f.Kind.row(); row.json != jsontext.String || row.key != nil || t.Kind() == reflect.Slice && !jsontext.Implements[encoding.TextMarshaler](t) {
		return fmt.Errorf("want a string or a type with MarshalText, got %v", t)
	}
	f.Key, f.Unique = true, true
	if f.Kind == Text && !f.ReadOnly {
		f.Pattern, f.Message = keyPattern(), keyMessage
	}
	return nil
}

func (f *Field) tagDefault(value string, t reflect.Type) error {
	if f.Created {
		return errors.New(`contradicts "created"`)
	}
	if value == "now" && f.Kind == Timestamp {
		f.Created, f.Required = true, false
		return nil
	}
	quoted := strings.HasPrefix(value, `"`) || f.Nullable && value == "null"
	if !quoted && f.Kind.row().json == jsontext.String {
		value = string(jsontext.AppendString(nil, value))
	}
	if jsontext.Check([]byte(value), jsontext.MaxDepth-1) != nil {
		return fmt.Errorf("%q is not JSON", value)
	}
	find := func(context.Context, string, string, string) (int, string, error) {
		if f.By != "" {
			return 0, "", nil
		}
		return 1, "", nil
	}
	text, wrong := f.clean(strings.Trim(value, jsontext.Space), &checker{Checks: Checks{Find: find}, ctx: context.Background()})
	if !wrong.ok() {
		return fmt.Errorf("%s: %s", value, strings.Join(wrong.appendTexts(nil, "value"), " "))
	}
	f.Default = text
	return nil
}
