package sample

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// WriteTo writes the house in the format that catalogue.Load reads: a JSON object with
// an array of records for each of the 39 collections, in the document's order and with
// one record per line. Empty collections are included.
//
// WriteTo returns the number of bytes written. It returns an error if w does, or if a
// record cannot be marshalled because the caller has set a date outside the years 1 to
// 9999 or a message that is not JSON. O(records).
func (h *House) WriteTo(w io.Writer) (int64, error) {
	count := &counter{w: w}
	b := bufio.NewWriter(count)
	lead := "{"
	for _, d := range schema.Descriptions() {
		fmt.Fprintf(b, "%s%q:[", lead, d.Key)
		if err := h.writeCollection(b, d.Key); err != nil {
			return count.n, fmt.Errorf("sample: %s: %w", d.Key, err)
		}
		b.WriteByte(']')
		lead = ",\n"
	}
	b.WriteString("}\n")
	if err := b.Flush(); err != nil { // also reports errors of earlier writes
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

func writeRecords[T json.Marshaler](b *bufio.Writer, records []T) error {
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

// A counter counts the bytes written to w.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
