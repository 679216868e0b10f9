package store

import (
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

func TestCanonical(t *testing.T) {
	for _, row := range []struct {
		terms  string
		canon  string
		desc   bool
		reason string
	}{
		{"", "", false, "no terms"},
		{"id", "", false, "the order by id"},
		{"-id", "", true, "the reverse order by id"},
		{"id,name", "", false, "terms after the id are dropped"},
		{"name", "name", false, "one field"},
		{"-name", "name", true, "one field, descending"},
		{"name,id", "name", false, "ties break by id in any case"},
		{"-name,-id", "name", true, "ties break in the direction of the first term"},
		{"name,-id", "name,-id", false, "ties break in the other direction"},
		{"-name,id", "name,-id", true, "the reverse of name,-id"},
		{"-a,b", "a,-b", true, "the reverse of a,-b"},
		{"a,-b", "a,-b", false, "canonical already"},
		{"-a,b,-c,-id,d", "a,-b,c", true, "all rules together"},
	} {
		canon, desc := canonical(nil, parse(row.terms), "id")
		if got := ordering.Format(canon); got != row.canon || desc != row.desc {
			t.Errorf("%s: canonical(%s) = %s, %v, want %s, %v", row.reason, row.terms, got, desc, row.canon, row.desc)
		}
	}
	twice := []ordering.Term{ordering.Desc("a"), ordering.Asc("b"), ordering.Asc("a"), ordering.Desc("b")}
	if canon, _ := canonical(nil, twice, "id"); ordering.Format(canon) != "a,-b" {
		t.Errorf("a repeated field: canonical(%s) = %s, want a,-b", ordering.Format(twice), ordering.Format(canon))
	}
	if twice[0] != ordering.Desc("a") {
		t.Error("canonical changed its argument")
	}
}

// Readers do not wait while a writer counts members.
func TestMembersCountedWithoutLock(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"an insert", func(c *Store) { put(c, &record{members: []string{"a", "b"}}) }},
		{"an update", func(c *Store) { put(c, &record{Entry: Entry{1}, members: []string{"b"}}) }},
		{"a deletion", func(c *Store) { remove(c, 1) }},
		{"a small batch", func(c *Store) { putAll(c, &record{members: []string{"a"}}, &record{}) }},
		{"a large batch", func(c *Store) { putAll(c, append(manyRecords(), &record{members: []string{"a"}})...) }},
		{"a replacement", func(c *Store) {
			replace(Replacement{Store: c, Entries: entriesOf(&record{Entry: Entry{1}, members: []string{"b"}})})
		}},
	} {
		var c *Store
		typ, held := newMemberType(), 0
		members := typ.Members
		typ.Members = func(e *Entry) iter.Seq2[string, string] {
			if !c.mu.TryLock() {
				held++
			} else {
				c.mu.Unlock()
			}
			return members(e)
		}
		c = New(typ)
		put(c, &record{members: []string{"a"}})
		held = 0
		row.write(c)
		if held > 0 {
			t.Errorf("%s: the members of %d records are read while the state mutex is held", row.reason, held)
		}
	}
}

// watchedCounts calls used whenever a count is read or set.
type watchedCounts struct {
	set[count]
	used func()
}

func (c *watchedCounts) Get(key count) (count, bool)    { c.used(); return c.set.Get(key) }
func (c *watchedCounts) Set(item count) (count, bool)   { c.used(); return c.set.Set(item) }
func (c *watchedCounts) Delete(key count) (count, bool) { c.used(); return c.set.Delete(key) }

// However many members a write counts, it does so before readers have to wait, and in place.
func TestManyMembersCountedWithoutLock(t *testing.T) {
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint("name", i))
		}
		return list
	}
	for _, row := range []struct {
		reason string
		counts int // at least
		write  func(c *Store)
	}{
		{"a record with few members", 5, func(c *Store) { put(c, &record{members: names(5)}) }},
		{"a record with many members", 1000, func(c *Store) { put(c, &record{members: names(1000)}) }},
		{"a record with new members", 2000, func(c *Store) { put(c, &record{members: names(3000)}) }},
		{"an update that adds many members", 1000, func(c *Store) { put(c, &record{Entry: Entry{1}, members: names(1000)}) }},
		{"the deletion of a record with many members", 1000, func(c *Store) { remove(c, 2) }},
		{"a small batch with many members", 400, func(c *Store) {
			putAll(c, &record{members: names(200)}, &record{members: names(400)[200:]})
		}},
	} {
		c := newStore(t, newMemberType(), 0)
		putAll(c, &record{}, &record{members: names(1000)})
		state := c.published.Load()
		before, named := state.names, state.Names()
		used, held := 0, 0
		state.names.records = &watchedCounts{before.records, func() {
			if used++; !c.mu.TryLock() {
				held++
				return
			}
			c.mu.Unlock()
		}}
		row.write(c)
		now := c.published.Load()
		now.names.records = before.records
		if held > 0 || used < row.counts || now != state {
			t.Errorf("%s: %d of %d counts are read or set while the state mutex is held, want 0 of at least %d; in place %t",
				row.reason, held, used, row.counts, now == state)
		}
		if diff := cmp.Diff(named, before.names()); diff != "" {
			t.Errorf("%s: the names that a reader may be using change (-before +after):\n%s", row.reason, diff)
		}
	}
}

// A new member costs O(log names), also after a clone or a fork.
func TestCostOfNewMember(t *testing.T) {
	const names, inserts = 5000, 50
	c := newStore(t, newMemberType(), 0)
	all := &record{}
	for i := range names {
		all.members = append(all.members, fmt.Sprint("name", i))
	}
	put(c, all)
	for _, row := range []struct {
		reason string
		before func()
	}{
		{"in place", func() {}},
		{"after a clone", func() { Clone(c) }},
		{"of a frozen state", func() { c.Current() }},
	} {
		made := 0
		got := allocated(func() {
			for range inserts {
				row.before()
				put(c, &record{members: []string{fmt.Sprint(row.reason, made)}})
				made++
			}
		}) / inserts
		if got > 8*names {
			t.Errorf("%s: an insert allocates %d bytes with %d names, want at most 8 for each", row.reason, got, names)
		}
	}
}

// A page in the default order of a field that no record has costs as much as one by id.
func TestCostOfUnknownDefault(t *testing.T) {
	allocations := func(terms string) float64 {
		typ := newMemberType()
		typ.Default = parse(terms)
		c := newStore(t, typ, 0)
		put(c, &record{members: []string{"title", "rank"}})
		if got, _, err := c.Current().canonical(nil, &Query{}); len(got) > 0 || err != nil { // a page would wait for their index for ever
			t.Fatalf("the terms of the default order %q are %v, %v, want none", terms, got, err)
		}
		return testing.AllocsPerRun(100, func() {
			if _, _, err := of(c).Page(t.Context(), Query{Window: allRecords}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if got, want := allocations("tilte"), allocations(""); got != want {
		t.Errorf("%v allocations, want %v", got, want)
	}
}

// A package that uses a type compiles all methods of the generic types in its fields. No type
// that a store exports has a field, however deep, that is a tree.
func TestNoTreesInFields(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var visit func(path string, typ reflect.Type)
	visit = func(path string, typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		if strings.Contains(typ.PkgPath(), "btree") || strings.HasPrefix(typ.Name(), "tree[") {
			t.Errorf("%s is a %v", path, typ)
		}
		switch typ.Kind() {
		case reflect.Struct:
			for i := range typ.NumField() {
				visit(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan, reflect.Map:
			visit(path, typ.Elem())
		}
	}
	for _, exported := range []any{&Store{}, &State{}, &Tx{}, &Type{}, &Query{}, &Commit{}, &Replacement{}, &Duplicate{}, &Event{}} {
		visit(fmt.Sprintf("%T", exported), reflect.TypeOf(exported))
	}
}
