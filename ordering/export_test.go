package ordering

import "reflect"

// Member exports member for tests.
type Member struct {
	Name  string
	Index []int
	Type  reflect.Type
}

// Members exports membersOf for tests.
func Members(t reflect.Type) (list []Member) {
	for _, m := range membersOf(t) {
		list = append(list, Member{m.name, m.index, m.typ})
	}
	return list
}
