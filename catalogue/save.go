package catalogue

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// Members of saved data besides records.
const (
	// lastIDsKey lists the collections of a catalogue whose highest id ever used is
	// no longer that of a record, with that id.
	lastIDsKey = "$lastIds"
	// lastIDKey is that id in the data of one collection.
	lastIDKey  = "$lastId"
	resultsKey = "results"
)

// Save writes the catalogue as one JSON object that [Catalogue.Load] reads: a key for
// each collection, empty ones too, with an array of its records by id, one record a
// line. All collections are written as they are at one instant. If the highest id
// that was ever used is no longer that of a record, it is written too, so that it is
// not assigned again after loading.
//
// The error is that of w, or that of a method MarshalJSON of a record. O(n).
func (c *Catalogue) Save(w io.Writer) error {
	states := store.Freeze(c.stores()...)
	b := bufio.NewWriter(w)
	lead := "{"
	for i, m := range c.all {
		fmt.Fprintf(b, "%s%q:", lead, m.Key())
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

func (c *Catalogue) writeLastIDs(b *bufio.Writer, states []*store.State) {
	lead, end := fmt.Sprintf(",\n%q:[\n", lastIDsKey), ""
	for i, s := range states {
		if last := s.UsedID(); last > s.MaxID() {
			fmt.Fprintf(b, `%s{"collection":%q,"id":%d}`, lead, c.all[i].Key(), last)
			lead, end = ",\n", "]"
		}
	}
	b.WriteString(end)
}

// Save writes the records as a JSON array that [Collection.Load] reads, by id, one
// record a line, as they are at one instant. If the highest id that was ever used is
// no longer that of a record, Save writes the object {"$lastId":id,"results":array},
// so that the id is not assigned again after loading.
//
// The error is that of w, or that of a method MarshalJSON of a record. O(n).
func (c *Collection[T]) Save(w io.Writer) error {
	s := c.store.Current()
	b := bufio.NewWriter(w)
	end := "\n"
	if last := s.UsedID(); last > s.MaxID() {
		fmt.Fprintf(b, "{%q:%d,%q:", lastIDKey, last, resultsKey)
		end = "}\n"
	}
	if err := c.schema.write(b, s); err != nil {
		return err
	}
	b.WriteString(end)
	if err := b.Flush(); err != nil {
		return c.schema.errorf("%w", err)
	}
	return nil
}

// write writes an array of the records of a state.
func (s *schema[T]) write(w *bufio.Writer, state *store.State) error {
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
