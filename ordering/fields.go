package ordering

import (
	"cmp"
	"fmt"
	"slices"
)

// Fields is the set of names that records of type T can be ordered by. It never
// changes once made and may be used by many goroutines at once. The zero value
// has no names.
type Fields[T any] struct {
	list   []Field[T]
	byName map[string]int
}

// NewFields makes a set of fields given one by one, see [By]. A field without
// name or Key, or a second one of the same name, is an [ErrFields]. O(n).
func NewFields[T any](fields ...Field[T]) (*Fields[T], error) {
	fs := &Fields[T]{list: slices.Clone(fields), byName: make(map[string]int, len(fields))}
	for i, f := range fields {
		if f.Name == "" || f.Key == nil {
			return nil, fmt.Errorf("%w: field %d has no name or no key", ErrFields, i)
		}
		if j, twice := fs.byName[f.Name]; twice {
			return nil, fmt.Errorf("%w: fields %d and %d are both called %q", ErrFields, j, i, f.Name)
		}
		fs.byName[f.Name] = i
	}
	return fs, nil
}

// Names lists the names in the order the fields were given in. The slice is the
// caller's. O(n).
func (fs *Fields[T]) Names() []string {
	names := make([]string, len(fs.list))
	for i, f := range fs.list {
		names[i] = f.Name
	}
	return names
}

// Has says whether there is a field of that name. O(1).
func (fs *Fields[T]) Has(name string) bool {
	_, ok := fs.byName[name]
	return ok
}

// Lookup gives the field of that name. O(1).
func (fs *Fields[T]) Lookup(name string) (Field[T], bool) {
	i, ok := fs.byName[name]
	if !ok {
		return Field[T]{}, false
	}
	return fs.list[i], true
}

// Parse is the lenient [Parse] with these names: for HTTP.
func (fs *Fields[T]) Parse(text string) []Term { return Parse(text, fs.Has) }

// ParseStrict is [ParseStrict] with these names: for Go programs.
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

// unknown returns the error for a name that no field has.
func (fs *Fields[T]) unknown(name string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownField, name, Suggest(name, fs.Names()))
}

// resolve finds the fields of terms, or tells which is none.
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

// Comparator gives a comparison of two records by the terms, for
// [slices.SortStableFunc] and its kin: zero where all terms are equal, always
// without terms. It takes the keys anew each time it is called; to sort a slice
// [Fields.Sort] does less work. A term that is no field is an
// [ErrUnknownField]. The function may be used by many goroutines at once.
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

// Sort sorts records in place by the terms, those that are equal staying in the
// order they had. Each key is taken once: O(n) keys and O(n log n) comparisons
// of bytes. No terms leave all as it is; a term that is no field is an
// [ErrUnknownField] and nothing is moved.
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
