package schema

import (
	"bytes"
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// DescriptionOf returns a description of a collection whose records are structs of type T, to be
// served under the given key with [AllActions]. Its fields are the members of the JSON of T, in
// order; if T is [Record], they are not known. Filters and Search are empty. Name is the name of T
// in words, such as "http log" for HTTPLog, without type parameters. If T is Record or has no name,
// it is the key.
//
// The kind of a field follows from its Go type:
//
//	string, encoding.TextMarshaler, []byte     Text
//	integers                                   Integer with the bounds of the type
//	bool                                       Boolean, false by default
//	float32, float64, json.Number              Float
//	time.Time, DateTime                        Timestamp
//	Time                                       TimeOfDay
//	Duration                                   Interval
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
// The types int and int64 have no bounds. A type with UnmarshalText or UnmarshalJSON has a Check,
// which calls it, unless it is one of the times above. A json.Number, also in a value of the type
// any, keeps the digits of a number. Structs inside the record are described ten levels deep at
// most, and to 2,000 members; below that, and inside itself, a struct is JSON. Numbers and booleans
// with the option string of a json tag are Quoted.
//
// The field that identifies records is the one with the word key in its tag or, if there is none, with
// the name id, _id or ID in JSON. Otherwise it is the one with the first of these Go names that a
// field has: ID, Id, UUID, Key, the name of T and ID, such as UserID of User, and any other that ends in
// ID or Id. Then it must be the only one with such a name, an integer or a text, and without the tag
// backlist. An integer is the id, a read-only Integer; a text, which can be of any type with MarshalText
// or of one whose UnmarshalJSON reads a UUID, is the key, as with the words key,optional. Both may be
// pointers, and in structs that are embedded by pointer.
//
// All other fields without a default are required, unless the tag backlist says otherwise, or JSON
// omits the field of some records, because it is omitempty, omitzero or in an embedded pointer.
// Such a field is zero if a POST lacks it, and a PUT without it keeps its value. A reference that
// is zero then refers to nothing. A hidden field stays required, and so does one whose zero value
// has no JSON. If a method writes the JSON of T, the fields that the zero value lacks are not
// required.
//
// The tag is a list of words, separated by commas, such as `backlist:"slug,unique"`:
//
//	slug, unicodeslug     a Slug or UnicodeSlug, which is a string, or a *string that may be null
//	url, email, uuid      a URL, Email or UUID, in the same way
//	date                  a Date, such as "1958-05-09"
//	time, duration        a TimeOfDay such as "08:00:00", or an Interval such as "1 00:30:00"
//	choices=a|b|c         a Choice with these values, which is a string, or an integer with them
//	labels=A b|C          what OPTIONS and pages show for the choices
//	decimal=8.2           a Decimal, such as "12.00": at most 8 digits, 2 of them after the point
//	refers=directors      a Reference, or References if the type is a slice, to records of a
//	                      collection by their ids or, if they have one, their keys
//	refers=users.email    the same by a unique text of that collection: a string or []string
//	ondelete=cascade      what a deletion of the record to which the field refers does: cascade,
//	                      setnull or protect, the default; see OnDelete
//	related=books         the name, in paths of that collection, of the records that refer to one;
//	                      see Filters of Description
//	write=author_id       the name of the field in bodies of requests and their errors; see Write
//	                      of Field
//	min=0, max=9.5        the bounds of a number, as messages show them
//	minlength=2           the least number of characters of a text, or of elements of a list
//	maxlength=40          the largest
//	untrimmed             white space at the ends of a text is kept
//	blank                 a string may be empty, and is by default
//	unique                no two records have the same value
//	fold                  text compares without regard to case, except where filters look for text
//	                      within text
//	key                   the text that identifies the record; see below
//	readonly              ignored in requests
//	created               a read-only Timestamp: that of the POST
//	hidden                stored, but never served; a PUT needs it unless it is optional
//	optional              may be absent, and has no default: it is zero then, and may be sent as
//	                      it is served, as empty text or null
//	default=X             the value if absent: JSON, the text of a string, or now, that of a POST
//	reset                 a PUT without the field sets it to its default
//	formerly=NAME|NAME    names in older data, which loads accept
//	item.WORD             a word about the elements of a list or map, such as item.max=60
//
// Types with a method MarshalJSON or MarshalText count as strings for these words. Values cannot
// contain commas. What has no word, such as a Pattern, can be set in the result.
//
// The key is a string, or a type with MarshalText, or a pointer to one, and unique. With key alone, clients choose it. It must contain neither a slash nor only dots, because no path
// could address it, unless the field has a Pattern. With key,readonly the server chooses it. With
// key,optional the server chooses it if it has the zero value of its type. The key is the Lookup
// and the Ordering of the description. It may be named id.
//
// A method Validate(context.Context) error of T, or of the type of a field, is the Rule of the
// description or the field. If its receiver is a pointer, it may change the value. A method
// Validate with another signature is an error, unless it is promoted from an embedded field.
//
// If T has a method Computed without parameters, whose result is a struct, the members of that
// struct are Computed fields of kind JSON after the others. It is called once for each version of a
// record, so its result must depend on the record only.
//
// The error wraps [ErrInvalid] if T is not a struct, two members have the same name, a method has
// the wrong signature, or JSON cannot represent a field. It names the field if a word of its tag is
// unknown or repeated, contradicts the type or another word, or has an invalid value. O(fields), by
// reflection.
func DescriptionOf[T any](key string) (Description, error) {
	return Describe(reflect.TypeOf((*T)(nil)).Elem(), key, "") // not TypeFor, which would be compiled for each T
}

// Describe is [DescriptionOf] for a type of records. Unless id is empty, the member with that name
// identifies them: an integer, which becomes the id, or a text, which becomes the key, as with the
// words key,optional.
func Describe(t reflect.Type, key, id string) (Description, error) {
	return describeAt(t, key, id, place{levels: jsonmember.Depth(t)})
}

// DescribeShown is [Describe] for a struct that responses have in place of a record. The structs inside
// it can be those of records of other collections: their ids are read-only, and references, unique and
// created members only values. A Hidden one is an error, since it would be shown.
func DescribeShown(t reflect.Type, key string) (Description, error) {
	return describeAt(t, key, "", place{levels: jsonmember.Depth(t), shown: true})
}

func describeAt(t reflect.Type, key, id string, at place) (d Description, err error) {
	defer func() {
		if err != nil {
			d, err = Description{}, fmt.Errorf("%w description: %w", ErrInvalid, err)
		}
	}()
	d = Description{
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
		return d, fmt.Errorf("%v is not a struct", t)
	}
	d.Name = cmp.Or(typeName(t), key)
	fields, err := structFields(t, at)
	if err != nil {
		return d, err
	}
	if zero := zeroJSON(t); jsontext.Reads(t) && zero != "" { // its methods decide which members there are
		for i, text := range fieldsIn(zero, fields, nil) {
			fields[i].Required, fields[i].Check = fields[i].Required && (text != "" || fields[i].Hidden), nil
		}
	}
	d.Fields = fields
	if d.Rule, err = recordRule(t); err != nil {
		return d, err
	}
	if id == "" && !at.shown {
		id = knownIdentity(t, fields)
	}
	err = d.identify(t, id)
	return d, err
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
	switch integral := isNumber(m.Type); {
	case f.Key:
	case !integral && name == "" && !f.holdsKey(m.Type):
		return fmt.Errorf("%v: field %s: the id must be an integer or a text, or have the tag key, got %v", t, m.Name, m.Type)
	case integral && tagged:
		return fmt.Errorf("%v: field %s: the id has no tag backlist", t, m.Name)
	case integral:
		*f = Field{Name: f.Name, Kind: Integer, ReadOnly: true, Quoted: f.Quoted, ID: !f.IsID()}
		d.Ordering = []ordering.Term{ordering.Asc(ordering.Snake(f.Name))}
		return nil
	default:
		if err := f.tagKey("", jsontext.Elem(m.Type)); err != nil {
			return fmt.Errorf("%v: field %s: the id must be an integer or a text: %w", t, m.Name, err)
		}
		f.Required, f.Blank = false, false // as with the tag optional
	}
	d.Lookup = ordering.Snake(f.Name)
	d.Ordering = []ordering.Term{ordering.Asc(d.Lookup)}
	return nil
}

// isNumber reports whether a type is an integer, or a pointer to one, without methods for JSON.
func isNumber(t reflect.Type) bool {
	return jsontext.IsIntegral(jsontext.Elem(t)) && !jsontext.Writes(jsontext.Elem(t))
}

// knownIdentity returns the name in JSON of the member of a struct type that identifies the records because
// DescriptionOf knows its Go name, or "" if there is none, if several have the best of these names, or if
// the records have an id or a key without that.
func knownIdentity(t reflect.Type, fields []Field) (known string) {
	typ, _, _ := strings.Cut(t.Name(), "[")
	members, _ := jsonmember.Of(t)
	best := math.MaxInt
	for i, m := range members[:min(len(fields), len(members))] {
		name := m.Field.Name
		rank := slices.Index([]bool{fields[i].Key || fields[i].IsID(), name == "ID", name == "Id", strings.EqualFold(name, "UUID"), name == "Key",
			strings.EqualFold(name, typ+"ID"), strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id")}, true)
		_, tagged := m.Field.Tag.Lookup("backlist")
		switch {
		case rank == 0:
			return ""
		case rank < 0 || rank > best || tagged || !isNumber(m.Field.Type) && !fields[i].holdsKey(m.Field.Type):
		case rank == best:
			known = ""
		default:
			best, known = rank, m.Name
		}
	}
	return known
}

// holdsKey reports whether a field of a type without a tag can be the key.
func (f Field) holdsKey(t reflect.Type) bool {
	defer func() { _ = recover() }() // of a method that expects another value
	t = jsontext.Elem(t)
	if f.Kind == JSON && !jsontext.Implements[encoding.TextMarshaler](t) && json.Unmarshal([]byte(`"9d0e0c0d-3b0a-4c55-8a5c-0a5d8f0f6a11"`), reflect.New(t).Interface()) != nil {
		return false // its method MarshalJSON writes no text
	}
	return f.tagKey("", t) == nil
}

// A place is where a type is in a record.
type place struct {
	outer  []reflect.Type // the structs, lists and maps around it
	levels int            // how many structs inside each other are described there
	shown  bool           // what is there is not stored
}

// in returns the place of what is in a value of a type.
func (p place) in(t reflect.Type) place {
	p.outer = append(slices.Clip(p.outer), t)
	if t.Kind() == reflect.Struct {
		p.levels--
	}
	return p
}

// structFields returns the fields of a struct, and of what its method Computed returns.
func structFields(t reflect.Type, at place) (fields []Field, err error) {
	members, conflicts := jsonmember.Of(t)
	if conflicts != nil { // encoding/json would write none of them
		return nil, fmt.Errorf("%v: two members %q", t, conflicts[0])
	}
	for _, m := range members {
		f, err := memberField(m, at.in(t))
		if err != nil {
			return nil, fmt.Errorf("%v: field %s: %w", t, m.Field.Name, err)
		}
		fields = append(fields, f)
	}
	if at.outer != nil {
		return fields, nil
	}
	computed, err := ComputedMembers(t)
	for _, m := range computed {
		fields = append(fields, Field{Name: m.Name, Kind: JSON, ReadOnly: true, Computed: true})
	}
	return fields, err
}

// ComputedMembers returns the members of the struct that the method Computed of a type returns, or
// none if the type has no such method. It returns an error if the method has parameters or does not
// return one struct. O(members), by reflection.
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
func memberField(m jsonmember.Member, at place) (Field, error) {
	t := m.Field.Type
	f, err := fieldOf(t, at)
	if err != nil {
		return Field{}, err
	}
	plain := f
	f.Name, f.Required = m.Name, true // unless the tag or a default makes it optional
	f.Quoted = m.Quoted() && f.Kind.row().json != jsontext.String
	f.Default = f.quoted(f.Default)
	tag, tagged := m.Field.Tag.Lookup("backlist")
	if tagged {
		if err := f.apply(tag, jsontext.Elem(t)); err != nil {
			return Field{}, err
		}
	}
	if len(at.outer) > 1 && at.shown {
		if f.Refers != "" {
			f.Kind, f.Item, f.Method = plain.Kind, plain.Item, true
		}
		f.ReadOnly = f.ReadOnly || f.IsID() || f.Key || f.Created
		f.Unique, f.Key, f.Created, f.Refers, f.By, f.OnDelete, f.Related, f.Write, f.Formerly = false, false, false, "", "", Protect, "", "", nil
	}
	if len(at.outer) > 1 && f.Refers != "" {
		return Field{}, errors.New("a member of an object cannot be a reference")
	}
	zero := zeroJSON(t)
	f.Required = f.Required && f.Default == "" && !f.ReadOnly && (f.Hidden || !m.Omits() || zero == "")
	if !f.Required && f.Default == "" && !f.ReadOnly && !f.Key { // a record may have the zero value
		f.Blank = f.Blank || f.Kind.row().json == jsontext.String && (zero == `""` || jsontext.IsBytes(t))
		f.Nullable = f.Nullable && !m.Omits()
	}
	f.Rule, err = fieldRule(jsontext.Elem(t))
	if tagged {
		err = cmp.Or(err, f.check(len(at.outer) > 1))
	}
	return f, err
}

// fieldOf returns the field for a Go type without a tag. It has no name.
func fieldOf(t reflect.Type, at place) (f Field, err error) {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Pointer {
		f, err = kindOfType(jsontext.Elem(t), at)
	} else {
		f.Kind = JSON
	}
	if t.Kind() == reflect.Pointer {
		f.Nullable, f.Default = true, "null"
	}
	if jsontext.Reads(jsontext.Elem(t)) && f.Kind.row().of != moments {
		f.Check = func(value string) error {
			if err := json.Unmarshal([]byte(value), reflect.New(t).Interface()); err != nil {
				return errors.New(jsontext.Reason(err))
			}
			return nil
		}
	}
	return f, err
}

// kindOfType returns the field for a type that is not a pointer.
func kindOfType(t reflect.Type, at place) (Field, error) {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[DateTime]():
		return Field{Kind: Timestamp}, nil
	case reflect.TypeFor[Time]():
		return Field{Kind: TimeOfDay}, nil
	case reflect.TypeFor[Duration]():
		return Field{Kind: Interval}, nil
	case reflect.TypeFor[json.Number]():
		return Field{Kind: Float}, nil
	case reflect.TypeFor[json.RawMessage]():
		return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
	}
	switch {
	case jsontext.Implements[json.Marshaler](t):
		if zeroJSON(t) == "null" {
			return Field{Kind: JSON, Nullable: true, Default: "null"}, nil
		}
		return Field{Kind: JSON}, nil
	case t.Kind() == reflect.Struct && (at.levels == 0 || slices.Contains(at.outer, t)):
		return Field{Kind: JSON}, nil
	case jsontext.Implements[encoding.TextMarshaler](t):
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
		if t.Key().Kind() != reflect.String || jsontext.Implements[encoding.TextMarshaler](t.Key()) {
			return Field{Kind: JSON, Default: "{}"}, nil
		}
		return partsField(Map, t, at)
	case reflect.Slice:
		if jsontext.IsBytes(t) {
			return Field{Kind: Text}, nil // JSON text in base64
		}
		return partsField(Array, t, at)
	case reflect.Struct:
		fields, err := structFields(t, at)
		f := Field{Kind: Object, Fields: fields}
		if v, ok := t.FieldByName("Valid"); ok && v.Type.Kind() == reflect.Bool && t.NumField() == 2 { // a value that is not Valid is zero
			f.Default = zeroJSON(t)
			for i := range fields {
				fields[i].Blank = fields[i].Kind == Text
			}
		}
		return f, err
	case reflect.Array:
		return Field{Kind: JSON}, nil
	default:
		f := Field{Kind: Integer}
		switch {
		case !jsontext.IsIntegral(t):
			return Field{}, fmt.Errorf("JSON cannot represent the type %v", t)
		case kind != reflect.Int && kind != reflect.Int64:
			f.Min, f.Max = jsontext.Bounds(t)
		}
		return f, nil
	}
}

// zeroJSON returns the JSON of the zero value of a type, or "" if it has none.
func zeroJSON(t reflect.Type) (text string) {
	defer func() { _ = recover() }() // of a method that expects another value
	b, _ := json.Marshal(reflect.New(t).Interface())
	return string(b)
}

// partsField returns the field for a slice or map, which is JSON if nothing is known of its
// elements or if it contains itself.
func partsField(kind Kind, t reflect.Type, at place) (Field, error) {
	f := Field{Kind: kind, Default: "[]"}
	if kind == Map {
		f.Default = "{}"
	}
	if slices.Contains(at.outer, t) {
		f.Kind = JSON
		return f, nil
	}
	item, err := fieldOf(t.Elem(), at.in(t))
	if item.Kind == JSON {
		f.Kind = JSON
		return f, err
	}
	if err == nil {
		item.Rule, err = fieldRule(jsontext.Elem(t.Elem()))
	}
	item.Required, item.Default = true, ""
	f.Item = &item
	return f, err
}

// typeName returns the name of a Go type in words, as those of fields, without its parameters, such as
// "film role" for FilmRole and "http log" for HTTPLog, or "" if it has no name.
func typeName(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[")
	return strings.Join(strings.Fields(Field{Name: name}.Label()), " ")
}

// A validator is a record, or the value of a field, that has a rule.
type validator interface {
	Validate(ctx context.Context) error
}

// isValidator reports whether a type has a rule. It is an error if the type declares a method
// Validate with another signature, which would never be called.
func isValidator(t reflect.Type) (bool, error) {
	if jsontext.Implements[validator](t) {
		return true, nil
	}
	if !hasValidate(t) || isPromoted(t) {
		return false, nil
	}
	return false, fmt.Errorf("%v: the method Validate must be Validate(context.Context) error", t)
}

// hasValidate reports whether a type or a pointer to it has a method Validate, with any signature.
// The name is constant: with another, the linker would keep every exported method of a program.
func hasValidate(t reflect.Type) bool {
	_, ok := reflect.PointerTo(t).MethodByName("Validate")
	return ok
}

// isPromoted reports whether an embedded field of a struct has a method Validate, which is promoted
// to the struct unless the struct declares one.
func isPromoted(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && hasValidate(jsontext.Elem(f.Type)) {
			return true
		}
	}
	return false
}

// fieldRule returns the rule of a field whose values are of a type with a method Validate, or nil.
// The method may have a pointer receiver.
func fieldRule(t reflect.Type) (func(ctx context.Context, value string) (string, error), error) {
	if ok, err := isValidator(t); !ok {
		return nil, err
	}
	return func(ctx context.Context, value string) (string, error) {
		before, after, err := validated(ctx, t, value)
		if err != nil || bytes.Equal(before, after) {
			return value, err
		}
		return string(after), nil
	}, nil
}

// recordRule returns the rule of records of a type with a method Validate, or nil. Of the record,
// only members that the method changes are written back, so that numbers keep their digits.
func recordRule(t reflect.Type) (func(ctx context.Context, r *Record) error, error) {
	if ok, err := isValidator(t); !ok {
		return nil, err
	}
	return func(ctx context.Context, r *Record) error {
		before, after, err := validated(ctx, t, r.String())
		if err != nil || bytes.Equal(before, after) {
			return err
		}
		old, changed := membersOf(string(before), false), membersOf(string(after), false)
		r.members = slices.Clone(r.members)
		for _, m := range old {
			if !slices.ContainsFunc(changed, func(c member) bool { return c.name == m.name }) { // it is omitted now
				*r = r.Without(m.name)
			}
		}
		for _, m := range changed {
			if m.name == "id" && m.value[0] != '"' || slices.Contains(old, m) {
				continue
			}
			text, err := canonical([]byte(m.value))
			if err != nil {
				return err
			}
			r.set(m.name, text)
		}
		return nil
	}, nil
}

// validated calls the method Validate of a value of a type and returns the JSON of the value before
// and after it. A text that the type cannot hold is not validated: decoding reports it.
func validated(ctx context.Context, t reflect.Type, text string) (before, after []byte, err error) {
	p := reflect.New(t)
	if json.Unmarshal([]byte(text), p.Interface()) != nil {
		return nil, nil, nil
	}
	if before, err = encode(p.Interface()); err != nil {
		return nil, nil, err
	}
	if err := p.Interface().(validator).Validate(ctx); err != nil {
		return nil, nil, err
	}
	after, err = encode(p.Interface())
	return before, after, err
}
