package schema

import (
	"cmp"
	"context"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
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
//	slices with the tag refers                 References, empty by default
//	slices of these types and of structs       Array, empty by default
//	maps of strings to these types             Map, empty by default
//	structs                                    Object
//	structs of a value and Valid, sql.Null[T]  Object, not valid by default; its text may be blank
//	json.Marshaler                             JSON, null by default if the zero value is null
//	any, json.RawMessage                       JSON, null by default
//	other slices and maps                      JSON, empty by default
//	all other types                            JSON
//	a pointer to one of these                  the same, but Nullable and null by default
//
// The types int and int64 have no bounds. Floats hold the number that is nearest to the one that
// is sent or loaded. A json.Number keeps the digits of a number that is loaded, and so do the
// numbers in a value of the type any. The members of a struct inside the record are described in
// the same way; a struct that contains itself is JSON inside itself. The id, an integer or a pointer
// to one whose name is id, _id or ID in JSON, is a read-only Integer. Numbers and booleans with the
// option string of a json tag are Quoted. All other fields without a default are required, unless
// the tag backlist says otherwise. The tag is a list of words, separated by commas, such as `backlist:"slug,unique"`:
//
//	slug, unicodeslug     a Slug or UnicodeSlug, which is a string, or a *string that may be null
//	url, email, uuid      a URL, Email or UUID, in the same way
//	date                  a Date: a day without a time, such as "1958-05-09"
//	choices=a|b|c         a Choice with these values, which is a string
//	decimal=8.2           a Decimal of at most 8 digits, 2 of them after the point, which
//	                      is a string such as "12.00"
//	refers=directors      a Reference, or References if the type is a slice, to records of the
//	                      collection with this key: integers that are ids or, if the records
//	                      have a key, strings that are keys
//	refers=users.email    the same by a unique text of that collection: a string or []string
//	ondelete=cascade      a request that deletes the record to which the field refers deletes
//	                      the record, too; with setnull, the field becomes null; with
//	                      protect, the deletion is refused, as without the word
//	min=0, max=9.5        the bounds of a number, as messages show them
//	minlength=2           the least number of characters of a text, or of elements of a list
//	maxlength=40          the largest
//	untrimmed             white space at the ends of a text is kept
//	blank                 a string may be empty, and is by default
//	unique                no two records have the same value
//	fold                  text compares without regard to case: in orders, filters, unique values and
//	                      references to it, but not where filters look for text within text
//	key                   the text that identifies the record, in place of an int named id; see below
//	readonly              ignored in requests
//	created               a read-only Timestamp: the time of a POST
//	hidden                stored, but never served. A PUT needs it unless it is optional.
//	                      In Filters or Search, clients can guess it.
//	optional              may be absent, and has no default
//	default=X             the value if absent: JSON, or the text of a string; default=now is
//	                      the time of a POST
//	reset                 a PUT without the field sets it to its default
//	formerly=NAME|NAME    names that the member of a record has in older data, which loads accept
//	item.WORD             a word about the elements of a list or map, such as item.max=60
//
// Types with a method MarshalJSON or MarshalText count as strings for these words. Values
// cannot contain commas. A pattern has no word: set Pattern and Message of the field. It and
// anything else can be set in the result before it becomes the
// Description in the options of a definition. Filters and Search are empty.
//
// The tag key names the key of records that have no int field id: a string, or a type with
// MarshalText, of which no two records have the same value. With key alone, clients choose the
// key, which must contain neither . nor /, because no path could address it. With key,readonly
// the server chooses it. With key,optional the server chooses it if the client does not, that is,
// if the key has the zero value of its type, such as an array of zeros for a UUID. The key is the
// Lookup and the Ordering of the description. It may be named id.
//
// If T, or the type of a field, has a method Validate(context.Context) error, that is the Rule of
// the description or the field. A method with a pointer as its receiver may change the value. It must
// keep its own result, because it is called again: for requests, and for writes from Go and loads that
// are validated. It cannot hash a password, for example. Its error should be made by [Invalid], or be [FieldErrors] about some fields. A method Validate
// with another signature is an error, unless it is promoted from an embedded field. If T needs
// such a method for other purposes, embed a type that has it.
//
// If T has a method Computed without parameters, whose result is a struct, the members of that
// struct are Computed fields after the others. They are JSON, whatever their types. The method is
// called once for each version of a record, and its result is kept until the record changes: it
// must depend on the record only. A value that reads the clock would be that of the write.
//
// DescriptionOf returns an error wrapping [ErrInvalid] if T is not a struct, if two members have
// the same name, if a method has the wrong signature, or if JSON cannot represent a field. The
// error names the field and the word if a word is unknown or repeated, contradicts the type or
// another word, or has an invalid value. O(fields), by reflection.
func DescriptionOf[T any](key string) (Description, error) {
	return Describe(reflect.TypeOf((*T)(nil)).Elem(), key, "") // not TypeFor, which would be compiled for each T
}

// Describe is [DescriptionOf] for the type of records that the member with a name identifies: an
// integer, which becomes the id, or a text, which becomes a key that the server chooses if a client
// does not. If id is empty, it is as in DescriptionOf. It is for collections.
func Describe(t reflect.Type, key, id string) (Description, error) {
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
	fields, err := structFields(t, nil)
	if err != nil {
		return Description{}, fmt.Errorf("%w description: %w", ErrInvalid, err)
	}
	d.Fields = fields
	if d.Rule, err = recordRule(t); err != nil {
		return Description{}, fmt.Errorf("%w description: %w", ErrInvalid, err)
	}
	if err = d.identify(t, id); err != nil {
		return Description{}, fmt.Errorf("%w description: %w", ErrInvalid, err)
	}
	return d, nil
}

// identify makes the member with a name, or one that is named as ids are, the id or the key of
// records of a struct type, unless there is a key.
func (d *Description) identify(t reflect.Type, name string) error {
	i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name || name == "" && (f.Key || f.IsID()) })
	if i < 0 && name == "" {
		return nil
	}
	members, _ := jsonmember.Of(t)
	if i < 0 || i >= len(members) {
		return fmt.Errorf("%v has no member %q that can be the id", t, name)
	}
	f, m := &d.Fields[i], members[i].Field
	_, tagged := m.Tag.Lookup("backlist")
	switch integral := jsontext.IsIntegral(elem(m.Type)); {
	case f.Key:
	case !integral && name == "":
		return fmt.Errorf("%v: field %s: the id must be an integer, or have the tag key, got %v", t, m.Name, m.Type)
	case integral && tagged:
		return fmt.Errorf("%v: field %s: the id has no tag backlist", t, m.Name)
	case integral:
		*f = Field{Name: f.Name, Kind: Integer, ReadOnly: true, Quoted: f.Quoted, ID: !f.IsID()}
		d.Ordering = []ordering.Term{ordering.Asc(ordering.Snake(f.Name))}
		return nil
	default:
		if err := f.tagKey("", elem(m.Type)); err != nil {
			return fmt.Errorf("%v: field %s: the id must be an integer or a text: %w", t, m.Name, err)
		}
		f.Required = false // as with the tag optional
	}
	d.Lookup = ordering.Snake(f.Name)
	d.Ordering = []ordering.Term{ordering.Asc(d.Lookup)}
	return nil
}

// structFields returns the fields of a struct, and of what its method Computed returns. outer are
// the structs that contain it.
func structFields(t reflect.Type, outer []reflect.Type) (fields []Field, err error) {
	members, conflicts := jsonmember.Of(t)
	if conflicts != nil { // encoding/json would write none of them
		return nil, fmt.Errorf("%v: two members %q", t, conflicts[0])
	}
	for _, m := range members {
		f, err := memberField(m, append(slices.Clip(outer), t))
		if err != nil {
			return nil, fmt.Errorf("%v: field %s: %w", t, m.Field.Name, err)
		}
		fields = append(fields, f)
	}
	if err := checkFormerly(fields); err != nil || outer != nil {
		return fields, err
	}
	computed, err := ComputedMembers(t)
	for _, m := range computed {
		fields = append(fields, Field{Name: m.Name, Kind: JSON, ReadOnly: true, Computed: true})
	}
	return fields, err
}

// ComputedMembers returns the members of the struct that the method Computed of a type returns.
// If the type has no such method, there are none. The error is that the method has parameters or
// does not return one struct. It is for packages that describe or store such types. O(members), by
// reflection.
func ComputedMembers(t reflect.Type) ([]jsonmember.Member, error) {
	method, ok := reflect.PointerTo(t).MethodByName("Computed")
	if !ok {
		return nil, nil
	}
	if method.Type.NumIn() != 1 || method.Type.NumOut() != 1 || method.Type.Out(0).Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v: the method Computed must have no parameters and return a struct", t)
	}
	members, conflicts := jsonmember.Of(method.Type.Out(0))
	if conflicts != nil {
		return nil, fmt.Errorf("%v: two members %q of what Computed returns", t, conflicts[0])
	}
	return members, nil
}

// memberField returns the field for a member of a struct.
func memberField(m jsonmember.Member, outer []reflect.Type) (Field, error) {
	t := m.Field.Type
	f, err := fieldOf(t, outer)
	if err != nil {
		return Field{}, err
	}
	f.Name, f.Required = m.Name, true // unless the tag or a default makes it optional
	f.Quoted = m.Quoted() && f.Kind.row().json != jsontext.String
	f.Default = f.quoted(f.Default)
	if tag, present := m.Field.Tag.Lookup("backlist"); present {
		if err := f.apply(tag, elem(t)); err != nil {
			return Field{}, err
		}
	}
	if len(outer) > 1 && (f.Unique || f.Created || f.Hidden || f.Refers != "" || f.Formerly != nil) {
		return Field{}, errors.New("a member of an object cannot be unique, created, hidden or a reference, nor have former names")
	}
	f.Required = f.Required && f.Default == "" && !f.ReadOnly
	f.Rule, err = fieldRule(elem(t))
	return f, err
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
		{"unicodeslug", false, kindWord(UnicodeSlug)},
		{"url", false, kindWord(URL)},
		{"email", false, kindWord(Email)},
		{"uuid", false, kindWord(UUID)},
		{"date", false, kindWord(Date)},
		{"choices", true, (*Field).tagChoices},
		{"decimal", true, (*Field).tagDecimal},
		{"refers", true, (*Field).tagRefers},
		{"ondelete", true, (*Field).tagOnDelete},
		{"min", true, func(f *Field, value string, t reflect.Type) error { return f.tagBound(&f.Min, value, t) }},
		{"max", true, func(f *Field, value string, t reflect.Type) error { return f.tagBound(&f.Max, value, t) }},
		{"minlength", true, func(f *Field, value string, t reflect.Type) error { return f.tagLength(&f.MinLength, value, t) }},
		{"maxlength", true, func(f *Field, value string, t reflect.Type) error { return f.tagLength(&f.MaxLength, value, t) }},
		{"untrimmed", false, (*Field).tagUntrimmed},
		{"blank", false, (*Field).tagBlank},
		{"unique", false, (*Field).tagUnique},
		{"fold", false, (*Field).tagFold},
		{"readonly", false, flagWord(func(f *Field) *bool { return &f.ReadOnly })},
		{"created", false, (*Field).tagCreated},
		{"hidden", false, flagWord(func(f *Field) *bool { return &f.Hidden })},
		{"key", false, (*Field).tagKey},
		{"optional", false, (*Field).tagOptional},
		{"default", true, (*Field).tagDefault},
		{"reset", false, (*Field).tagReset},
		{"formerly", true, (*Field).tagFormerly},
	}
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
	if ofItem != nil {
		if f.Item == nil {
			return fmt.Errorf("tag word %q: %v is not a list or map of described elements", "item."+ofItem[0], t)
		}
		if err := f.Item.apply(strings.Join(ofItem, ","), elem(t.Elem())); err != nil {
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

// kindWord returns a function that sets the kind of a string.
func kindWord(kind Kind) func(*Field, string, reflect.Type) error {
	return func(f *Field, _ string, t reflect.Type) error {
		switch {
		case f.Kind == Text, f.Kind == JSON && jsontext.Writes(t):
			f.Kind = kind
			return nil
		case f.Kind.row().word != "":
			return errors.New("contradicts another word")
		}
		return fmt.Errorf("want a string, got %v", t)
	}
}

// flagWord returns a function that sets a member of a field.
func flagWord(of func(*Field) *bool) func(*Field, string, reflect.Type) error {
	return func(f *Field, _ string, _ reflect.Type) error {
		*of(f) = true
		return nil
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
	case value == "" || strings.HasPrefix(value, ".") || strings.HasSuffix(value, "."):
		return errors.New("want the key of a collection, or the key and a field of it, such as customers.email")
	case f.Kind == Text && t.Kind() != reflect.Slice:
		f.Kind = Reference
	case f.Kind == Array && f.Item.Kind == Text:
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

func (f *Field) tagOnDelete(value string, t reflect.Type) error {
	i := slices.Index([]string{"protect", "cascade", "setnull"}, value)
	if i < 0 {
		return fmt.Errorf("want protect, cascade or setnull, got %q", value)
	}
	f.OnDelete = OnDelete(i)
	return f.check(false)
}

// tagBound sets a bound of a number, which must be inside its present bounds.
func (f *Field) tagBound(bound *string, value string, t reflect.Type) error {
	switch {
	case f.Refers != "":
		return errors.New(`contradicts "refers"`)
	case f.Kind != Integer && f.Kind != Float && f.Kind != Decimal:
		return fmt.Errorf("want a number, got %v", t)
	}
	other := *f
	*bound = value
	if err := f.checkBounds(); err != nil || value == "" || other.outside(value) != nil {
		return fmt.Errorf("%q is not a number of the kind within the other bounds of the field", value)
	}
	return nil
}

// tagLength sets a bound of the length of a text or list.
func (f *Field) tagLength(bound *int, value string, t reflect.Type) (err error) {
	list := f.Kind == Array || f.Kind == References
	if !list && !f.Kind.isText() {
		return fmt.Errorf("want a string or a slice, got %v", t)
	}
	if *bound, err = strconv.Atoi(value); err != nil || *bound < 1 || f.MaxLength > 0 && f.MinLength > f.MaxLength {
		return fmt.Errorf("%q is not a positive integer within the other bound of the length", value)
	}
	if list && f.MinLength > 0 && f.Default == "[]" {
		f.Default = ""
	}
	return nil
}

func (f *Field) tagUntrimmed(_ string, t reflect.Type) error {
	if f.Kind != Text {
		return fmt.Errorf("want a string without another kind, got %v", t)
	}
	f.Untrimmed = true
	return nil
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
	if f.Kind.row().json == jsontext.List {
		return fmt.Errorf("want a single value, got %v", t)
	}
	f.Unique = true
	return nil
}

func (f *Field) tagFold(_ string, t reflect.Type) error {
	if !f.Kind.isText() || f.Name == "" {
		return fmt.Errorf("want a string that is not the element of a list, got %v", t)
	}
	f.Fold = true
	return nil
}

// tagKey makes the field the key. A key that clients choose has no slash, which ends a segment of a
// path.
func (f *Field) tagKey(_ string, t reflect.Type) error {
	if f.Kind == JSON && jsontext.Writes(t) {
		f.Kind, f.Nullable, f.Default = Text, false, ""
	}
	switch row := f.Kind.row(); {
	case f.Hidden:
		return errors.New("a key cannot be hidden")
	case f.Nullable:
		return errors.New("a key cannot be a pointer")
	case row.json != jsontext.String || row.key != nil || t.Kind() == reflect.Slice && !jsontext.Implements[encoding.TextMarshaler](t):
		return fmt.Errorf("want a string or a type with MarshalText, got %v", t)
	}
	f.Key, f.Unique = true, true
	if f.Kind == Text && !f.ReadOnly {
		f.Pattern, f.Message = regexp.MustCompile("^[^/]*$"), "A key does not contain /, because it is part of a path."
	}
	return nil
}

// tagOptional makes the field one that may be absent. Its default is of the Go type.
func (f *Field) tagOptional(string, reflect.Type) error {
	f.Default, f.Nullable, f.Required = "", false, false
	return nil
}

func (f *Field) tagReset(string, reflect.Type) error {
	if f.Default == "" {
		return errors.New("the field has no default")
	}
	f.Reset = true
	return nil
}

func (f *Field) tagFormerly(value string, _ reflect.Type) error {
	if f.Name == "" {
		return errors.New("elements have no names")
	}
	f.Formerly = strings.Split(value, "|")
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
