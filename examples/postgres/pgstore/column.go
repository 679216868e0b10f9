package pgstore

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// column is the column by which a described field is ordered.
type column struct {
	name string // in SQL and in orderings
	wire string // in JSON
	kind resources.Kind
}

func newColumn(f resources.Field) column {
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
	case resources.Integer, resources.Reference:
		return decode[int64](text)
	case resources.Boolean:
		return decode[bool](text)
	case resources.Timestamp:
		at, err := decode[resources.DateTime](text)
		return at.Time, err
	case resources.References:
		return decode[[]int64](text)
	case resources.TextList:
		list, err := decode[[]string](text)
		for _, s := range list {
			if strings.Contains(s, "\x00") {
				return nil, errNull
			}
		}
		return list, err
	case resources.JSON:
		return ordering.JSON(text).Append(nil), nil
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
	case resources.Text, resources.Slug, resources.URL:
		prefix = "left(" + name + ", 256)"
	case resources.References:
		prefix = name + "[1:32]"
	case resources.TextList:
		prefix = "left(coalesce(" + name + "[1], ''), 256)" // an empty list sorts like one with an empty element
	case resources.JSON:
		prefix = "substring(" + name + ", 1, 256)"
	default:
		return []expr{{text: name}}
	}
	return []expr{{text: prefix, prefix: true}, {text: name}}
}
