package catalogue

import (
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// references returns the function refers of a column.
func (s *recordType[T]) references(c *column) func(*store.Entry, func(int) bool) bool {
	if c.Kind != schema.References {
		return func(e *store.Entry, to func(int) bool) bool {
			id, ok := referenceOf(c.key(e))
			return ok && to(id)
		}
	}
	if i := slices.IndexFunc(s.members, func(m jsonmember.Member) bool { return m.Name == c.Name }); i >= 0 && s.members[i].Field.Type == reflect.TypeFor[[]int]() {
		index := s.members[i].Field.Index
		return func(e *store.Entry, to func(int) bool) bool {
			v, err := reflect.ValueOf(recordOf[T](e)).Elem().FieldByIndexErr(index)
			return err == nil && slices.ContainsFunc(*v.Addr().Interface().(*[]int), to)
		}
	}
	return func(e *store.Entry, to func(int) bool) bool {
		_, list := s.valueIn(e, c)
		for item := range elements(list) {
			if id, ok := referenceIn(item); ok && to(id) {
				return true
			}
		}
		return false
	}
}

// referenceOf returns the id that a stored value refers to. Only a whole number is a reference,
// so filters by the id find exactly the records that refer to it. The service refuses
// booleans, and converts text that it accepts before it stores it.
func referenceOf(k ordering.Key) (id int, ok bool) {
	n, ok := k.AsInt()
	return int(n), ok && int64(int(n)) == n && k.Compare(ordering.Int(n)) == 0 // a boolean is not a number
}

// referenceIn is like referenceOf for an element of a list.
func referenceIn(item string) (id int, ok bool) {
	if id, err := strconv.Atoi(item); err == nil {
		return id, true
	}
	return referenceOf(ordering.JSON(item))
}

// elements returns the elements of a list, which is canonical JSON. Other values have
// none.
func elements(list string) iter.Seq[string] {
	inside, ok := strings.CutPrefix(list, "[")
	if !ok {
		return func(func(string) bool) {}
	}
	if !strings.ContainsAny(inside, `"[{`) {
		return strings.SplitSeq(strings.TrimSuffix(inside, "]"), ",")
	}
	return func(yield func(string) bool) {
		var items []json.RawMessage
		_ = json.Unmarshal([]byte(list), &items) // stored JSON is valid
		for _, item := range items {
			if !yield(string(item)) {
				return
			}
		}
	}
}

// valueIn returns the name and the value of a column in the JSON of an entry, or "" if it
// is absent.
func (s *recordType[T]) valueIn(e *store.Entry, c *column) (name, value string) {
	r, err := s.parsed(e)
	if err != nil {
		return "", ""
	}
	return memberOf(r, c.wire, c.name)
}

// parsed returns the members of the JSON of an entry.
func (s *recordType[T]) parsed(e *store.Entry) (schema.Record, error) {
	if open, ok := any(recordOf[T](e)).(*schema.Record); ok {
		return *open, nil
	}
	b, err := s.encoded(e)
	if err != nil {
		return schema.Record{}, err
	}
	r, err := schema.ParseRecord(b)
	if err != nil {
		return r, s.errorf("%w: id %d: %w", ErrInvalid, e.ID, err)
	}
	return r, nil
}

// memberOf returns the name and the JSON of the member that is the field with a name in
// snake_case, or "" if there is none.
// wire is the camelCase form of the name, which takes precedence.
func memberOf(r schema.Record, wire, field string) (name, value string) {
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
