package catalogue_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A nestedRecord refers to memory. Package value tests that all kinds are copied.
type nestedRecord struct {
	ID   int              `json:"id"`
	Tags []string         `json:"tags"`
	Map  map[string][]int `json:"map"`
	Raw  json.RawMessage  `json:"raw"`
	Any  any              `json:"any"`
}

func newNestedRecord() nestedRecord {
	return nestedRecord{0, []string{"a"}, map[string][]int{"k": {1}}, json.RawMessage(`1`), []any{"x"}}
}

// overwrite changes all memory that a record refers to.
func overwrite(d *nestedRecord) {
	d.Tags[0], d.Map["k"][0], d.Raw[0], d.Any.([]any)[0] = "CHANGED", -1, '9', "CHANGED"
	d.Map["new"] = nil
}

// TestRecordsAreCopied passes records to and gets records from every method, overwrites
// them, and checks that the stored record has not changed.
func TestRecordsAreCopied(t *testing.T) {
	type (
		collection = *catalogue.Collection[nestedRecord]
		tx         = *catalogue.Tx[nestedRecord]
	)
	identified := newNestedRecord()
	identified.ID = 1
	// Each function stores one record with id 1 and returns a record that could share
	// memory with it, and an error. Those that do not insert are called after an insert.
	ways := map[string]struct {
		inserts bool
		call    func(c collection) (nestedRecord, error)
	}{
		"insert": {true, func(c collection) (nestedRecord, error) {
			d := newNestedRecord()
			_, err := c.Insert(d)
			return d, err
		}},
		"upsert new": {true, func(c collection) (nestedRecord, error) {
			d := newNestedRecord()
			_, err := c.Upsert(d)
			return d, err
		}},
		"upsert existing": {false, func(c collection) (nestedRecord, error) {
			d := newNestedRecord()
			d.ID = 1
			_, err := c.Upsert(d)
			return d, err
		}},
		"update, pointer kept": {false, func(c collection) (nestedRecord, error) {
			var kept *nestedRecord
			err := c.Update(1, func(d *nestedRecord) error { kept = d; return nil })
			return *kept, err
		}},
		"update, record assigned": {false, func(c collection) (nestedRecord, error) {
			other := newNestedRecord()
			other.ID = 1
			return other, c.Update(1, func(d *nestedRecord) error { *d = other; return nil })
		}},
		"failed update": {false, func(c collection) (nestedRecord, error) {
			if err := c.Update(1, func(d *nestedRecord) error { overwrite(d); return errOwn }); err != errOwn {
				return nestedRecord{}, err
			}
			return newNestedRecord(), nil
		}},
		"tx insert": {true, func(c collection) (nestedRecord, error) {
			d := newNestedRecord()
			return d, c.Batch(func(tx tx) error { _, err := tx.Insert(d); return err })
		}},
		"tx upsert": {true, func(c collection) (nestedRecord, error) {
			d := newNestedRecord()
			return d, c.Batch(func(tx tx) error { _, err := tx.Upsert(d); return err })
		}},
		"tx update": {false, func(c collection) (nestedRecord, error) {
			var kept *nestedRecord
			err := c.Batch(func(tx tx) error { return tx.Update(1, func(d *nestedRecord) error { kept = d; return nil }) })
			return *kept, err
		}},
		"tx get": {false, func(c collection) (got nestedRecord, err error) {
			err = c.Batch(func(tx tx) (err error) { got, err = tx.Get(1); return err })
			return got, err
		}},
		"tx get after insert": {true, func(c collection) (got nestedRecord, err error) {
			err = c.Batch(func(tx tx) error {
				_, failed := tx.Insert(newNestedRecord())
				got, err = tx.Get(1)
				return errors.Join(failed, err)
			})
			return got, err
		}},
		"get": {false, func(c collection) (nestedRecord, error) { return c.Get(1) }},
		"page": {false, func(c collection) (nestedRecord, error) {
			page, err := c.Page(whole, terms("-tags")...)
			return page.Records[0], err
		}},
		"snapshot page": {false, func(c collection) (nestedRecord, error) {
			page, err := c.Snapshot().Where().Page(whole)
			return page.Records[0], err
		}},
		"snapshot get": {false, func(c collection) (nestedRecord, error) { return c.Snapshot().Get(1) }},
		"all":          {false, func(c collection) (nestedRecord, error) { return slices.Collect(c.All())[0], nil }},
		"ordered": {false, func(c collection) (nestedRecord, error) {
			seq, err := c.Where().All(terms("any")...)
			return slices.Collect(seq)[0], err
		}},
		"get from a clone": {false, func(c collection) (nestedRecord, error) { return c.Clone().Get(1) }},
		"update in a clone": {false, func(c collection) (nestedRecord, error) {
			return newNestedRecord(), c.Clone().Update(1, func(d *nestedRecord) error { overwrite(d); return nil })
		}},
		"after a change": {false, func(c collection) (nestedRecord, error) {
			changes, _, err := c.Since(0)
			record, _ := changes[0].After()
			return record, err
		}},
		"before a change": {false, func(c collection) (nestedRecord, error) {
			err := c.Update(1, func(*nestedRecord) error { return nil })
			changes, _, failed := c.Since(1)
			record, _ := changes[0].Before()
			return record, errors.Join(err, failed)
		}},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			c := mustCollection[nestedRecord](t, catalogue.Options{History: 5})
			if !way.inserts {
				must(t, second(c.Insert(newNestedRecord())))
			}
			want, text := identified, wireOf(identified)
			shared := mustHave(way.call(c))
			overwrite(&shared)
			got, err := c.Get(1)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("Get(1): %v (-want +got):\n%s", err, diff)
			}
			view, err := c.Where().View(whole)
			if err != nil || view.Len() != 1 {
				t.Fatal(view.Len(), err)
			}
			if got, err := view.JSON(0); string(got) != text || err != nil {
				t.Errorf("View.JSON(0) = %s, %v, want %s", got, err, text)
			}
		})
	}
}

// TestArgumentsAreNotKept checks that callers may change options, terms and results
// after a call.
func TestArgumentsAreNotKept(t *testing.T) {
	order := terms("-name,depot")
	c := mustCollection[sale](t, catalogue.Options{Ordering: order})
	must(t, c.ReplaceAll(sales(20)))
	by := terms("-weight,depot,name")
	byDefault, want := listOf(c, nil), listOf(c, by)
	order[0], order[1] = ordering.Asc("no_such"), ordering.Desc("id")
	equal(t, "default ordering after its terms were changed", byDefault, listOf(c, nil))
	seq := mustHave(c.Where().All(by...))
	by[0], by[1], by[2] = ordering.Desc("id"), ordering.Asc("code"), ordering.Asc("name")
	equal(t, "sequence after its terms were changed", want, slices.Collect(seq))
	equal(t, "same ordering again", want, listOf(c, terms("-weight,depot,name")))
	names := []string{"id", "code", "depot", "weight", "name"}
	catalogue.FieldNames(c)[0] = "CHANGED"
	equal(t, "fields", names, catalogue.FieldNames(c))
	page := mustHave(c.Page(pagination.Window{Limit: 5}, terms("name")...))
	_ = append(page.Records[:2], sale{Name: "CHANGED"})
}

// TestEncodedCopies checks that callers may change the arguments and results of Create
// and the slices that Page and Fields return.
func TestEncodedCopies(t *testing.T) {
	cat, ctx := mustNew(), context.Background()
	must(t, cat.Load(strings.NewReader(`{"authors":[{"id":1}]}`), catalogue.LoadOptions{}))
	links := collectionOf(t, cat, "social-links")
	body := []byte(`{"title":"T","url":"https://x.example/","type":"t","author":1}`)
	answer := mustHave(links.Create(ctx, body, schema.Record{}))
	want := string(answer)
	for i := range body {
		body[i] = 'X'
	}
	for i := range answer {
		answer[i] = 'X'
	}
	_, records, err := listed(links.List(ctx, catalogue.Query{Window: whole}))
	if err != nil || len(records) != 1 || string(records[0]) != want {
		t.Errorf("stored %s, %v, want %s", records, err, want)
	}
	records[0] = nil // the slice belongs to the caller, the records in it do not
	if _, records, _ = listed(links.List(ctx, catalogue.Query{Window: whole})); len(records) != 1 || string(records[0]) != want {
		t.Errorf("stored %s, want %s", records, want)
	}
	must(t, cat.Check())
}

// Clone allocates no more for a catalogue with records than for an empty one.
func TestCloneAllocates(t *testing.T) {
	full := dataset(t)
	records := 0
	for _, c := range full.All() {
		records += c.Count()
	}
	empty := testing.AllocsPerRun(10, func() { mustNew().Clone() }) - testing.AllocsPerRun(10, func() { mustNew() })
	full.Clone() // the first call publishes a state
	if got := testing.AllocsPerRun(10, func() { full.Clone() }); got > empty || records < 100 {
		t.Errorf("Clone: %v allocations for %d records, want at most the %v for none", got, records, empty)
	}
}
