package sample

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/resources"
)

// wireRecord is a record that knows its wire form.
type wireRecord interface{ MarshalJSON() ([]byte, error) }

// WriteTo writes the house as one JSON object of collection key → array of
// records in wire form, a record a line: what a catalogue loads. All 39
// collections are written in the document's order, empty ones too. It returns
// the number of bytes written and w's error, or that of a record which a caller
// has given a date outside the years 1 to 9999 or a message that is no JSON.
// O(records).
func (h *House) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	b := bufio.NewWriter(count)
	lead := "{"
	for _, c := range resources.Descriptions() {
		fmt.Fprintf(b, "%s%q:[", lead, c.Key)
		if err := h.writeCollection(b, c.Key); err != nil {
			return count.n, fmt.Errorf("sample: %s: %w", c.Key, err)
		}
		b.WriteByte(']')
		lead = ",\n"
	}
	b.WriteString("}\n")
	if err := b.Flush(); err != nil { // also what any write before it met
		return count.n, fmt.Errorf("sample: %w", err)
	}
	return count.n, nil
}

func (h *House) writeCollection(b *bufio.Writer, key string) error {
	switch key {
	case "events":
		return writeRecords(b, h.Events)
	case "labels":
		return writeRecords(b, h.Labels)
	case "social-links":
		return writeRecords(b, h.SocialLinks)
	}
	return writeRecords(b, h.open[key])
}

func writeRecords[T wireRecord](b *bufio.Writer, records []T) error {
	lead := "\n"
	for i, r := range records {
		text, err := r.MarshalJSON()
		if err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		b.WriteString(lead)
		if _, err := b.Write(text); err != nil {
			return err
		}
		lead = ",\n"
	}
	return nil
}

// counter counts the bytes that w took.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
