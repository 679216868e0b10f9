package pgstore

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Create validates a posted record as the service does, at one instant, and stores it
// with the next id. For a read-only collection the error wraps
// [catalogue.ErrReadOnly], as in memory.
func (t *table) Create(ctx context.Context, body []byte, assigned schema.Record) (record []byte, err error) {
	err = t.write(ctx, nil, func(ctx context.Context, d *draft) error {
		_, _ = t.about.Validate(ctx, slices.Clone(body), d.checks(t, "", assigned)) // which Create does again
		return d.make(ctx, t, func(c catalogue.AnyCollection) (err error) {
			record, err = c.Create(ctx, slices.Clone(body), assigned)
			return err
		})
	})
	return record, err
}

// Update changes the record that a segment names, and what refers to a text of it that changes.
func (t *table) Update(ctx context.Context, segment string, u catalogue.Edit) (record []byte, err error) {
	var others []*table
	for _, c := range t.store.referring(t) {
		if c.field.By != "" { // the update can change a text to which others refer
			others = t.referrers
		}
	}
	err = t.write(ctx, others, func(ctx context.Context, d *draft) error {
		old, err := d.target(ctx, t, segment, u.Filter)
		if err != nil {
			return err
		}
		checks := d.checks(t, t.identity.in(old), u.Assigned)
		fresh, invalid := t.about.ValidateUpdate(ctx, old, slices.Clone(u.Body), u.Partial, checks) // which Update does again
		if invalid == nil {
			if err := d.readRenamed(ctx, t, old, fresh); err != nil {
				return err
			}
		}
		return d.make(ctx, t, func(c catalogue.AnyCollection) (err error) {
			e := u
			e.Filter, e.Body = schema.Filter{}, slices.Clone(u.Body)
			record, err = c.Update(ctx, segment, e)
			return err
		})
	})
	return record, err
}

// Delete deletes the record that a segment names, and changes what refers to it.
func (t *table) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func(record []byte) error) error {
	return t.write(ctx, t.referrers, func(ctx context.Context, d *draft) error {
		old, err := d.target(ctx, t, segment, filter)
		if err != nil {
			return err
		}
		if err := d.readDeletion(ctx, t, old); err != nil {
			return err
		}
		return d.make(ctx, t, func(c catalogue.AnyCollection) error {
			return c.Delete(ctx, segment, schema.Filter{}, precondition)
		})
	})
}

// write calls f with a draft in a transaction that locks this and other collections. It
// may call f several times. Writers of this process wait without a connection, which leaves the
// connections to readers.
func (t *table) write(ctx context.Context, others []*table, f func(ctx context.Context, d *draft) error) error {
	limited, cancel := context.WithTimeout(ctx, t.store.timeout)
	defer cancel()
	tables := append([]*table{t}, others...)
	for _, m := range t.store.tables {
		if !slices.Contains(tables, m) {
			continue
		}
		select {
		case m.turn <- struct{}{}:
			defer func() { <-m.turn }()
		case <-limited.Done():
			return t.fault(ctx, limited.Err())
		}
	}
	return t.fault(ctx, retried(func() error {
		return t.store.transaction(limited, writing, func(_ *sql.Conn, tx *sql.Tx) error {
			d := newDraft(t.store, tx)
			if err := d.lock(limited, tables); err != nil {
				return err
			}
			err := f(context.WithValue(limited, t.store, tx), d)
			if d.err != nil { // a look-up failed, so that what the validation says is wrong
				return d.err
			}
			return err
		})
	}))
}

// retried calls f, at most three times while it fails because of other transactions. Between them it
// waits a random time, in which another transaction that waited can go on.
func retried(f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if try == 3 || !hasCode(err, serializationFailure, deadlock) {
			return err
		}
		time.Sleep(time.Duration(try) * (20*time.Millisecond + rand.N(50*time.Millisecond)))
	}
}

// target adds the record that a segment names, locks it, and returns it.
func (d *draft) target(ctx context.Context, t *table, segment string, filter schema.Filter) (schema.Record, error) {
	stored, err := t.find(ctx, d.tx, "record", segment, filter, " FOR UPDATE OF t")
	if err != nil {
		return schema.Record{}, err
	}
	r, _, err := d.add(t, stored)
	return r, err
}

// readRenamed adds the records that refer to a text of a record that changes.
func (d *draft) readRenamed(ctx context.Context, t *table, old, fresh schema.Record) error {
	for m, c := range d.store.referring(t) {
		by, _ := t.column(c.refersBy(t))
		if c.field.By == "" || by.in(old) == by.in(fresh) {
			continue
		}
		if _, err := d.readReferrers(ctx, m, c, t, []schema.Record{old}, 0); err != nil {
			return err
		}
	}
	return nil
}
