package infer

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// idNames are the names of ids, in the order in which they are looked for.
var idNames = [...]string{"id", "_id", "ID", "Id", "objectID"}

// read reads the records of a collection.
func (t *text) read(m *member) error {
	m.records = make([]schema.Record, 0, len(m.parts))
	for _, at := range m.parts {
		r, err := schema.ParseKeyed(t.at(at))
		var syntax *schema.SyntaxError
		switch {
		case err == nil:
			m.records = append(m.records, r)
			m.shape.addMembers(r.All())
		case t.data[at.start] != '{':
			return t.errorAt(at.start, `%s: want an object such as {"title": "a"}, as the first one is`, m.name)
		case errors.As(err, &syntax):
			return t.errorAt(at.start, "%s: the record is %s: flatten it", m.name, syntax.Reason)
		default:
			return t.errorAt(at.start, "%s: %s: correct the name or the text", m.name, strings.TrimPrefix(err.Error(), "schema: invalid record: "))
		}
	}
	return nil
}

// idsAt returns the ids that the values of a member hold, as JSON, with "" for none, and the index of the first
// record whose value is no id, that of an earlier one, or not the name that the record has, or -1.
func (m *member) idsAt(name string) (ids []string, wrong int) {
	ids = make([]string, 0, len(m.records))
	seen, last := map[string]bool{}, math.MinInt // integers that ascend are not in the set
	for i := range m.records {
		value := m.idAt(i, name)
		id, ok := unwrap(value)
		n, isInteger := integer(id)
		switch {
		case value == "" || value == "null":
			id = ""
		case !ok || m.form == keyed && asText(id) != m.quoted(i):
			return ids, i
		case isInteger && n > last && len(seen) == 0:
			last = n
		default:
			if len(seen) == 0 {
				for _, id := range ids {
					seen[asText(id)] = id != ""
				}
			}
			if seen[asText(id)] {
				return ids, i
			}
			seen[asText(id)] = true
		}
		ids = append(ids, id)
	}
	return ids, -1
}

// idAt returns the value of a member of a record, or its name if that is null or absent.
func (m *member) idAt(i int, name string) string {
	value, has := m.records[i].Get(name)
	if m.form == keyed && (!has || value == "null") {
		return m.quoted(i)
	}
	return value
}

// quoted returns the name of a record in JSON.
func (m *member) quoted(i int) string { return string(jsontext.AppendString(nil, m.names[i])) }

// unwrap returns the id that a value holds, a number or a text that is not empty, alone or as in {"$oid": "…"}.
func unwrap(value string) (id string, ok bool) {
	for name, inner := range jsontext.Members(value) {
		if name == "$oid" && len(value) == len(`{"$oid":}`)+len(inner) && inner[0] == '"' {
			value = inner
		}
	}
	return value, value != "" && value != `""` && !strings.ContainsRune("[{tfn", rune(value[0]))
}

// findID sets the name of the member that identifies the records, which is said unless that is empty, and
// returns the result of idsAt for it.
func (m *member) findID(said string) (ids []string, wrong int) {
	if m.id = said; said != "" {
		return m.idsAt(said)
	}
	if m.form == keyed {
		for _, m.id = range [...]string{"id", "key", "nameInFile"} {
			if ids, wrong = m.idsAt(m.id); wrong < 0 {
				break
			}
		}
		m.inside = m.shape.byName[m.id] != nil
		return ids, wrong
	}
	var own []string
	for _, s := range m.shape.members {
		stem, isID := strings.CutSuffix(ordering.Snake(s.name), "_id")
		if len(m.records) >= 3 && (stem == "uuid" || stem == "key" || isID && slices.Contains(plurals(stem), ordering.Snake(m.name))) {
			own = append(own, s.name)
		}
	}
	for i, name := range append(idNames[:], own...) {
		if s := m.shape.byName[name]; s == nil || s.count == 0 {
			continue
		}
		ids, wrong = m.idsAt(name)
		m.guessed = i >= len(idNames)
		if i == 0 || wrong < 0 && !(m.guessed && slices.Contains(ids, "")) {
			m.id = name
			return ids, wrong
		}
	}
	m.id, m.guessed = "id", false
	return make([]string, len(m.records)), -1
}

// identify makes the ids of all records one kind, and assigns one to each record without one.
func (t *text) identify(m *member, said string) error {
	ids, wrong := m.findID(said)
	if wrong >= 0 {
		at := m.parts[wrong].start
		value := m.idAt(wrong, m.id)
		id, ok := unwrap(value)
		same := slices.IndexFunc(ids, func(other string) bool { return asText(other) == asText(id) })
		switch {
		case ok && same >= 0:
			return t.errorAt(at, "%s: the id %s is that of the record in line %d, too: change one of them, or take another member as the id", m.name, value, t.line(m.parts[same].start))
		case ok:
			return t.errorAt(at, "%s: the id of %s is %s: want the same text, or another member as the id", m.name, m.quoted(wrong), value)
		}
		return t.errorAt(at, "%s: the id is %s: want a number or a text, or no id, or another member as the id", m.name, value)
	}
	integers, digits := true, true
	m.least = 1
	for _, id := range ids {
		if id == "" {
			continue
		}
		n, isInteger := integer(id)
		digit, isDigit := integer(strings.Trim(id, `"`))
		integers, digits = integers && isInteger, digits && !isInteger && isDigit && digit >= 0 && digit <= maxDigits
		m.last, m.least = max(m.last, n, digit), min(m.least, n)
	}
	switch m.kind = schema.Text; {
	case integers:
		m.kind = schema.Integer
	case digits:
		m.kind = schema.Decimal
	}
	return t.assign(m, ids)
}

// asText returns an id as a text.
func asText(id string) string {
	if strings.HasPrefix(id, `"`) {
		return id
	}
	return `"` + id + `"`
}

// maxDigits is the largest number that is a key as a text of digits.
const maxDigits = 999_999_999_999_999_999

// assign sets the ids of the records, as they are stored. Records without one get the integers after the
// largest.
func (t *text) assign(m *member, ids []string) error {
	m.shape.setID(m.id, m.kind, len(ids))
	for i, id := range ids {
		if id == "" {
			if m.last == math.MaxInt {
				return t.errorAt(m.parts[i].start, "%s: no id is left after the largest integer: give the record one", m.name)
			}
			_, has := m.records[i].Get(m.id)
			m.unnamed = m.unnamed || !has
			m.last++
			id = strconv.Itoa(m.last)
		}
		id = m.keyOf(id)
		m.slashed = m.slashed || strings.Contains(id, "/")
		switch value, has := m.records[i].Get(m.id); {
		case !has:
			m.records[i] = t.withID(m, i, id)
		case id != value:
			m.records[i], _ = m.records[i].With(m.id, json.RawMessage(id))
			if ids[i] != "" {
				m.remember(m.id, id, value)
			}
		}
	}
	return nil
}

// keyOf returns an id as it is stored: all are numbers, or texts.
func (m *member) keyOf(id string) string {
	if m.kind == schema.Integer {
		return id
	}
	return asText(id)
}

// withID returns a record with an id as its first member.
func (t *text) withID(m *member, i int, id string) schema.Record {
	comma := ","
	if m.records[i].String() == "{}" {
		comma = ""
	}
	first := append(jsontext.AppendString([]byte("{"), m.id), ':')
	r, _ := schema.ParseKeyed(slices.Concat(first, []byte(id), []byte(comma), t.at(m.parts[i])[1:]))
	return r
}

// remember notes the value of a member in the text, for which another is stored.
func (m *member) remember(name, stored, value string) {
	if stored == value {
		return
	}
	if m.was == nil {
		m.was = map[[2]string]string{}
	}
	m.was[[2]string{name, stored}] = value
}
