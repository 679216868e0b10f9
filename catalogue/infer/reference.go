package infer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// targetsOf returns collections by their names in the text, after a slash, and in snake_case.
func targetsOf(all []*member) map[string][]*member {
	targets := map[string][]*member{}
	for _, m := range all {
		snake := ordering.Snake(m.name)
		targets["/"+m.name] = []*member{m}
		targets[snake] = append(targets[snake], m)
	}
	return targets
}

// candidates returns the collections to which a member may refer by its name: that of the options, or those
// whose name and _id, or _ids, it is. A parent is a record of the same collection.
func (m *member) candidates(name string, targets map[string][]*member, said map[string]string) (list []*member, isSaid bool) {
	key, isSaid := said[m.name+"."+name]
	if !isSaid {
		key, isSaid = said[name]
	}
	if isSaid {
		return targets["/"+key], true
	}
	stem, isOne := strings.CutSuffix(ordering.Snake(name), "_id")
	stem, isList := strings.CutSuffix(stem, "_ids")
	if !isOne && !isList {
		return nil, false
	}
	for _, plural := range plurals(stem) {
		list = append(list, targets[plural]...)
	}
	if isOne && stem == "parent" {
		list = append(list, m)
	}
	return list, false
}

// mayRefer reports whether a member that is no reference has a name like one: that of a collection, or an id.
func (s *shape) mayRefer(targets map[string][]*member) bool {
	snake := ordering.Snake(s.name)
	if kind, _ := s.kind(); kind == schema.Integer || kind == schema.Text {
		if slices.ContainsFunc(plurals(snake)[1:], func(plural string) bool { return targets[plural] != nil }) {
			return true
		}
	}
	return strings.HasSuffix(snake, "_id") || strings.HasSuffix(snake, "_ids")
}

// refer makes a field a reference, or a list of references, if all its values are ids of one of the candidates.
// It is an error if they are not ids of the one that the options name.
func (t *text) refer(m *member, field *schema.Field, targets map[string][]*member, said map[string]string) error {
	list, isSaid := m.candidates(field.Name, targets, said)
	for _, to := range list {
		ids, wrong := m.idsOf(field.Name, to)
		if wrong >= 0 && isSaid {
			value, _ := m.records[wrong].Get(field.Name)
			return t.errorAt(m.parts[wrong].start, "%s: %s is %s, which is no id of %s: it cannot be a reference", m.name, field.Name, value, to.name)
		}
		if wrong >= 0 || len(ids) == 0 && !isSaid {
			continue
		}
		kind := schema.Kind(schema.Reference)
		if field.Kind == schema.Array {
			kind = schema.References
		}
		m.to[field.Name] = to
		*field = schema.Field{Name: field.Name, Kind: kind, Refers: to.name, Nullable: field.Nullable}
		for i, id := range ids {
			value, _ := m.records[i].Get(field.Name)
			m.remember(field.Name, id, value)
			m.records[i], _ = m.records[i].With(field.Name, json.RawMessage(id))
		}
		return nil
	}
	return nil
}

// idsOf returns what is stored for those values of a member that are not null, if they are ids of records of
// another collection, by the index of the record, and the index of the first that is not an id, or -1.
func (m *member) idsOf(name string, to *member) (ids map[int]string, wrong int) {
	ids = map[int]string{}
	for i, r := range m.records {
		value, has := r.Get(name)
		if !has || value == "null" {
			continue
		}
		id, ok := to.find(value)
		if value[0] == '[' {
			var items []string
			ok = true
			for item := range jsontext.Elements(value) {
				one, found := to.find(item)
				items, ok = append(items, one), ok && found
			}
			id = "[" + strings.Join(items, ",") + "]"
		}
		if !ok {
			return nil, i
		}
		ids[i] = id
	}
	return ids, -1
}

// find returns the id that a value holds, as it is stored, and reports whether a record has it.
func (m *member) find(value string) (id string, ok bool) {
	if m.ids == nil {
		m.ids = make(map[string]bool, len(m.records))
		for _, r := range m.records {
			id, _ := r.Get(m.id)
			m.ids[id] = true
		}
	}
	if id, ok = unwrap(value); ok {
		id = m.keyOf(id)
	}
	return id, m.ids[id]
}

// relate sets the name by which each reference is followed backwards: that of its collection, unless
// another reference to the same records, or a member of these, has that name.
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
