package main

import (
	"context"
	"io/fs"
	"log"
	"os"
	"time"
)

// pollInterval is the time between two looks at a watched file.
const pollInterval = 250 * time.Millisecond

// A watch loads a file when it changes.
type watch struct {
	path   string
	loaded fs.FileInfo // of the file as it was loaded or refused; nil if there was none
}

// newWatch returns a watch of a file that is loaded after the call.
func newWatch(path string) *watch {
	info, _ := os.Stat(path)
	return &watch{path, info}
}

// run loads the file into the house when it has changed and then stayed as it is for an
// interval, so that a file is seldom read while it is written. It returns when ctx is done.
func (w *watch) run(ctx context.Context, h *house, errorLog *log.Logger) {
	ticks := time.NewTicker(pollInterval)
	defer ticks.Stop()
	for before := w.loaded; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		info, _ := os.Stat(w.path)
		settled := same(before, info)
		before = info
		if !settled || same(w.loaded, info) {
			continue
		}
		w.loaded = info
		if err := w.load(h); err != nil {
			errorLog.Printf("-watch: %v; the records have not changed", err)
			continue
		}
		errorLog.Printf("-watch: loaded %s", w.path)
	}
}

// load replaces the records of the house by those of the file, or by none of them.
func (w *watch) load(h *house) error {
	records, err := newCatalogue()
	if err != nil {
		return err
	}
	if err := records.LoadFile(w.path); err != nil {
		return err
	}
	return h.reload(records)
}

// same reports whether a file is probably unchanged.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
