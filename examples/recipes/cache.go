package recipes

import (
	"context"
	"errors"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
)

// A Cache holds what a program makes of the records of a collection, by a key that no two records
// share. It is safe for concurrent use.
type Cache[T any, K comparable, V any] struct {
	Key  func(record T) K
	Make func(record T) V

	mu     sync.RWMutex
	values map[K]V
}

// Get returns the value of the record with a key.
func (c *Cache[T, K, V]) Get(key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	value, ok = c.values[key]
	return value, ok
}

// Follow makes the values of all records, and then those of each change, until the context ends. The
// changes begin at the revision of the records, so none is lost. If Follow falls behind by more
// changes than Options.History keeps, it makes all values again.
func (c *Cache[T, K, V]) Follow(ctx context.Context, records *catalogue.Collection[T]) error {
	for {
		now := records.Snapshot()
		values := make(map[K]V, now.Count())
		for r := range now.All() {
			values[c.Key(r)] = c.Make(r)
		}
		c.mu.Lock()
		c.values = values
		c.mu.Unlock()
		if err := c.watch(ctx, records, now.Revision()); !errors.Is(err, catalogue.ErrHistoryTrimmed) {
			return err
		}
	}
}

// watch applies the changes of each revision at one instant.
func (c *Cache[T, K, V]) watch(ctx context.Context, records *catalogue.Collection[T], revision uint64) error {
	var gone []K
	made := map[K]V{}
	for ch, err := range records.Changes(ctx, revision) {
		if err != nil {
			return err
		}
		if r, ok := ch.Before(); ok {
			gone = append(gone, c.Key(r))
		}
		if r, ok := ch.After(); ok {
			made[c.Key(r)] = c.Make(r)
		}
		if ch.Last {
			c.apply(gone, made)
			gone = gone[:0]
			clear(made)
		}
	}
	return nil
}

// apply removes values before it adds others, because two records can exchange their keys.
func (c *Cache[T, K, V]) apply(gone []K, made map[K]V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range gone {
		delete(c.values, key)
	}
	for key, value := range made {
		c.values[key] = value
	}
}
