package pgstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestCheck damages tables with SQL.
func TestCheck(t *testing.T) {
	file := `{"events":[` + fmt.Sprintf(event, 3, `"Three"`) + `],"books":[{"id":5,"name":"Five","price":1.50}]}`
	for _, row := range []struct {
		reason, statements string
		want               error
		text               string // in the error
	}{
		{"no change", "SELECT 1", nil, ""},
		{"highest id deleted and counted", "DELETE FROM events; UPDATE collections SET count = 0 WHERE key = 'events'", nil, ""},
		{"deletion not counted", "DELETE FROM events", pgstore.ErrCount, "events: "},
		{"record above the highest id", "UPDATE collections SET last_id = 2 WHERE key = 'events'", pgstore.ErrCount, "events: "},
		{"count of a member too high", "UPDATE members SET records = 2 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"count of a member too low", "UPDATE members SET records = 0 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"changed column", "UPDATE events SET name = 'Four'", pgstore.ErrRow, "events: pgstore: invalid row: id 3: "},
		{"changed list", "UPDATE events SET labels = '{1}'", pgstore.ErrRow, "id 3: "},
		{"changed key", `UPDATE books SET keys[2] = '\x00'`, pgstore.ErrRow, "books: pgstore: invalid row: id 5: "},
		{"missing key", `UPDATE books SET keys = '{}'`, pgstore.ErrRow, "id 5: "},
		{"changed id", "UPDATE events SET id = 2", pgstore.ErrRow, "id 2: "},
		{"changed record", `UPDATE events SET record = replace(record, 'Three', 'Four')`, pgstore.ErrRow, "id 3: "},
		{"record is not JSON", "UPDATE events SET record = record || '}'", pgstore.ErrRow, "id 3: "},
		{"record is not an object", "UPDATE books SET record = '[]'", pgstore.ErrRow, "id 5: "},
		{"white space in a record", `UPDATE events SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 3: "},
		{"white space in an open record", `UPDATE books SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 5: "},
		{"unknown member", `UPDATE events SET record = replace(record, '"slug"', '"new":1,"slug"')`, pgstore.ErrRow, "id 3: "},
		{"negative id", `UPDATE books SET id = -5, record = replace(record, '5,', '-5,')`, pgstore.ErrRow, "id -5: "},
	} {
		dsn := newDSN(t)
		store := openUnchecked(t, pgstore.Options{DSN: dsn})
		load(t, store, file)
		exec(t, connect(t, dsn), row.statements)
		err := store.Check(t.Context())
		if !errors.Is(err, row.want) || err != nil && !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: Check = %v, want %v with %q", row.reason, err, row.want, row.text)
		}
	}
}

// The ids of two events that exist from the start. Create assigns ids after
// createdFrom. Records that are inserted with an id have one between the two.
const (
	lowestID    = 1
	createdFrom = 100_000
)

// writeRecord holds what writers know about a collection whose connections are interrupted.
type writeRecord struct {
	store *pgstore.Store
	db    *sql.DB // not used by the store

	acknowledged atomic.Int64 // number of acknowledged writes
	mu           sync.Mutex
	ids          map[int]bool // ids of acknowledged records
	unknown      int          // number of writes with an unknown outcome
}

// TestCount checks that counts are exact while writers are rolled back, canceled and
// disconnected: each page has the count of its own instant, and in the end no
// acknowledged record is missing and no id is skipped.
func TestCount(t *testing.T) {
	dsn := newDSN(t)
	w := &writeRecord{store: open(t, pgstore.Options{DSN: dsn}), db: connect(t, dsn), ids: map[int]bool{lowestID: true, createdFrom: true}}
	w.db.SetMaxOpenConns(1) // pg_terminate_backend must not end it
	load(t, w.store, `{"events":[`+fmt.Sprintf(event, lowestID, `"lowest"`)+","+fmt.Sprintf(event, createdFrom, `"first"`)+`]}`)
	w.acknowledged.Store(2)
	seed := setting(t, "BACKLIST_POSTGRES_SEED", uint64(time.Now().UnixNano()))
	t.Logf("BACKLIST_POSTGRES_SEED=%d", seed)

	const writers, readers = 4, 2
	done := make(chan struct{})
	errs := make(chan error, writers+readers)
	var writing, reading sync.WaitGroup
	for i := range writers {
		writing.Go(func() { errs <- w.write(t.Context(), newGenerator(seed+uint64(i)), i) })
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

// write writes in all ways and ends connections.
func (w *writeRecord) write(ctx context.Context, g generator, writer int) error {
	for n := range 150 {
		if g.oneIn(25) {
			if err := w.terminate(ctx); err != nil {
				return err
			}
		}
		if err := w.once(ctx, g, 2+writer+10*n); err != nil {
			return fmt.Errorf("writer %d, write %d: %w", writer, n, err)
		}
	}
	return nil
}

// once performs one write, sometimes with a short timeout. No other writer uses id.
func (w *writeRecord) once(ctx context.Context, g generator, id int) error {
	if g.oneIn(4) {
		limited, cancel := context.WithTimeout(ctx, time.Duration(g.IntN(4_000))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	switch g.IntN(4) {
	case 0:
		return w.insert(ctx, id)
	case 1:
		return w.insertConflict(ctx, g)
	}
	return w.create(ctx)
}

// terminate ends a random connection.
func (w *writeRecord) terminate(ctx context.Context) error {
	_, err := w.db.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1`)
	return err
}

// create posts an event.
func (w *writeRecord) create(ctx context.Context) error {
	const body = `{"name":"n","slug":"s","startDate":"2026-05-01T18:00:00Z","endDate":"2026-05-01T18:00:00Z"}`
	record, err := collectionOf(w.store, "events").Create(ctx, []byte(body), schema.Record{})
	if err != nil {
		return w.failed(ctx, err)
	}
	r, err := schema.ParseRecord(record)
	if err != nil {
		return err
	}
	return w.stored(r.ID)
}

// insert inserts an event with an unused id.
func (w *writeRecord) insert(ctx context.Context, id int) error {
	if err := w.store.Insert(ctx, "events", fmt.Appendf(nil, event, id, `"inserted"`)); err != nil {
		return w.failed(ctx, err)
	}
	return w.stored(id)
}

// insertConflict inserts an event with an id in use, which must fail.
func (w *writeRecord) insertConflict(ctx context.Context, g generator) error {
	w.mu.Lock()
	id := pick(g, slices.Sorted(maps.Keys(w.ids)))
	w.mu.Unlock()
	err := w.store.Insert(ctx, "events", fmt.Appendf(nil, event, id, `"taken"`))
	if errors.Is(err, httpapi.ErrConflict) {
		return nil
	}
	if err == nil {
		return fmt.Errorf("id %d was assigned twice", id)
	}
	return w.interrupted(ctx, err)
}

// stored records an acknowledged write.
func (w *writeRecord) stored(id int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ids[id] {
		return fmt.Errorf("id %d was assigned twice", id)
	}
	w.ids[id] = true
	w.acknowledged.Add(1)
	return nil
}

// failed records a write with an unknown outcome.
func (w *writeRecord) failed(ctx context.Context, err error) error {
	w.mu.Lock()
	w.unknown++
	w.mu.Unlock()
	return w.interrupted(ctx, err)
}

// interrupted returns err unless a context or a connection has ended.
func (w *writeRecord) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) || errors.Is(err, httpapi.ErrUnavailable) {
		return nil
	}
	return err
}

// read reads all records repeatedly until the writers are done.
func (w *writeRecord) read(ctx context.Context, done <-chan struct{}) error {
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
			return fmt.Errorf("reader: %w", err)
		}
		if count != len(ids) || count < least {
			return fmt.Errorf("count = %d with %d records, %d acknowledged", count, len(ids), least)
		}
		if last := ids[count-1]; last != lowestID { // the page contains a later record instead
			return fmt.Errorf("last of %d ids = %d, want %d", count, last, lowestID)
		}
	}
}

// page returns all ids, the greatest first, and the count.
func (w *writeRecord) page(ctx context.Context) (count int, ids []int, err error) {
	byID := []ordering.Term{ordering.Desc("id")}
	count, records, err := pageOf(ctx, collectionOf(w.store, "events"), pagination.Window{Limit: 1 << 20}, byID...)
	for _, record := range records {
		r, err := schema.ParseRecord(record)
		if err != nil {
			return 0, nil, err
		}
		ids = append(ids, r.ID)
	}
	return count, ids, err
}

// check compares the stored records with the acknowledged ones.
func (w *writeRecord) check(t *testing.T) {
	// Interrupted transactions may still commit. They have locked the collection, so a
	// successful write comes after them.
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
		t.Errorf("count = %d with %d records; %d acknowledged, %d unknown", count, len(ids), len(w.ids), w.unknown)
	}
	slices.Reverse(ids)
	for id := range w.ids {
		if _, found := slices.BinarySearch(ids, id); !found {
			t.Errorf("acknowledged id %d is missing", id)
		}
	}
	start, _ := slices.BinarySearch(ids, createdFrom)
	for i, id := range ids[start:] {
		if id != createdFrom+i {
			t.Fatalf("id after %d = %d, want the next one", createdFrom+i-1, id)
		}
	}
	t.Logf("%d records, %d writes with an unknown outcome", count, w.unknown)
	if w.unknown == 0 {
		t.Error("nothing was interrupted")
	}
}
