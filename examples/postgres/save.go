package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// saveFile writes all records to a file. It replaces a regular file atomically, because
// the file may be the only copy of the records. It writes to other files, such as
// /dev/stdout, directly.
func saveFile(ctx context.Context, store *pgstore.Store, name string) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(store.Save(ctx, f), f.Close())
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".backlist-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // has no effect after Rename
	if err := errors.Join(store.Save(ctx, f), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
