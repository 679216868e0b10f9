package layout

import (
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// filling returns a function that sets nil lists and maps in a value of type t to empty ones, at
// any depth, unless they are Nullable or JSON omits them. It returns nil if t has none.
func filling(f schema.Field, t reflect.Type) func(v reflect.Value) {
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer { // a type may point to itself
			return nil
		}
		if fill := filling(f, t.Elem()); fill != nil {
			return func(v reflect.Value) {
				if !v.IsNil() {
					fill(v.Elem())
				}
			}
		}
	case reflect.Struct:
		var all []func(v reflect.Value)
		members, _ := jsonmember.Of(t)
		for _, m := range members {
			i := slices.IndexFunc(f.Fields, func(f schema.Field) bool { return f.Name == m.Name })
			if i < 0 {
				continue
			}
			if fill := filling(f.Fields[i], m.Field.Type); fill != nil {
				omitted := slices.Contains(m.Options, "omitzero")
				all = append(all, func(v reflect.Value) {
					if v, err := v.FieldByIndexErr(m.Field.Index); err == nil && v.CanSet() && !(omitted && v.IsZero()) { // not in an embedded struct that is nil or not exported
						fill(v)
					}
				})
			}
		}
		if all != nil {
			return func(v reflect.Value) {
				for _, fill := range all {
					fill(v)
				}
			}
		}
	case reflect.Slice, reflect.Map:
		return fillingList(f, t)
	}
	return nil
}

// fillingList returns what filling returns for a list or a map.
func fillingList(f schema.Field, t reflect.Type) func(v reflect.Value) {
	var fill func(v reflect.Value)
	if f.Item != nil {
		fill = filling(*f.Item, t.Elem())
	}
	return func(v reflect.Value) {
		switch {
		case v.IsNil() && f.Nullable:
		case v.IsNil() && t.Kind() == reflect.Map:
			v.Set(reflect.MakeMap(t))
		case v.IsNil():
			v.Set(reflect.MakeSlice(t, 0, 0))
		case fill == nil:
		case t.Kind() == reflect.Map:
			for _, key := range v.MapKeys() {
				item := reflect.New(t.Elem()).Elem() // items of maps cannot be changed
				item.Set(v.MapIndex(key))
				fill(item)
				v.SetMapIndex(key, item)
			}
		default:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		}
	}
}
