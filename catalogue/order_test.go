package catalogue

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func TestCanonical(t *testing.T) {
	parse := func(s string) []ordering.Term { return ordering.Parse(s, nil) }
	for _, row := range []struct {
		terms  string
		canon  string
		desc   bool
		reason string
	}{
		{"", "", false, "no terms: by id"},
		{"id", "", false, "the primary order"},
		{"-id", "", true, "and its mirror"},
		{"id,name", "", false, "nothing behind the id counts"},
		{"name", "name", false, "a field"},
		{"-name", "name", true, "read backwards"},
		{"name,id", "name", false, "ties break by id anyway"},
		{"-name,-id", "name", true, "in the direction of the leading term"},
		{"name,-id", "name,-id", false, "but not in the other"},
		{"-name,id", "name,-id", true, "its mirror is the same tree"},
		{"-a,b", "a,-b", true, "the mirror of a,-b"},
		{"a,-b", "a,-b", false, "itself"},
		{"-a,b,-c,-id,d", "a,-b,c", true, "all at once"},
	} {
		canon, desc := canonical(nil, parse(row.terms), "id")
		if got := ordering.Format(canon); got != row.canon || desc != row.desc {
			t.Errorf("%s: canonical(%s) = %s, %v, want %s, %v", row.reason, row.terms, got, desc, row.canon, row.desc)
		}
	}
	twice := []ordering.Term{ordering.Desc("a"), ordering.Asc("b"), ordering.Asc("a"), ordering.Desc("b")}
	if canon, _ := canonical(nil, twice, "id"); ordering.Format(canon) != "a,-b" {
		t.Errorf("a second mention counts for nothing, got %s", ordering.Format(canon))
	}
	if twice[0] != ordering.Desc("a") {
		t.Error("the caller's terms were changed")
	}
}

// TestEviction asks for more combinations than are kept, over and over for one
// of them, which must stay, and so must every single field.
func TestEviction(t *testing.T) {
	house, _ := benchHouse(t, 20)
	events := house.Events()
	w := pagination.Window{Limit: 3}
	favourite := []ordering.Term{ordering.Asc("published"), ordering.Asc("name")}
	fields := events.Fields()
	for _, second := range fields {
		for _, first := range fields {
			if first == second || first == "id" || second == "id" {
				continue
			}
			for _, terms := range [][]ordering.Term{favourite, {ordering.Asc(first), ordering.Desc(second)}} {
				if _, err := events.View(w, terms...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, f := range fields {
		if _, err := events.View(w, ordering.Asc(f)); err != nil {
			t.Fatal(err)
		}
	}
	var single, combined []string
	bytes := 0
	for _, k := range events.store.live.orders {
		if len(k.terms) == 1 {
			single = append(single, k.terms[0].Field)
		} else {
			combined = append(combined, ordering.Format(k.terms))
			bytes += k.perRecord
		}
	}
	if n := len(combined); n < 2 || n > maxCombined || bytes > maxPerRecord {
		t.Errorf("%d combinations kept, %d bytes a record", n, bytes)
	}
	if find(events.store.live.orders, favourite) < 0 {
		t.Errorf("the one in use all the time was evicted; kept %v", combined)
	}
	if diff := cmp.Diff(len(fields)-1, len(single)); diff != "" {
		t.Errorf("single fields kept, all but the id: %s", diff)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// Combinations are kept by number if they are short, by size if they are long,
// and the last one whatever its size.
func TestEvictionBySize(t *testing.T) {
	house, _ := benchHouse(t, 20)
	events := house.Events()
	kept := func(fields ...string) (n int) {
		for _, f := range fields {
			for _, second := range []ordering.Term{ordering.Asc("published"), ordering.Desc("published")} {
				if _, err := events.View(pagination.Window{Limit: 1}, ordering.Asc(f), second); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, k := range events.store.live.orders {
			if len(k.terms) > 1 {
				n++
			}
		}
		return n
	}
	if n := kept("slug", "location", "start_date", "end_date", "labels"); n != maxCombined {
		t.Errorf("%d short ones kept, want %d", n, maxCombined)
	}
	if n := kept("description"); n < 1 || n >= maxCombined {
		t.Errorf("%d kept, two of some 300 bytes a record among them", n)
	}
	for range 20 {
		if _, err := events.Insert(resources.Event{Summary: strings.Repeat("long ", 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := kept("summary"); n != 1 {
		t.Errorf("%d kept, where the last alone is too large", n)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}
