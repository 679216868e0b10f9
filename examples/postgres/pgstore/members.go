package pgstore

import (
	"context"
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

// members reads the members of the collection.
func (t *table) members(ctx context.Context, tx querier) (*members, error) {
	all := &members{map[string]*member{}, map[string]int{}}
	var m member
	const query = `SELECT name, field, number, records FROM members WHERE collection = $1`
	err := each(ctx, tx, query, []any{t.about.Key}, func() error {
		all.add(new(m))
		return nil
	}, &m.name, &m.field, &m.number, &m.records)
	return all, err
}

func (all *members) add(m *member) {
	all.byName[m.name] = m
	all.numbers[m.field] = m.number
}

// count adds n to the numbers of records with the members of a record, if there is one, and assigns
// numbers to new fields.
func (all *members) count(record []byte, n int64) error {
	if record == nil {
		return nil
	}
	r, err := schema.ParseKeyed(record)
	if err != nil {
		return err
	}
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
	var names, fields []string
	var numbers []int
	var records []int64
	for _, name := range slices.Sorted(maps.Keys(all.byName)) {
		m := all.byName[name]
		names, fields = append(names, m.name), append(fields, m.field)
		numbers, records = append(numbers, m.number), append(records, m.records)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO members (collection, digest, name, field, number, records)
		SELECT $1, sha256(convert_to(m.name, 'UTF8')), m.* FROM unnest($2::text[], $3::text[], $4::int[], $5::bigint[]) m(name, field, number, records)
		ON CONFLICT (collection, digest) DO UPDATE SET records = excluded.records WHERE members.records <> excluded.records`,
		t.about.Key, names, fields, numbers, records)
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
