package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

var (
	errUnknownMember = errors.New("is unknown")
	errNull          = errors.New("must not be null")
	errMissing       = errors.New("is missing")
)

// decoder returns a function that decodes a record from a JSON object. It is stricter
// than encoding/json: names must match exactly, and an unknown or repeated name is an
// error, as is null for a field that cannot hold it. If T implements json.Unmarshaler, as
// the three documented types do, the function uses that instead.
func decoder[T any](of []jsonmember.Member) func([]byte, []string) (T, error) {
	if _, own := any((*T)(nil)).(json.Unmarshaler); own {
		return decodeOwn[T]
	}
	arrays := make([]bool, len(of))
	for i, m := range of {
		arrays[i] = hasArray(m.Field.Type)
	}
	return func(data []byte, _ []string) (record T, err error) {
		members, err := schema.ParseRecord(data)
		if err != nil {
			return record, err
		}
		v := reflect.ValueOf(&record).Elem()
		for name, text := range members.All() {
			i := slices.IndexFunc(of, func(m jsonmember.Member) bool { return m.Name == name })
			if i < 0 {
				return record, &schema.MemberError{Member: name, Err: unknownMember(name, of)}
			}
			if err := decodeField(settable(v, of[i].Field.Index), text, arrays[i]); err != nil {
				return record, &schema.MemberError{Member: name, Err: err}
			}
		}
		return record, nil
	}
}

func unknownMember(name string, of []jsonmember.Member) error {
	var known []string
	for _, m := range of {
		known = append(known, m.Name)
	}
	return fmt.Errorf("%w: %s", errUnknownMember, ordering.Suggest(name, known))
}

// decodeOwn decodes a record by its method UnmarshalJSON and then checks that all
// required members are present. In this order the error for a misspelled name names it,
// and not the member that is missing because of it.
func decodeOwn[T any](data []byte, required []string) (record T, err error) {
	var members schema.Record
	if len(required) > 0 {
		if members, err = schema.ParseRecord(data); err != nil {
			return record, err
		}
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return record, err
	}
	var missing []string
	for _, name := range required {
		if _, ok := members.Get(name); !ok {
			missing = append(missing, name)
		}
	}
	switch len(missing) {
	case 0:
		return record, nil
	case 1:
		return record, &schema.MemberError{Member: missing[0], Err: errMissing}
	}
	err = fmt.Errorf("%w, and so are %s", errMissing, strings.Join(missing[1:], ", "))
	return record, &schema.MemberError{Member: missing[0], Err: err}
}

// decodeField decodes a value. arrays reports whether its type contains arrays, which are
// checked for their length.
func decodeField(v reflect.Value, text string, arrays bool) error {
	if text == "null" && !nullable(v.Type()) {
		return errNull
	}
	if err := json.Unmarshal([]byte(text), v.Addr().Interface()); err != nil {
		return err
	}
	if composite := text[0] == '[' || text[0] == '{'; composite && (arrays || strings.Contains(text, "null")) {
		return errorIn(v.Type(), text)
	}
	return nil
}

// nullable reports whether null can be decoded into a type, by its kind or by its method
// UnmarshalJSON.
func nullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	}
	return t != reflect.TypeFor[time.Time]() && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// settable returns the field at index. It allocates embedded structs for nil pointers.
func settable(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}
