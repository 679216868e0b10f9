package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// member is a name that open records of a collection have, or had.
type member struct {
	name    string // in JSON
	field   string // in orderings; several members may have the same
	number  int    // of the field: where its key stands in the array
	records int64  // that have it
}

// members are those of a collection.
type members struct {
	byName  map[string]*member
	numbers map[string]int // of all fields there ever were: none is given again
	highest int
}

func newMembers() *members {
	return &members{byName: map[string]*member{}, numbers: map[string]int{}}
}

// members reads them.
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
	all.highest = max(all.highest, m.number)
}

// fields are those that a record has, with their numbers.
func (all *members) fields() map[string]int {
	fields := map[string]int{}
	for _, m := range all.byName {
		if m.records > 0 {
			fields[m.field] = m.number
		}
	}
	return fields
}

// count counts what a record has, and gives fields that are new their numbers.
func (all *members) count(r resources.Record) error {
	for name := range r.All() {
		field := ordering.Snake(name)
		if field == "" || field == "id" {
			continue
		}
		if strings.Contains(name, "\x00") {
			return &resources.MemberError{Member: name, Err: errNull}
		}
		if all.byName[name] == nil {
			number, known := all.numbers[field]
			if !known {
				number = all.highest + 1
			}
			all.add(&member{name: name, field: field, number: number})
		}
		all.byName[name].records++
	}
	return nil
}

// saveMembers writes those that are new or that more or fewer records have.
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
