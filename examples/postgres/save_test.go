package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// A save that is broken off leaves the file of the last one, and nothing beside it.
func TestSaveBrokenOff(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{Primary: "host=/nonexistent"})
	must(t, err)
	defer store.Close()
	dir := t.TempDir()
	name := filepath.Join(dir, "house.json")
	must(t, os.WriteFile(name, []byte("the last"), 0o600))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := saveFile(ended, store, name); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	got, err := os.ReadFile(name)
	must(t, err)
	if string(got) != "the last" {
		t.Errorf("the file holds %q", got)
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 {
		t.Errorf("%d files are there, want 1", len(entries))
	}
}
