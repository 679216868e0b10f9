package pgstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// ErrLookup is returned for a filter that PostgreSQL does not serve: a lookup without regard to case
// that is in no Filters and no Search, or an unknown one.
var ErrLookup = errors.New("pgstore: unsupported lookup")

// A statement is SQL under construction. What comes from a request becomes a parameter.
type statement struct {
	ctx     context.Context
	tx      querier                  // in which tests that Go makes read values
	rows    map[string][]schema.Test // of the records that references lead to, as in a filter
	args    []any
	aliases int
	err     error
}

// fail sets the error and returns a condition.
func (q *statement) fail(err error) string {
	q.err = cmp.Or(q.err, err)
	return "FALSE"
}

// param adds a parameter and returns its text, with a type.
func (q *statement) param(v any, cast string) string {
	q.args = append(q.args, v)
	return "$" + strconv.Itoa(len(q.args)) + "::" + cast
}

// where returns the condition of a filter of records of a table with an alias.
func (q *statement) where(t *table, alias string, f schema.Filter) (string, error) {
	var words [][]schema.Test
	for _, test := range f.Tests {
		words = append(words, []schema.Test{test})
	}
	var all []string
	if len(f.Search) > 1 {
		all = append(all, q.search(t, alias, f.Search))
	} else {
		words = append(words, f.Search...)
	}
	for _, word := range words {
		var some []string
		for _, test := range word {
			some = append(some, q.test(t, alias, test, len(word) == 1))
		}
		all = append(all, joined(some, " OR ", "FALSE"))
	}
	return joined(all, " AND ", "TRUE"), q.err
}

// alias returns a new alias.
func (q *statement) alias() string {
	q.aliases++
	return "r" + strconv.Itoa(q.aliases)
}

// joined returns conditions that are joined by an operator, or what none of them means.
func joined(conditions []string, operator, none string) string {
	if len(conditions) == 0 {
		return none
	}
	return "(" + strings.Join(conditions, operator) + ")"
}

// test returns the condition of a test. One of another record holds for some record to which the
// relation leads, and isnull holds, too, if it leads to none. If alone is set, the condition is not part
// of a disjunction.
func (q *statement) test(t *table, alias string, test schema.Test, alone bool) string {
	r, rest, crosses := t.follow(test.Field)
	if !crosses {
		return q.lookup(t, alias, test)
	}
	other := q.alias()
	visible := q.visible(r.to, other, test.All)
	isNull := test.Lookup == "isnull" && slices.Equal(test.Values, []string{"true"})
	if isNull && rest == r.to.identity.name { // which is never null
		return "NOT " + r.exists(alias, other, visible, alone)
	}
	test.Field = rest
	sql := r.exists(alias, other, visible+" AND "+q.test(r.to, other, test, true), alone && !isNull)
	if isNull {
		sql = "(" + sql + " OR NOT " + r.exists(alias, other, visible, false) + ")"
	}
	return sql
}

// visible returns the condition, after others, that a record of a table exists for the request, or none
// if all is set.
func (q *statement) visible(t *table, alias string, all bool) (sql string) {
	if !all {
		for _, test := range q.rows[t.about.Key] {
			test.All = true
			sql += " AND " + q.test(t, alias, test, true)
		}
	}
	return sql
}

// ordered are the lookups that compare values in the order of the field.
var ordered = [...]struct{ lookup, operator string }{
	{"exact", "="}, {"gt", ">"}, {"gte", ">="}, {"lt", "<"}, {"lte", "<="},
}

type textLookup struct {
	lookup, sql string
	upper       bool
}

// textual are the lookups that compare the text of the field with a part, in upper case if upper is
// set. Conditions of prefixes can use an index.
var textual = [...]textLookup{
	{"iexact", "(left(%[1]s, 256) = left(%[2]s, 256) AND %[1]s = %[2]s)", true},
	{"contains", "strpos(%[1]s, %[2]s) > 0", false},
	{"icontains", "strpos(%[1]s, %[2]s) > 0", true},
	{"startswith", "(left(%[1]s, 256) ^@ left(%[2]s, 256) AND %[1]s ^@ %[2]s)", false},
	{"istartswith", "(left(%[1]s, 256) ^@ left(%[2]s, 256) AND %[1]s ^@ %[2]s)", true},
	{"endswith", "right(%[1]s, length(%[2]s)) = %[2]s", false},
	{"iendswith", "right(%[1]s, length(%[2]s)) = %[2]s", true},
}

// foldedPaths returns the fields that lookups without regard to case can read.
func (t *table) foldedPaths() (paths []string) {
	for _, name := range t.about.Filters {
		path, lookup, _ := t.parameter(name)
		if slices.ContainsFunc(textual[:], func(l textLookup) bool { return l.upper && l.lookup == lookup }) {
			paths = append(paths, path)
		}
	}
	for _, entry := range t.about.Search {
		field, _ := t.about.SearchEntry(entry)
		paths = append(paths, field)
	}
	return paths
}

// parameter returns the path and the lookup that an entry of Filters names.
func (t *table) parameter(name string) (path, lookup string, err error) {
	_, lookup, err = t.about.Parameter(name)
	return strings.TrimSuffix(cmp.Or(t.about.Parameters[name], name), "__"+lookup), lookup, err
}

// lookup returns the condition of a test of a field of the table.
func (q *statement) lookup(t *table, alias string, test schema.Test) string {
	c, ok := t.column(test.Field)
	if !ok && test.Match != nil { // of a part of a date or time
		c, ok = t.column(test.Field[:max(0, strings.LastIndex(test.Field, "__"))])
	}
	name := alias + "." + quote(c.name)
	isList := c.field.Kind == schema.References
	switch {
	case !ok:
		return q.fail(fmt.Errorf("%w: %q", ordering.ErrUnknownField, test.Field))
	case len(test.Values) == 0 && test.Lookup != "in" || test.Lookup == "range" && len(test.Values)%2 != 0:
		return q.fail(fmt.Errorf("%w: the lookup %s of field %q has %d values", schema.ErrInvalid, test.Lookup, test.Field, len(test.Values)))
	case test.Match != nil:
		return q.matching(t, c, alias, test.Match)
	case test.Lookup == "isnull":
		if isList {
			name = "nullif(cardinality(" + name + "), 0)"
		}
		if test.Values[0] == "true" {
			return name + " IS NULL"
		}
		return name + " IS NOT NULL"
	case isList && (test.Lookup == "exact" || test.Lookup == "in"):
		return q.overlap(c, name, test.Values)
	case test.Lookup == "in":
		var some []string
		for _, v := range test.Values {
			some = append(some, q.compare(c, alias, "=", v))
		}
		return joined(some, " OR ", "FALSE")
	case test.Lookup == "range":
		var some []string
		for pair := range slices.Chunk(test.Values, 2) {
			some = append(some, "("+q.compare(c, alias, ">=", pair[0])+" AND "+q.compare(c, alias, "<=", pair[1])+")")
		}
		return joined(some, " OR ", "FALSE")
	}
	for _, l := range ordered {
		if l.lookup == test.Lookup {
			return q.compare(c, alias, l.operator, test.Values[0])
		}
	}
	for _, l := range textual {
		if l.lookup != test.Lookup {
			continue
		}
		part := test.Values[0]
		if l.upper {
			part = upperOf(part)
		}
		if hasNull(part) { // which no text contains
			return "FALSE"
		}
		return fmt.Sprintf(l.sql, q.text(t, c, alias, l.upper), q.param(part, "text"))
	}
	return q.fail(fmt.Errorf("%w: %s of field %q", ErrLookup, test.Lookup, test.Field))
}

// matching returns the condition that a function holds for the text of a column. The function is
// called for each different text of the table.
func (q *statement) matching(t *table, c column, alias string, match func(string) (bool, error)) string {
	all := statement{}
	query := "SELECT DISTINCT " + all.text(t, c, "t", false) + " FROM " + t.name() + " t"
	matches := []string{}
	var value sql.NullString
	err := each(q.ctx, q.tx, query, all.args, func() error {
		ok, err := false, error(nil)
		if value.Valid {
			ok, err = match(value.String)
		}
		if ok {
			matches = append(matches, value.String)
		}
		return err
	}, &value)
	if err != nil {
		return q.fail(err)
	}
	return q.text(t, c, alias, false) + " = ANY(" + q.param(matches, "text[]") + ")"
}

// text returns the expression of the text of a column, in upper case if upper is set.
func (q *statement) text(t *table, c column, alias string, upper bool) string {
	u := c.upper().name
	switch {
	case upper && slices.ContainsFunc(t.columns, func(c column) bool { return c.name == u }):
		return alias + "." + quote(u)
	case upper:
		return q.fail(fmt.Errorf("%w: no Filters or Search of the definitions compare %q without regard to case", ErrLookup, c.name))
	case c.form == formText:
		return alias + "." + quote(c.name)
	}
	return "(" + alias + ".record::json #>> " + q.param(c.path, "text[]") + `) COLLATE "C"`
}

// overlap returns the condition that a list of references has one of the values.
func (q *statement) overlap(c column, name string, values []string) string {
	var ids []int64
	var texts []string
	var keys [][]byte
	for _, v := range values {
		if id, err := strconv.ParseInt(v, 10, 64); err == nil {
			ids = append(ids, id)
		}
		if !hasNull(v) {
			texts = append(texts, v)
		}
		keys = append(keys, c.target.SortKey(v).Append(nil))
	}
	switch c.form {
	case formIDs:
		return name + " && " + q.param(ids, "bigint[]")
	case formTexts:
		return name + " && " + q.param(texts, "text[]")
	}
	return name + " && " + q.param(keys, "bytea[]")
}

// compare returns the condition that compares a column with a value of a test. That of the prefix
// can use an index.
func (q *statement) compare(c column, alias, operator, value string) string {
	if c.form == formText && hasNull(value) { // no stored text has U+0000
		if operator == "=" {
			return "FALSE"
		}
		operator = map[string]string{"<": "<=", "<=": "<=", ">": ">", ">=": ">"}[operator]
		value, _, _ = strings.Cut(value, "\x00")
	}
	name, param := alias+"."+quote(c.name), q.value(c, value)
	if operator == "=" {
		return c.equals(name, param)
	}
	sql := name + " " + operator + " " + param
	if c.prefix(name) == "" {
		return sql
	}
	bound := map[string]string{"<": "<=", "<=": "<=", ">": ">=", ">=": ">="}[operator]
	return "(" + c.prefix(name) + " " + bound + " " + c.prefix(param) + " AND " + sql + ")"
}

// value adds a value of a test of a column as a parameter.
func (q *statement) value(c column, value string) string {
	switch c.form {
	case formID:
		if id, err := strconv.ParseInt(value, 10, 64); err == nil {
			return q.param(id, "bigint")
		}
		return q.param(value, "text::numeric") // out of range
	case formNumber:
		return q.param(value, "text::numeric")
	case formBool:
		return q.param(value == "true", "boolean")
	case formTime:
		at, err := time.Parse(time.RFC3339Nano, value)
		if err != nil { // later than any record
			at = time.Date(10_000, 2, 1, 0, 0, 0, 0, time.UTC)
		}
		return q.param(at, "timestamptz")
	case formText:
		return q.param(value, "text")
	}
	return q.param(c.target.SortKey(value).Append(nil), "bytea")
}
