package ordering

import "reflect"

// A Member is a field of a struct as encoding/json sees it.
type Member struct {
	Wire  string       // its name in JSON
	Index []int        // its place, as [reflect.Value.FieldByIndex] takes it
	Type  reflect.Type // of the field; its tag is that of FieldByIndex
}

// Members lists the members of a struct's JSON in their order, those of embedded
// structs flattened as encoding/json flattens them: what [FieldsOf] makes fields
// of, for programs that know a type only by reflection. What is no struct, and a
// nil type, have none. O(fields).
func Members(t reflect.Type) []Member {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var list []Member
	for _, m := range dominant(members(t, nil, nil)) {
		list = append(list, Member{Wire: m.wire, Index: m.index, Type: m.typ})
	}
	return list
}
