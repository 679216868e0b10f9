package catalogue

import (
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// refused returns the error of a write that the store refused. It names the value that
// two records would have.
func (s *recordType[T]) refused(err error) error {
	d, ok := err.(*store.Duplicate) // not errors.As: the program's errors may wrap that of another collection
	if !ok {
		return err
	}
	name, value := s.valueOf(d.Entry, d.Field)
	return s.errorf("%w", &duplicate{field: name, value: value, other: fmt.Sprintf("id %d", d.Other)})
}

// A duplicate is the error of a record that has the same value of a unique field as
// another one. It wraps [ErrDuplicate].
type duplicate struct {
	field, value string // the JSON name and the JSON
	index        int    // of the record, if it is one of a list
	other        string // the other record: its id, or its index in the list
}

func (d *duplicate) Error() string {
	return fmt.Sprintf("%v: %s %s is that of %s", ErrDuplicate, d.field, d.value, d.other)
}

func (d *duplicate) Unwrap() error { return ErrDuplicate }

// valueOf returns the JSON name of a field and the JSON of its value, shortened.
func (s *recordType[T]) valueOf(e *store.Entry, field string) (name, value string) {
	const longest = 100
	b, err := s.encode(recordOf[T](e))
	if err != nil {
		return field, "value"
	}
	r, err := schema.ParseRecord(b)
	if err != nil {
		return field, "value"
	}
	for name, value := range r.All() {
		if ordering.Snake(name) == field {
			if len(value) > longest {
				value = strings.ToValidUTF8(value[:longest], "") + "…"
			}
			return name, value
		}
	}
	return field, "value"
}

// duplicates returns the first record of a list that has the same value of a unique field
// as an earlier one, or nil.
func (s *recordType[T]) duplicates(list []*store.Entry) *duplicate {
	for _, f := range s.unique {
		seen := make(map[string]int, len(list))
		for i, e := range list {
			k := f.Key(e)
			if k.Compare(ordering.Null()) == 0 {
				continue
			}
			encoded := string(k.Append(nil))
			if before, twice := seen[encoded]; twice {
				name, value := s.valueOf(e, f.Name)
				return &duplicate{name, value, i, fmt.Sprintf("record %d", before)}
			}
			seen[encoded] = i
		}
	}
	return nil
}
