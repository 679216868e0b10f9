package catalogue

import (
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A searched is a field that is searched: a column, or a column of the records to which it
// refers.
type searched struct {
	*column
	of    *column // in the collection that column refers to, or nil
	state *store.State
}

// finder returns a function that reports whether an entry has all words, each in one of
// the fields that are searched. It reads each of the other collections in one state, that
// of the call.
func (e *encoded[T]) finder(words []string) (func(*store.Entry) bool, error) {
	fields, err := e.searched()
	if err != nil {
		return nil, err
	}
	tests := make([][]schema.Test, len(words)) // by word and field
	for i, word := range words {
		tests[i] = e.about.SearchTests(word)
	}
	return func(entry *store.Entry) bool {
		var texts [8]string // read once for all words
		var ends [8]int
		text, end := texts[:0], ends[:0]
		for _, f := range fields {
			if f.of != nil {
				text = append(text, f.texts(entry)...)
			} else if own, ok := f.key(entry).AsText(); ok {
				text = append(text, own)
			}
			end = append(end, len(text))
		}
		for _, word := range tests {
			if !oneHolds(word, text, end) {
				return false
			}
		}
		return true
	}, nil
}

// oneHolds reports whether one of the tests holds for a text of its field. The texts of
// the field of tests[i] end before texts[ends[i]].
func oneHolds(tests []schema.Test, texts []string, ends []int) bool {
	start := 0
	for i, t := range tests {
		if slices.ContainsFunc(texts[start:ends[i]], t.MatchesText) {
			return true
		}
		start = ends[i]
	}
	return false
}

// searched returns the fields of Description.Search.
func (e *encoded[T]) searched() (fields []searched, err error) {
	states := map[string]*store.State{} // one of each collection, even if several fields are searched
	for _, t := range e.about.SearchTests("") {
		if c := e.column(t.Field); c != nil {
			fields = append(fields, searched{column: c})
			continue
		}
		reference, field, _ := strings.Cut(t.Field, "__")
		c := e.column(reference)
		m, err := e.house.lookup(c.Refers)
		if err != nil {
			return nil, err
		}
		if states[c.Refers] == nil {
			states[c.Refers] = m.engine().Current()
		}
		fields = append(fields, searched{c, m.column(field), states[c.Refers]})
	}
	return fields, nil
}

// texts returns the texts of the records to which an entry refers.
func (s searched) texts(e *store.Entry) (texts []string) {
	s.refers(e, func(id int) bool {
		if other := s.state.Get(id); other != nil {
			if text, ok := s.of.key(other).AsText(); ok {
				texts = append(texts, text)
			}
		}
		return false
	})
	return texts
}

// textual returns the function of a test of text.
func (c *column) textual(t schema.Test) func(*store.Entry) bool {
	return func(e *store.Entry) bool {
		text, ok := c.key(e).AsText()
		return ok && t.MatchesText(text)
	}
}
