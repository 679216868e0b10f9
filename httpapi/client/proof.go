package client

import (
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/pagination"
)

// proof is the state of a walk over a live service: what has been verified so far.
type proof struct {
	limit int // page size, as requested or as reduced by the service
	most  int // maximum number of records
	pages int
	count int // count of the first page
	seen  int // number of records seen
	last  int // id of the last record seen
}

// offset returns the offset of the next page, which starts with the last record seen.
func (p *proof) offset() int { return max(p.seen-1, 0) }

// more reports whether there are more pages. The walk terminates because every page
// but the last is full, and so has at least one new record.
func (p *proof) more() bool { return p.seen < p.count }

// misplaced is an error of take at an offset other than the number of records seen.
type misplaced struct {
	offset int
	error
}

func (m misplaced) Unwrap() error { return m.error }

// locate wraps an error of take in a PageError.
func (p *proof) locate(key, url string, err error) error {
	offset := p.seen
	var m misplaced
	if errors.As(err, &m) {
		offset, err = m.offset, m.error
	}
	return &PageError{Collection: key, Offset: offset, Page: url, Err: err}
}

// take verifies the next page of the walk and returns its new records.
func (p *proof) take(got page) ([]record, error) {
	next, err := link(got.next)
	if err != nil {
		return nil, err
	}
	previous, err := link(got.previous)
	if err != nil {
		return nil, err
	}
	if p.pages == 0 {
		p.begin(got, next)
	}
	for _, check := range []func(page) error{p.counted, p.joined, p.ordered, p.full} {
		if err := check(got); err != nil {
			return nil, err
		}
	}
	if err := p.linked(got, next, previous); err != nil {
		return nil, err
	}
	fresh := got.records[min(p.pages, 1):]
	p.pages++
	p.seen += len(fresh)
	if len(fresh) > 0 {
		p.last = fresh[len(fresh)-1].id
	}
	return fresh, nil
}

// begin records the count of the first page, and its size if the service reduced
// it. In that case next leads to the end of the page.
func (p *proof) begin(got page, next *pageURL) {
	p.count = got.count
	if next != nil && next.window.Limit == len(got.records) && 1 < len(got.records) && len(got.records) < p.limit {
		p.limit = len(got.records)
	}
}

func (p *proof) counted(got page) error {
	if got.count != p.count {
		return fmt.Errorf("%w: the count changed from %d to %d", ErrChanged, p.count, got.count)
	}
	if p.count > p.most {
		return fmt.Errorf("%w: %d, want at most %d", ErrTooManyRecords, p.count, p.most)
	}
	return nil
}

// joined checks that the first record is the last one of the page before.
func (p *proof) joined(got page) error {
	if p.pages == 0 {
		return nil
	}
	if len(got.records) == 0 {
		return fmt.Errorf("%w: the page is empty, but %d records are to come", ErrGap, p.count-p.seen)
	}
	switch id := got.records[0].id; {
	case id > p.last:
		return misplaced{p.offset(), fmt.Errorf("%w: record %d in place of %d: there are fewer records before it", ErrGap, id, p.last)}
	case id < p.last:
		return misplaced{p.offset(), fmt.Errorf("%w: record %d in place of %d: there are more records before it", ErrDuplicate, id, p.last)}
	}
	return nil
}

func (p *proof) ordered(got page) error {
	for i, r := range got.records[min(1, len(got.records)):] {
		before, offset := got.records[i].id, p.offset()+i+1
		switch {
		case r.id == before:
			return misplaced{offset, fmt.Errorf("%w: record %d", ErrDuplicate, r.id)}
		case r.id < before:
			return misplaced{offset, fmt.Errorf("%w: record %d after %d", ErrUnordered, r.id, before)}
		}
	}
	return nil
}

// full checks that the page has as many records as its limit, or all that are left.
func (p *proof) full(got page) error {
	want := min(p.limit, p.count-p.offset())
	switch n := len(got.records); {
	case n < want:
		return misplaced{p.offset() + n, fmt.Errorf("%w: %d records on a page of %d", ErrGap, n, want)}
	case n > p.limit:
		return fmt.Errorf("%w: %d records on a page of %d", ErrInvalidPage, n, want)
	case n > want:
		return misplaced{p.offset() + want, fmt.Errorf("%w: %d records, but the count is %d", ErrChanged, p.offset()+n, p.count)}
	}
	return nil
}

// linked checks that next and previous lead to the adjacent pages.
func (p *proof) linked(got page, next, previous *pageURL) error {
	asked, err := parsePageURL(got.name)
	if err != nil {
		return err
	}
	at := func(offset int) *pageURL {
		return &pageURL{asked.list, pagination.Window{Limit: p.limit, Offset: offset}}
	}
	begin, end := p.offset(), p.offset()+len(got.records)
	var before, after *pageURL
	if begin > 0 {
		before = at(max(begin-p.limit, 0))
	}
	if end < p.count {
		after = at(end)
	}
	switch {
	case after != nil && next == nil:
		return misplaced{end, fmt.Errorf("%w: next is null, but %d records are to come", ErrGap, p.count-end)}
	case !same(next, after):
		return fmt.Errorf("%w: next is %.200q", ErrInvalidLink, got.next)
	case !same(previous, before):
		return fmt.Errorf("%w: previous is %.200q", ErrInvalidLink, got.previous)
	}
	return nil
}

// same reports whether two links are equal or both nil.
func same(a, b *pageURL) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// link parses a link. It returns nil if url is empty.
func link(url string) (*pageURL, error) {
	if url == "" {
		return nil, nil
	}
	q, err := parsePageURL(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %.200q", ErrInvalidLink, url)
	}
	return &q, nil
}
