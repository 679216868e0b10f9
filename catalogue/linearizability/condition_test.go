package linearizability_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A condition restricts a field of the model.
type condition struct {
	field    int
	relation relation
	values   []int  // two for between, any number for oneOf, and otherwise at most one
	prefix   string // for prefixed
}

// A relation relates a field to the values of a condition.
type relation int

const (
	equal relation = iota
	oneOf
	less
	atMost
	greater
	atLeast
	between
	isNull
	notNull
	prefixed // only for fields of texts
	relations
)

var relationNames = [relations]string{"=", "in", "<", "<=", ">", ">=", "between", "is null", "is not null", "begins with"}

func (c condition) String() string {
	parts := []string{term{field: c.field}.String(), relationNames[c.relation]}
	if len(c.values) > 0 {
		parts = append(parts, fmt.Sprint(c.values))
	}
	return strings.TrimSpace(strings.Join(parts, " ") + " " + c.prefix)
}

// restrict formats conditions.
func restrict(where []condition) string {
	var texts []string
	for _, c := range where {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, " and ")
}

// holds reports whether a row satisfies the condition.
func (c condition) holds(r row) bool {
	n := r.ID
	if c.field != byID {
		n = r.F[c.field]
	}
	if n == absent {
		return c.relation == isNull
	}
	switch c.relation {
	case equal, oneOf:
		return slices.Contains(c.values, n)
	case less:
		return n < c.values[0]
	case atMost:
		return n <= c.values[0]
	case greater:
		return n > c.values[0]
	case atLeast:
		return n >= c.values[0]
	case between:
		return c.values[0] <= n && n <= c.values[1]
	case notNull:
		return true
	case prefixed:
		return strings.HasPrefix(text(n), c.prefix)
	}
	return false
}

// filter returns the rows that satisfy all conditions.
func filter(rows []row, where []condition) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool {
		return slices.ContainsFunc(where, func(c condition) bool { return !c.holds(r) })
	})
}

// maxSelected is the number of selections of a base that are kept.
const maxSelected = 64

// where returns the part of the base that satisfies all conditions.
func (b *base) where(where []condition) *base {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := restrict(where)
	selected, ok := b.selected[text]
	if !ok {
		selected = &base{rows: filter(b.rows, where)}
		if b.selected == nil || len(b.selected) == maxSelected {
			b.selected = make(map[string]*base)
		}
		b.selected[text] = selected
	}
	return selected
}

// conditions converts conditions of the model.
func (k *codec[T]) conditions(where []condition) []ordering.Condition {
	var all []ordering.Condition
	for _, c := range where {
		all = append(all, k.condition(c))
	}
	return all
}

func (k *codec[T]) condition(c condition) ordering.Condition {
	name := "id"
	var values []any
	for _, n := range c.values {
		values = append(values, n)
	}
	if c.field != byID {
		name = k.names[c.field]
		for i, n := range c.values {
			values[i] = k.values(n)[c.field]
		}
	}
	switch c.relation {
	case equal:
		return ordering.Equal(name, values[0])
	case oneOf:
		return ordering.OneOf(name, values...)
	case less:
		return ordering.Less(name, values[0])
	case atMost:
		return ordering.AtMost(name, values[0])
	case greater:
		return ordering.Greater(name, values[0])
	case atLeast:
		return ordering.AtLeast(name, values[0])
	case between:
		return ordering.Between(name, values[0], values[1])
	case isNull:
		return ordering.IsNull(name)
	case notNull:
		return ordering.NotNull(name)
	case prefixed:
		return ordering.Prefix(name, c.prefix)
	}
	return ordering.Condition{}
}

// texts reports which fields are texts.
func (k *codec[T]) texts() (all [fields]bool) {
	for i, v := range k.values(0) {
		_, all[i] = v.(string)
	}
	return all
}
