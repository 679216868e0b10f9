package catalogue_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
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
		{Slug: "anna", Email: new("a@x.example")}, {Slug: "bruno", Email: new("b@x.example")}, {Slug: "carla"},
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
			_, err := c.Insert(reviewer{ID: 9, Slug: "dora", Email: new("b@x.example")})
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

// A shelf has a name that is unique on its floor, of which nulls equal nothing.
type shelf struct {
	ID    int    `json:"id"`
	Floor *int   `json:"floor"`
	Name  string `json:"shelfName"`
	Place struct {
		Row int `json:"row"`
	} `json:"place"`
}
