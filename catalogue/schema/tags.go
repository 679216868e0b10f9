package schema

import (
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// DescriptionOf returns a description of a collection whose records are structs of type T,
// to be served under the given key with [AllActions]. Its fields are the members of the
// JSON of T, in order. If T is [Record], the fields are not known.
//
// The name of a record is the name of T in words, without type parameters: "film role" for
// FilmRole, "http log" for HTTPLog. If T is [Record] or has no name, it is the key.
//
// The kind of a field follows from its Go type:
//
//	string, encoding.TextMarshaler, []byte     Text
//	integers                                   Integer with the bounds of the type
//	bool                                       Boolean, false by default
//	float32, float64, json.Number              Float
//	time.Time, DateTime                        Timestamp
//	[]string                                   TextList, empty by default
//	slices with the tag refers                 References, empty by default
//	any, json.RawMessage                       JSON, null by default
//	other slices and maps                      JSON, empty by default
//	all other types                            JSON
//	a pointer to one of these                  the same, but Nullable and null by default
//
// The types int and int64 have no bounds. A json.Number keeps the digits of a Float, such as
// 7.0. The id is a read-only Integer. All other fields without a default are required, unless
// the tag backlist says otherwise. The tag is a list of words, separated by commas, such as
// `backlist:"slug,unique"`:
//
//	slug, url, date       a Slug, URL or Date, which is a string, or a *string that may be
//	                      null; a Date is a day without a time, such as "1958-05-09"
//	choices=a|b|c         a Choice with these values, which is a string
//	decimal=8.2           a Decimal of at most 8 digits, 2 of them after the point, which
//	                      is a string such as "12.00"
//	refers=directors      a Reference, or References if the type is a slice: ids of the
//	                      collection with this key
//	min=0, max=9          the bounds of an Integer
//	blank                 a string may be empty, and is by default
//	unique                no two records have the same value
//	readonly              ignored in requests
//	created               a read-only Timestamp: the time of a POST
//	default=X             the value if absent: JSON, or the text of a string
//
// Types with a method MarshalJSON or MarshalText count as strings for these words. Values
// cannot contain commas. Anything else can be set in the result before it becomes the
// Description in the options of a definition. Filters and Search are empty.
//
// DescriptionOf returns an error wrapping [ErrInvalid] if T is not a struct, if two
// members have the same name, or if JSON cannot represent a field. The error names the
// field and the word if a word is unknown or repeated, contradicts the type or another
// word, or has an invalid value. O(fields), by reflection.
func DescriptionOf[T any](key string) (Description, error) {
	return descriptionOf(reflect.TypeOf((*T)(nil)).Elem(), key) // not TypeFor, which would be compiled for each T
}

func descriptionOf(t reflect.Type, key string) (Description, error) {
	d := Description{
		Key:      key,
		Segment:  key,
		Name:     key,
		Actions:  AllActions,
		Vary:     "Accept",
		Ordering: []ordering.Term{{Field: "id"}},
	}
	if t == reflect.TypeFor[Record]() {
		return d, nil
	}
	if t.Kind() != reflect.Struct {
		return Description{}, fmt.Errorf("%w description: %v is not a struct", ErrInvalid, t)
	}
	d.Name = cmp.Or(typeName(t), key)
	members, conflicts := jsonmember.Of(t)
	if conflicts != nil { // encoding/json would write none of them
		return Description{}, fmt.Errorf("%w description: %v: two members %q", ErrInvalid, t, conflicts[0])
	}
	for _, m := range members {
		f, err := memberField(m)
		if err != nil {
			return Description{}, fmt.Errorf("%w description: %v: field %s: %w", ErrInvalid, t, m.Field.Name, err)
		}
		d.Fields = append(d.Fields, f)
	}
	return d, nil
}

// elem returns the type that t points to, or t if it is not a pointer.
func elem(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// memberField returns the field for a member of a struct.
func memberField(m jsonmember.Member) (Field, error) {
	t := m.Field.Type
	f, err := fieldOf(t)
	if err != nil {
		return Field{}, err
	}
	tag, present := m.Field.Tag.Lookup("backlist")
	if m.Name == "id" {
		switch {
		case t.Kind() != reflect.Int:
			return Field{}, fmt.Errorf("the id must be an int, got %v", t)
		case present:
			return Field{}, errors.New("the id has no tag backlist")
		}
		return Field{Name: "id", Kind: Integer, ReadOnly: true}, nil
	}
	f.Name = m.Name
	if present {
		if err := f.apply(tag, elem(t)); err != nil {
			return Field{}, err
		}
	}
	f.Required = f.Default == "" && !f.ReadOnly
	return f, nil
}

// fieldOf returns the field for a Go type without a tag. It has no name.
func fieldOf(t reflect.Type) (f Field, err error) {
	if t.Kind() != reflect.Pointer {
		return kindOfType(t)
	}
	f.Kind = JSON
	if t.Elem().Kind() != reflect.Pointer {
		f, err = kindOfType(t.Elem())
	}
	f.Nullable, f.Default = true, "null"
	return f, err
}

// kindOfType returns the field for a type that is not a pointer.
func kindOfType(t reflect.Type) (Field, error) {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[DateTime]():
		return Field{Kind: Timestamp}, nil
	case reflect.TypeFor[json.Number]():
		return Field{Kind: Float}, nil
	case reflect.TypeFor[json.RawMessage]():
		return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
	}
	switch {
	case implements[json.Marshaler](t):
		return Field{Kind: JSON}, nil
	case implements[encoding.TextMarshaler](t):
		return Field{Kind: Text}, nil
	}
	switch kind := t.Kind(); kind {
	case reflect.String:
		return Field{Kind: Text}, nil
	case reflect.Bool:
		return Field{Kind: Boolean, Default: "false"}, nil
	case reflect.Float32, reflect.Float64:
		return Field{Kind: Float}, nil
	case reflect.Interface:
		return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
	case reflect.Map:
		return Field{Kind: JSON, Default: "{}"}, nil
	case reflect.Slice:
		return sliceField(t.Elem()), nil
	case reflect.Struct, reflect.Array:
		return Field{Kind: JSON}, nil
	default:
		if isIntegral(t) {
			return integerField(t), nil
		}
		return Field{}, fmt.Errorf("JSON cannot represent the type %v", t)
	}
}

// sliceField returns the field for a slice with elements of type t.
func sliceField(t reflect.Type) Field {
	marshals := implements[json.Marshaler](t) || implements[encoding.TextMarshaler](t)
	switch {
	case t.Kind() == reflect.Uint8 && !marshals: // JSON text in base64
		return Field{Kind: Text}
	case t.Kind() == reflect.String && !marshals && t != reflect.TypeFor[json.Number]():
		return Field{Kind: TextList, Default: "[]"}
	}
	return Field{Kind: JSON, Default: "[]"}
}

// integerField returns the field for an integer type. The types int and int64, and
// bounds that are out of range for an int, have none.
func integerField(t reflect.Type) Field {
	f := Field{Kind: Integer}
	bits := t.Bits()
	switch t.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		low, high := int(-1<<(bits-1)), int(1<<(bits-1)-1)
		f.Min, f.Max = &low, &high
	case reflect.Int, reflect.Int64:
	default:
		f.Min = new(int)
		if high := 1<<bits - 1; bits < strconv.IntSize {
			f.Max = &high
		}
	}
	return f
}

func isIntegral(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr
}

// implements reports whether a type or a pointer to it has the methods of I.
func implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

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

// apply applies the words of a tag to a field. The type is the type of the Go field or, if it
// is a pointer, the type that it points to.
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
		case f.Kind.row().word != "":
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
	if !f.Kind.isText() {
		return fmt.Errorf("want a string that is neither a number nor a date, got %v", t)
	}
	f.Blank = true
	if !f.Nullable {
		f.Default = `""`
	}
	return nil
}

func (f *Field) tagUnique(_ string, t reflect.Type) error {
	if f.Kind.row().json == jsonList {
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
	if !quoted && f.Kind.row().json == jsonString {
		value = string(appendQuoted(nil, value))
	}
	if serr := checkSyntax([]byte(value), maxDepth-1); serr != nil {
		return fmt.Errorf("%q is not JSON", value)
	}
	exists := func(context.Context, string, int) (bool, error) { return true, nil }
	text, messages := f.clean(trimSpace(value), &checker{Checks: Checks{Exists: exists}})
	if messages != nil {
		return fmt.Errorf("%s: %s", value, strings.Join(messages, " "))
	}
	f.Default = text
	return nil
}

// typeName returns the name of a Go type in words, without its parameters, such as "film
// role" for FilmRole and "http log" for HTTPLog, or "" if it has no name.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	letters := []rune(strings.ReplaceAll(name, "_", " "))
	var b strings.Builder
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
