package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestRevision checks that each write changes the revision and that nothing else does.
func TestRevision(t *testing.T) {
	house := dataset(t)
	c := mustIn(resources.Events, house)
	encoded, err := house.Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	id := 0
	seen := map[uint64]bool{revisionOf(t, encoded): true}
	for _, step := range []struct {
		what   string
		writes bool
		do     func() error
	}{
		{"insert", true, func() (err error) { id, err = c.Insert(resources.Event{Name: "a"}); return err }},
		{"upsert", true, func() error { _, err := c.Upsert(resources.Event{ID: id, Name: "b"}); return err }},
		{"update", true, func() error { return c.Update(id, func(e *resources.Event) error { e.Name = "c"; return nil }) }},
		{"page by an unused ordering", false, func() error {
			_, _, err := listed(encoded.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 3}, Terms: terms("-summary,name")}))
			return err
		}},
		{"page by an unused field", false, func() error {
			_, _, err := listed(encoded.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 3}, Terms: terms("location")}))
			return err
		}},
		{"failed update", false, func() error {
			return is(c.Update(id, func(*resources.Event) error { return failed }), failed)
		}},
		{"insert of a used id", false, func() error {
			_, err := c.Insert(resources.Event{ID: id})
			return is(err, catalogue.ErrExists)
		}},
		{"batch", true, func() error {
			return c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				_, err := tx.Insert(resources.Event{Name: "d"})
				return errors.Join(err, tx.Delete(id))
			})
		}},
		{"failed batch", false, func() error {
			return is(c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				_, err := tx.Insert(resources.Event{Name: "e"})
				return errors.Join(err, failed)
			}), failed)
		}},
		{"create", true, func() error {
			_, err := encoded.Create(context.Background(),
				[]byte(`{"name":"f","slug":"f","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`))
			return err
		}},
		{"write to a clone", false, func() error { _, err := c.Clone().Insert(resources.Event{}); return err }},
		{"write to a clone of the catalogue", false, func() error { _, err := mustIn(resources.Events, house.Clone()).Insert(resources.Event{}); return err }},
		{"write to another collection", false, func() error { _, err := mustIn(resources.Labels, house).Insert(resources.Label{}); return err }},
		{"delete", true, func() error { return c.Delete(id + 1) }},
		{"failed load", false, func() error {
			return is(encoded.Load(strings.NewReader(`[{}]`), catalogue.LoadOptions{}), catalogue.ErrInvalidData)
		}},
		{"load", true, func() error { return encoded.Load(strings.NewReader(`[]`), catalogue.LoadOptions{}) }},
		{"load of the catalogue", true, func() error { return house.Load(strings.NewReader(`{"events":[]}`), catalogue.LoadOptions{}) }},
	} {
		before := revisionOf(t, encoded)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		after := revisionOf(t, encoded)
		if (after != before) != step.writes || step.writes && seen[after] {
			t.Errorf("%s: revision %d before, %d after, want a new one: %v", step.what, before, after, step.writes)
		}
		seen[after] = true
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// revisionOf returns the revision of a collection.
func revisionOf(t *testing.T, c catalogue.AnyCollection) uint64 {
	t.Helper()
	revision, err := c.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func TestRevisionContextDone(t *testing.T) {
	encoded, err := mustNew().Collection("events")
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	expired, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{canceled, expired} {
		if _, err := encoded.Revision(ctx); !errors.Is(err, ctx.Err()) {
			t.Errorf("Revision: %v, want %v", err, ctx.Err())
		}
	}
}

// is returns nil if err is want, and an error if it is not.
func is(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("error %v, want %v", err, want)
}
