package catalogue

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/internal/store"
)

// lastIDsKey is the member of a saved catalogue that lists the collections whose
// highest id ever used is no record's any more, with that id.
const lastIDsKey = "$lastIds"

// Save writes the whole catalogue as one JSON object of collection key → array of
// records in wire form, by id, one record a line: what [Catalogue.Load] reads. All
// collections are written, empty ones too, as they were at one instant. The highest
// id ever used is written where it is not a record's, so that it is not assigned
// again after loading. An error is w's, or that of a record's own MarshalJSON. O(n).
func (c *Catalogue) Save(w io.Writer) error {
	states := store.Freeze(c.stores()...)
	b := bufio.NewWriter(w)
	lead := "{"
	for i, m := range c.all {
		fmt.Fprintf(b, "%s%q:[", lead, m.Key())
		if err := m.write(b, states[i]); err != nil {
			return err
		}
		b.WriteString("]")
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

// write writes the records of a state.
func (e *encoded[T]) write(w *bufio.Writer, s *store.State) error {
	lead := "\n"
	for _, entry := range s.Entries() {
		record, err := e.c.schema.encoded(entry)
		if err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return e.c.schema.errorf("%w", err)
		}
		lead = ",\n"
	}
	return nil
}
