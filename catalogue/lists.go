package catalogue

import (
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// listsOf returns those members of a struct that are slices or maps and that may not be
// null according to the description.
func listsOf(members []jsonmember.Member, fields []schema.Field) (lists []jsonmember.Member) {
	for _, m := range members {
		if kind := m.Field.Type.Kind(); kind != reflect.Slice && kind != reflect.Map {
			continue
		}
		if slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Name == m.Name && !f.Nullable }) {
			lists = append(lists, m)
		}
	}
	return lists
}

// fillLists makes the nil lists of a record empty, because their JSON would be null, which
// no request could send back.
func (s *recordType[T]) fillLists(record *T) {
	for _, m := range s.lists {
		f, err := reflect.ValueOf(record).Elem().FieldByIndexErr(m.Field.Index)
		switch {
		case err != nil || !f.IsNil() || !f.CanSet(): // in an embedded struct that is nil or not exported
		case m.Field.Type.Kind() == reflect.Map:
			f.Set(reflect.MakeMap(m.Field.Type))
		default:
			f.Set(reflect.MakeSlice(m.Field.Type, 0, 0))
		}
	}
}
