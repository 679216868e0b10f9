package client

import (
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/pagination"
)

// proof is what a walk over a live service has shown so far.
type proof struct {
	limit int // of a page: as asked for, or what the service makes of it
	most  int // records that may be
	pages int
	count int // what the first page says
	seen  int // records
	last  int // id of the last of them
}

// offset is that of the next page: it begins with the last record seen.
func (p *proof) offset() int { return max(p.seen-1, 0) }

// more says whether there are more pages to ask for. Each but the last is full, so
// has a new record at least.
func (p *proof) more() bool { return p.seen < p.count }

// misplaced is an error of take whose place is not the number of records seen.
type misplaced struct {
	offset int
	error
}

func (m misplaced) Unwrap() error { return m.error }

// locate says of an error of take where it is.
func (p *proof) locate(key, url string, err error) error {
	offset := p.seen
	var m misplaced
	if errors.As(err, &m) {
		offset, err = m.offset, m.error
	}
	return &PageError{Collection: key, Offset: offset, Page: url, Err: err}
}

// take gives the records of the next page that are new, if it continues the walk.
func (p *proof) take(answer page) ([]record, error) {
	next, err := link(answer.next)
	if err != nil {
		return nil, err
	}
	previous, err := link(answer.previous)
	if err != nil {
		return nil, err
	}
	if p.pages == 0 {
		p.begin(answer, next)
	}
	for _, check := range []func(page) error{p.counted, p.joined, p.ordered, p.full} {
		if err := check(answer); err != nil {
			return nil, err
		}
	}
	if err := p.linked(answer, next, previous); err != nil {
		return nil, err
	}
	fresh := answer.records[min(p.pages, 1):]
	p.pages++
	p.seen += len(fresh)
	if len(fresh) > 0 {
		p.last = fresh[len(fresh)-1].id
	}
	return fresh, nil
}

// begin takes from the first page what the others have to agree with. The service
// may have made the page smaller: then the next begins where this one ends.
func (p *proof) begin(answer page, next *question) {
	p.count = answer.count
	if next != nil && next.window.Limit == len(answer.records) && 1 < len(answer.records) && len(answer.records) < p.limit {
		p.limit = len(answer.records)
	}
}

func (p *proof) counted(answer page) error {
	if answer.count != p.count {
		return fmt.Errorf("%w: the count was %d and is %d", ErrChanged, p.count, answer.count)
	}
	if p.count > p.most {
		return fmt.Errorf("%w: %d, and no more than %d are taken", ErrTooMany, p.count, p.most)
	}
	return nil
}

// joined wants the first record to be the last of the page before.
func (p *proof) joined(answer page) error {
	if p.pages == 0 {
		return nil
	}
	if len(answer.records) == 0 {
		return fmt.Errorf("%w: the page is empty, and %d records are to come", ErrGap, p.count-p.seen)
	}
	switch id := answer.records[0].id; {
	case id > p.last:
		return misplaced{p.offset(), fmt.Errorf("%w: record %d stands where %d stood: what is before it has become less", ErrGap, id, p.last)}
	case id < p.last:
		return misplaced{p.offset(), fmt.Errorf("%w: record %d stands where %d stood: what is before it has become more", ErrRepeat, id, p.last)}
	}
	return nil
}

func (p *proof) ordered(answer page) error {
	for i, r := range answer.records[min(1, len(answer.records)):] {
		before, offset := answer.records[i].id, p.offset()+i+1
		switch {
		case r.id == before:
			return misplaced{offset, fmt.Errorf("%w: record %d", ErrRepeat, r.id)}
		case r.id < before:
			return misplaced{offset, fmt.Errorf("%w: record %d behind %d, and the order is by id", ErrOrder, r.id, before)}
		}
	}
	return nil
}

// full wants as many records as were asked for, or are left.
func (p *proof) full(answer page) error {
	want := min(p.limit, p.count-p.offset())
	switch n := len(answer.records); {
	case n < want:
		return misplaced{p.offset() + n, fmt.Errorf("%w: %d records on a page of %d", ErrGap, n, want)}
	case n > p.limit:
		return fmt.Errorf("%w: %d records on a page of %d", ErrAnswer, n, want)
	case n > want:
		return misplaced{p.offset() + want, fmt.Errorf("%w: %d records, and the count is %d", ErrChanged, p.offset()+n, p.count)}
	}
	return nil
}

// linked wants next and previous to lead to the neighbours of the page and nowhere
// else.
func (p *proof) linked(answer page, next, previous *question) error {
	asked, err := parseQuestion(answer.name)
	if err != nil {
		return err
	}
	at := func(offset int) *question {
		return &question{asked.list, pagination.Window{Limit: p.limit, Offset: offset}}
	}
	begin, end := p.offset(), p.offset()+len(answer.records)
	var before, behind *question
	if begin > 0 {
		before = at(max(begin-p.limit, 0))
	}
	if end < p.count {
		behind = at(end)
	}
	switch {
	case behind != nil && next == nil:
		return misplaced{end, fmt.Errorf("%w: next is null, and %d records are to come", ErrGap, p.count-end)}
	case !same(next, behind):
		return fmt.Errorf("%w: next is %.200q", ErrLink, answer.next)
	case !same(previous, before):
		return fmt.Errorf("%w: previous is %.200q", ErrLink, answer.previous)
	}
	return nil
}

// same compares links that have been taken apart.
func same(a, b *question) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// link takes a link apart; none is nil.
func link(url string) (*question, error) {
	if url == "" {
		return nil, nil
	}
	q, err := parseQuestion(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %.200q", ErrLink, url)
	}
	return &q, nil
}
