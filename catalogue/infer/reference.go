package infer

import (
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// refer makes a field a reference if its name is that of another collection and _id, and if all its
// values are ids there.
func (m *member) refer(field *schema.Field, named map[string][]*member) {
	stem, ok := strings.CutSuffix(ordering.Snake(field.Name), "_id")
	if !ok {
		return
	}
	for _, to := range slices.Concat(named[stem], named[stem+"s"], named[stem+"es"], named[strings.TrimSuffix(stem, "y")+"ies"]) {
		every, some := true, false
		for _, r := range m.records {
			if value, _ := r.Get(field.Name); value != "" && value != "null" {
				every, some = every && to.ids[value], true
			}
		}
		if !every || !some {
			continue
		}
		m.to[field.Name] = to
		*field = schema.Field{Name: field.Name, Kind: schema.Reference, Refers: to.name, Nullable: field.Nullable}
		for i, r := range m.records {
			if value, _ := r.Get(field.Name); to.keyed && to.numbers[`"`+value+`"`] {
				m.records[i], _ = r.With(field.Name, value)
			}
		}
		return
	}
}

// relate gives references names backwards: that of their collection, unless two references to a
// collection would have it, or one and a member.
func relate(all []*member) {
	type end struct {
		to   *member
		name string
	}
	named := map[end]int{}
	for _, counted := range [...]bool{false, true} {
		for _, m := range all {
			for i := range m.fields {
				to := m.to[m.fields[i].Name]
				at := end{to, ordering.Snake(m.name)}
				switch is := func(s *shape) bool { return ordering.Snake(s.name) == at.name }; {
				case to == nil:
				case !counted:
					named[at]++
				case named[at] == 1 && plainName.MatchString(at.name) && !slices.Contains(parameters[:], at.name) && !slices.ContainsFunc(to.shape.members, is):
					m.fields[i].Related = at.name
					to.from = append(to.from, m)
				}
			}
		}
	}
}
