package pgstore

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// column is the column by which a described field is ordered.
type column struct {
	name string // in SQL and in orderings
	wire string // in JSON
	kind schema.Kind
}

func newColumn(f schema.Field) column {
	return column{ordering.Snake(f.Name), f.Name, f.Kind}
}

// errNull is the error for text with the only character that PostgreSQL cannot store.
var errNull = errors.New("PostgreSQL cannot store text with U+0000")

// value returns the value of the column for a member's JSON. Nil is NULL.
func (c column) value(text string) (any, error) {
	if text == "" || text == "null" {
		return nil, nil
	}
	switch c.kind {
	case schema.Integer, schema.Reference:
		return decode[int64](text)
	case schema.Boolean:
		return decode[bool](text)
	case schema.Timestamp:
		at, err := decode[schema.DateTime](text)
		return at.Time, err
	case schema.References:
		return decode[[]int64](text)
	case schema.TextList:
		list, err := decode[[]string](text)
		for _, s := range list {
			if strings.Contains(s, "\x00") {
				return nil, errNull
			}
		}
		return list, err
	case schema.JSON:
		return sortkey.JSON(text).Append(nil), nil
	}
	s, err := decode[string](text)
	if strings.Contains(s, "\x00") {
		return nil, errNull
	}
	return s, err
}

func decode[T any](text string) (v T, err error) {
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}

// exprs returns the expressions of ORDER BY for the column. If values can be longer
// than an entry of an index, the first is a prefix. Lists in descriptions are not null.
func (c column) exprs() []expr {
	name := "t." + quote(c.name)
	prefix := ""
	switch c.kind {
	case schema.Text, schema.Slug, schema.URL:
		prefix = "left(" + name + ", 256)"
	case schema.References:
		prefix = name + "[1:32]"
	case schema.TextList:
		prefix = "left(coalesce(" + name + "[1], ''), 256)" // an empty list sorts like one with an empty element
	case schema.JSON:
		prefix = "substring(" + name + ", 1, 256)"
	default:
		return []expr{{text: name}}
	}
	return []expr{{text: prefix, prefix: true}, {text: name}}
}
