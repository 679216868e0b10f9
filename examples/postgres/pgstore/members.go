package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

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
	numbers map[string]int // of all fields that ever existed; never reused
	highest int
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
	all.highest = max(all.highest, m.number)
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
				number = all.highest + 1
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
