package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// TestSaveCanceled checks that a failed save changes no file and leaves none.
func TestSaveCanceled(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{Primary: "host=/nonexistent"})
	must(t, err)
	defer store.Close()
	dir := t.TempDir()
	name := filepath.Join(dir, "house.json")
	must(t, os.WriteFile(name, []byte("old content"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := saveFile(ctx, store, name); !errors.Is(err, context.Canceled) {
		t.Errorf("saveFile = %v, want %v", err, context.Canceled)
	}
	got, err := os.ReadFile(name)
	must(t, err)
	if string(got) != "old content" {
		t.Errorf("content of the file = %q", got)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files, want 1", len(entries))
	}
}
