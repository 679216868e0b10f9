package catalogue

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// Check sees each kind of damage.
func TestCheckFinds(t *testing.T) {
	byName := []ordering.Term{ordering.Asc("name")}
	damaged := func(c *store, f func(ix *index[string])) {
		k := &c.live.orders[find(c.live.orders, byName)]
		ix := k.order.fork().(*index[string])
		f(ix)
		k.order, k.shared = ix, nil
	}
	entryOf := func(c *store, id int) *entry { return c.live.primary.get(id) }
	nameOf := func(e *entry, to string) { recordOf[resources.Event](e).Name = to }
	tests := []struct {
		reason string
		damage func(c *store)
		names  string // in the error
	}{
		{"nothing", func(*store) {}, ""},
		{"an order lacks a record", func(c *store) {
			damaged(c, func(ix *index[string]) { ix.tree.Delete(ix.item(entryOf(c, 2))) })
		}, "entries"},
		{"an order has one that is gone", func(c *store) {
			damaged(c, func(ix *index[string]) { ix.tree.Set(ix.item(newEntry(99, resources.Event{ID: 99, Name: "z"}))) })
		}, "id 99"},
		{"an order has another in the place of a record", func(c *store) {
			damaged(c, func(ix *index[string]) {
				ix.tree.Set(ix.item(newEntry(2, resources.Event{ID: 2, Name: recordOf[resources.Event](entryOf(c, 2)).Name})))
			})
		}, "id 2"},
		{"a record twice", func(c *store) {
			damaged(c, func(ix *index[string]) { ix.tree.Set(item[string]{"zz", 2, entryOf(c, 2)}) })
		}, "id "},
		{"out of order", func(c *store) {
			nameOf(entryOf(c, 2), "zz")
			entryOf(c, 2).json.Store(nil)
		}, "comes before"},
		{"in order, under another key", func(c *store) {
			nameOf(entryOf(c, 2), recordOf[resources.Event](entryOf(c, 2)).Name+"\x00")
			entryOf(c, 2).json.Store(nil)
		}, "its key"},
		{"an encoding of something else", func(c *store) { entryOf(c, 2).json.Store(&[]byte{'x'}) }, "encoded x"},
		{"a record with another's id", func(c *store) { recordOf[resources.Event](entryOf(c, 2)).ID = 3 }, "id 3 is kept as 2"},
		{"an id above the highest", func(c *store) { c.live.lastID = 2 }, "highest id 2"},
		{"an old state is published", func(c *store) {
			s := c.current()
			c.live.apply(change{old: entryOf(c, 2)})
			c.live.note(change{old: entryOf(c, 2)})
			c.committed(nil)
			c.published.Store(s)
		}, "is published"},
		{"an order is ahead", func(c *store) { c.live.orders[0].upTo++ }, "-1 changes behind"},
		{"changes that an order lacks are forgotten", func(c *store) {
			c.live.changes += 2
			c.live.late = nil
		}, "2 changes behind"},
		{"an order twice", func(c *store) { c.live.orders = append(c.live.orders, c.live.orders[0]) }, "twice"},
		{"too many combinations", func(c *store) {
			for _, f := range c.shape.fields.Names()[:maxCombined+1] {
				k := c.live.orders[0]
				k.terms = []ordering.Term{ordering.Asc("name"), ordering.Desc(f)}
				c.live.orders = append(c.live.orders, k)
			}
		}, "9 combinations"},
		{"a shared order that is behind", func(c *store) {
			damaged(c, func(ix *index[string]) { ix.tree.Delete(ix.item(entryOf(c, 2))) })
			k := &c.live.orders[find(c.live.orders, byName)]
			k.shared = k.order.empty()
		}, "shared"},
		{"a forgotten event is counted", func(c *store) { c.feed.kept.n++ }, "counted 4"},
		{"more is kept than was asked for", func(c *store) { c.feed.most = 2 }, "at most 2"},
		{"an empty run", func(c *store) { h := &c.feed.kept; h.full, h.last = [][]event{h.last}, nil }, "run 1 of the history is empty"},
		{"a history of the future", func(c *store) { c.feed.kept.from = 4 }, "begins at revision 4"},
		{"an event of the future", func(c *store) { c.feed.kept.last[2].revision = 4 }, "ends at id 3 of revision 4"},
		{"a revision without end", func(c *store) { c.feed.kept.last[1].last = false }, "has no end"},
		{"the last revision without end", func(c *store) { c.feed.kept.last[2].last = false }, "ends at id 3"},
		{"revisions the wrong way round", func(c *store) { c.feed.kept.last[1].revision = 0 }, "behind a later one"},
		{"two events of a revision that has ended", func(c *store) { c.feed.kept.last[2].revision = 2 }, "has ended"},
		{"a record twice in a revision", func(c *store) {
			l := c.feed.kept.last
			l[1].last, l[2] = false, event{revision: 2, id: 2, e: l[1].e, kind: Updated, last: true}
		}, "behind id 2"},
		{"an event with another's record", func(c *store) { c.feed.kept.last[1].e = entryOf(c, 1) }, "another's record"},
		{"an event that lacks its record", func(c *store) { c.feed.kept.last[1].e = nil }, "another's record"},
		{"a record that comes twice", func(c *store) {
			l := c.feed.kept.last
			l[2].id, l[2].e = 2, l[1].e
		}, "it was inserted before"},
		{"a record that is not the one that was told", func(c *store) {
			c.feed.kept.last[1].e = newEntry(2, resources.Event{ID: 2})
		}, "record 2 is not"},
		{"a record that was told to be gone", func(c *store) {
			c.feed.kept.last[1] = event{revision: 2, id: 2, kind: Deleted, last: true}
		}, "record 2 is not"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c, err := NewCollection[resources.Event](Options{History: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a", "b", "c"} {
				if _, err := c.Insert(resources.Event{Name: name}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.View(pagination.Window{Limit: 1}, byName...); err != nil {
				t.Fatal(err)
			}
			c.store.published.Store(nil)
			test.damage(c.store)
			switch err := c.Check(); {
			case test.names == "":
				if err != nil {
					t.Error(err)
				}
			case !errors.Is(err, errCorrupt) || !strings.Contains(err.Error(), test.names):
				t.Errorf("%v does not tell of %q", err, test.names)
			}
		})
	}
}

// Check counts the members of open records.
func TestCheckCountsMembers(t *testing.T) {
	c, err := New().Open("books")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Check(), insertOpen(c, `{"title":"a"}`), c.Check()); err != nil {
		t.Fatal(err)
	}
	c.store.live.members.counts["title"]++
	if err := c.Check(); !errors.Is(err, errCorrupt) {
		t.Errorf("a member too many: %v", err)
	}
	c.store.live.members.counts["title"]--
	c.store.live.members.names = slices.Clone(c.store.live.members.names)[:1]
	if err := c.Check(); !errors.Is(err, errCorrupt) {
		t.Errorf("a name is missing: %v", err)
	}
}

func insertOpen(c *Collection[resources.Record], wire string) error {
	var r resources.Record
	if err := r.UnmarshalJSON([]byte(wire)); err != nil {
		return err
	}
	_, err := c.Insert(r)
	return err
}
