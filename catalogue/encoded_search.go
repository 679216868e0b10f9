package catalogue

import (
	"context"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/resources"
)

// searchPath returns the parts of a name in the Search of a description: the lookup that
// its first character stands for, the field, and, if the field is a reference, the field
// of the other collection.
func searchPath(name string) (lookup, field, other string) {
	lookup = "icontains"
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		lookup, name = "istartswith", rest
	} else if rest, ok := strings.CutPrefix(name, "="); ok {
		lookup, name = "iexact", rest
	}
	field, other, _ = strings.Cut(name, "__")
	return lookup, field, other
}

// finder returns a function that reports whether a field in Search has a word.
func (e *encoded[T]) finder(ctx context.Context, word string) (func(*store.Entry) bool, error) {
	var found []func(*store.Entry) bool
	for _, name := range e.about.Search {
		lookup, field, other := searchPath(name)
		t := resources.Test{Field: field, Lookup: lookup, Values: []string{word}}
		c := e.column(field)
		if other == "" {
			found = append(found, c.textual(t))
			continue
		}
		m, err := e.house.lookup(c.Refers)
		if err != nil {
			return nil, err
		}
		t.Field = other
		ids, err := m.matching(ctx, t)
		if err != nil {
			return nil, err
		}
		found = append(found, func(entry *store.Entry) bool {
			return c.refers(entry, func(id int) bool { return ids[id] })
		})
	}
	return func(entry *store.Entry) bool {
		for _, match := range found {
			if match(entry) {
				return true
			}
		}
		return false
	}, nil
}

// textual returns the function of a test of text.
func (c *column) textual(t resources.Test) func(*store.Entry) bool {
	return func(e *store.Entry) bool {
		text, ok := c.key(e).AsText()
		return ok && t.MatchesText(text)
	}
}

// matching returns the ids of the records for which a test of text holds.
func (e *encoded[T]) matching(ctx context.Context, t resources.Test) (map[int]bool, error) {
	ids, match := map[int]bool{}, e.column(t.Field).textual(t)
	for i, entry := range e.store.Current().Entries() {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if match(entry) {
			ids[entry.ID] = true
		}
	}
	return ids, nil
}
