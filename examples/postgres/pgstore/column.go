package pgstore

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// column is what a described field is ordered by.
type column struct {
	name string // in SQL and in orderings
	wire string // in JSON
	kind resources.Kind
}

func newColumn(f resources.Field) column {
	return column{ordering.Snake(f.Name), f.Name, f.Kind}
}

// errNull is about the one character that PostgreSQL's text cannot hold.
var errNull = errors.New("PostgreSQL keeps no text with U+0000")

// value is what the column holds for a member's JSON; nil is NULL.
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

// exprs are what ORDER BY needs for the column: first what an index holds of what
// can be longer than one of its entries may be. No list of the description is null.
func (c column) exprs() []expr {
	name := "t." + quote(c.name)
	prefix := ""
	switch c.kind {
	case resources.Text, resources.Slug, resources.URL:
		prefix = "left(" + name + ", 256)"
	case resources.References:
		prefix = name + "[1:32]"
	case resources.TextList:
		prefix = "left(coalesce(" + name + "[1], ''), 256)" // no elements are as few as one that is empty
	case resources.JSON:
		prefix = "substring(" + name + ", 1, 256)"
	default:
		return []expr{{text: name}}
	}
	return []expr{{text: prefix, prefix: true}, {text: name}}
}
