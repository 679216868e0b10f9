package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// interval is how often the file is looked at.
const interval = time.Second

// follow serves the file again when it has changed, and says so on output, until ctx is done. A file that
// cannot be served changes nothing. Neither does one beside records that requests have written, if they are to
// be saved: they are in a file beside it at the end.
func (p *program) follow(ctx context.Context, root string, output io.Writer) {
	for seen := p.current.Load().stamp; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(interval):
		}
		now := p.stamp()
		if now == seen || now == "" { // without a file, an editor may be replacing it
			continue
		}
		seen = now
		from, err := p.readFile()
		if err == nil && p.save != "" && p.written() {
			err = errors.New(p.file + " and the records have changed: it is not read again")
		}
		if err == nil {
			err = p.serve(from)
		}
		if err != nil {
			fmt.Fprintf(output, "%v: what was served before still is\n", err)
			continue
		}
		fmt.Fprintf(output, "%s has changed.\n%s", p.file, from.read.Found(root))
	}
}

// stamp returns a text that changes when the file does, or "" if the file does not exist.
func (p *program) stamp() string {
	about, err := os.Stat(p.file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(about.Size(), about.ModTime().UnixNano())
}

// written reports whether requests have changed the records since the last reset.
func (p *program) written() bool {
	s := p.current.Load()
	for key, c := range s.records.All() {
		before, err := s.start.Collection(key)
		if err != nil || before.Revision() != c.Revision() {
			return true
		}
	}
	return false
}
