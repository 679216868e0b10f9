package etcdstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Load replaces collections like [catalogue.Catalogue.Load]. All stores see the new
// records at one instant, when they have read all records again. If other writes come in
// between, nothing changes and the error wraps [httpapi.ErrConflict]. The records before
// and after are in etcd at the same time. If the process ends during Load, the keys that
// it wrote remain; no Store reads them. O(n) for all records of the house.
func (s *Store) Load(ctx context.Context, r io.Reader) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	d := s.newDraft()
	if err := d.cat.Load(r, catalogue.LoadOptions{}); err != nil {
		return err
	}
	generation := rand.Text()[:8]
	stored, err := d.storeAll(ctx, generation)
	if err != nil {
		err = notStored(err)
	} else if stored {
		if stored, err = d.switchTo(ctx, generation); err != nil {
			err = refused(err)
		}
	}
	if err == nil && !stored {
		err = fmt.Errorf("%w: other writes came in between", httpapi.ErrConflict)
	}
	err = withContext(ctx, err)
	// A generation that is no longer needed: the new one if it may not be in use, and
	// otherwise the one before.
	ctx = context.WithoutCancel(ctx)
	switch {
	case stored:
		if err = s.remove(ctx, d.generation); err != nil {
			err = fmt.Errorf("etcdstore: the records are loaded, but the keys of those before remain: %w", err)
		}
	case !errors.Is(err, errUnknownOutcome):
		err = errors.Join(err, d.discard(ctx, generation))
	}
	return err
}

// Save writes all records in the form that [Store.Load] reads, each collection at one
// instant after the call.
func (s *Store) Save(ctx context.Context, w io.Writer) error {
	if err := s.catchUp(ctx); err != nil {
		return withContext(ctx, err)
	}
	return s.replica.Load().cat.Save(w)
}

// remove deletes all keys of a generation.
func (s *Store) remove(ctx context.Context, generation string) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	_, err := s.client.Delete(ctx, s.keys.generation(generation), clientv3.WithPrefix())
	if err != nil {
		return withContext(ctx, unavailable(err))
	}
	return nil
}

// discard deletes all keys of a generation that the draft has stored in part. It writes the
// version, so that transactions whose outcome is not known can no longer be stored.
func (d *draft) discard(ctx context.Context, generation string) error {
	s := d.store
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	version := s.keys.version()
	_, err := s.client.Txn(limited).
		If(clientv3.Compare(clientv3.Value(version), "=", d.generation)).
		Then(clientv3.OpPut(version, d.generation)).
		Commit()
	return errors.Join(s.remove(ctx, generation), unavailable(err))
}

// unchanged is the condition that there was no write since the draft was made.
func (d *draft) unchanged() clientv3.Cmp {
	return clientv3.Compare(clientv3.ModRevision(d.store.keys.version()), "=", d.version)
}

// switchTo makes a generation the current one, if there was no other write.
func (d *draft) switchTo(ctx context.Context, generation string) (stored bool, err error) {
	s := d.store
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	got, err := s.client.Txn(ctx).If(d.unchanged()).Then(clientv3.OpPut(s.keys.version(), generation)).Commit()
	if err != nil || !got.Succeeded {
		return false, err
	}
	_ = s.progress.wait(ctx, got.Header.Revision)
	return true, nil
}

// storeAll stores all records of the draft as a generation, if there is no other write.
func (d *draft) storeAll(ctx context.Context, generation string) (stored bool, err error) {
	keys := d.store.keys
	records, lastIDs, err := saved(d.cat)
	if err != nil {
		return false, err
	}
	var puts, ids []put
	for key := range d.cat.All() {
		for _, r := range records[key] {
			puts = append(puts, put{keys.record(generation, key, r.id), r.record})
		}
		ids = append(ids, put{keys.ids(generation, key), strconv.AppendInt(nil, int64(lastIDs[key]), 10)})
	}
	stored, err = d.putAll(ctx, puts)
	if stored {
		stored, err = d.putAll(ctx, ids) // last: no record is newer than the highest id
	}
	return stored, err
}

// A put is a key to write.
type put struct {
	key   string
	value []byte
}

// errChanged means that there was another write.
var errChanged = errors.New("etcdstore: another write")

// putAll writes keys in many transactions, if there is no other write.
func (d *draft) putAll(ctx context.Context, puts []put) (stored bool, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for len(puts) > 0 {
		var ops []clientv3.Op
		for size := 0; len(ops) < min(maxOps, len(puts)); {
			p := puts[len(ops)]
			if size += len(p.value); size > maxBytes && len(ops) > 0 {
				break
			}
			ops = append(ops, clientv3.OpPut(p.key, string(p.value)))
		}
		puts = puts[len(ops):]
		group.Go(func() error {
			limited, cancel := context.WithTimeout(ctx, d.store.opts.Timeout)
			defer cancel()
			got, err := d.store.client.Txn(limited).If(d.unchanged()).Then(ops...).Commit()
			if err == nil && !got.Succeeded {
				err = errChanged
			}
			return err
		})
	}
	err = group.Wait()
	if errors.Is(err, errChanged) {
		return false, nil
	}
	return err == nil, err
}

// saved returns the records of all collections, and the highest ids ever used.
func saved(cat *catalogue.Catalogue) (records map[string][]change, lastIDs map[string]int, err error) {
	var file bytes.Buffer
	if err := cat.Save(&file); err != nil {
		return nil, nil, err
	}
	var all map[string][]json.RawMessage
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		return nil, nil, err
	}
	records, lastIDs = map[string][]change{}, map[string]int{}
	for key, list := range all {
		for _, record := range list {
			r, err := schema.ParseRecord(record)
			if err != nil {
				return nil, nil, err
			}
			if key == "$lastIds" {
				var last struct{ Collection string }
				if err := json.Unmarshal(record, &last); err != nil {
					return nil, nil, err
				}
				lastIDs[last.Collection] = max(lastIDs[last.Collection], r.ID)
				continue
			}
			records[key] = append(records[key], change{r.ID, record})
			lastIDs[key] = max(lastIDs[key], r.ID)
		}
	}
	return records, lastIDs, nil
}

// A recordsFile writes records in the form that Catalogue.Load reads: an object with an
// array for each collection.
type recordsFile struct {
	w       io.Writer
	lastIDs map[string]int // the highest ids ever used
	current string         // the collection whose array is open, or ""
	written map[string]bool
}

// add writes a record. The records of a collection must be added one after another.
func (f *recordsFile) add(collection string, record []byte) error {
	if collection == f.current {
		_, err := fmt.Fprintf(f.w, ",%s", record)
		return err
	}
	if err := f.begin(collection); err != nil {
		return err
	}
	_, err := f.w.Write(record)
	return err
}

// begin ends the open array, if there is one, and begins that of a collection.
func (f *recordsFile) begin(collection string) error {
	separator := "],"
	if f.current == "" {
		separator = "{"
		f.written = map[string]bool{}
	}
	f.current = collection
	f.written[collection] = true
	_, err := fmt.Fprintf(f.w, "%s%q:[", separator, collection)
	return err
}

// end writes the highest ids and the end of the file.
func (f *recordsFile) end() error {
	list := []byte("[")
	for collection, id := range f.lastIDs {
		if id == 0 {
			continue
		}
		if !f.written[collection] { // Load ignores the id of a collection without an array
			if err := f.begin(collection); err != nil {
				return err
			}
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = fmt.Appendf(list, `{"collection":%q,"id":%d}`, collection, id)
	}
	if f.current == "" {
		_, err := io.WriteString(f.w, "{}")
		return err
	}
	_, err := fmt.Fprintf(f.w, `],"$lastIds":%s]}`, list)
	return err
}
