package pgstore

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A column has a described field of the records, at any depth, for orders and filters.
type column struct {
	name   string   // in SQL and, unless the form is formUpper, in orderings: a path such as address__city
	path   []string // of the members, in JSON
	field  schema.Field
	target schema.Field // the text to which a reference By it refers, or the field: the order of values
	form   form
}

// A form is how a column has values.
type form uint8

const (
	formKey    form = iota // a sort key, of values that no type orders like package catalogue
	formText               // text by its bytes
	formUpper              // text in upper case, for lookups without regard to case
	formID                 // an id
	formNumber             // an integer of any size
	formBool               // a boolean
	formTime               // an instant
	formIDs                // a list of ids
	formTexts              // a list of texts
	formKeys               // a list of sort keys of texts
)

// sqlTypes are the types of columns. None is NOT NULL, since a program's own type may encode null.
var sqlTypes = [...]string{
	formKey: "bytea", formText: `text COLLATE "C"`, formUpper: `text COLLATE "C"`, formID: "bigint", formNumber: "numeric",
	formBool: "boolean", formTime: "timestamp with time zone",
	formIDs: "bigint[]", formTexts: `text[] COLLATE "C"`, formKeys: "bytea[]",
}

// cast returns the type of a parameter, without a collation.
func (f form) cast() string { return strings.TrimSuffix(sqlTypes[f], ` COLLATE "C"`) }

// columnsOf returns the columns of fields, and of those inside them.
func columnsOf(about schema.Description, fields []schema.Field, outer column) (list []column) {
	for _, f := range fields {
		c := column{name: ordering.Snake(f.Name), path: append(slices.Clone(outer.path), f.Name), field: f, target: f}
		if outer.name != "" {
			c.name = outer.name + "__" + c.name
		}
		if to := about.Related[f.Refers]; f.By != "" && to != nil {
			for _, by := range to.Fields {
				if ordering.Snake(by.Name) == f.By {
					c.target = by
				}
			}
		}
		c.form = c.formOf()
		list = append(append(list, c), columnsOf(about, f.Fields, c)...)
	}
	return list
}

func (c column) formOf() form {
	of := c.target
	isKey := of.Order() != nil && of.Kind != schema.Timestamp && of.Kind != schema.TimeOfDay // whose text has its order
	switch kind := c.field.Kind; {
	case kind == schema.References && c.field.By == "":
		return formIDs
	case kind == schema.References && isKey:
		return formKeys
	case kind == schema.References, kind == schema.Array && c.field.Item.Kind == schema.Text && !c.field.Item.Fold:
		return formTexts
	case kind == schema.Reference && c.field.By == "", c.field.IsID():
		return formID
	case isKey, of.Quoted:
		return formKey
	}
	switch of.Kind {
	case schema.Integer:
		return formNumber
	case schema.Boolean:
		return formBool
	case schema.Timestamp:
		return formTime
	case schema.Array, schema.JSON, schema.Float, schema.Map, schema.Object:
		return formKey
	}
	return formText
}

// upper returns the column of the text in upper case.
func (c column) upper() column {
	c.name, c.form = c.name+"$upper", formUpper
	return c
}

// upperOf returns text in upper case, as lookups without regard to case compare it.
func upperOf(text string) string { return strings.Map(unicode.ToUpper, text) }

// unique returns the expression of a unique index for the text of a value, which can be long.
func (c column) unique(value string) string {
	switch c.form {
	case formKey:
		return "sha256(" + value + ")"
	case formText:
		return "md5(" + value + ")"
	}
	return value
}

// equals returns the condition that the column with a qualified name has a value, which an index of
// the column can serve.
func (c column) equals(name, value string) string {
	sql := name + " = " + value
	switch {
	case c.field.Unique && !c.field.Key && c.unique("") != "":
		return "(" + c.unique(name) + " = " + c.unique(value) + " AND " + sql + ")"
	case !c.field.Unique && c.prefix(name) != "":
		return "(" + c.prefix(name) + " = " + c.prefix(value) + " AND " + sql + ")"
	}
	return sql
}

// errNull is the error for text with the only character that PostgreSQL cannot store.
var errNull = errors.New("PostgreSQL cannot store text with U+0000")

// in returns the JSON of the field in a record, or "" if it is absent.
func (c column) in(r schema.Record) (text string) {
	for i, name := range c.path {
		if i > 0 {
			inner, err := schema.ParseKeyed([]byte(text))
			if err != nil { // it is null
				return ""
			}
			r = inner
		}
		text, _ = r.Get(name)
		if text == "" {
			return ""
		}
	}
	return text
}

// key returns the sort key of a value in JSON.
func (c column) key(text string) sortkey.Key {
	k := sortkey.JSON(text)
	if c.target.Quoted {
		if number, err := decode[string](text); err == nil {
			k = sortkey.JSON(number)
		}
	}
	if order := c.target.Order(); order != nil {
		k = order(k)
	}
	return k
}

// value returns the value of the column for a value in JSON. Nil is NULL.
func (c column) value(text string) (any, error) {
	if text == "" || text == "null" {
		return nil, nil
	}
	switch c.form {
	case formID:
		return decode[int64](text)
	case formNumber:
		var n pgtype.Numeric
		err := n.Scan(text)
		return n, err
	case formBool:
		return decode[bool](text)
	case formTime:
		at, err := decode[schema.DateTime](text)
		return at.Time, err
	case formIDs:
		return decode[[]int64](text)
	case formTexts, formKeys:
		list, err := decode[[]string](text)
		if slices.ContainsFunc(list, hasNull) {
			return nil, errNull
		}
		if c.form == formTexts {
			return list, err
		}
		keys := make([][]byte, len(list))
		for i, s := range list {
			keys[i] = c.target.SortKey(s).Append(nil)
		}
		return keys, err
	case formKey:
		return c.key(text).Append(nil), nil
	}
	s, err := decode[string](text)
	if c.form == formUpper && err != nil { // a number
		return upperOf(text), nil
	}
	if hasNull(s) {
		return nil, errNull
	}
	if c.form == formUpper {
		s = upperOf(s)
	}
	return s, err
}

func hasNull(text string) bool { return strings.IndexByte(text, 0) >= 0 }

func decode[T any](text string) (v T, err error) {
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}

// prefix returns the expression of the beginning of a value of the column, if values can be longer
// than an entry of an index.
func (c column) prefix(value string) string {
	switch c.form {
	case formText, formUpper:
		if c.isChoice() {
			return ""
		}
		return "left(" + value + ", 256)"
	case formIDs:
		return value + "[1:32]"
	case formTexts:
		return "left(coalesce(" + value + "[1], ''), 256)" // an empty list sorts like one with an empty element
	case formKey:
		return "substring(" + value + ", 1, 256)"
	}
	return ""
}

// isChoice reports whether the column has short texts, as choices are. So an index can have all of
// each, and a count can be made in the index alone.
func (c column) isChoice() bool { return c.form == formText && c.field.Kind == schema.Choice }

// exprs returns the expressions of ORDER BY for the column of a table with an alias. If values can
// be longer than an entry of an index, the first is a prefix.
func (c column) exprs(alias string) []expr {
	name := alias + "." + quote(c.name)
	whole := expr{text: name, cast: c.form.cast()}
	if prefix := c.prefix(name); prefix != "" {
		return []expr{{text: prefix, prefix: true}, whole}
	}
	return []expr{whole}
}

// refersBy returns the name of the field, in snake_case, by which the column refers to records of a
// table.
func (c column) refersBy(to *table) string { return cmp.Or(c.field.By, to.identity.name) }
