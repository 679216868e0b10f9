package ordering

import "reflect"

// Member is a member for tests outside the package.
type Member struct {
	Wire  string
	Index []int
	Type  reflect.Type
}

// Members returns what membersOf returns.
func Members(t reflect.Type) (list []Member) {
	for _, m := range membersOf(t) {
		list = append(list, Member{m.name, m.index, m.typ})
	}
	return list
}
