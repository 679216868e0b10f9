package pgstore

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// table is a collection in the database.
type table struct {
	store     *Store
	about     schema.Description
	plainName string
	columns   []column // of a described record, id first; nil for open records
	canonical func(record []byte) ([]byte, error)

	turn chan struct{} // a semaphore for writers
	seen atomic.Uint64 // the highest revision that this Store has written or read
}

var (
	_ httpapi.Creator    = (*table)(nil)
	_ httpapi.Revisioner = (*table)(nil)
)

func newTable(s *Store, about schema.Description) *table {
	t := &table{
		store:     s,
		about:     about,
		plainName: strings.ReplaceAll(about.Segment, "-", "_"),
		turn:      make(chan struct{}, 1),
	}
	for _, f := range about.Fields {
		t.columns = append(t.columns, newColumn(f))
	}
	switch about.Key {
	case "events":
		t.canonical = canonical[resources.Event]
	case "labels":
		t.canonical = canonical[resources.Label]
	case "social-links":
		t.canonical = canonical[resources.SocialLink]
	default:
		t.canonical = canonical[schema.Record]
	}
	return t
}

// canonical returns the JSON of a record as its type encodes it.
func canonical[T any](record []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(record, &v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// name returns the name of the table as an SQL identifier.
func (t *table) name() string { return quote(t.plainName) }

// quote returns a name as an SQL identifier.
func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// open reports whether records may have members of any name.
func (t *table) open() bool { return t.columns == nil }

// column returns the column of a described field, by its name in orderings.
func (t *table) column(field string) (column, bool) {
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == field })
	if i < 0 {
		return column{}, false
	}
	return t.columns[i], true
}

// saw stores the revision of a committed transaction in t.seen if it is higher.
func (t *table) saw(revision uint64) {
	for {
		known := t.seen.Load()
		if revision <= known || t.seen.CompareAndSwap(known, revision) {
			return
		}
	}
}

// columnNames returns the names of the columns, in the order of values.
func (t *table) columnNames() []string {
	if t.open() {
		return []string{"id", "record", "keys"}
	}
	names := []string{"id", "record"}
	for _, c := range t.columns {
		if c.name != "id" {
			names = append(names, c.name)
		}
	}
	return names
}

// values returns the values of a record's row. numbers are the numbers of the fields of
// open records.
func (t *table) values(wire []byte, numbers map[string]int) ([]any, error) {
	r, err := schema.ParseRecord(wire)
	if err != nil {
		return nil, err
	}
	row := []any{int64(r.ID), string(wire)}
	if t.open() {
		return append(row, keys(r, numbers)), nil
	}
	for _, c := range t.columns {
		if c.name == "id" {
			continue
		}
		text, _ := r.Get(c.wire)
		v, err := c.value(text)
		if err != nil {
			return nil, &schema.MemberError{Member: c.wire, Err: err}
		}
		row = append(row, v)
	}
	return row, nil
}
