package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// Create validates as the service does, at one instant, and stores the record with
// the next id. Of what cannot be posted to it is a [catalogue.ErrInvalidType], as in memory.
func (t *table) Create(ctx context.Context, body []byte) (record []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.about.Key, err)
	}
	if !t.about.Creatable {
		return nil, fmt.Errorf("%s: %w: it cannot be posted to", t.about.Key, catalogue.ErrInvalidType)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	posted, err := t.validate(limited, body)
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		if at.lastID == math.MaxInt {
			return fmt.Errorf("%w: none is left above %d", catalogue.ErrInvalidID, at.lastID)
		}
		at.lastID++
		at.count++
		posted.ID = at.lastID
		if record, err = t.canonical(posted.AppendJSON(nil)); err != nil {
			return err
		}
		err := t.insert(limited, tx, record)
		if hasCode(err, uniqueViolation) { // no fault of the client
			return fmt.Errorf("%w: id %d is there, above the highest id ever: %v", ErrCount, at.lastID, err)
		}
		return err
	})
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	return record, nil
}

// validate looks up what the body refers to in one snapshot of the primary.
func (t *table) validate(ctx context.Context, body []byte) (record resources.Record, err error) {
	err = inSnapshot(ctx, t.store.primary, func(tx *sql.Tx) error {
		var failure error
		type reference struct {
			key string
			id  int
		}
		known := map[reference]bool{} // a body may refer to one record as often as it likes
		record, err = t.about.Validate(body, func(key string, id int) bool {
			found, asked := known[reference{key, id}]
			if !asked && failure == nil {
				found, failure = t.store.has(ctx, tx, key, id)
				known[reference{key, id}] = found
			}
			return found
		})
		if failure != nil {
			return failure // what was refused was refused for that
		}
		return err
	})
	return record, err
}

// has says whether a record is there.
func (s *Store) has(ctx context.Context, tx *sql.Tx, key string, id int) (found bool, err error) {
	t, err := s.table(key)
	if err != nil {
		return false, nil // nothing is kept of it
	}
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+t.name()+" WHERE id = $1)", id).Scan(&found)
	return found, err
}
