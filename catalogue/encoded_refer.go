package catalogue

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// references returns the function refers of a column.
func (s *schema[T]) references(c *column) func(*store.Entry, func(int) bool) bool {
	if c.Kind != resources.References {
		return func(e *store.Entry, to func(int) bool) bool {
			id, ok := c.key(e).AsInt()
			return ok && to(int(id))
		}
	}
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.name == c.Name }); i >= 0 && s.members[i].typ == reflect.TypeFor[[]int]() {
		index := s.members[i].index
		return func(e *store.Entry, to func(int) bool) bool {
			v, err := reflect.ValueOf(recordOf[T](e)).Elem().FieldByIndexErr(index)
			return err == nil && slices.ContainsFunc(*v.Addr().Interface().(*[]int), to)
		}
	}
	return func(e *store.Entry, to func(int) bool) bool {
		_, list := s.valueIn(e, c)
		for item := range elements(list) {
			if id, err := strconv.Atoi(item); err == nil && to(id) {
				return true
			}
		}
		return false
	}
}

// elements returns the elements of a list of integers, which is canonical JSON. Elements
// of other types are returned in parts.
func elements(list string) func(yield func(string) bool) {
	list = strings.TrimSuffix(strings.TrimPrefix(list, "["), "]")
	return strings.SplitSeq(list, ",")
}

// valueIn returns the name and the value of a column in the JSON of an entry, or "" if it
// is absent.
func (s *schema[T]) valueIn(e *store.Entry, c *column) (name, value string) {
	r, err := s.parsed(e)
	if err != nil {
		return "", ""
	}
	return memberOf(r, c.wire, c.name)
}

// parsed returns the members of the JSON of an entry.
func (s *schema[T]) parsed(e *store.Entry) (resources.Record, error) {
	if open, ok := any(recordOf[T](e)).(*resources.Record); ok {
		return *open, nil
	}
	b, err := s.encoded(e)
	if err != nil {
		return resources.Record{}, err
	}
	r, err := resources.ParseRecord(b)
	if err != nil {
		return r, s.errorf("%w: id %d: %w", ErrInvalid, e.ID, err)
	}
	return r, nil
}

// memberOf returns the name and the JSON of the member that is the field with a name in
// snake_case, or "" if there is none.
// wire is the camelCase form of the name, which takes precedence.
func memberOf(r resources.Record, wire, field string) (name, value string) {
	if value, ok := r.Get(wire); ok {
		return wire, value
	}
	for name, value := range r.All() {
		if ordering.Snake(name) == field {
			return name, value
		}
	}
	return "", ""
}
