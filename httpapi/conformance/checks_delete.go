package conformance

//lint:file-ignore ST1005 the errors begin with the name of a method, like the failures of a test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func checkDelete(s *subject) error {
	m := s.impl.plain(4)
	c, d, err := openAs[httpapi.Deleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	all := m.stored()
	for _, r := range m {
		if err := d.Delete(s.ctx, r.id, nil); err != nil {
			return fmt.Errorf("Delete of id %d: %w", r.id, err)
		}
		delete(all, r.id)
		if err := s.checkStored(c, all, "Delete"); err != nil {
			return err
		}
		if err := d.Delete(s.ctx, r.id, nil); !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Delete of id %d, which was deleted: error %v, want one wrapping catalogue.ErrNotFound", r.id, err)
		}
		retriever, ok := c.(httpapi.Retriever)
		if !ok {
			continue
		}
		if _, err := retriever.Get(s.ctx, r.id, nil); !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Get of id %d, which was deleted: error %v, want one wrapping catalogue.ErrNotFound", r.id, err)
		}
	}
	return nil
}

func checkDeleteMissing(s *subject) error {
	m := s.impl.plain(3)
	c, d, err := openAs[httpapi.Deleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	for _, id := range missing() {
		if err := d.Delete(s.ctx, id, nil); !errors.Is(err, catalogue.ErrNotFound) {
			return fmt.Errorf("Delete of id %d, which no record has: error %v, want one wrapping catalogue.ErrNotFound", id, err)
		}
	}
	return s.checkStored(c, m.stored(), "failed Deletes")
}

func checkDeleteCancelled(s *subject) error {
	m := s.impl.plain(3)
	c, d, err := openAs[httpapi.Deleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	if err := d.Delete(ctx, m[0].id, nil); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("Delete with a canceled ctx: error %v, want one wrapping %q", err, context.Canceled)
	}
	return s.checkStored(c, m.stored(), "a canceled Delete")
}

// The id of a deleted record is not used again, not even if it was the highest.
func checkDeletedIDs(s *subject) error {
	if s.impl.Body == "" {
		return skip("no Body")
	}
	m := s.impl.plain(3)
	c, d, err := openAs[httpapi.Deleter](s, schema.Destroy, m)
	if err != nil {
		return err
	}
	creator, ok := c.(httpapi.Creator)
	if !ok {
		return skip("the collection is not an httpapi.Creator")
	}
	used := map[int]bool{}
	for _, r := range m {
		used[r.id] = true
	}
	for range 3 {
		last := 0
		for id := range used {
			last = max(last, id)
		}
		if err := d.Delete(s.ctx, last, nil); err != nil {
			return fmt.Errorf("Delete of id %d: %w", last, err)
		}
		encoded, err := creator.Create(s.ctx, s.body(last))
		if err != nil {
			return fmt.Errorf("Create of Body: %w", err)
		}
		id, err := idOf(encoded)
		if err != nil {
			return err
		}
		if used[id] {
			return fmt.Errorf("Create returned id %d, which a record had", id)
		}
		used[id] = true
	}
	return nil
}

// The revision changes with each update and each deletion.
func checkWriteRevision(s *subject) error {
	c, err := s.open(s.impl.plain(3))
	if err != nil {
		return err
	}
	r, ok := c.(httpapi.Revisioned)
	if !ok {
		return skip("the collection is not Revisioned")
	}
	seen := map[uint64]bool{}
	check := func(after string) error {
		now, err := s.revision(r)
		if err == nil && seen[now] {
			return fmt.Errorf("revision %d after %s was in use before it, so outdated pages would appear current", now, after)
		}
		seen[now] = true
		return err
	}
	if err := check("New"); err != nil {
		return err
	}
	actions := s.impl.Description.Actions
	if u, ok := c.(httpapi.Updater); ok && actions.Has(schema.PartialUpdate) && s.impl.Description.Fields != nil {
		if _, err := u.Update(s.ctx, updated, nil, encode(s.change()), true); err != nil {
			return fmt.Errorf("Update: %w", err)
		}
		if err := check("Update"); err != nil {
			return err
		}
	}
	if d, ok := c.(httpapi.Deleter); ok && actions.Has(schema.Destroy) {
		if err := d.Delete(s.ctx, updated, nil); err != nil {
			return fmt.Errorf("Delete: %w", err)
		}
		return check("Delete")
	}
	return nil
}
