package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// All returns an iterator over the records of a collection, ordered by id or by their key, as the
// JSON received. It yields the records of a page after verifying that the page continues
// the one before. On the first error it yields a nil record and the error, and stops.
// The collection is known to be complete only after the iteration has ended without
// an error.
//
// The error wraps [catalogue.ErrUnknownCollection], the error of ctx, which is observed
// while waiting and while reading, or one of the errors of this package. The text of an error
// about a page has the collection, the number of records before it, and the URL of the page.
// Each iteration starts again from the first record. It requests (n-1)/(page size-1) pages, or
// n/(page size) if they do not overlap, and holds one at a time.
func (c *Client) All(ctx context.Context, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for records, err := range c.pages(ctx, key, "") {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, r := range records {
				if !yield(r.json, nil) {
					return
				}
			}
		}
	}
}

// begin returns the state of a walk over a collection before the first page. by is the member that
// identifies records, or empty if that is the id or the service knows it.
func (c *Client) begin(ctx context.Context, key, by string) (*proof, error) {
	s, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s, func(c collection) bool { return c.key == key })
	if i < 0 {
		return nil, fmt.Errorf("client: %w: %q: %s", catalogue.ErrUnknownCollection, key, ordering.Suggest(key, s.keys()))
	}
	p := &proof{by: cmp.Or(s[i].by, by), style: cmp.Or(s[i].pages, c.opts.Pages), list: c.base + c.opts.Root + s[i].segment + "/", limit: c.opts.PageSize}
	p.url = p.list + p.query()
	return p, nil
}

// pages yields the new records of each page of a walk.
func (c *Client) pages(ctx context.Context, key, by string) iter.Seq2[[]record, error] {
	return func(yield func([]record, error) bool) {
		p, err := c.begin(ctx, key, by)
		if err != nil {
			yield(nil, err)
			return
		}
		for p.url != "" {
			url := p.url
			records, err := c.page(ctx, p)
			if err != nil {
				err = fmt.Errorf("%s: offset %d: %w (%s)", key, p.seen, err, url)
			}
			if !yield(records, err) || err != nil {
				return
			}
		}
	}
}

// page requests the next page and returns its new records.
func (c *Client) page(ctx context.Context, p *proof) ([]record, error) {
	body, err := c.get(ctx, p.url)
	if err != nil {
		return nil, err
	}
	got, err := p.parsePage(body)
	if err != nil {
		return nil, err
	}
	return p.take(got)
}

// query returns the query of the next page, or of the first one by cursors.
func (p *proof) query() string {
	names := p.style.Parameters()
	place, size, at := names[0], names[1:], 0
	switch p.style.(type) {
	case pagination.Limits:
		place, size, at = names[1], names[:1], p.offset()
	case pagination.Numbers:
		at = p.seen/p.limit + 1
	}
	q := url.Values{"ordering": {cmp.Or(ordering.Snake(p.by), "id")}}
	if at > 0 {
		q.Set(place, strconv.Itoa(at))
	}
	for _, name := range size {
		q.Set(name, strconv.Itoa(p.limit))
	}
	return "?" + q.Encode()
}

// page is one page of a list.
type page struct {
	count          int
	next, previous string
	records        []record
}

// record is a record as received.
type record struct {
	id   identity
	json []byte
}

// identity is the id of a record or, if records have none, its key.
type identity struct {
	number int
	text   string
}

func (id identity) compare(other identity) int {
	return cmp.Or(cmp.Compare(id.number, other.number), cmp.Compare(id.text, other.text))
}

func (id identity) String() string {
	if id.text != "" {
		return strconv.Quote(id.text)
	}
	return strconv.Itoa(id.number)
}

var errNoID = errors.New("no id: if records have a key of text, the Catalogue must describe it")

// identify returns the identity of a record.
func (p *proof) identify(record []byte) (id identity, err error) {
	if p.by == "" {
		r, err := schema.ParseRecord(record)
		if err == nil && r.ID == 0 {
			err = errNoID
		}
		return identity{number: r.ID}, err
	}
	r, err := schema.ParseKeyed(record)
	if err != nil {
		return id, err
	}
	text, _ := r.Get(p.by)
	if json.Unmarshal([]byte(text), &id.text) != nil || id.text == "" {
		err = fmt.Errorf("its %s is not a text", p.by)
	}
	return id, err
}

// parsePage parses the body of a response.
func (p *proof) parsePage(body []byte) (page, error) {
	var envelope pagination.Envelope[json.RawMessage]
	var err error
	if p.follows() {
		var uncounted pagination.CursorPage[json.RawMessage]
		err = json.Unmarshal(body, &uncounted)
		envelope = pagination.Envelope[json.RawMessage]{Count: p.seen + len(uncounted.Records), Next: uncounted.Next, Previous: uncounted.Previous, Records: uncounted.Records}
		if envelope.Next != "" {
			envelope.Count++ // or more
		}
	} else {
		err = json.Unmarshal(body, &envelope)
	}
	if err != nil {
		return page{}, fmt.Errorf("%w: %w", ErrInvalidPage, cmp.Or(schema.CheckSyntax(body), err))
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		return page{}, fmt.Errorf("%w: null", ErrInvalidPage)
	}
	got := page{count: envelope.Count, next: envelope.Next, previous: envelope.Previous}
	for i, text := range envelope.Records {
		id, err := p.identify(text)
		if err != nil {
			return page{}, fmt.Errorf("%w: record %d: %w", ErrInvalidPage, i, err)
		}
		got.records = append(got.records, record{id, text})
	}
	return got, nil
}

// pageURL is the parsed URL of a page.
type pageURL struct {
	list   string            // the URL without the parameters of pages and format
	window pagination.Window // zero if the page begins at a cursor
}

var errNotAbsolute = errors.New("want an absolute URL without user")

// parse parses the URL of a page as the service does.
func (p *proof) parse(raw string) (pageURL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return pageURL{}, err
	}
	if u.Scheme == "" || u.Host == "" || u.User != nil {
		return pageURL{}, errNotAbsolute
	}
	query, own, others := pagination.ParseQuery(u.RawQuery), append(p.style.Parameters(), "format"), url.Values{}
	for name, value := range query.All() {
		if !slices.Contains(own, name) {
			others.Add(name, value)
		}
	}
	parsed := pageURL{list: u.Scheme + "://" + host(u) + u.EscapedPath() + "?" + others.Encode()}
	switch style := p.style.(type) {
	case pagination.Limits:
		parsed.window = pagination.Limits{Max: -1}.Window(query)
	case pagination.Numbers:
		style.Limits = pagination.Limits{Default: p.limit, Max: p.limit}
		parsed.window, _ = style.Window(query, math.MaxInt)
	}
	return parsed, nil
}

// host returns the host of u with its port, unless that is the scheme's default.
func host(u *url.URL) string {
	name := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		return strings.TrimSuffix(name, ":80")
	case "https":
		return strings.TrimSuffix(name, ":443")
	}
	return name
}

// proof is the state of a walk over a live service: what has been verified so far.
type proof struct {
	by      string // member that is the key of records, or empty if they have an id
	style   pagination.Style
	overlap int // number of records of the next page that have been seen

	list  string   // URL of the collection
	url   string   // of the next page; empty after the last one
	limit int      // page size, as requested or as determined by the service
	count int      // count of the first page; with cursors, as far as it is known
	seen  int      // number of records seen
	last  identity // of the last record seen
}

// offset returns the offset of the next page.
func (p *proof) offset() int { return p.seen - p.overlap }

// follows reports whether pages begin at cursors.
func (p *proof) follows() bool {
	_, ok := p.style.(pagination.Cursors)
	return ok
}

// take verifies the next page of the walk and returns its new records. The walk terminates
// because every page but the last is full, and so has at least one new record.
func (p *proof) take(got page) ([]record, error) {
	for _, check := range []func(page) error{p.begin, p.counted, p.joined, p.ordered, p.full, p.linked} {
		if err := check(got); err != nil {
			return nil, err
		}
	}
	fresh := got.records[p.overlap:]
	p.seen += len(fresh)
	if len(fresh) > 0 {
		p.last = fresh[len(fresh)-1].id
	}
	if _, ok := p.style.(pagination.Limits); ok {
		p.overlap = 1
	}
	p.url = got.next
	if !p.follows() && got.next != "" {
		p.url = p.list + p.query()
	}
	return fresh, nil
}

// begin records the count and the size of the first page. If a limit was reduced, next leads
// to the end of the page.
func (p *proof) begin(got page) error {
	if p.seen == 0 || p.follows() {
		p.count = got.count
	}
	next, err := p.link(got.next)
	size := len(got.records)
	if _, ok := p.style.(pagination.Limits); p.seen == 0 && size > 0 && (!ok || next != nil && next.window.Limit == size && 1 < size && size < p.limit) {
		p.limit = size
	}
	return err
}

func (p *proof) counted(got page) error {
	if got.count != p.count {
		return fmt.Errorf("%w: changed: the count changed from %d to %d", ErrInconsistent, p.count, got.count)
	}
	return nil
}

// joined checks that the first record is the last one of the page before.
func (p *proof) joined(got page) error {
	if p.overlap == 0 {
		return nil
	}
	if len(got.records) == 0 {
		return fmt.Errorf("%w: gap: the page is empty, but %d records are to come", ErrInconsistent, p.count-p.seen)
	}
	switch id := got.records[0].id; id.compare(p.last) {
	case 1:
		return fmt.Errorf("%w: gap: record %v in place of %v: there are fewer records before it", ErrInconsistent, id, p.last)
	case -1:
		return fmt.Errorf("%w: duplicate: record %v in place of %v: there are more records before it", ErrInconsistent, id, p.last)
	}
	return nil
}

func (p *proof) ordered(got page) error {
	before := p.last
	for _, r := range got.records[p.overlap:] {
		switch r.id.compare(before) {
		case 0:
			return fmt.Errorf("%w: duplicate: record %v", ErrInconsistent, r.id)
		case -1:
			return fmt.Errorf("%w: not ordered by %s: record %v after %v", ErrInconsistent, cmp.Or(p.by, "id"), r.id, before)
		}
		before = r.id
	}
	return nil
}

// full checks that the page has as many records as its limit, or all that are left.
func (p *proof) full(got page) error {
	want := min(p.limit, p.count-p.offset())
	switch n := len(got.records); {
	case n < want:
		return fmt.Errorf("%w: gap: %d records on a page of %d", ErrInconsistent, n, want)
	case n > p.limit:
		return fmt.Errorf("%w: %d records on a page of %d", ErrInvalidPage, n, want)
	case n > want:
		return fmt.Errorf("%w: changed: %d records, but the count is %d", ErrInconsistent, p.offset()+n, p.count)
	}
	return nil
}

// linked checks that next and previous lead to the adjacent pages.
func (p *proof) linked(got page) error {
	asked, _ := p.parse(p.url)  // has been requested
	next, _ := p.link(got.next) // begin has parsed it
	previous, err := p.link(got.previous)
	if err != nil {
		return err
	}
	at := func(offset int) *pageURL {
		if p.follows() {
			return &pageURL{list: asked.list}
		}
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
		return fmt.Errorf("%w: gap: next is null, but %d records are to come", ErrInconsistent, p.count-end)
	case !same(next, after):
		return fmt.Errorf("%w: next is %.200q", ErrInvalidPage, got.next)
	case !same(previous, before):
		return fmt.Errorf("%w: previous is %.200q", ErrInvalidPage, got.previous)
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
func (p *proof) link(url string) (*pageURL, error) {
	if url == "" {
		return nil, nil
	}
	q, err := p.parse(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %.200q", ErrInvalidPage, url)
	}
	return &q, nil
}
