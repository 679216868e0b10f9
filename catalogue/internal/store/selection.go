package store

import (
	"context"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A selection is the entries of a state that satisfy conditions. If list is set, they
// are in entries. Otherwise they are those of sequence at some positions.
type selection struct {
	state    *State
	sequence sequence
	spans    []span // ascending
	desc     bool
	list     bool
	entries  []*Entry
	unsorted bool            // the entries are still to be sorted by terms
	terms    []ordering.Term // canonical
	count    int
}

// A span is the positions of consecutive entries of a sequence.
type span struct{ start, end int }

// walk returns the entries of a plan that satisfy its filters. If first is set, one in
// order suffices.
func (p plan) walk(ctx context.Context, first bool) (selection, error) {
	const chunk = 256
	f := p.selection
	f.list, f.count = true, 0
	buf := make([]*Entry, 0, min(chunk, p.count))
	fields := make([]Field, len(p.filters))
	for i, c := range p.filters {
		fields[i], _ = p.state.schema.Field(c.Field)
	}
	for at := 0; at < p.count; at += chunk {
		if err := ctx.Err(); err != nil {
			return selection{}, err
		}
		buf = p.appendEntries(buf[:0], at, min(chunk, p.count-at))
		for _, e := range buf {
			if !satisfies(e, fields, p.filters) || p.match != nil && !p.match(e) {
				continue
			}
			if f.count++; !p.counting {
				f.entries = append(f.entries, e)
			}
			if first && !p.unsorted {
				return f, nil
			}
		}
	}
	return f, nil
}

func satisfies(e *Entry, fields []Field, filters []Condition) bool {
	for i, c := range filters {
		k := fields[i].Key(e)
		if !slices.ContainsFunc(c.Ranges, func(r ordering.Range) bool { return r.Contains(k) }) {
			return false
		}
	}
	return true
}

// page returns the entries in a window. The error is ctx.Err().
func (f *selection) page(ctx context.Context, w pagination.Window) ([]*Entry, error) {
	start, end := w.Bounds(f.count)
	switch {
	case start >= end:
		return nil, nil
	case !f.list:
		return f.appendEntries(make([]*Entry, 0, end-start), start, end-start), nil
	}
	if err := f.arrange(ctx); err != nil {
		return nil, err
	}
	return slices.Clone(f.entries[start:end]), nil
}

// arrange sorts the entries if they are not in order. The error is ctx.Err().
func (f *selection) arrange(ctx context.Context) error {
	if !f.unsorted {
		return nil
	}
	stopped := func() bool { return ctx.Err() != nil }
	sorted, _ := newIndex(f.state.schema.resolve(f.terms), f.terms).sort(f.entries, -1, stopped)
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.desc {
		slices.Reverse(sorted)
	}
	f.entries, f.unsorted = sorted, false
	return nil
}

// appendEntries appends n entries of the sequence, after the first offset of the
// selection.
func (f *selection) appendEntries(dst []*Entry, offset, n int) []*Entry {
	return appendSpans(dst, f.sequence, f.spans, f.desc, offset, n)
}

// appendSpans appends n of the entries at the positions in spans, after the first offset
// of them.
func appendSpans(dst []*Entry, x sequence, spans []span, desc bool, offset, n int) []*Entry {
	for i := range spans {
		sp := spans[i]
		if desc {
			sp = spans[len(spans)-1-i]
		}
		size := sp.end - sp.start
		if offset >= size {
			offset -= size
			continue
		}
		m := min(n, size-offset)
		from := sp.start + offset
		if desc {
			from = x.len() - sp.end + offset
		}
		dst = x.page(dst, from, m, desc)
		if n -= m; n == 0 {
			break
		}
		offset = 0
	}
	return dst
}

// scan yields all entries, which must be in order. The state must be frozen.
func (f selection) scan(yield func(*Entry) bool) {
	const chunk = 128
	var room [chunk]*Entry
	for at := 0; at < f.count; at += chunk {
		n := min(chunk, f.count-at)
		entries := room[:0]
		if f.list {
			entries = f.entries[at : at+n]
		} else {
			entries = f.appendEntries(entries, at, n)
		}
		for _, e := range entries {
			if !yield(e) {
				return
			}
		}
	}
}

// position returns the number of entries before e, or -1 if e is not selected. The
// entries must be in order.
func (f *selection) position(e *Entry) int {
	if f.list {
		return slices.Index(f.entries, e)
	}
	at, before := f.sequence.position(e), 0
	for _, sp := range f.spans {
		if sp.start <= at && at < sp.end {
			before += at - sp.start
			if f.desc {
				before = f.count - 1 - before
			}
			return before
		}
		before += sp.end - sp.start
	}
	return -1
}
