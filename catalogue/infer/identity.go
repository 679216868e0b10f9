package infer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// read reads the records of a collection.
func (t *text) read(m *member) error {
	d := json.NewDecoder(bytes.NewReader(m.value))
	if m.one = m.value[0] == '{'; !m.one {
		_, _ = d.Token()
	}
	var texts []json.RawMessage
	var starts []int
	for d.More() {
		var text json.RawMessage
		_ = d.Decode(&text)
		texts, starts = append(texts, text), append(starts, m.start+int(d.InputOffset())-len(text))
	}
	m.id = "id"
	for i := 0; i < len(texts); i++ {
		parse := schema.ParseRecord
		if m.keyed {
			parse = schema.ParseKeyed
		}
		r, err := parse(texts[i])
		var wrong *schema.MemberError
		var syntax *schema.SyntaxError
		switch {
		case err == nil:
			m.records = append(m.records, r)
		case texts[i][0] != '{':
			return t.errorAt(starts[i], `%s: want an object such as {"title": "a"}, as the first one is`, m.name)
		case errors.As(err, &syntax):
			return t.errorAt(starts[i], "%s: the record is %s: flatten it", m.name, syntax.Reason)
		case errors.As(err, &wrong) && wrong.Member == "id" && !m.keyed:
			m.keyed, m.records, i = true, nil, -1 // again, with texts
		default:
			return t.errorAt(starts[i], "%s: %s: correct the name or the text", m.name, strings.TrimPrefix(err.Error(), "schema: invalid record: "))
		}
	}
	without := func(r schema.Record) bool {
		_, named := r.Get("id")
		text, _ := r.Get("_id")
		return named || len(text) < 3 || text[0] != '"'
	}
	if !slices.ContainsFunc(m.records, without) && m.records != nil {
		m.keyed, m.id = true, "_id"
	}
	return cmp.Or(t.identify(m, starts), t.checkNames(m, starts))
}

// identify assigns an id to each record without one, and makes ids texts if not all are positive
// integers.
func (t *text) identify(m *member, starts []int) error {
	m.ids, m.numbers = map[string]bool{}, map[string]bool{}
	seen, last := map[string]int{}, 0
	for i, r := range m.records {
		text, _ := r.Get(m.id)
		switch {
		case text == "" || text == "null":
			continue
		case text == `""` || strings.ContainsRune("[{tf", rune(text[0])):
			return t.errorAt(starts[i], "%s: the id is %s: want a number or a text, or no id", m.name, text)
		}
		quoted := text
		if m.keyed && text[0] != '"' {
			quoted = `"` + text + `"`
			m.numbers[quoted] = true
			m.records[i], _ = r.With(m.id, json.RawMessage(quoted))
		}
		if other, twice := seen[quoted]; twice {
			return t.errorAt(starts[i], "%s: the id %s is that of the record in line %d, too: change one of them", m.name, text, t.line(starts[other]))
		}
		seen[quoted], m.ids[text] = i, true
		last = max(last, r.ID)
	}
	for i, r := range m.records {
		if text, has := r.Get(m.id); has && text != "null" {
			continue
		}
		m.unnamed = m.one
		if last++; last < 0 {
			return t.errorAt(starts[i], "%s: no id is left after the largest integer: give the record one", m.name)
		}
		if !m.keyed {
			m.records[i].ID = last
			m.ids[strconv.Itoa(last)] = true
			continue
		}
		for m.ids[m.quoted(last)] || m.numbers[m.quoted(last)] {
			last++
		}
		m.records[i], _ = r.With(m.id, strconv.Itoa(last))
		m.ids[m.quoted(last)] = true
	}
	return nil
}

func (m *member) quoted(n int) string { return strconv.Quote(strconv.Itoa(n)) }

// checkNames returns an error if a record has two members that are one field.
func (t *text) checkNames(m *member, starts []int) error {
	for i, r := range m.records {
		seen := make(map[string]string, 16)
		for name := range r.All() {
			snake := ordering.Snake(name)
			if other, twice := seen[snake]; twice && snake != "id" {
				return t.errorAt(starts[i], "%s: %q and %q are one field, %s: rename one of them", m.name, other, name, snake)
			}
			seen[snake] = name
		}
	}
	return nil
}
