package cataloguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/ordering"
)

// diffShown is the number of ids, and of records in full, that a report shows of a
// collection.
const diffShown = 10

// recordShown is the number of bytes that a report shows of a record that only one
// catalogue has.
const recordShown = 500

// Diff returns a report of the differences between two catalogues, or "" if there
// are none:
//
//	events: want 121 records, got 120
//	  only in want: 3, 7
//	  only in got: 122
//	  record 3 (only in want): {"id":3,"name":"Onda"}
//	  …
//	  record 5 (-want +got):
//	    …
//
// Records are compared in wire form, member by member. Numbers are compared by their
// digits, and the order of members is ignored. Of each collection, the first differences are
// shown, with the number of those left out. A collection that only one catalogue has is a
// difference, even if it is empty. The format is not stable and may differ from run to run.
// A nil catalogue has the collections of the other one and no records.
//
// Each collection is read at one instant, so concurrent writes are seen as a whole
// or not at all; different collections may be read at different instants. O(n), and
// fastest if one catalogue is a clone of the other.
func Diff(want, got *catalogue.Catalogue) string {
	var report strings.Builder
	for _, key := range keysOf(want, got) {
		if err := diffCollection(&report, key, want, got); err != nil {
			fmt.Fprintf(&report, "%s: cannot be compared: %v\n", key, err)
		}
	}
	return report.String()
}

// keysOf returns the keys of the collections of both catalogues, those of want first.
func keysOf(want, got *catalogue.Catalogue) (keys []string) {
	for _, c := range []*catalogue.Catalogue{want, got} {
		if c == nil {
			continue
		}
		for key := range c.All() {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// diffCollection appends the differences of one collection to the report.
func diffCollection(report *strings.Builder, key string, wantIn, gotIn *catalogue.Catalogue) error {
	want, inWant, err := recordsOf(wantIn, key)
	if err != nil {
		return err
	}
	got, inGot, err := recordsOf(gotIn, key)
	if err != nil {
		return err
	}
	switch {
	case !inWant:
		fmt.Fprintf(report, "%s: only in got\n", key)
		return nil
	case !inGot:
		fmt.Fprintf(report, "%s: only in want\n", key)
		return nil
	}
	d, err := compareRecords(want, got)
	if err == nil && !d.empty() {
		noun := "records"
		if len(want) == 1 {
			noun = "record"
		}
		fmt.Fprintf(report, "%s: want %d %s, got %d\n", key, len(want), noun, len(got))
		d.write(report)
	}
	return err
}

// recordsOf returns the records of a collection at one instant, sorted by id, and reports
// whether the catalogue has the collection. A nil catalogue has all.
func recordsOf(cat *catalogue.Catalogue, key string) (all [][]byte, ok bool, err error) {
	if cat == nil {
		return nil, true, nil
	}
	c, err := cat.Collection(key)
	if err != nil {
		return nil, false, nil
	}
	list, err := c.List(context.Background(), catalogue.Query{Terms: []ordering.Term{ordering.Asc("id")}})
	return list.Records, true, err
}

// A difference describes how two lists of records differ.
type difference struct {
	want, got recordList // records that only one list has
	changed   int        // number of records that differ
	details   []string   // of the first diffShown of them
}

func (d *difference) empty() bool { return d.want.n+d.got.n+d.changed == 0 }

// compareRecords compares two lists that are sorted by id.
func compareRecords(want, got [][]byte) (d difference, err error) {
	for len(want) > 0 || len(got) > 0 {
		if len(want) > 0 && len(got) > 0 && bytes.Equal(want[0], got[0]) { // the common case
			want, got = want[1:], got[1:]
			continue
		}
		w, err := firstID(want)
		if err != nil {
			return d, err
		}
		g, err := firstID(got)
		if err != nil {
			return d, err
		}
		switch {
		case len(got) == 0 || len(want) > 0 && w < g:
			d.want.add(w, want[0])
			want = want[1:]
		case len(want) == 0 || w > g:
			d.got.add(g, got[0])
			got = got[1:]
		default:
			if err := d.change(w, want[0], got[0]); err != nil {
				return d, err
			}
			want, got = want[1:], got[1:]
		}
	}
	return d, nil
}

// firstID returns the id of the first record, or 0 if none exists.
func firstID(records [][]byte) (int, error) {
	if len(records) == 0 {
		return 0, nil
	}
	r, err := schema.ParseRecord(records[0])
	return r.ID, err
}

// change compares two records that have the same id but not the same encoding.
func (d *difference) change(id int, want, got []byte) error {
	w, err := membersOf(want)
	if err != nil {
		return err
	}
	g, err := membersOf(got)
	if err != nil {
		return err
	}
	if cmp.Equal(w, g) {
		return nil
	}
	d.changed++
	if d.changed <= diffShown {
		d.details = append(d.details, fmt.Sprintf("record %d (-want +got):\n%s", id, indented(cmp.Diff(w, g))))
	}
	return nil
}

// membersOf decodes a record and keeps the digits of its numbers.
func membersOf(record []byte) (m map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(record))
	decoder.UseNumber()
	return m, decoder.Decode(&m)
}

func (d *difference) write(report *strings.Builder) {
	var text strings.Builder
	if d.want.n > 0 {
		fmt.Fprintf(&text, "only in want: %v\n", &d.want)
	}
	if d.got.n > 0 {
		fmt.Fprintf(&text, "only in got: %v\n", &d.got)
	}
	for _, r := range d.want.first {
		fmt.Fprintf(&text, "record %d (only in want): %s\n", r.id, r.shown())
	}
	for _, r := range d.got.first {
		fmt.Fprintf(&text, "record %d (only in got): %s\n", r.id, r.shown())
	}
	for _, detail := range d.details {
		text.WriteString(detail)
	}
	if more := d.changed - len(d.details); more > 0 {
		fmt.Fprintf(&text, "and %d more records differ\n", more)
	}
	report.WriteString(indented(text.String()))
}

// indented indents one or more lines.
func indented(lines string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

// A recordList keeps the first records that are added to it and counts all.
type recordList struct {
	first []listedRecord
	n     int
}

// A listedRecord is a record that only one of two catalogues has.
type listedRecord struct {
	id   int
	text []byte // JSON
}

// shown returns the beginning of the record.
func (r listedRecord) shown() string { return fake.Truncate(string(r.text), recordShown) }

func (s *recordList) add(id int, text []byte) {
	if s.n++; s.n <= diffShown {
		s.first = append(s.first, listedRecord{id, text})
	}
}

// String returns the ids, such as "3, 7" or, if not all were kept, "3, 7 and 17 more".
func (s *recordList) String() string {
	var ids []string
	for _, r := range s.first {
		ids = append(ids, fmt.Sprint(r.id))
	}
	list := strings.Join(ids, ", ")
	if more := s.n - len(s.first); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
