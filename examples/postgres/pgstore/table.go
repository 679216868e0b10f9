package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// table is a collection in the database.
type table struct {
	store     *Store
	empty     catalogue.AnyCollection // without records
	about     schema.Description
	plainName string
	identity  column
	columns   []column      // of described records; nil for open records
	served    bool          // whether what is served is not what is stored
	digest    func() string // of the definition
	referrers []*table      // this one, and those whose records a deletion can read or change

	turn chan struct{} // a semaphore for writers
}

// newTable returns the table of a collection without records.
func newTable(s *Store, empty catalogue.AnyCollection) (*table, error) {
	about := empty.Description()
	if about.Shown != nil || about.ShownInLists != nil {
		return nil, fmt.Errorf("%w: Definitions: %s: a definition by catalogue.Show or ShowInLists is not supported: what its function reads is not known", ErrOptions, about.Key)
	}
	if about.Loose {
		return nil, fmt.Errorf("%w: Definitions: %s: a description that is Loose is not supported: columns have the kinds of fields", ErrOptions, about.Key)
	}
	t := &table{
		store:     s,
		empty:     empty,
		about:     about,
		plainName: strings.ReplaceAll(about.Segment, "-", "_"),
		columns:   columnsOf(about, about.Fields, column{}),
		turn:      make(chan struct{}, 1),
	}
	t.digest = sync.OnceValue(t.definition) // when it has all columns
	id := about.Identity()
	if id.Key && (id.Kind == schema.Integer || id.Kind == schema.Decimal) {
		return nil, fmt.Errorf("%w: Definitions: %s: the key %s is a number, which is not supported: only texts are", ErrOptions, about.Key, id.Name)
	}
	t.identity = column{name: ordering.Snake(id.Name), path: []string{id.Name}, field: id, target: id}
	t.identity.form = t.identity.formOf()
	for _, c := range t.columns {
		switch {
		case c.name == "record" || c.name == "served":
			return nil, fmt.Errorf("%w: Definitions: %s: a column of each table is named %s, as a field is", ErrOptions, about.Key, c.name)
		case len(c.name) > maxName:
			return nil, fmt.Errorf("%w: Definitions: %s: the name %s is too long for PostgreSQL", ErrOptions, about.Key, c.name)
		}
		t.served = t.served || c.field.Hidden || c.field.Computed
	}
	return t, nil
}

// maxName is the length of the longest name of a field: PostgreSQL cuts names after 63 bytes.
const maxName = 63 - len("$upper")

// Description returns the description of the collection.
func (t *table) Description() schema.Description { return t.about }

// ShownTypes returns the types of what is served of a record, for package openapi.
func (t *table) ShownTypes() (record, listed reflect.Type) { return t.empty.ShownTypes() }

// name returns the name of the table as an SQL identifier.
func (t *table) name() string { return quote(t.plainName) }

// quote returns a name as an SQL identifier.
func quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// open reports whether records may have members of any name.
func (t *table) open() bool { return t.columns == nil }

// column returns the column of a field, which may be inside another one.
func (t *table) column(name string) (c column, ok bool) {
	if name == t.identity.name {
		return t.identity, true
	}
	i := slices.IndexFunc(t.columns, func(c column) bool { return c.name == name && c.form != formUpper })
	if i < 0 {
		return column{}, false
	}
	return t.columns[i], true
}

// addUpper adds the column in upper case of each text that a lookup without regard to case of a
// path reads.
func (t *table) addUpper(path string) {
	c, ok := t.column(path)
	if ok && !slices.ContainsFunc(t.columns, func(u column) bool { return u.name == c.upper().name }) {
		t.columns = append(t.columns, c.upper())
	} else if r, rest, ok := t.follow(path); ok {
		r.to.addUpper(rest)
	}
}

// referrersOf returns a table, and those whose records a deletion in it can read or change.
func (s *Store) referrersOf(t *table) []*table {
	read, deleted := []*table{t}, []*table{t}
	for i := 0; i < len(deleted); i++ {
		for m, c := range s.referring(deleted[i]) {
			if !slices.Contains(read, m) {
				read = append(read, m)
			}
			if c.field.OnDelete == schema.Cascade && !slices.Contains(deleted, m) {
				deleted = append(deleted, m)
			}
		}
	}
	return read
}

// A tableColumn is a column in SQL. rest follows its type.
type tableColumn struct {
	name, rest string
	form       form
}

func (c tableColumn) String() string { return quote(c.name) + " " + sqlTypes[c.form] + c.rest }

// tableColumns returns the columns of the table, in the order of values.
func (t *table) tableColumns() []tableColumn {
	all := []tableColumn{{t.identity.name, " PRIMARY KEY", t.identity.form}, {"record", " NOT NULL", formText}}
	if t.served { // with a default, so that it can be added to a table with rows
		all = append(all, tableColumn{"served", " NOT NULL DEFAULT ''", formText})
	}
	if t.open() {
		all = append(all, tableColumn{"keys", " NOT NULL", formKeys})
	}
	for _, c := range t.columns {
		if c.name != t.identity.name {
			all = append(all, tableColumn{c.name, "", c.form})
		}
	}
	return all
}

// columnNames returns the names of the columns, in the order of values.
func (t *table) columnNames() (names []string) {
	for _, c := range t.tableColumns() {
		names = append(names, c.name)
	}
	return names
}

// identityOf returns the identity of a record.
func (t *table) identityOf(r schema.Record) (id schema.Identity) {
	text := t.identity.in(r)
	if t.identity.form == formID {
		id.ID, _ = decode[int](text)
	} else {
		id.Key, _ = decode[string](text)
	}
	return id
}

// shown returns the name of the column of what is served.
func (t *table) shown() string {
	if t.served {
		return "served"
	}
	return "record"
}

// A row is a record as it is stored and as it is served.
type row struct {
	id             schema.Identity
	stored, served []byte
}

// values returns the values of a record's row. numbers are the numbers of the fields of
// open records.
func (t *table) values(of row, numbers map[string]int) ([]any, error) {
	r, err := schema.ParseKeyed(of.stored)
	if err != nil {
		return nil, err
	}
	id, err := t.identity.value(t.identity.in(r))
	values := []any{id, string(of.stored)}
	if err != nil {
		return nil, &schema.MemberError{Member: t.identity.field.Name, Err: err}
	}
	if t.served {
		values = append(values, string(of.served))
	}
	if t.open() {
		return append(values, t.keys(r, numbers)), nil
	}
	shown := r
	if t.served { // computed fields are not stored
		if shown, err = schema.ParseKeyed(of.served); err != nil {
			return nil, err
		}
	}
	for _, c := range t.columns {
		if c.name == t.identity.name {
			continue
		}
		from := r
		if c.field.Computed {
			from = shown
		}
		v, err := c.value(c.in(from))
		if err != nil {
			return nil, &schema.MemberError{Member: strings.Join(c.path, "."), Err: err}
		}
		values = append(values, v)
	}
	return values, nil
}

// put writes the row of a record that was old and becomes fresh, one of whose texts may be nil, and
// counts the members of open records. In the same statement it writes the state, if it is not nil.
func (t *table) put(ctx context.Context, tx *sql.Tx, old []byte, fresh row, at *state) (err error) {
	all := &members{}
	if t.open() {
		if all, err = t.members(ctx, tx); err != nil {
			return err
		}
		if err := errors.Join(all.count(old, -1), all.count(fresh.stored, 1), t.saveMembers(ctx, tx, all)); err != nil {
			return err
		}
	}
	text, values := t.putText(old != nil), []any{nil}
	if fresh.stored != nil {
		values, err = t.values(fresh, all.numbers)
	} else {
		text = "DELETE FROM " + t.name() + " WHERE " + quote(t.identity.name) + " = $1"
		values[0], err = t.identity.value(identityText(fresh.id))
	}
	if err != nil {
		return err
	}
	if at != nil {
		text = `WITH "$state" AS (` + advanceQuery(len(values)+1) + ") " + text
		values = append(values, t.advanced(*at)...)
	}
	_, err = tx.ExecContext(ctx, text, values...)
	return err
}

// putText returns the statement that inserts values, or updates the row that has the first.
func (t *table) putText(update bool) string {
	var names, params []string
	for i, name := range t.columnNames() {
		names, params = append(names, quote(name)), append(params, "$"+strconv.Itoa(i+1))
	}
	if update {
		return "UPDATE " + t.name() + " SET (" + strings.Join(names[1:], ", ") + ") = ROW (" + strings.Join(params[1:], ", ") + ") WHERE " + names[0] + " = $1"
	}
	return "INSERT INTO " + t.name() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(params, ", ") + ")"
}
