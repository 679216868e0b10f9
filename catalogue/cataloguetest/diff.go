package cataloguetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// diffShown is how many ids, and how many records in full, a report has of a
// collection before it says how many more there are.
const diffShown = 10

// Diff reports how got differs from want, or is "" if it does not:
//
//	events: want 121 records, got 120
//	  only wanted: 3, 7
//	  only got: 122
//	  record 5 (-want +got):
//	    …as go-cmp says it…
//
// Records are compared by their wire form, member by member: numbers by their
// digits, and the order of members does not matter. Of each collection at most 10
// ids a line and 10 records are shown, and how many more there are. The text is
// for people: it is not the same in every run. A nil catalogue is one without
// records.
//
// Each collection is compared as it is at one instant of its own, whoever writes
// meanwhile. O(n), quickest for what one catalogue was forked from the other.
func Diff(want, got *catalogue.Catalogue) string {
	if want == nil {
		want = catalogue.New()
	}
	if got == nil {
		got = catalogue.New()
	}
	var report strings.Builder
	for key, c := range want.All() {
		if err := diffCollection(&report, c, got); err != nil {
			fmt.Fprintf(&report, "%s: cannot be compared: %v\n", key, err)
		}
	}
	return report.String()
}

// diffCollection reports on one collection.
func diffCollection(report *strings.Builder, c catalogue.Encoded, in *catalogue.Catalogue) error {
	other, err := in.Encoded(c.Key())
	if err != nil {
		return err
	}
	want, err := recordsOf(c)
	if err != nil {
		return err
	}
	got, err := recordsOf(other)
	if err != nil {
		return err
	}
	d, err := compareRecords(want, got)
	if err == nil && !d.empty() {
		noun := "records"
		if len(want) == 1 {
			noun = "record"
		}
		fmt.Fprintf(report, "%s: want %d %s, got %d\n", c.Key(), len(want), noun, len(got))
		d.write(report)
	}
	return err
}

// recordsOf gives all of a collection at one instant, by id.
func recordsOf(c catalogue.Encoded) ([][]byte, error) {
	_, all, err := c.Page(context.Background(), pagination.Window{Limit: math.MaxInt}, []ordering.Term{ordering.Asc("id")})
	return all, err
}

// difference is what two lists of records do not have in common.
type difference struct {
	wanted, got idList   // of records that only one has
	changed     int      // records that both have, and not alike
	details     []string // of the first of these
}

func (d *difference) empty() bool { return d.wanted.n+d.got.n+d.changed == 0 }

// compareRecords walks two lists, both by id, side by side.
func compareRecords(want, got [][]byte) (d difference, err error) {
	for len(want) > 0 || len(got) > 0 {
		if len(want) > 0 && len(got) > 0 && bytes.Equal(want[0], got[0]) { // nearly always
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
			d.wanted.add(w)
			want = want[1:]
		case len(want) == 0 || w > g:
			d.got.add(g)
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

// firstID is the id of the first record, 0 if there is none.
func firstID(records [][]byte) (int, error) {
	if len(records) == 0 {
		return 0, nil
	}
	r, err := resources.ParseRecord(records[0])
	return r.ID, err
}

// change compares two records of one id that are not the same to the byte.
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

// membersOf decodes a record, with the digits that its numbers have.
func membersOf(record []byte) (m map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(record))
	decoder.UseNumber()
	return m, decoder.Decode(&m)
}

func (d *difference) write(report *strings.Builder) {
	var text strings.Builder
	if d.wanted.n > 0 {
		fmt.Fprintf(&text, "only wanted: %v\n", &d.wanted)
	}
	if d.got.n > 0 {
		fmt.Fprintf(&text, "only got: %v\n", &d.got)
	}
	for _, detail := range d.details {
		text.WriteString(detail)
	}
	if more := d.changed - len(d.details); more > 0 {
		fmt.Fprintf(&text, "and %d more records differ\n", more)
	}
	report.WriteString(indented(text.String()))
}

// indented moves lines, of which there is one at least, to the right.
func indented(lines string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  ") + "\n"
}

// idList counts all that are added and keeps the first.
type idList struct {
	first []int
	n     int
}

func (s *idList) add(id int) {
	if s.n++; s.n <= diffShown {
		s.first = append(s.first, id)
	}
}

// String is "3, 7" or, if not all were kept, "3, 7 and 17 more".
func (s *idList) String() string {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(s.first), " ", ", "), "[]")
	if more := s.n - len(s.first); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
