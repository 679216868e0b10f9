package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// Create validates as the service does, at one instant, and stores the record with
// the next id.
func (t *table) Create(ctx context.Context, body []byte) (record []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	posted, err := t.validate(limited, body)
	if err != nil {
		return nil, t.fault(ctx, err)
	}
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		if at.lastID == math.MaxInt {
			return fmt.Errorf("%w: none is left above %d", catalogue.ErrID, at.lastID)
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

// Insert adds a record in wire form, with its id, to the collection of a key. It
// gives [ErrCollection] for a key that is none, the errors of
// [catalogue.Catalogue.LoadCollection] for a record that the catalogue would not
// take, an [httpapi.ErrConflict] for an id that is taken, and
// [httpapi.ErrUnavailable].
func (s *Store) Insert(ctx context.Context, key string, record []byte) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	wire, err := check(key, record)
	if err != nil {
		return err
	}
	r, err := resources.ParseRecord(wire)
	if err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	err = t.write(limited, func(tx *sql.Tx, at *state) error {
		at.lastID = max(at.lastID, r.ID)
		at.count++
		return t.insert(limited, tx, wire)
	})
	return t.fault(ctx, err)
}

// check gives one record in wire form as a catalogue in memory would have it.
func check(key string, record []byte) (wire []byte, err error) {
	house := catalogue.New()
	if err := house.LoadCollection(key, strings.NewReader("["+string(record)+"]")); err != nil {
		return nil, err
	}
	wires, err := all(house, key)
	if err != nil {
		return nil, err
	}
	if len(wires) != 1 {
		return nil, fmt.Errorf("%s: %w: want one record, not %d", key, catalogue.ErrLoad, len(wires))
	}
	return wires[0], nil
}

// write runs f in a transaction in which nobody else writes to the collection. f
// changes its state, but for the revision. It may be run several times. Who waits for
// a turn waits here, and leaves the connections to readers.
func (t *table) write(ctx context.Context, f func(tx *sql.Tx, at *state) error) error {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	const attempts = 3
	for try := 1; ; try++ {
		revision, err := t.writeOnce(ctx, f)
		if err == nil {
			t.saw(revision)
			return nil
		}
		if try == attempts || !isTransient(err) {
			return err
		}
	}
}

func (t *table) writeOnce(ctx context.Context, f func(tx *sql.Tx, at *state) error) (revision uint64, err error) {
	tx, err := begin(ctx, t.store.primary, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after Commit
	at, err := t.lock(ctx, tx)
	if err != nil {
		return 0, err
	}
	if err := f(tx, &at); err != nil {
		return 0, err
	}
	if revision, err = t.advance(ctx, tx, at); err != nil {
		return 0, err
	}
	return revision, tx.Commit()
}

// advance writes the state, with the next revision.
func (t *table) advance(ctx context.Context, tx *sql.Tx, at state) (revision uint64, err error) {
	_, err = tx.ExecContext(ctx, `UPDATE collections SET count = $2, last_id = $3, revision = $4 WHERE key = $1`,
		t.about.Key, at.count, at.lastID, int64(at.revision+1))
	return at.revision + 1, err
}

// lock waits for its turn to write.
func (t *table) lock(ctx context.Context, tx *sql.Tx) (state, error) {
	return t.state(ctx, tx, stateQuery+" FOR UPDATE")
}

// insert writes the row of a record, and counts its members if it is an open one.
func (t *table) insert(ctx context.Context, tx *sql.Tx, wire []byte) error {
	var numbers map[string]int
	if t.open() {
		r, err := resources.ParseRecord(wire)
		if err != nil {
			return err
		}
		all, err := t.members(ctx, tx)
		if err != nil {
			return err
		}
		if err := all.count(r); err != nil {
			return err
		}
		if err := t.saveMembers(ctx, tx, all); err != nil {
			return err
		}
		numbers = all.numbers
	}
	row, err := t.values(wire, numbers)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, t.insertText(), row...)
	return err
}

// insertText is the statement that takes values.
func (t *table) insertText() string {
	var names, params []string
	for i, name := range t.columnNames() {
		names = append(names, quote(name))
		params = append(params, "$"+strconv.Itoa(i+1))
	}
	return "INSERT INTO " + t.name() + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(params, ", ") + ")"
}
