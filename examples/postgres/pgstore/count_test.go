package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// The ids of two events that are there from the start. Create hands out those
// above createdFrom; what is inserted with an id has one between them, and moves
// no counter.
const (
	lowestID    = 1
	createdFrom = 100_000
)

// written is what writers know of a collection, whatever happened to their
// connections.
type written struct {
	store *pgstore.Store
	db    *sql.DB // past the store

	acknowledged atomic.Int64 // writes
	mu           sync.Mutex
	ids          map[int]bool // of records that are there for sure
	unknown      int          // writes that may have been done or not
}

// Counts are exact while writers are rolled back, cancelled and cut off: each page
// has the count of its own instant, and in the end no id is lost and none left out.
func TestCount(t *testing.T) {
	dsn := newDSN(t)
	w := &written{store: open(t, pgstore.Options{Primary: dsn}), db: connect(t, dsn), ids: map[int]bool{lowestID: true, createdFrom: true}}
	w.db.SetMaxOpenConns(1) // which cuts all others, and not itself
	load(t, w.store, `{"events":[`+fmt.Sprintf(event, lowestID, `"lowest"`)+","+fmt.Sprintf(event, createdFrom, `"first"`)+`]}`)
	w.acknowledged.Store(2)
	seed := setting(t, "BACKLIST_POSTGRES_SEED", uint64(time.Now().UnixNano()))
	t.Logf("BACKLIST_POSTGRES_SEED=%d", seed)

	const writers, readers = 4, 2
	done := make(chan struct{})
	errs := make(chan error, writers+readers)
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() { errs <- w.write(t.Context(), newDice(seed+uint64(i)), i) })
	}
	for range readers {
		reading.Go(func() { errs <- w.read(t.Context(), done) })
	}
	writing.Wait()
	close(done)
	reading.Wait()
	for range writers + readers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	w.check(t)
}

// write writes in all ways, and cuts connections.
func (w *written) write(ctx context.Context, d dice, writer int) error {
	for n := range 150 {
		if d.oneIn(25) {
			if err := w.terminate(ctx); err != nil {
				return err
			}
		}
		if err := w.once(ctx, d, 2+writer+10*n); err != nil {
			return fmt.Errorf("writer %d, write %d: %w", writer, n, err)
		}
	}
	return nil
}

// once writes in one way, some with little time for it. The id is nobody else's.
func (w *written) once(ctx context.Context, d dice, id int) error {
	if d.oneIn(4) {
		limited, cancel := context.WithTimeout(ctx, time.Duration(d.IntN(4_000))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	switch d.IntN(4) {
	case 0:
		return w.insert(ctx, id)
	case 1:
		return w.insertTaken(ctx, d)
	}
	return w.create(ctx)
}

// terminate cuts one of the connections that there are.
func (w *written) terminate(ctx context.Context) error {
	_, err := w.db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1`)
	return err
}

// create posts an event.
func (w *written) create(ctx context.Context) error {
	const body = `{"name":"n","slug":"s","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z"}`
	record, err := w.store.Collections()["events"].(httpapi.Creator).Create(ctx, []byte(body))
	if err != nil {
		return w.failed(ctx, err)
	}
	r, err := resources.ParseRecord(record)
	if err != nil {
		return err
	}
	return w.stored(r.ID)
}

// insert adds an event with an id that nobody else uses.
func (w *written) insert(ctx context.Context, id int) error {
	if err := w.store.Insert(ctx, "events", fmt.Appendf(nil, event, id, `"inserted"`)); err != nil {
		return w.failed(ctx, err)
	}
	return w.stored(id)
}

// insertTaken adds an event with an id that is there, which fails.
func (w *written) insertTaken(ctx context.Context, d dice) error {
	w.mu.Lock()
	id := pick(d, slices.Sorted(maps.Keys(w.ids)))
	w.mu.Unlock()
	err := w.store.Insert(ctx, "events", fmt.Appendf(nil, event, id, `"taken"`))
	if errors.Is(err, httpapi.ErrConflict) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("id %d was given to two", id)
	}
	return w.interrupted(ctx, err)
}

// stored notes a write that was acknowledged.
func (w *written) stored(id int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids[id] {
		return fmt.Errorf("id %d was given to two", id)
	}
	w.ids[id] = true
	w.acknowledged.Add(1)
	return nil
}

// failed notes a write that may have been done.
func (w *written) failed(ctx context.Context, err error) error {
	w.mu.Lock()
	w.unknown++
	w.mu.Unlock()
	return w.interrupted(ctx, err)
}

// interrupted gives an error that is not of a context that ended or of a
// connection that was cut.
func (w *written) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) || errors.Is(err, httpapi.ErrUnavailable) {
		return nil
	}
	return err
}

// read reads whole pages until all is written.
func (w *written) read(ctx context.Context, done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		default:
		}
		least := int(w.acknowledged.Load())
		count, ids, err := w.page(ctx)
		if errors.Is(err, httpapi.ErrUnavailable) {
			continue
		}
		if err != nil {
			return fmt.Errorf("a reader: %w", err)
		}
		if count != len(ids) || count < least {
			return fmt.Errorf("%d are counted of %d that are there, when %d were acknowledged", count, len(ids), least)
		}
		if last := ids[count-1]; last != lowestID { // a record of a later instant took its place
			return fmt.Errorf("%d are counted, and the last of them has the id %d", count, last)
		}
	}
}

// page reads all ids, the newest first, with their count.
func (w *written) page(ctx context.Context) (count int, ids []int, err error) {
	byID := []ordering.Term{ordering.Desc("id")}
	count, records, err := w.store.Collections()["events"].Page(ctx, pagination.Window{Limit: 1 << 20}, byID)
	for _, record := range records {
		r, err := resources.ParseRecord(record)
		if err != nil {
			return 0, nil, err
		}
		ids = append(ids, r.ID)
	}
	return count, ids, err
}

// check compares what there is in the end with what was acknowledged.
func (w *written) check(t *testing.T) {
	// Whoever is still about to commit has locked the collection: behind this
	// there is nobody.
	for before := w.acknowledged.Load(); w.acknowledged.Load() == before; {
		if err := w.create(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.store.Check(t.Context()); err != nil {
		t.Error(err)
	}
	count, ids, err := w.page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if count != len(ids) || count < len(w.ids) || count > len(w.ids)+w.unknown {
		t.Errorf("%d are counted of %d that are there; %d were acknowledged and %d may be", count, len(ids), len(w.ids), w.unknown)
	}
	slices.Reverse(ids)
	for id := range w.ids {
		if _, found := slices.BinarySearch(ids, id); !found {
			t.Errorf("id %d was acknowledged and is not there", id)
		}
	}
	start, _ := slices.BinarySearch(ids, createdFrom)
	for i, id := range ids[start:] {
		if id != createdFrom+i {
			t.Fatalf("the id behind %d is %d: one is left out", createdFrom+i-1, id)
		}
	}
	t.Logf("%d records, %d writes of which nobody knows", count, w.unknown)
	if w.unknown == 0 {
		t.Error("nothing was interrupted")
	}
}
