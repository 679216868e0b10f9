package schema

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// DescriptionOf returns a description of a collection whose records are structs of type T,
// to be served under the given key with [AllActions]. Its fields are the members of the
// JSON of T, in order. If T is [Record], the fields are not known.
//
// The name of a record is that of T in words, without type parameters: "social link" for
// SocialLink, "http log" for HTTPLog. If T is [Record] or has no name, it is the key.
//
// The kind of a field follows from its Go type:
//
//	string, encoding.TextMarshaler, []byte     Text
//	integers                                   Integer with the bounds of the type
//	bool                                       Boolean, false by default
//	float32, float64, Float64, json.Number     Float
//	time.Time, DateTime                        Timestamp
//	[]string                                   TextList, empty by default
//	slices with the tag refers                 References, empty by default
//	any, json.RawMessage                       JSON, null by default
//	other slices and maps                      JSON, empty by default
//	all other types                            JSON
//	a pointer to one of these                  the same, but Nullable and null by default
//
// The types int and int64 have no bounds. The id is a read-only Integer. All other fields
// without a default are required, unless the tag backlist says otherwise. The tag is a
// list of words, separated by commas, such as `backlist:"slug,unique"`:
//
//	slug, url, date       the kind of a string or *string
//	choices=a|b|c         a Choice, and its values; also of a string
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
// Types with a method MarshalJSON or MarshalText count as strings here. Values contain no
// commas. What the tag cannot express can be set in the result, which is then the
// Description in the options of a definition. Filters and Search are empty.
//
// DescriptionOf returns an error wrapping [ErrInvalid] if T is not a struct, if two
// members have the same name, or if JSON cannot represent a field. The error names the
// field and the word if a word is unknown or repeated, contradicts the type or another
// word, or has an invalid value. O(fields), by reflection.
func DescriptionOf[T any](key string) (Description, error) {
	t := reflect.TypeFor[T]()
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
