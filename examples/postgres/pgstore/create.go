package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Create validates a posted record as the service does, at one instant, and stores it
// with the next id. For a read-only collection the error wraps
// [catalogue.ErrReadOnly], as in memory.
func (t *table) Create(ctx context.Context, body []byte) (record []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.about.Key, err)
	}
	if !t.about.Actions.Has(schema.Create) {
		return nil, fmt.Errorf("%s: %w: the service does not accept posts to it", t.about.Key, catalogue.ErrReadOnly)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	posted, err := t.validate(limited, body)
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		if at.lastID == math.MaxInt {
			return fmt.Errorf("%w: no id is left after %d", catalogue.ErrInvalidID, at.lastID)
		}
		at.lastID++
		at.count++
		posted.ID = at.lastID
		if record, err = t.canonical([]byte(posted.String())); err != nil {
			return err
		}
		err := t.insert(limited, tx, record)
		if hasCode(err, uniqueViolation) { // not a conflict that the client caused
			return fmt.Errorf("%w: id %d exists, but is greater than last_id: %v", ErrCount, at.lastID, err)
		}
		return err
	})
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	return record, nil
}

// validate validates a body with references looked up in one snapshot of the primary.
func (t *table) validate(ctx context.Context, body []byte) (record schema.Record, err error) {
	err = inSnapshot(ctx, t.store.primary, func(tx *sql.Tx) error {
		var failure error
		type reference struct {
			key string
			id  int
		}
		known := map[reference]bool{} // a body may repeat a reference many times
		record, err = t.about.Validate(body, schema.Checks{Exists: func(key string, id int) bool {
			found, ok := known[reference{key, id}]
			if !ok && failure == nil {
				found, failure = t.store.has(ctx, tx, key, id)
				known[reference{key, id}] = found
			}
			return found
		}})
		if failure != nil {
			return failure // validation failed because of it
		}
		return err
	})
	return record, err
}

// has reports whether a record exists.
func (s *Store) has(ctx context.Context, tx *sql.Tx, key string, id int) (found bool, err error) {
	t, err := s.table(key)
	if err != nil {
		return false, nil // the collection is not stored
	}
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+t.name()+" WHERE id = $1)", id).Scan(&found)
	return found, err
}
