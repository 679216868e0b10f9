package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
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
			first, err := c.Where(ordering.Equal("slug", r.Slug)).First()
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
	house, err := resources.New(books)
	must(t, err)
	checkAtEnd(t, house)
	must(t, house.Load(strings.NewReader(`{"authors":[{"id":1}],"books":[{"id":1,"slug":"a"}]}`), catalogue.LoadOptions{}))
	before := saved(t, house)
	err = house.Load(strings.NewReader(`{"authors":[{"id":2}],"books":[{"id":1,"slug":"b"},{"id":2,"slug":"b"}],"carts":[{"id":1}]}`), catalogue.LoadOptions{})
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

// repeats reports whether two rows have the same value of a unique field.
func repeats[T any](rows []row[T], unique []string) bool {
	for i, r := range rows {
		if slices.ContainsFunc(rows[:i], func(s row[T]) bool {
			return slices.ContainsFunc(unique, func(field string) bool { return sameUnique(r, s, field) })
		}) {
			return true
		}
	}
	return false
}

// sameUnique reports whether two rows have the same value of a field. Null equals nothing.
func sameUnique[T any](a, b row[T], field string) bool {
	v, w := valueIn(a.values, field), valueIn(b.values, field)
	return v.kind != isNull && v.kind == w.kind && compareValues(v, w) == 0
}

var (
	duplicateText = regexp.MustCompile(`^\S+: duplicate value: (\S+) (.+) is that of id (\d+)$`)
	repeatedText  = regexp.MustCompile(`: record (\d+): (?:member "\S+": )?duplicate value: (\S+) (.+) is that of record (\d+)$`)
)

// checkDuplicate checks the error of a write after which the records would be the given
// rows: its text must contain a unique field, a value that two rows have, and the id of
// one of them.
func checkDuplicate[T any](err error, rows []row[T], unique []string) error {
	if !errors.Is(err, catalogue.ErrDuplicate) {
		return fmt.Errorf("%v, want ErrDuplicate", err)
	}
	parts := duplicateText.FindStringSubmatch(err.Error())
	if parts == nil {
		return fmt.Errorf("unexpected text of %v", err)
	}
	id, _ := strconv.Atoi(parts[3])
	i := slices.IndexFunc(rows, func(r row[T]) bool { return r.id == id })
	for j := range rows {
		if i >= 0 && i != j && names(parts[1], parts[2], rows[j], rows[i], unique) {
			return nil
		}
	}
	return fmt.Errorf("no two records have this value: %v", err)
}

// checkRepeated checks the error of a replacement by the given rows: its text must
// contain a unique field, and the value and the indexes of two rows that have the same.
func checkRepeated[T any](err error, rows []row[T], unique []string) error {
	if !errors.Is(err, catalogue.ErrDuplicate) {
		return fmt.Errorf("%v, want ErrDuplicate", err)
	}
	parts := repeatedText.FindStringSubmatch(err.Error())
	if parts == nil {
		return fmt.Errorf("unexpected text of %v", err)
	}
	i, _ := strconv.Atoi(parts[1])
	j, _ := strconv.Atoi(parts[4])
	if j >= i || i >= len(rows) || !names(parts[2], parts[3], rows[i], rows[j], unique) {
		return fmt.Errorf("the records do not have this value: %v", err)
	}
	return nil
}

// names reports whether the rows a and b have the same value of the unique field with the
// given name, in either form, and the value of a has the given JSON.
func names[T any](name, text string, a, b row[T], unique []string) bool {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.text), &members); err != nil {
		return false
	}
	same := func(other string) bool {
		return strings.EqualFold(strings.ReplaceAll(name, "_", ""), strings.ReplaceAll(other, "_", ""))
	}
	for member, value := range members {
		if same(member) && string(value) == text {
			return slices.ContainsFunc(unique, func(field string) bool { return same(field) && sameUnique(a, b, field) })
		}
	}
	return false
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

// TestUniqueModel makes random writes to collections with unique fields, many of which
// are refused, and compares the errors and the records with those of a slice.
// BACKLIST_FIND_QUERIES and BACKLIST_MODEL_SEED are those of TestFindModel.
func TestUniqueModel(t *testing.T) {
	n, seed := findQueries(t)/40, modelSeed(t)
	t.Run("typed", func(t *testing.T) {
		t.Parallel()
		typ := editionType
		typ.random = uniqueEdition
		opts := catalogue.Options{Unique: []string{"barcode", "author", "volume", "price"}, Keys: editionKeys(), History: 50}
		fr := &findRun[edition]{typ: &typ, fields: editionFinds, size: 20, queries: 5, left: n}
		runUnique(t, fr, opts, seed)
	})
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		typ := findOpen
		typ.random = uniqueOpen
		opts := catalogue.Options{Unique: []string{"list_price", "id", "seldom_set", "published_on"}, Keys: openKeys(), History: 50}
		fr := &findRun[schema.Record]{typ: &typ, fields: openFinds, size: 20, queries: 5, left: n}
		runUnique(t, fr, opts, seed)
	})
}

func runUnique[T any](t *testing.T, fr *findRun[T], opts catalogue.Options, seed uint64) {
	t.Helper()
	mix := runFind(t, fr, opts, seed)
	t.Logf("BACKLIST_MODEL_SEED=%d%v", seed, mix)
	for _, kind := range []string{"writes refused", "writes made", "batches refused", "batches made", "replacements refused", "replacements made"} {
		if mix[kind] < mix["in all"]/1000 {
			t.Errorf("only %d %s", mix[kind], kind)
		}
	}
}

// uniqueEdition returns an edition whose unique fields have one of some hundred values.
func uniqueEdition(rng *rand.Rand) edition {
	e := randomEdition(rng)
	e.Barcode += uint64(rng.IntN(50)) // may wrap
	e.Author += fmt.Sprint(" ", rng.IntN(40))
	if rng.IntN(2) == 0 {
		e.Author = strings.ToUpper(e.Author)
	}
	if e.Volume != nil {
		*e.Volume = rng.IntN(200)
	}
	e.Price = fmt.Sprintf(pick(rng, "%d", "%d.0", " %d.00", "0%d", "%de0"), rng.IntN(200))
	return e
}

// uniqueOpen returns a record whose price, if it is not null, has one of some hundred
// values.
func uniqueOpen(rng *rand.Rand) schema.Record {
	r := randomFindOpen(rng).Without("publishedOn").Without("published_on")
	if rng.IntN(3) > 0 {
		r, _ = r.With(pick(rng, "publishedOn", "published_on"), rng.IntN(100))
	}
	if text, ok := r.Get("listPrice"); ok && text != "null" {
		price := rng.IntN(100)
		r, _ = r.With("listPrice", pick[any](rng, price, fmt.Sprintf("%d.0", price), fmt.Sprint("no ", price)))
	}
	return r
}
