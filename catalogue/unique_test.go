package catalogue_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// A reviewer is a record with two unique fields, one of which may be null.
type reviewer struct {
	ID    int     `json:"id"`
	Slug  string  `json:"slug"`
	Email *string `json:"email"`
}

// reviewers returns a collection of anna (1), bruno (2) and carla (3), the last without an email.
func reviewers(t *testing.T) *catalogue.Collection[reviewer] {
	t.Helper()
	c := mustCollection[reviewer](t, catalogue.Options{Name: "reviewers", Unique: [][]string{{"slug"}, {"email"}}, History: 10})
	must(t, c.ReplaceAll(slices.Values([]reviewer{
		{Slug: "anna", Email: ptr("a@x.example")}, {Slug: "bruno", Email: ptr("b@x.example")}, {Slug: "carla"},
	})))
	return c
}

// TestDuplicateIsRefused checks the texts of the errors, and that a write that is refused
// changes nothing.
func TestDuplicateIsRefused(t *testing.T) {
	anna := func(r *reviewer) error { r.Slug = "anna"; return nil }
	load := func(text string) func(*catalogue.Collection[reviewer]) error {
		return func(c *catalogue.Collection[reviewer]) error {
			return c.Load(strings.NewReader(text), catalogue.LoadOptions{})
		}
	}
	for _, test := range []struct {
		why   string
		write func(c *catalogue.Collection[reviewer]) error
		want  string
	}{
		{"insert", func(c *catalogue.Collection[reviewer]) error {
			_, err := c.Insert(reviewer{Slug: "anna"})
			return err
		}, `reviewers: duplicate value: slug "anna" is that of id 1`},
		{"insert with an id", func(c *catalogue.Collection[reviewer]) error {
			_, err := c.Insert(reviewer{ID: 9, Slug: "dora", Email: ptr("b@x.example")})
			return err
		}, `reviewers: duplicate value: email "b@x.example" is that of id 2`},
		{"upsert of a new record", func(c *catalogue.Collection[reviewer]) error {
			_, err := c.Upsert(reviewer{ID: 9, Slug: "bruno"})
			return err
		}, `reviewers: duplicate value: slug "bruno" is that of id 2`},
		{"upsert of a record that is there", func(c *catalogue.Collection[reviewer]) error {
			_, err := c.Upsert(reviewer{ID: 3, Slug: "bruno"})
			return err
		}, `reviewers: duplicate value: slug "bruno" is that of id 2`},
		{"update", func(c *catalogue.Collection[reviewer]) error { return c.Update(3, anna) },
			`reviewers: duplicate value: slug "anna" is that of id 1`},
		{"batch of one write", func(c *catalogue.Collection[reviewer]) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error { return tx.Update(2, anna) })
		}, `reviewers: duplicate value: slug "anna" is that of id 1`},
		{"two records of a batch", func(c *catalogue.Collection[reviewer]) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error {
				_, err := tx.Insert(reviewer{Slug: "dora"})
				_, again := tx.Insert(reviewer{Slug: "dora"})
				return errors.Join(err, again)
			})
		}, `reviewers: duplicate value: slug "dora" is that of id 4`},
		{"replacement", func(c *catalogue.Collection[reviewer]) error {
			return c.ReplaceAll(slices.Values([]reviewer{{Slug: "dora"}, {Slug: "emil"}, {Slug: "dora"}}))
		}, `reviewers: record 2: duplicate value: slug "dora" is that of the record at index 0`},
		{"load", load(`[{"id":7,"slug":"dora","email":null},{"id":5,"slug":"dora","email":null}]`),
			`reviewers: cannot load: record 5 (line 1): slug: duplicate value: slug "dora" is that of the record at index 0`},
	} {
		c := reviewers(t)
		before, all := c.Snapshot().Revision(), slices.Collect(c.All())
		err := test.write(c)
		if !errors.Is(err, catalogue.ErrDuplicate) || err.Error() != test.want {
			t.Errorf("%s: error\n%v, want\n%s", test.why, err, test.want)
		}
		if diff := cmp.Diff(all, slices.Collect(c.All())); diff != "" {
			t.Errorf("%s: records (-before +after):\n%s", test.why, diff)
		}
		if changes, now, err := c.Since(before); len(changes) > 0 || now != before || err != nil {
			t.Errorf("%s: %d changes, revision %d, %v, want revision %d", test.why, len(changes), now, err, before)
		}
		if id, err := c.Insert(reviewer{Slug: "dora"}); id != 4 || err != nil {
			t.Errorf("%s: the next insert returns %d, %v, want 4", test.why, id, err)
		}
	}
}

// TestDuplicateInCatalogue: a load of a catalogue with a duplicate in one collection
// replaces none.
func TestDuplicateInCatalogue(t *testing.T) {
	books := catalogue.Define[reviewer]("books", catalogue.Options{Unique: [][]string{{"slug"}}})
	cat, err := resources.New(books)
	must(t, err)
	checkAtEnd(t, cat)
	must(t, cat.Load(strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"slug":"a"}]}`), catalogue.LoadOptions{}))
	before := saved(t, cat)
	err = cat.Load(strings.NewReader(`{"authors":[{"id":2}],"books":[{"id":1,"slug":"b"},{"id":2,"slug":"b"}],"carts":[{"id":1}]}`), catalogue.LoadOptions{})
	var invalid *catalogue.RecordError
	if !errors.Is(err, catalogue.ErrDuplicate) || !errors.As(err, &invalid) {
		t.Fatalf("Load: %v, want a RecordError that wraps ErrDuplicate", err)
	}
	if invalid.Collection != "books" || invalid.Index != 1 || invalid.Identity.ID != 2 || invalid.Line != 1 || invalid.Field != "slug" {
		t.Errorf("Load: %+v, want the slug of record 1 of books", invalid)
	}
	if diff := cmp.Diff(before, saved(t, cat)); diff != "" {
		t.Errorf("the catalogue changed (-before +after):\n%s", diff)
	}
	clone := mustIn(books, cat.Clone())
	if _, err := clone.Insert(reviewer{Slug: "a"}); !errors.Is(err, catalogue.ErrDuplicate) {
		t.Errorf("Insert into a clone: %v, want ErrDuplicate", err)
	}
}

// TestConcurrentDuplicates: of eight writers that write the same values at the same time,
// in different ways, exactly one succeeds for each value.
func TestConcurrentDuplicates(t *testing.T) {
	const writers = 8
	values := scaled(300)
	for _, test := range []struct {
		why   string
		write func(c *catalogue.Collection[reviewer], writer, value int) error
	}{
		{"insert", func(c *catalogue.Collection[reviewer], _, value int) error {
			_, err := c.Insert(reviewer{Slug: slugOf(value)})
			return err
		}},
		{"batch that looks first", func(c *catalogue.Collection[reviewer], _, value int) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error {
				if _, err := tx.Where(ordering.Equal("slug", slugOf(value))).First(); err == nil {
					return catalogue.ErrDuplicate
				}
				_, err := tx.Insert(reviewer{Slug: slugOf(value)})
				return err
			})
		}},
		{"update", func(c *catalogue.Collection[reviewer], writer, value int) error {
			id, err := c.Insert(reviewer{Slug: fmt.Sprint(value, " of ", writer)})
			if err != nil {
				return err
			}
			return c.Update(id, func(r *reviewer) error { r.Slug = slugOf(value); return nil })
		}},
	} {
		t.Run(test.why, func(t *testing.T) {
			c := mustCollection[reviewer](t, catalogue.Options{Unique: [][]string{{"slug"}, {"email"}}, History: 50})
			won := make([]atomic.Int32, values)
			var group sync.WaitGroup
			for writer := range writers {
				group.Go(func() {
					for v := range won {
						switch err := test.write(c, writer, v); {
						case err == nil:
							won[v].Add(1)
						case !errors.Is(err, catalogue.ErrDuplicate):
							t.Errorf("value %d: %v", v, err)
						}
					}
				})
			}
			group.Wait()
			for v := range won {
				n, err := c.Where(ordering.Equal("slug", slugOf(v))).Count()
				must(t, err)
				if won[v].Load() != 1 || n != 1 {
					t.Errorf("value %d: %d writers succeeded, %d records have it, want one", v, won[v].Load(), n)
				}
			}
		})
	}
}

func slugOf(value int) string { return fmt.Sprint("slug ", value) }

// A shelf has a name that is unique on its floor, of which nulls equal nothing.
type shelf struct {
	ID    int    `json:"id"`
	Floor *int   `json:"floor"`
	Name  string `json:"shelfName"`
	Place struct {
		Row int `json:"row"`
	} `json:"place"`
}

// TestUniqueTogether writes duplicates in all ways. Shelf 1 is A on floor 1, shelf 2 is B on floor
// 1, and shelf 3 is A on no floor.
func TestUniqueTogether(t *testing.T) {
	type write = func(c *catalogue.Collection[shelf]) error
	insert := func(s shelf) write {
		return func(c *catalogue.Collection[shelf]) error {
			_, err := c.Insert(s)
			return err
		}
	}
	rename := func(id int, name string) func(tx *catalogue.Tx[shelf]) error {
		return func(tx *catalogue.Tx[shelf]) error {
			return tx.Update(id, func(s *shelf) error { s.Name = name; return nil })
		}
	}
	for _, test := range []struct {
		reason string
		write  write
		want   string
	}{
		{"both values of a record", insert(shelf{Floor: ptr(1), Name: "A"}), `shelves: duplicate value: floor 1 and shelfName "A" are those of id 1`},
		{"upsert", func(c *catalogue.Collection[shelf]) error {
			_, err := c.Upsert(shelf{ID: 3, Floor: ptr(1), Name: "B"})
			return err
		}, `shelves: duplicate value: floor 1 and shelfName "B" are those of id 2`},
		{"update", func(c *catalogue.Collection[shelf]) error {
			return c.Update(3, func(s *shelf) error { s.Floor = ptr(1); return nil })
		}, `shelves: duplicate value: floor 1 and shelfName "A" are those of id 1`},
		{"the end of a batch", func(c *catalogue.Collection[shelf]) error { return c.Batch(rename(2, "A")) },
			`shelves: duplicate value: floor 1 and shelfName "A" are those of id 1`},
		{"replacement", func(c *catalogue.Collection[shelf]) error {
			return c.ReplaceAll(slices.Values([]shelf{{Floor: ptr(1), Name: "A"}, {Name: "A"}, {Floor: ptr(1), Name: "A"}}))
		}, `shelves: record 2: duplicate value: floor 1 and shelfName "A" are those of the record at index 0`},
		{"load", func(c *catalogue.Collection[shelf]) error {
			return c.Load(strings.NewReader(`[{"id":1,"floor":1,"shelfName":"A"},{"id":2,"floor":1,"shelfName":"A"}]`), catalogue.LoadOptions{})
		}, `shelves: cannot load: record 2 (line 1): duplicate value: floor 1 and shelfName "A" are those of the record at index 0`},
	} {
		c := mustCollection[shelf](t, catalogue.Options{Name: "shelves", Unique: [][]string{{"floor", "shelf_name"}}})
		must(t, c.ReplaceAll(slices.Values([]shelf{{Floor: ptr(1), Name: "A"}, {Floor: ptr(1), Name: "B"}, {Name: "A"}})))
		before := slices.Collect(c.All())
		err := test.write(c)
		if !errors.Is(err, catalogue.ErrDuplicate) || err.Error() != test.want {
			t.Errorf("%s: error\n%v, want\n%s", test.reason, err, test.want)
		}
		if diff := cmp.Diff(before, slices.Collect(c.All())); diff != "" {
			t.Errorf("%s: records (-before +after):\n%s", test.reason, diff)
		}
	}
}
