package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A saver writes the records of a house to a file. A nil saver writes nothing.
type saver struct {
	path  string
	house *house

	mu        sync.Mutex
	edition   *edition // that was written; nil: none
	revisions []uint64 // of its collections, at most those that were written
}

// newSaver returns a saver. If the records are those of the file, which data then names, it
// writes nothing before they change. It returns an error if the file cannot be written, or if
// it would replace records that are not those of the house.
func newSaver(path, data string, h *house) (*saver, error) {
	s := &saver{path: path, house: h}
	old, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("-save: %w", err)
	case !old.Mode().IsRegular():
		return nil, fmt.Errorf("-save: %s is not a regular file", path)
	case data == "":
		return nil, fmt.Errorf("-save: %s exists; to continue with its records, add -data %[1]s", path)
	case sameFile(path, data):
		s.edition, s.revisions = h.current.Load(), revisionsOf(h.current.Load())
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".backlist-")
	if err != nil {
		return nil, fmt.Errorf("-save: %w", err)
	}
	return s, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return filepath.Clean(a) == filepath.Clean(b)
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// run writes the file at intervals until ctx is done. Errors are logged; the next interval is
// another attempt. If every is 0, it writes nothing.
func (s *saver) run(ctx context.Context, every time.Duration, errorLog *log.Logger) {
	if every == 0 {
		return
	}
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := s.save(); err != nil {
			errorLog.Print(err)
		}
	}
}

// save writes the file if the records have changed since it was written. The file has every
// write that was answered before the call.
func (s *saver) save() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.house.current.Load()
	revisions := revisionsOf(e) // before the file, which may have later writes as well
	if s.edition == e && slices.Equal(s.revisions, revisions) {
		return nil
	}
	if err := e.records.SaveFile(s.path); err != nil {
		return fmt.Errorf("-save: %w", err)
	}
	s.edition, s.revisions = e, revisions
	return nil
}

// revisionsOf returns the revisions of the collections.
func revisionsOf(e *edition) (all []uint64) {
	for _, c := range e.records.All() {
		revision, _ := c.Revision(context.Background()) // its error is that of the context
		all = append(all, revision)
	}
	return all
}
