package catalogue

import (
	"maps"
	"reflect"
	"slices"
)

// A CloneFunc copies the values of a type. [CloneWith] returns one.
type CloneFunc struct {
	typ   reflect.Type
	clone func(reflect.Value) reflect.Value
}

// CloneWith returns the CloneFunc for values of type V. It is for types of other packages
// that have no method Clone, such as *[math/big.Rat]. clone returns a copy that shares no
// memory with its argument that either of them could modify. It is not called for nil
// pointers. It must be safe for concurrent use. [NewCollection] reports a nil function.
func CloneWith[V any](clone func(V) V) CloneFunc {
	c := CloneFunc{typ: reflect.TypeFor[V]()}
	if clone != nil {
		c.clone = func(v reflect.Value) reflect.Value {
			return reflect.ValueOf(clone(*v.Addr().Interface().(*V)))
		}
	}
	return c
}

// replace replaces a map, or a value that is copied by a function or by its method Clone,
// by a copy.
func (pl *plan) replace(v reflect.Value) {
	switch {
	case !pl.clones:
		v.Set(pl.copyMap(v))
	case pl.kind == reflect.Pointer && v.IsNil():
	case pl.cloneWith != nil:
		v.Set(pl.cloneWith(v))
	default:
		v.Set(v.MethodByName("Clone").Call(nil)[0])
	}
}

func (pl *plan) copyMap(m reflect.Value) reflect.Value {
	fresh := reflect.MakeMapWithSize(pl.typ, m.Len())
	key, value := reflect.New(pl.key.typ).Elem(), reflect.New(pl.elem.typ)
	for it := m.MapRange(); it.Next(); {
		key.SetIterKey(it)
		value.Elem().SetIterValue(it)
		pl.elem.copy(value.UnsafePointer())
		fresh.SetMapIndex(key, value.Elem())
	}
	return fresh
}

// copyAny copies a value of a type that encoding/json decodes into any.
func copyAny(value any) any {
	switch x := value.(type) {
	case []any:
		fresh := slices.Clone(x)
		for i, e := range fresh {
			fresh[i] = copyAny(e)
		}
		return fresh
	case map[string]any:
		fresh := maps.Clone(x)
		for k, e := range fresh {
			fresh[k] = copyAny(e)
		}
		return fresh
	}
	return value
}
