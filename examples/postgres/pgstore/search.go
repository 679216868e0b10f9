package pgstore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

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
	if all := joined(root.anyOfEach(), " AND ", "TRUE"); joins == "" {
		return all
	} else {
		return "EXISTS (SELECT FROM (VALUES (1)) one" + joins + " WHERE " + all + ")"
	}
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
