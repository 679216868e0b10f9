package catalogue

import (
	"maps"
	"reflect"
	"slices"
)

// replace replaces a map or a value with a method Clone by a copy.
func (pl *plan) replace(v reflect.Value) {
	if !pl.clones {
		v.Set(pl.copyMap(v))
	} else if pl.kind != reflect.Pointer || !v.IsNil() {
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
