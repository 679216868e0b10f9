package catalogue_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A reviewer is a record with two unique fields, one of which may be null.
type reviewer struct {
	ID    int     `json:"id"`
	Slug  string  `json:"slug"`
	Email *string `json:"email"`
}

// reviewers returns a collection of anna (1), bruno (2) and carla (3), who has no email.
func reviewers(t *testing.T) *catalogue.Collection[reviewer] {
	t.Helper()
	c, err := catalogue.NewCollection[reviewer](catalogue.Options{Name: "reviewers", Unique: []string{"slug", "email"}, History: 10})
	must(t, err)
	checkAtEnd(t, c)
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
		return func(c *catalogue.Collection[reviewer]) error { return c.Load(strings.NewReader(text)) }
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
		}, `reviewers: record 2: duplicate value: slug "dora" is that of record 0`},
		{"load", load(`[{"id":7,"slug":"dora","email":null},{"id":5,"slug":"dora","email":null}]`),
			`reviewers: cannot load: record 1: member "slug": duplicate value: slug "dora" is that of record 0`},
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

// TestValuesMoveBetweenRecords tests writes after which no value occurs twice.
func TestValuesMoveBetweenRecords(t *testing.T) {
	slug := func(s string) func(*reviewer) error {
		return func(r *reviewer) error { r.Slug = s; return nil }
	}
	for _, test := range []struct {
		why  string
		f    func(tx *catalogue.Tx[reviewer]) error
		want map[string]int // ids by slug
	}{
		{"two records exchange their values", func(tx *catalogue.Tx[reviewer]) error {
			return errors.Join(tx.Update(1, slug("bruno")), tx.Update(2, slug("anna")))
		}, map[string]int{"bruno": 1, "anna": 2, "carla": 3}},
		{"three records exchange their values", func(tx *catalogue.Tx[reviewer]) error {
			return errors.Join(tx.Update(1, slug("bruno")), tx.Update(2, slug("carla")), tx.Update(3, slug("anna")))
		}, map[string]int{"bruno": 1, "carla": 2, "anna": 3}},
		{"the value of a deleted record is free", func(tx *catalogue.Tx[reviewer]) error {
			_, err := tx.Insert(reviewer{Slug: "anna"})
			return errors.Join(err, tx.Delete(1))
		}, map[string]int{"bruno": 2, "carla": 3, "anna": 4}},
		{"a record keeps its value", func(tx *catalogue.Tx[reviewer]) error { return tx.Update(1, slug("anna")) },
			map[string]int{"anna": 1, "bruno": 2, "carla": 3}},
		{"null equals nothing", func(tx *catalogue.Tx[reviewer]) error {
			_, err := tx.Insert(reviewer{Slug: "dora"})
			_, again := tx.Insert(reviewer{Slug: "emil"})
			return errors.Join(err, again)
		}, map[string]int{"anna": 1, "bruno": 2, "carla": 3, "dora": 4, "emil": 5}},
	} {
		c := reviewers(t)
		if err := c.Batch(test.f); err != nil {
			t.Errorf("%s: %v", test.why, err)
		}
		got := map[string]int{}
		for r := range c.All() {
			first, err := c.First(ordering.Equal("slug", r.Slug))
			if err != nil || first.ID != r.ID {
				t.Errorf("%s: First finds %+v, %v, want %+v", test.why, first, err, r)
			}
			got[r.Slug] = r.ID
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: ids (-want +got):\n%s", test.why, diff)
		}
	}
}

// TestDuplicateInCatalogue: a load of a catalogue with a duplicate in one collection
// replaces none.
func TestDuplicateInCatalogue(t *testing.T) {
	books := catalogue.Define[reviewer]("books", catalogue.Options{Unique: []string{"slug"}})
	house, err := catalogue.NewWith(books)
	must(t, err)
	checkAtEnd(t, house)
	must(t, house.Load(strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"slug":"a"}]}`)))
	before := saved(t, house)
	err = house.Load(strings.NewReader(`{"authors":[{"id":2}],"books":[{"id":1,"slug":"b"},{"id":2,"slug":"b"}],"carts":[{"id":1}]}`))
	var invalid *catalogue.RecordError
	if !errors.Is(err, catalogue.ErrDuplicate) || !errors.As(err, &invalid) {
		t.Fatalf("Load: %v, want a RecordError that wraps ErrDuplicate", err)
	}
	if invalid.Collection != "books" || invalid.Index != 1 || invalid.Field != "slug" {
		t.Errorf("Load: %+v, want the slug of record 1 of books", invalid)
	}
	if diff := cmp.Diff(before, saved(t, house)); diff != "" {
		t.Errorf("the catalogue changed (-before +after):\n%s", diff)
	}
	clone, err := books.In(house.Clone())
	must(t, err)
	if _, err := clone.Insert(reviewer{Slug: "a"}); !errors.Is(err, catalogue.ErrDuplicate) {
		t.Errorf("Insert into a clone: %v, want ErrDuplicate", err)
	}
}
