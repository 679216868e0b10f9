package catalogue_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

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
		{"upsert", func(c *catalogue.Collection[reviewer], writer, value int) error {
			_, err := c.Upsert(reviewer{ID: 1 + writer + value*writers, Slug: slugOf(value)})
			return err
		}},
		{"batch", func(c *catalogue.Collection[reviewer], writer, value int) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error {
				for i := range 1 + writer {
					if _, err := tx.Insert(reviewer{Slug: fmt.Sprint(value, " of ", writer, " and ", i)}); err != nil {
						return err
					}
				}
				_, err := tx.Insert(reviewer{Slug: slugOf(value)})
				return err
			})
		}},
		{"batch that looks first", func(c *catalogue.Collection[reviewer], _, value int) error {
			return c.Batch(func(tx *catalogue.Tx[reviewer]) error {
				if _, err := tx.First(ordering.Equal("slug", slugOf(value))); err == nil {
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
			c, err := catalogue.NewCollection[reviewer](catalogue.Options{Unique: []string{"slug", "email"}, History: 50})
			must(t, err)
			checkAtEnd(t, c)
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
