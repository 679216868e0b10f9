package ordering

import (
	"cmp"
	"fmt"
	"slices"
)

// Fields is the set of fields that records of type T can be ordered by. It is
// immutable and safe for concurrent use. The zero value is an empty set.
type Fields[T any] struct {
	list   []Field[T]
	byName map[string]int
}

// NewFields returns the set of the given fields, such as those made by [By]. It
// returns an error wrapping [ErrInvalidFields] if a field has no Name or no Key, or if
// two fields have the same name. O(n).
func NewFields[T any](fields ...Field[T]) (*Fields[T], error) {
	fs := &Fields[T]{list: slices.Clone(fields), byName: make(map[string]int, len(fields))}
	for i, f := range fields {
		if f.Name == "" || f.Key == nil {
			return nil, fmt.Errorf("%w: field %d has no Name or no Key", ErrInvalidFields, i)
		}
		if j, twice := fs.byName[f.Name]; twice {
			return nil, fmt.Errorf("%w: fields %d and %d are both named %q", ErrInvalidFields, j, i, f.Name)
		}
		fs.byName[f.Name] = i
	}
	return fs, nil
}

// Names returns the names of the fields, in the order in which the fields were given.
// The caller may modify the slice. O(n).
func (fs *Fields[T]) Names() []string {
	names := make([]string, len(fs.list))
	for i, f := range fs.list {
		names[i] = f.Name
	}
	return names
}

// Has reports whether there is a field with the given name. O(1).
func (fs *Fields[T]) Has(name string) bool {
	_, ok := fs.byName[name]
	return ok
}

// Lookup returns the field with the given name and reports whether there is one. O(1).
func (fs *Fields[T]) Lookup(name string) (Field[T], bool) {
	i, ok := fs.byName[name]
	if !ok {
		return Field[T]{}, false
	}
	return fs.list[i], true
}

// Parse is like the function [Parse] with [Fields.Has]: it drops unknown fields. It is
// for orderings from requests.
func (fs *Fields[T]) Parse(text string) []Term { return Parse(text, fs.Has) }

// ParseStrict is like the function [ParseStrict] with [Fields.Has]: it returns an error
// for an unknown field. The error suggests a known name, as [Suggest] does. ParseStrict
// is for orderings from programs.
func (fs *Fields[T]) ParseStrict(text string) ([]Term, error) {
	terms, err := ParseStrict(text, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range terms {
		if !fs.Has(t.Field) {
			return nil, fmt.Errorf("ordering %q: %w", text, fs.unknown(t.Field))
		}
	}
	return terms, nil
}

// unknown returns the error for a name that is not in the set.
func (fs *Fields[T]) unknown(name string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownField, name, Suggest(name, fs.Names()))
}

// resolve returns the fields of terms, or an error for the first unknown one.
func (fs *Fields[T]) resolve(terms []Term) ([]Field[T], error) {
	fields := make([]Field[T], len(terms))
	for i, t := range terms {
		f, ok := fs.Lookup(t.Field)
		if !ok {
			return nil, fs.unknown(t.Field)
		}
		fields[i] = f
	}
	return fields, nil
}

// Comparator returns a function that compares two records by the terms, for use with
// [slices.SortStableFunc] and similar functions. The function returns zero if the
// records are equal by all terms, or if there are no terms. It is safe for concurrent
// use. It computes the keys at each call, so [Fields.Sort] is faster for sorting a
// slice.
//
// Comparator returns an error wrapping [ErrUnknownField] if a term names an unknown
// field.
func (fs *Fields[T]) Comparator(terms ...Term) (func(a, b T) int, error) {
	fields, err := fs.resolve(terms)
	if err != nil {
		return nil, err
	}
	return func(a, b T) int {
		for i, f := range fields {
			c := f.Key(&a).Compare(f.Key(&b))
			if terms[i].Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}, nil
}

// Sort sorts records in place by the terms. The sort is stable. Without terms, Sort
// does nothing.
//
// It returns an error wrapping [ErrUnknownField], and leaves records unchanged, if a
// term names an unknown field. Each key is computed once: O(n) keys and O(n log n)
// comparisons of bytes.
func (fs *Fields[T]) Sort(records []T, terms ...Term) error {
	fields, err := fs.resolve(terms)
	if err != nil || len(terms) == 0 {
		return err
	}
	type keyed struct {
		key    string
		record T
	}
	rows := make([]keyed, len(records))
	for i := range records {
		rows[i] = keyed{string(appendKeys(nil, &records[i], fields, terms)), records[i]}
	}
	slices.SortStableFunc(rows, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i := range rows {
		records[i] = rows[i].record
	}
	return nil
}
