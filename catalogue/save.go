package catalogue

import (
	"bufio"
	"fmt"
	"io"
)

// Save writes the whole house as one JSON object of collection key → array of
// records in wire form, by id, a record a line: what [Catalogue.Load] reads. All
// 39 collections are written, empty ones too, each as it was when Save began.
// An error is w's, or that of a record's own MarshalJSON. O(n).
func (c *Catalogue) Save(w io.Writer) error {
	states := make([]*snapshot, len(c.all))
	for i, m := range c.all {
		states[i] = m.snapshot()
	}
	b := bufio.NewWriter(w)
	for i, m := range c.all {
		lead := ",\n"
		if i == 0 {
			lead = "{"
		}
		fmt.Fprintf(b, "%s%q:[", lead, m.Key())
		if err := states[i].writeRecords(b); err != nil {
			return err
		}
		b.WriteString("]")
	}
	b.WriteString("}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}

func (e *encoded[T]) snapshot() *snapshot { return e.c.store.current() }

func (s *snapshot) writeRecords(w *bufio.Writer) error {
	lead := "\n"
	for _, e := range s.t.entries() {
		record, err := s.c.shape.encoded(e)
		if err != nil {
			return err
		}
		w.WriteString(lead)
		if _, err := w.Write(record); err != nil {
			return s.c.shape.errorf("%w", err)
		}
		lead = ",\n"
	}
	return nil
}
