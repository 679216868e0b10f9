package pgstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A relation leads from the records of a table to others: to those to which they refer in a column, or
// to those that refer to them.
type relation struct {
	column column // of the records that refer
	by     column // of those to which they refer, by which they do
	to     *table
	back   bool // to is the table of the records that refer
}

// follow returns the relation with which a path such as director__name begins, and the rest. ok is
// false if the path is that of a column, or of none.
func (t *table) follow(path string) (r relation, rest string, ok bool) {
	if _, own := t.column(path); own {
		return r, "", false
	}
	for at := range path {
		if rest, ok = strings.CutPrefix(path[at:], "__"); !ok {
			continue
		}
		if c, own := t.column(path[:at]); own && c.field.Refers != "" {
			to, err := t.store.table(c.field.Refers)
			if err != nil {
				return r, "", false
			}
			by, _ := to.column(c.refersBy(to))
			return relation{c, by, to, false}, rest, true
		}
		if r, ok = t.backwards(path[:at]); ok {
			return r, rest, true
		}
	}
	return r, "", false
}

// backwards returns the relation to the records that refer to those of the table, by its name.
func (t *table) backwards(name string) (r relation, ok bool) {
	for m, c := range t.store.referring(t) {
		if c.field.Related == name && name != "" {
			by, _ := t.column(c.refersBy(t))
			return relation{c, by, m, true}, true
		}
	}
	return r, false
}

// holds returns the condition that the relation leads from a record to another one, in a form that an
// index of the other table serves.
func (r relation) holds(from, to string) string {
	if r.back {
		from, to = to, from
	}
	value, target := from+"."+quote(r.column.name), to+"."+quote(r.by.name)
	switch {
	case r.listed():
		return value + " @> ARRAY[" + target + "]"
	case r.column.field.Kind == schema.References:
		return target + " = ANY(" + value + ")"
	case r.back:
		return r.column.equals(value, target)
	}
	return r.by.equals(target, value)
}

// listed reports whether the relation leads backwards from what lists of references contain. PostgreSQL
// guesses badly how many lists contain a value, so the conditions leave it no choice.
func (r relation) listed() bool { return r.back && r.column.field.Kind == schema.References }

// rows returns a FROM clause and a condition for the records to which the relation leads from one. Those of
// lists are found by the index.
func (r relation) rows(from, to string) (rows, holds string) {
	rows, holds = r.to.name()+" "+to, r.holds(from, to)
	switch {
	case r.listed():
		rows = "LATERAL (SELECT * FROM " + rows + " WHERE " + holds + " OFFSET 0) " + to
	case r.column.form == formTexts || r.column.form == formKeys: // whose index has a digest of each text
		value := to + "v.value"
		rows = "unnest(" + from + "." + quote(r.column.name) + ") " + to + "v(value), LATERAL (SELECT * FROM " + rows + " WHERE " +
			r.by.equals(to+"."+quote(r.by.name), value) + " OFFSET 0) " + to
	}
	return rows, holds
}

// exists returns the condition that the relation leads from a record to another one for which what
// follows holds. If alone is set, it is not part of a disjunction, so that PostgreSQL can also join all
// records of both tables. The elements of a list are looked up in what is read once, or by an index,
// whichever costs less.
func (r relation) exists(from, to, follows string, alone bool) string {
	rows, holds := r.rows(from, to)
	value := to + "v.value"
	switch {
	case r.listed() && alone:
		rows = r.to.name() + " " + to + ", unnest(" + to + "." + quote(r.column.name) + ") " + to + "v(value)"
		holds = r.holds(from, to) + " AND " + value + " = " + from + "." + quote(r.by.name)
	case !r.back && r.column.field.Kind == schema.References:
		rows = "unnest(" + from + "." + quote(r.column.name) + ") " + to + "v(value)"
		holds = "(EXISTS (SELECT 1 FROM " + r.to.name() + " " + to + " WHERE " + r.by.equals(to+"."+quote(r.by.name), value) + follows + ")) IS TRUE"
		follows = ""
	}
	return "EXISTS (SELECT 1 FROM " + rows + " WHERE " + holds + follows + ")"
}

// referring yields the columns of all tables that refer to records of one.
func (s *Store) referring(to *table) func(yield func(*table, column) bool) {
	return func(yield func(*table, column) bool) {
		for _, m := range s.tables {
			for _, c := range m.columns {
				if c.field.Refers == to.about.Key && len(c.path) == 1 && c.form != formUpper && !yield(m, c) {
					return
				}
			}
		}
	}
}

// A join has the conditions of the words of a search, for the records of a table and for those to which
// they lead.
type join struct {
	of    *table
	alias string
	words [][]string // one of those of a word holds
	links []link
}

// A link is a relation of the records of a join.
type link struct {
	name string
	relation
	join *join
}

// search returns the condition that all words of a search are in one row of a join: a record, and one
// choice of the records to which each of its relations leads.
func (q *statement) search(t *table, alias string, words [][]schema.Test) string {
	root := &join{of: t, alias: alias, words: make([][]string, len(words))}
	for i, word := range words {
		for _, test := range word {
			j := root
			for r, rest, crosses := j.of.follow(test.Field); crosses; r, rest, crosses = j.of.follow(rest) {
				j, test.Field = q.linked(j, r, strings.TrimSuffix(test.Field, rest)), rest
			}
			j.words[i] = append(j.words[i], q.lookup(j.of, j.alias, test))
		}
	}
	joins := q.joins(root)
	all := joined(root.anyOfEach(), " AND ", "TRUE")
	if joins == "" {
		return all
	}
	return "EXISTS (SELECT FROM (VALUES (1)) one" + joins + " WHERE " + all + ")"
}

// linked returns the join of a relation of another join.
func (q *statement) linked(j *join, r relation, name string) *join {
	i := slices.IndexFunc(j.links, func(l link) bool { return l.name == name })
	if i < 0 {
		i = len(j.links)
		j.links = append(j.links, link{name, r, &join{of: r.to, alias: q.alias(), words: make([][]string, len(j.words))}})
	}
	return j.links[i].join
}

// joins returns the joins of the links, and adds the words that they find. Rows with the same words are
// one, so that their number is not the product of those of all links.
func (q *statement) joins(j *join) (sql string) {
	for _, l := range j.links {
		inner, found := q.joins(l.join), l.join.alias+"w"
		rows, holds := l.rows(j.alias, l.join.alias)
		list := l.join.anyOfEach()
		for i := range list {
			list[i] += fmt.Sprintf(" AS w%d", i)
			j.words[i] = append(j.words[i], fmt.Sprintf("%s.w%d", found, i))
		}
		sql += " LEFT JOIN LATERAL (SELECT DISTINCT " + strings.Join(list, ", ") + " FROM " + rows + inner +
			" WHERE " + holds + q.visible(l.to, l.join.alias, false) + ") " + found + " ON TRUE"
	}
	return sql
}

// anyOfEach returns the condition of each word.
func (j *join) anyOfEach() (list []string) {
	for _, some := range j.words {
		list = append(list, joined(some, " OR ", "FALSE"))
	}
	return list
}
