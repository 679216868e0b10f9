package store

import (
	"bytes"
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

// all returns all entries, in the order of a sequence.
func (s *State) all(x sequence, desc bool) selection {
	return selection{state: s, sequence: x, desc: desc, spans: []span{{0, x.len()}}, count: x.len()}
}

// between is the number of entries that are filtered or compared between two checks of
// the context.
const between = 256

// walk returns the entries of a plan that satisfy its filters. If only the first is
// wanted, one in order suffices.
func (p plan) walk(ctx context.Context) (selection, error) {
	f := p.selection
	f.list, f.count = true, 0
	fields := p.state.schema.fieldsOf(p.filters)
	err, seen := ctx.Err(), 0
	p.scan(func(e *Entry) bool {
		if seen++; seen%between == 0 {
			err = ctx.Err()
		}
		if err != nil || !satisfies(e, fields, p.filters) || p.match != nil && !p.match(e) {
			return err == nil
		}
		if f.count++; p.want != wantCount {
			f.entries = append(f.entries, e)
		}
		return p.want != wantFirst || p.unsorted
	})
	return f, err
}

// satisfies reports whether an entry satisfies the conditions of an order.
func (s *State) satisfies(o order, e *Entry) bool {
	return satisfies(e, s.schema.fieldsOf(o.where), o.where) && (o.match == nil || o.match(e))
}

func satisfies(e *Entry, fields []Field, filters []Condition) bool {
	for i, c := range filters {
		if !ordering.InRanges(c.Ranges, fields[i].Key(e)) {
			return false
		}
	}
	return true
}

// page returns the entries in a window. The error is ctx.Err().
func (f *selection) page(ctx context.Context, w pagination.Window) ([]*Entry, error) {
	if !f.list {
		return pageAt(f.sequence, f.spans, f.desc, f.count, w), nil
	}
	start, end := w.Bounds(f.count)
	if start >= end {
		return nil, nil
	}
	if err := f.arrange(ctx); err != nil {
		return nil, err
	}
	return slices.Clone(f.entries[start:end]), nil
}

// fewEntries is the largest number of entries that are sorted without a slot. Their keys
// take at most fewEntries*maxPerRecord bytes.
const fewEntries = 1000

// arrange sorts the entries if they are not in order. The error is ctx.Err().
func (f *selection) arrange(ctx context.Context) error {
	if !f.unsorted {
		return nil
	}
	if len(f.terms) > 0 && len(f.entries) > fewEntries {
		release, err := f.state.slots.take(ctx, f.terms)
		if err != nil {
			return err
		}
		defer release()
	}
	sorted := f.state.schema.sort(f.entries, f.terms, func() bool { return ctx.Err() != nil })
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.desc {
		slices.Reverse(sorted)
	}
	f.entries, f.unsorted = sorted, false
	return nil
}

// runAt returns the offset and the number of the entries of a span in a sequence that is
// read in the direction desc. The numbers of spans are in that direction, too.
func runAt(x sequence, spans []span, desc bool, i int) (offset, n int) {
	if !desc {
		return spans[i].start, spans[i].end - spans[i].start
	}
	sp := spans[len(spans)-1-i]
	return x.len() - sp.end, sp.end - sp.start
}

// pageAt returns the entries in a window of the n entries of a sequence at the positions in
// spans.
func pageAt(x sequence, spans []span, desc bool, n int, w pagination.Window) []*Entry {
	start, end := w.Bounds(n)
	if start >= end {
		return nil
	}
	entries := make([]*Entry, 0, end-start)
	for i := 0; start < end; i++ {
		from, size := runAt(x, spans, desc, i)
		if m := min(end, size) - start; m > 0 {
			entries = x.page(entries, from+start, m, desc)
		}
		start, end = max(start-size, 0), end-size
	}
	return entries
}

// scan yields all entries, which must be in order. The state must be frozen.
func (f *selection) scan(yield func(*Entry) bool) {
	const chunk = 256
	switch {
	case f.list:
		for _, e := range f.entries {
			if !yield(e) {
				return
			}
		}
		return
	case f.count == f.sequence.len():
		f.sequence.scan(f.desc, yield)
		return
	}
	buf := make([]*Entry, 0, min(chunk, f.count))
	for i := range f.spans {
		from, n := runAt(f.sequence, f.spans, f.desc, i)
		for at := 0; at < n; at += chunk {
			for _, e := range f.sequence.page(buf, from+at, min(chunk, n-at), f.desc) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// position returns the number of entries of the sequence before e, or -1 if e is not
// selected.
func (f *selection) position(e *Entry) int {
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

// countBefore returns the number of the entries before e, which is one of them, once they
// are sorted. It does not sort them. The error is ctx.Err().
func (f *selection) countBefore(ctx context.Context, e *Entry) (n int, err error) {
	fields := f.state.schema.resolve(f.terms)
	own := appendKeys(nil, e, fields, f.terms)
	var buf []byte
	for i, other := range f.entries {
		if i%between == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		buf = appendKeys(buf[:0], other, fields, f.terms)
		if c := bytes.Compare(buf, own); c < 0 || c == 0 && other.ID < e.ID {
			n++
		}
	}
	if f.desc {
		n = f.count - 1 - n
	}
	return n, nil
}
