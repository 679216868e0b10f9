package recipes

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// TestCache writes while the cache makes values: of the records that it lists, and of a change, until
// the history no longer has the next one. Two accounts exchange their names in one batch.
func TestCache(t *testing.T) {
	accounts, err := catalogue.NewCollection[Account](catalogue.Options{History: 2})
	if err != nil {
		t.Fatal(err)
	}
	insert := func(names ...string) {
		for _, name := range names {
			if _, err := accounts.Insert(Account{Name: name}); err != nil {
				t.Error(err)
			}
		}
	}
	meanwhile := make(chan func(), 1)
	cache := Cache[Account, string, int]{
		Key: func(a Account) string { return a.Name },
		Make: func(a Account) int {
			select {
			case write := <-meanwhile:
				write()
			default:
			}
			return a.ID
		},
	}
	waitFor := func(what string, want map[string]int) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
			cache.mu.RLock()
			got := maps.Clone(cache.values)
			cache.mu.RUnlock()
			if maps.Equal(got, want) {
				return
			} else if time.Now().After(end) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	insert("Ann")
	meanwhile <- func() { insert("Bob") }
	go func() { ended <- cache.Follow(ctx, accounts) }()
	waitFor("written after the list", map[string]int{"Ann": 1, "Bob": 2})

	if err := accounts.Batch(func(tx *catalogue.Tx[Account]) error {
		_, err1 := tx.Upsert(Account{ID: 1, Name: "Bob"})
		_, err2 := tx.Upsert(Account{ID: 2, Name: "Ann"})
		return errors.Join(err1, err2)
	}); err != nil {
		t.Fatal(err)
	}
	waitFor("exchanged", map[string]int{"Ann": 2, "Bob": 1})

	meanwhile <- func() { insert("Cid", "Dora", "Eve") }
	if err := accounts.Delete(1); err != nil {
		t.Fatal(err)
	}
	insert("Fay")
	waitFor("behind the history", map[string]int{"Ann": 2, "Fay": 3, "Cid": 4, "Dora": 5, "Eve": 6})
	if id, ok := cache.Get("Eve"); id != 6 || !ok {
		t.Errorf("Get: %d, %t, want 6", id, ok)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow: %v, want context.Canceled", err)
	}
}
