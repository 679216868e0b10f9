package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"maps"
	"slices"
	"strconv"
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

// members are those of a collection, by their names in JSON.
type members map[string]*member

// members reads them.
func (t *table) members(ctx context.Context, tx *sql.Tx) (members, error) {
	rows, err := tx.QueryContext(ctx, `SELECT name, field, number, records FROM members WHERE collection = $1`, t.about.Key)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := members{}
	for rows.Next() {
		var m member
		if err := rows.Scan(&m.name, &m.field, &m.number, &m.records); err != nil {
			return nil, err
		}
		all[m.name] = &m
	}
	return all, rows.Err()
}

// fields are those that a record has, with their numbers.
func (all members) fields() map[string]int {
	fields := map[string]int{}
	for _, m := range all {
		if m.records > 0 {
			fields[m.field] = m.number
		}
	}
	return fields
}

// numbers are those of all fields there ever were.
func (all members) numbers() map[string]int {
	numbers := map[string]int{}
	for _, m := range all {
		numbers[m.field] = m.number
	}
	return numbers
}

// count counts what a record has, and gives fields that are new their numbers.
func (all members) count(r resources.Record) error {
	for name := range r.All() {
		field := ordering.Snake(name)
		if field == "" || field == "id" {
			continue
		}
		if strings.Contains(name, "\x00") {
			return &resources.MemberError{Member: name, Err: errNull}
		}
		m := all[name]
		if m == nil {
			m = &member{name: name, field: field, number: all.numberOf(field)}
			all[name] = m
		}
		m.records++
	}
	return nil
}

func (all members) numberOf(field string) int {
	highest := 0
	for _, m := range all {
		if m.field == field {
			return m.number
		}
		highest = max(highest, m.number)
	}
	return highest + 1
}

// saveMembers writes those that are new or that more or fewer records have.
func (t *table) saveMembers(ctx context.Context, tx *sql.Tx, all members) error {
	var digests [][]byte
	var names, fields []string
	var numbers []int
	var records []int64
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m, digest := all[name], sha256.Sum256([]byte(name))
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

// keys are an open record's sort keys, each at its field's number less one; what
// it has not, and null, are nil. Of several members of a field the one counts that
// is spelt as the service would, or else the first.
func keys(r resources.Record, numbers map[string]int) [][]byte {
	list := [][]byte{} // none is no NULL
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
		if text != "null" {
			list[n-1] = ordering.JSON(text).Append(nil)
		}
	}
	return list
}

// keyExprs are what ORDER BY needs for a member.
func keyExprs(number int) []expr {
	key := "t.keys[" + strconv.Itoa(number) + "]"
	return []expr{{text: "substring(" + key + ", 1, 256)", prefix: true}, {text: key}}
}
