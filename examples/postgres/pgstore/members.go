package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
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
	numbers map[string]int // of all fields that ever existed, from 1
}

func newMembers() *members {
	return &members{byName: map[string]*member{}, numbers: map[string]int{}}
}

// members reads the members of the collection.
func (t *table) members(ctx context.Context, tx querier) (*members, error) {
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

// count adds n to the numbers of records with the members of a record, and assigns numbers to new
// fields.
func (all *members) count(r schema.Record, n int64) error {
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
		all.byName[name].records += n
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
	return []expr{{text: "substring(" + key + ", 1, 256)", prefix: true}, {text: key, cast: "bytea"}}
}
