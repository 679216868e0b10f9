package core

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// arrange sorts the entries of a list by id. If a record has the id or the values of a unique set
// of an earlier one, arrange calls refuse with the index of the record and the error about the
// member, whose name is empty if there are several. If refuse returns an error, arrange returns
// it.
func (s *Type) arrange(list []*store.Entry, refuse func(index int, wrong *schema.MemberError) error) error {
	byID := func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) }
	sorted := s.Identity.Key != nil || // they have no ids yet, or are sorted
		slices.IsSortedFunc(list, func(a, b *store.Entry) int { return cmp.Or(byID(a, b), -1) }) // without repeated ids
	if !sorted {
		seen := make(map[int]int, len(list))
		for i, e := range list {
			first, twice := seen[e.ID]
			if !twice {
				seen[e.ID] = i
			} else if err := refuse(i, &schema.MemberError{Member: s.Identity.Wire, Err: fmt.Errorf("%w: the record at index %d has %d too", ErrExists, first, e.ID)}); err != nil {
				return err
			}
		}
	}
	var key []byte
	for _, names := range s.Engine.Unique {
		set, seen := make([]store.Field, len(names)), make(map[string]int, len(list))
		for i, name := range names {
			set[i], _ = s.Engine.Field(name)
		}
		for i, e := range list {
			var ok bool
			if key, ok = store.AppendKeys(key[:0], set, e); !ok {
				continue
			}
			if before, twice := seen[string(key)]; twice {
				d := s.duplicate(e, names, fmt.Sprintf("the record at index %d", before))
				wrong := &schema.MemberError{Member: d.member(), Err: d}
				if len(set) == 1 && s.Identity.Key != nil && names[0] == s.Identity.Key.Snake {
					wrong.Err = fmt.Errorf("%w: the record at index %d has %s too", ErrExists, before, s.Identity.Name(e))
				}
				if err := refuse(i, wrong); err != nil {
					return err
				}
			} else {
				seen[string(key)] = i
			}
		}
	}
	if !sorted {
		slices.SortFunc(list, byID)
	}
	return nil
}

// A duplicate is the error of a record that has the same values of a unique set as another
// one. It wraps [ErrDuplicate].
type duplicate struct {
	fields         []string // in snake_case
	members, texts []string // their JSON names and their JSON
	other          string   // the other record: its id, or its index in the list
}

// duplicate returns the error of an entry that has the values of another record.
func (s *Type) duplicate(e *store.Entry, fields []string, other string) *duplicate {
	d := &duplicate{fields: fields, other: other}
	for _, field := range fields {
		name, value := s.valueOf(e, field)
		d.members, d.texts = append(d.members, name), append(d.texts, name+" "+value)
	}
	return d
}

func (d *duplicate) Error() string {
	are := "is that"
	if len(d.fields) > 1 {
		are = "are those"
	}
	return fmt.Sprintf("%v: %s %s of %s", ErrDuplicate, strings.Join(d.texts, " and "), are, d.other)
}

func (d *duplicate) Unwrap() error { return ErrDuplicate }

// member returns the JSON name of the field, or "" if there are several.
func (d *duplicate) member() string {
	if len(d.members) > 1 {
		return ""
	}
	return d.members[0]
}

// response returns the errors of a request that writes the record.
func (d *duplicate) response() schema.FieldErrors {
	if len(d.fields) > 1 {
		message := "The fields " + strings.Join(d.fields, ", ") + " must make a unique set."
		return schema.FieldErrors{{Field: "nonFieldErrors", Messages: []string{message}}}
	}
	return schema.FieldErrors{{Field: d.member(), Messages: []string{"This field must be unique."}}}
}

// valueOf returns the JSON name of a field and the JSON of its value, shortened.
func (s *Type) valueOf(e *store.Entry, field string) (name, value string) {
	const longest = 100
	r, err := s.Parsed(e)
	if err == nil {
		name, value = s.Row(field).MemberOf(r)
	}
	switch {
	case value == "":
		return name, "value"
	case len(value) > longest:
		value = strings.ToValidUTF8(value[:longest], "") + "…"
	}
	return name, value
}
