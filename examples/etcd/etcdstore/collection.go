package etcdstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// A collection implements the interfaces of package httpapi. It reads from the replica, after
// that has all earlier writes.
type collection struct {
	store *Store
	key   string
}

// member returns the collection of the current replica.
func (c *collection) member() *member { return c.store.replica.Load().members[c.key] }

// Description does not wait for earlier writes through other stores.
func (c *collection) Description() schema.Description { return c.member().Description() }

// Revision returns the revision of etcd of the last write to the collection. What is shown of records by
// a function may be read from any collection: then it is the sum of all revisions, none of which decreases.
func (c *collection) Revision(ctx context.Context) (sum uint64, err error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, err
	}
	members := c.store.replica.Load().members
	if about := members[c.key].Description(); about.Shown == nil && about.ShownInLists == nil {
		return members[c.key].revision(), nil
	}
	for _, m := range members {
		sum += m.revision()
	}
	return sum, nil
}

func (c *collection) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return catalogue.Listing{}, err
	}
	return c.member().List(ctx, q)
}

func (c *collection) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return nil, err
	}
	return c.member().Get(ctx, segment, filter)
}

// Find returns the id and the text of the record that a text refers to, for filters by references.
func (c *collection) Find(ctx context.Context, key, field, text string) (int, string, error) {
	if err := c.store.catchUpOnce(ctx); err != nil {
		return 0, "", err
	}
	return c.member().Find(ctx, key, field, text)
}

func (c *collection) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	err = c.store.write(ctx, c.key, func(ctx context.Context, draft catalogue.AnyCollection) (err error) {
		record, err = draft.Create(ctx, bytes.Clone(body), assigned) // which may be modified
		return err
	})
	return record, err
}

// Update calls the precondition in each attempt. The transaction of the last one fails if the
// record that it was called with is no longer the current one.
func (c *collection) Update(ctx context.Context, segment string, u catalogue.Edit) (record []byte, err error) {
	body := u.Body
	err = c.store.write(ctx, c.key, func(ctx context.Context, draft catalogue.AnyCollection) (err error) {
		u.Body = bytes.Clone(body)
		record, err = draft.Update(ctx, segment, u)
		return err
	})
	return record, err
}

// Delete calls precondition as Update does. A deletion in several transactions calls it for
// each: if a later call is the first to return an error, lists may already be shorter.
func (c *collection) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return c.store.write(ctx, c.key, func(ctx context.Context, draft catalogue.AnyCollection) error {
		return draft.Delete(ctx, segment, filter, precondition)
	})
}

// A Definition is a collection of a [Store]. [Of] returns a Definition.
type Definition struct {
	definition catalogue.AnyDefinition
	apply      func(cat *catalogue.Catalogue, by string, changes []change) error
	by         string // member that is the key of records, or empty if they have an id
}

// A change is a new state of a record.
type change struct {
	name   string // the record's, in the layout
	record []byte // nil if the record was deleted
}

// Of returns the Definition of a collection of package catalogue. encoding/json must be
// able to decode a T from its own JSON.
func Of[T any](d catalogue.Definition[T]) Definition {
	return Definition{definition: d, apply: func(cat *catalogue.Catalogue, by string, changes []change) error {
		c, err := d.In(cat)
		if err != nil {
			return err
		}
		return c.Batch(func(tx *catalogue.Tx[T]) error {
			for _, ch := range changes {
				id, key, _ := parseName(ch.name, by)
				var err error
				if by == "" {
					err = applyTo(tx, id, ch.record)
				} else {
					err = applyKeyed(tx, by, key, ch.record)
				}
				if err != nil {
					return fmt.Errorf("id %s: %w", cmp.Or(key, strconv.Itoa(id)), err)
				}
			}
			return nil
		})
	}}
}

func applyTo[T any](tx *catalogue.Tx[T], id int, text []byte) error {
	if text == nil {
		return tx.Delete(id)
	}
	var record T
	if err := json.Unmarshal(text, &record); err != nil {
		return err
	}
	stored, err := tx.Upsert(record)
	if err == nil && stored != id {
		err = fmt.Errorf("its record has id %d", stored)
	}
	return err
}

func applyKeyed[T any](tx *catalogue.Tx[T], by, key string, text []byte) error {
	if text == nil {
		return tx.By(ordering.Snake(by)).Delete(key)
	}
	members, err := schema.ParseKeyed(text)
	if err != nil {
		return err
	}
	if value, _ := members.Get(by); value != quoted(key) {
		return fmt.Errorf("its record has the %s %s", by, value)
	}
	var record T
	if err := json.Unmarshal(text, &record); err != nil {
		return err
	}
	_, err = tx.Upsert(record)
	return err
}

// quoted returns the JSON of a text, as records have it.
func quoted(text string) string {
	r, _ := schema.Record{}.With("text", text) // valid UTF-8, or it is no text of a record
	member, _ := r.Get("text")
	return member
}

// documented returns the definitions of the 39 documented collections.
func documented() (list []Definition, err error) {
	c, err := resources.New()
	if err != nil {
		return nil, err
	}
	for key := range c.All() {
		switch key {
		case "events":
			list = append(list, Of(resources.Events))
		case "labels":
			list = append(list, Of(resources.Labels))
		case "social-links":
			list = append(list, Of(resources.SocialLinks))
		default:
			list = append(list, Of(resources.Records(key)))
		}
	}
	return list, nil
}

// newCatalogue returns an empty catalogue with the definitions, and the definitions by their
// keys.
func newCatalogue(list []Definition) (*catalogue.Catalogue, map[string]Definition, error) {
	all := make([]catalogue.AnyDefinition, len(list))
	for i, d := range list {
		all[i] = d.definition
	}
	cat, err := catalogue.New(all...)
	if err != nil {
		return nil, nil, err
	}
	byKey, i := map[string]Definition{}, 0
	for key, c := range cat.All() { // in the order of the definitions
		d := list[i]
		for _, f := range c.Description().Fields {
			if f.Key {
				d.by = f.Name
			}
		}
		byKey[key] = d
		i++
	}
	return cat, byKey, nil
}
