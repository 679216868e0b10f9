package catalogue

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// Keys of saved data that are not those of collections.
const (
	// lastIDsKey has a list of the collections of a catalogue whose highest used id is
	// no longer that of a record, and these ids.
	lastIDsKey = "$lastIds"
	// lastIDKey has the highest used id of a single collection.
	lastIDKey  = "$lastId"
	resultsKey = "results"
)

// Save writes the catalogue in the form that [Catalogue.Load] reads: a JSON object with
// an array of records for each key, in the order of [Catalogue.All]. Records are sorted
// by id, one on each line. Empty collections have empty arrays. All collections are
// saved at one instant; writers do not wait for w.
//
// If the highest id used since the records were last replaced no longer has a record,
// Save writes that id too, in the member $lastIds. It is then not assigned again after
// loading.
//
// The error wraps that of w, or wraps [ErrInvalid] if a method MarshalJSON or MarshalText
// of a record returns an error. O(n).
func (c *Catalogue) Save(w io.Writer) error {
	states := store.Freeze(c.stores()...)
	b := bufio.NewWriter(w)
	lead := "{"
	for i, m := range c.all {
		fmt.Fprintf(b, "%s%s:", lead, quotedKey(m))
		if err := m.write(b, states[i]); err != nil {
			return err
		}
		lead = ",\n"
	}
	c.writeLastIDs(b, states)
	b.WriteString("}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}

// quotedKey returns the key of a collection as a JSON string.
func quotedKey(m anyCollection) []byte {
	key := m.Key()
	quoted, _ := encodeJSON(&key) // strings are always valid
	return quoted
}

func (c *Catalogue) writeLastIDs(b *bufio.Writer, states []*store.State) {
	lead, end := fmt.Sprintf(",\n%q:[\n", lastIDsKey), ""
	for i, s := range states {
		if last := s.UsedID(); last > s.MaxID() {
			fmt.Fprintf(b, `%s{"collection":%s,"id":%d}`, lead, quotedKey(c.all[i]), last)
			lead, end = ",\n", "]"
		}
	}
	b.WriteString(end)
}

// Save writes the records of the current state as a JSON array that [Collection.Load]
// reads. Records are sorted by id, one on each line. Writers do not wait for w.
//
// If the highest id used since the records were last replaced no longer has a record,
// Save writes the object {"$lastId":id,"results":array} instead. The id is then not
// assigned again after loading.
//
// The error wraps that of w, or wraps [ErrInvalid] if a method MarshalJSON or MarshalText
// of a record returns an error. O(n).
func (c *Collection[T]) Save(w io.Writer) error {
	s := c.store.Current()
	b := bufio.NewWriter(w)
	end := "\n"
	if last := s.UsedID(); last > s.MaxID() {
		fmt.Fprintf(b, "{%q:%d,%q:", lastIDKey, last, resultsKey)
		end = "}\n"
	}
	if err := c.typ.write(b, s); err != nil {
		return err
	}
	b.WriteString(end)
	if err := b.Flush(); err != nil {
		return c.typ.errorf("%w", err)
	}
	return nil
}

// write writes the records of a state as an array.
func (s *recordType[T]) write(w *bufio.Writer, state *store.State) error {
	lead := "[\n"
	for _, e := range state.Entries() {
		record, err := s.encoded(e)
		if err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return s.errorf("%w", err)
		}
		lead = ",\n"
	}
	if state.Len() == 0 {
		w.WriteString("[")
	}
	w.WriteString("]")
	return nil
}
