package catalogue

import (
	"context"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/resources"
)

// finder returns a function that reports whether an entry has a word in one of the fields
// that are searched. A field of another collection is searched once, not for each entry.
func (e *encoded[T]) finder(ctx context.Context, word string) (func(*store.Entry) bool, error) {
	var found []func(*store.Entry) bool
	for _, t := range e.about.SearchTests(word) {
		if c := e.column(t.Field); c != nil {
			found = append(found, c.textual(t))
			continue
		}
		reference, field, _ := strings.Cut(t.Field, "__")
		c := e.column(reference)
		m, err := e.house.lookup(c.Refers)
		if err != nil {
			return nil, err
		}
		t.Field = field
		ids, err := m.matching(ctx, t)
		if err != nil {
			return nil, err
		}
		found = append(found, func(entry *store.Entry) bool {
			return c.refers(entry, func(id int) bool { return ids[id] })
		})
	}
	return func(entry *store.Entry) bool {
		return slices.ContainsFunc(found, func(has func(*store.Entry) bool) bool { return has(entry) })
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
