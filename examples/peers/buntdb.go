package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tidwall/buntdb"
)

// buntStore uses tidwall/buntdb in memory. A value is the JSON of a record, preceded by
// its sort keys and their lengths so that comparisons need not parse it. Ties break by
// key, which is the id with leading zeros.
type buntStore[T any] struct {
	kind *kind[T]
	db   *buntdb.DB
}

func newBuntDB[T any](k *kind[T]) store[T] {
	db, err := buntdb.Open(":memory:")
	check(err)
	for i, o := range k.orders {
		check(db.CreateIndex(o.field, "*", func(a, b string) bool {
			keyA, _ := cutKey(a, i)
			keyB, _ := cutKey(b, i)
			return keyA < keyB
		}))
	}
	return &buntStore[T]{k, db}
}

// cutKey returns a sort key of a value, and what follows it.
func cutKey(value string, i int) (key, rest string) {
	for {
		n := 2 + int(value[0])<<8 + int(value[1])
		key, value = value[2:n], value[n:]
		if i == 0 {
			return key, value
		}
		i--
	}
}

func (s *buntStore[T]) value(r *item[T]) string {
	b := make([]byte, 0, 64+len(r.json))
	for _, o := range s.kind.orders {
		start := len(b)
		b = o.key(append(b, 0, 0), &r.value)
		binary.BigEndian.PutUint16(b[start:], uint16(len(b)-start-2))
	}
	return string(append(b, r.json...))
}

func (s *buntStore[T]) json(value string) string {
	_, text := cutKey(value, len(s.kind.orders)-1)
	return text
}

func buntKey(id int) string { return fmt.Sprintf("%010d", id) }

func (s *buntStore[T]) name() string { return "buntdb" }

func (s *buntStore[T]) load(records []item[T]) { s.put(records, true) }

func (s *buntStore[T]) put(records []item[T], fresh bool) {
	check(s.db.Update(func(tx *buntdb.Tx) error {
		for i := range records {
			if _, _, err := tx.Set(buntKey(s.kind.idOf(&records[i])), s.value(&records[i]), nil); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *buntStore[T]) delete(id int) {
	check(s.db.Update(func(tx *buntdb.Tx) error {
		_, err := tx.Delete(buntKey(id))
		return err
	}))
}

func (s *buntStore[T]) get(id int) (value T, ok bool) {
	err := s.db.View(func(tx *buntdb.Tx) error {
		text, err := tx.Get(buntKey(id))
		if err != nil {
			return err
		}
		return json.Unmarshal([]byte(s.json(text)), &value)
	})
	if errors.Is(err, buntdb.ErrNotFound) {
		return value, false
	}
	check(err)
	return value, true
}

// view skips the records before the offset one by one: buntdb has no other way.
func (s *buntStore[T]) view(p *page[T], o order, offset int) (count int) {
	p.texts = slices.Grow(p.texts[:0], pageSize)
	check(s.db.View(func(tx *buntdb.Tx) (err error) {
		if count, err = tx.Len(); err != nil || offset >= count {
			return err
		}
		skip, walk := offset, tx.Ascend
		if o == byNameDown {
			walk = tx.Descend
		}
		return walk(s.kind.orders[o.index()].field, func(key, value string) bool {
			if skip > 0 {
				skip--
				return true
			}
			p.texts = append(p.texts, encoded{key: key, json: s.json(value)})
			return len(p.texts) < pageSize
		})
	}))
	return count
}

func (s *buntStore[T]) close() { check(s.db.Close()) }
