package catalogue_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestRevision changes with each write and with nothing else.
func TestRevision(t *testing.T) {
	house := dataset(t)
	c := house.Events()
	encoded, err := house.Encoded("events")
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
		{"modify", true, func() error { return c.Update(id, func(e *resources.Event) error { e.Name = "c"; return nil }) }},
		{"page in a new order", false, func() error {
			_, _, err := encoded.Page(context.Background(), pagination.Window{Limit: 3}, terms("-summary,name"))
			return err
		}},
		{"page in a new field's order", false, func() error {
			_, _, err := encoded.Page(context.Background(), pagination.Window{Limit: 3}, terms("location"))
			return err
		}},
		{"modify that fails", false, func() error {
			return is(c.Update(id, func(*resources.Event) error { return failed }), failed)
		}},
		{"insert of an id that is taken", false, func() error {
			_, err := c.Insert(resources.Event{ID: id})
			return is(err, catalogue.ErrExists)
		}},
		{"update", true, func() error {
			return c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				_, err := tx.Insert(resources.Event{Name: "d"})
				return errors.Join(err, tx.Delete(id))
			})
		}},
		{"update that fails", false, func() error {
			return is(c.Batch(func(tx *catalogue.Tx[resources.Event]) error {
				_, err := tx.Insert(resources.Event{Name: "e"})
				return errors.Join(err, failed)
			}), failed)
		}},
		{"post", true, func() error {
			_, err := encoded.Create(context.Background(),
				[]byte(`{"name":"f","slug":"f","startDate":"2026-05-10T18:00:00Z","endDate":"2026-05-10T20:00:00Z"}`))
			return err
		}},
		{"clone and write to it", false, func() error { _, err := c.Clone().Insert(resources.Event{}); return err }},
		{"clone the house and write to it", false, func() error { _, err := house.Clone().Events().Insert(resources.Event{}); return err }},
		{"write to another collection", false, func() error { _, err := house.Labels().Insert(resources.Label{}); return err }},
		{"delete", true, func() error { return c.Delete(id + 1) }},
		{"load that fails", false, func() error { return is(encoded.Load(strings.NewReader(`[{}]`)), catalogue.ErrInvalidData) }},
		{"load", true, func() error { return encoded.Load(strings.NewReader(`[]`)) }},
		{"load of the house", true, func() error { return house.Load(strings.NewReader(`{"events":[]}`)) }},
	} {
		before := revisionOf(t, encoded)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		after := revisionOf(t, encoded)
		if (after != before) != step.writes || step.writes && seen[after] {
			t.Errorf("%s: %d before, %d after", step.what, before, after)
		}
		seen[after] = true
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

// revisionOf asks a collection of a house for its revision.
func revisionOf(t *testing.T, c catalogue.Encoded) uint64 {
	t.Helper()
	revision, err := c.(revisioned).Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

type revisioned interface {
	Revision(ctx context.Context) (uint64, error)
}

// Who has gone is told so, as by Fields and Page.
func TestRevisionOfAContextThatEnded(t *testing.T) {
	encoded, err := catalogue.New().Encoded("events")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, ctx := range []context.Context{gone, late} {
		if _, err := encoded.(revisioned).Revision(ctx); !errors.Is(err, ctx.Err()) {
			t.Errorf("%v, want %v", err, ctx.Err())
		}
	}
}

// is gives nil if err matches the error that was expected.
func is(err, want error) error {
	if errors.Is(err, want) {
		return nil
	}
	return errors.Join(errors.New("not the error expected: "), err)
}
