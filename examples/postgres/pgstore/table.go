package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// table is a collection in the database.
type table struct {
	store     *Store
	about     schema.Description
	plainName string
	columns   []column // of a described record, id first; nil for open records

	turn chan struct{} // a semaphore for writers
}

var (
	_ httpapi.Creator    = (*table)(nil)
	_ httpapi.Revisioner = (*table)(nil)
)

func newTable(s *Store, about schema.Description) *table {
	about.Actions &= schema.List | schema.Create
	about.Filters, about.Search = nil, nil
	t := &table{
		store:     s,
		about:     about,
		plainName: strings.ReplaceAll(about.Segment, "-", "_"),
		turn:      make(chan struct{}, 1),
	}
	for _, f := range about.Fields {
		t.columns = append(t.columns, newColumn(f))
	}
	return t
}

// canonical returns the JSON of a record as a catalogue in memory would serve it, with the id after
// lastID if it has none. The error is that of [catalogue.AnyCollection].Load.
func (t *table) canonical(record []byte, lastID int) ([]byte, error) {
	c, err := t.store.empty.Clone().Collection(t.about.Key)
	if err != nil {
		return nil, err
	}
	file := "[" + string(record) + "]"
	if lastID > 0 {
		file = fmt.Sprintf(`{"results":%s,"$lastId":%d}`, file, lastID)
	}
	if err := c.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
		return nil, err
	}
	list, err := c.List(context.Background(), catalogue.Query{})
	if err != nil {
		return nil, err
	}
	if len(list.Records) != 1 {
		return nil, fmt.Errorf("%s: %w: want one record, not %d", t.about.Key, catalogue.ErrInvalidData, len(list.Records))
	}
	return list.Records[0], nil
}

// name returns the name of the table as an SQL identifier.
func (t *table) name() string { return quote(t.plainName) }

// quote returns a name as an SQL identifier.
func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// open reports whether records may have members of any name.
func (t *table) open() bool { return t.columns == nil }

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
		return append(row, t.keys(r, numbers)), nil
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

// column is the column by which a described field is ordered.
type column struct {
	name   string // in SQL and in orderings
	wire   string // in JSON
	kind   schema.Kind
	unique bool
}

func newColumn(f schema.Field) column {
	kind := f.Kind
	if kind == schema.Map || kind == schema.Object || kind == schema.Array && f.Item.Kind != schema.Text {
		kind = schema.JSON
	}
	return column{ordering.Snake(f.Name), f.Name, kind, f.Unique}
}

// sqlType returns the type of the column. Values that no type orders like package catalogue
// are sort keys. None is NOT NULL, since a program's own type may encode null.
func (c column) sqlType() string {
	switch c.kind {
	case schema.Integer, schema.Reference:
		return "bigint"
	case schema.Boolean:
		return "boolean"
	case schema.Timestamp:
		return "timestamp with time zone"
	case schema.References:
		return "bigint[]"
	case schema.Array:
		return `text[] COLLATE "C"`
	case schema.JSON, schema.Float, schema.Decimal:
		return "bytea"
	}
	return `text COLLATE "C"`
}

// uniqueExpr returns the expression of a unique index, which can have long values.
func (c column) uniqueExpr() string {
	switch c.sqlType() {
	case "bytea":
		return "sha256(" + quote(c.name) + ")"
	case `text COLLATE "C"`:
		return "md5(" + quote(c.name) + ")"
	}
	return quote(c.name)
}

// errNull is the error for text with the only character that PostgreSQL cannot store.
var errNull = errors.New("PostgreSQL cannot store text with U+0000")

// value returns the value of the column for a member's JSON. Nil is NULL.
func (c column) value(text string) (any, error) {
	if text == "" || text == "null" {
		return nil, nil
	}
	switch c.kind {
	case schema.Integer, schema.Reference:
		return decode[int64](text)
	case schema.Boolean:
		return decode[bool](text)
	case schema.Timestamp:
		at, err := decode[schema.DateTime](text)
		return at.Time, err
	case schema.References:
		return decode[[]int64](text)
	case schema.Array:
		list, err := decode[[]string](text)
		for _, s := range list {
			if strings.Contains(s, "\x00") {
				return nil, errNull
			}
		}
		return list, err
	case schema.JSON, schema.Float:
		return sortkey.JSON(text).Append(nil), nil
	case schema.Decimal:
		number, err := decode[string](text)
		return sortkey.Decimal(number).Append(nil), err
	}
	s, err := decode[string](text)
	if strings.Contains(s, "\x00") {
		return nil, errNull
	}
	return s, err
}

func decode[T any](text string) (v T, err error) {
	err = json.Unmarshal([]byte(text), &v)
	return v, err
}

// exprs returns the expressions of ORDER BY for the column. If values can be longer
// than an entry of an index, the first is a prefix.
func (c column) exprs() []expr {
	name := "t." + quote(c.name)
	prefix := ""
	switch c.kind {
	case schema.Text, schema.Slug, schema.URL, schema.Choice:
		prefix = "left(" + name + ", 256)"
	case schema.References:
		prefix = name + "[1:32]"
	case schema.Array:
		prefix = "left(coalesce(" + name + "[1], ''), 256)" // an empty list sorts like one with an empty element
	case schema.JSON, schema.Float, schema.Decimal:
		prefix = "substring(" + name + ", 1, 256)"
	default:
		return []expr{{text: name}}
	}
	return []expr{{text: prefix, prefix: true}, {text: name}}
}

// member is a member that open records of a collection have or had.
type member struct {
	name    string // in JSON
	field   string // in orderings; several members may have the same field
	number  int    // of the field: the position of its key in the array
	records int64  // number of records with the member
}

// members are the members of a collection.
type members struct {
	byName  map[string]*member
	numbers map[string]int // of all fields that ever existed, from 1
}

func newMembers() *members {
	return &members{byName: map[string]*member{}, numbers: map[string]int{}}
}

// members reads the members of the collection.
func (t *table) members(ctx context.Context, tx *sql.Tx) (*members, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name, field, number, records FROM members WHERE collection = $1`, t.about.Key)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := newMembers()
	for rows.Next() {
		var m member
		if err := rows.Scan(&m.name, &m.field, &m.number, &m.records); err != nil {
			return nil, err
		}
		all.add(&m)
	}
	return all, rows.Err()
}

func (all *members) add(m *member) {
	all.byName[m.name] = m
	all.numbers[m.field] = m.number
}

// fields returns the fields that some record has, with their numbers.
func (all *members) fields() map[string]int {
	fields := map[string]int{}
	for _, m := range all.byName {
		if m.records > 0 {
			fields[m.field] = m.number
		}
	}
	return fields
}

// count counts the members of a record and assigns numbers to new fields.
func (all *members) count(r schema.Record) error {
	for name := range r.All() {
		field := ordering.Snake(name)
		if field == "" || field == "id" {
			continue
		}
		if strings.Contains(name, "\x00") {
			return &schema.MemberError{Member: name, Err: errNull}
		}
		if all.byName[name] == nil {
			number, known := all.numbers[field]
			if !known {
				number = len(all.numbers) + 1
			}
			all.add(&member{name: name, field: field, number: number})
		}
		all.byName[name].records++
	}
	return nil
}

// saveMembers writes new members and changed counts.
func (t *table) saveMembers(ctx context.Context, tx *sql.Tx, all *members) error {
	var digests [][]byte
	var names, fields []string
	var numbers []int
	var records []int64
	for _, name := range slices.Sorted(maps.Keys(all.byName)) {
		m, digest := all.byName[name], sha256.Sum256([]byte(name))
		digests = append(digests, digest[:])
		names, fields = append(names, m.name), append(fields, m.field)
		numbers, records = append(numbers, m.number), append(records, m.records)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO members (collection, digest, name, field, number, records)
		SELECT $1, * FROM unnest($2::bytea[], $3::text[], $4::text[], $5::int[], $6::bigint[])
		ON CONFLICT (collection, digest) DO UPDATE SET records = excluded.records WHERE members.records <> excluded.records`,
		t.about.Key, digests, names, fields, numbers, records)
	return err
}

// keys returns the sort keys of an open record. The key of a field is at its number
// minus one, and nil if the member is absent or null. If several members have the same
// field, the one in the service's spelling counts, or else the first.
func (t *table) keys(r schema.Record, numbers map[string]int) [][]byte {
	list := [][]byte{} // not NULL
	seen := map[string]bool{}
	for name, text := range r.All() {
		field := ordering.Snake(name)
		n := numbers[field]
		if n == 0 || seen[field] && name != ordering.Camel(field) {
			continue
		}
		seen[field] = true
		if len(list) < n {
			list = append(list, make([][]byte, n-len(list))...)
		}
		list[n-1] = nil
		switch value, err := decode[string](text); {
		case text == "null":
		case err == nil && slices.Contains(t.store.decimals, field):
			list[n-1] = sortkey.Decimal(value).Append(nil)
		default:
			list[n-1] = sortkey.JSON(text).Append(nil)
		}
	}
	return list
}

// keyExprs returns the expressions of ORDER BY for a member.
func keyExprs(number int) []expr {
	key := "t.keys[" + strconv.Itoa(number) + "]"
	return []expr{{text: "substring(" + key + ", 1, 256)", prefix: true}, {text: key}}
}
