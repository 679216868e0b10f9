package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// All returns an iterator over the records of a collection, ordered by id, as the JSON
// received. It yields the records of a page after verifying that the page continues
// the one before. On the first error it yields a nil record and the error, and stops.
// The collection is known to be complete only after the iteration has ended without
// an error.
//
// The error wraps [catalogue.ErrUnknownCollection], the error of ctx, which is observed
// while waiting and while reading, or one of the errors of this package. The text of an error
// about a page has the collection, the number of records before it, and the URL of the page.
// Each iteration starts again from the first record. It requests (n-1)/(page size-1) pages and
// holds one at a time.
func (c *Client) All(ctx context.Context, key string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for records, err := range c.pages(ctx, key) {
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

// list returns the URL of a collection.
func (c *Client) list(ctx context.Context, key string) (string, error) {
	s, err := c.service(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(s, func(c collection) bool { return c.key == key })
	if i < 0 {
		return "", fmt.Errorf("client: %w: %q: %s", catalogue.ErrUnknownCollection, key, ordering.Suggest(key, s.keys()))
	}
	return c.base + c.opts.Root + s[i].segment + "/", nil
}

// pages yields the new records of each page of a walk.
func (c *Client) pages(ctx context.Context, key string) iter.Seq2[[]record, error] {
	return func(yield func([]record, error) bool) {
		list, err := c.list(ctx, key)
		if err != nil {
			yield(nil, err)
			return
		}
		p := proof{limit: c.opts.PageSize}
		for more := true; more; more = p.more() {
			url := list + p.query()
			records, err := c.page(ctx, url, &p)
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
func (c *Client) page(ctx context.Context, url string, p *proof) ([]record, error) {
	body, err := c.get(ctx, url)
	if err != nil {
		return nil, err
	}
	got, err := parsePage(body)
	if err != nil {
		return nil, err
	}
	got.name = url
	return p.take(got)
}

// query returns the query of the next page.
func (p *proof) query() string {
	q := "?limit=" + strconv.Itoa(p.limit) // sorted by name, as in links
	if offset := p.offset(); offset > 0 {
		q += "&offset=" + strconv.Itoa(offset)
	}
	return q + "&ordering=id"
}

// page is one page of a list.
type page struct {
	name           string // URL, for errors
	count          int
	next, previous string
	records        []record
}

// record is a record as received.
type record struct {
	id   int
	json []byte
}

var errNoID = errors.New("no id")

// parsePage parses the body of a response.
func parsePage(body []byte) (page, error) {
	var envelope pagination.Envelope[json.RawMessage]
	if err := json.Unmarshal(body, &envelope); err != nil {
		return page{}, fmt.Errorf("%w: %w", ErrInvalidPage, cmp.Or(schema.CheckSyntax(body), err))
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		return page{}, fmt.Errorf("%w: null", ErrInvalidPage)
	}
	p := page{count: envelope.Count, next: envelope.Next, previous: envelope.Previous}
	for i, text := range envelope.Records {
		r, err := schema.ParseRecord(text)
		if err == nil && r.ID == 0 {
			err = errNoID
		}
		if err != nil {
			return page{}, fmt.Errorf("%w: record %d: %w", ErrInvalidPage, i, err)
		}
		p.records = append(p.records, record{r.ID, text})
	}
	return p, nil
}

// pageURL is the parsed URL of a page.
type pageURL struct {
	list   string // the URL without limit, offset and format
	window pagination.Window
}

var errNotAbsolute = errors.New("want an absolute URL without user")

// parsePageURL parses the URL of a page as the service does.
func parsePageURL(raw string) (pageURL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return pageURL{}, err
	}
	if u.Scheme == "" || u.Host == "" || u.User != nil {
		return pageURL{}, errNotAbsolute
	}
	query, others := pagination.ParseQuery(u.RawQuery), url.Values{}
	for name, value := range query.All() {
		if name != "limit" && name != "offset" && name != "format" {
			others.Add(name, value)
		}
	}
	return pageURL{
		list:   u.Scheme + "://" + host(u) + u.EscapedPath() + "?" + others.Encode(),
		window: pagination.Limits{Max: -1}.Window(query),
	}, nil
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
	limit int // page size, as requested or as reduced by the service
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
		return fmt.Errorf("%w: changed: the count changed from %d to %d", ErrInconsistent, p.count, got.count)
	}
	return nil
}

// joined checks that the first record is the last one of the page before.
func (p *proof) joined(got page) error {
	if p.pages == 0 {
		return nil
	}
	if len(got.records) == 0 {
		return fmt.Errorf("%w: gap: the page is empty, but %d records are to come", ErrInconsistent, p.count-p.seen)
	}
	switch id := got.records[0].id; {
	case id > p.last:
		return fmt.Errorf("%w: gap: record %d in place of %d: there are fewer records before it", ErrInconsistent, id, p.last)
	case id < p.last:
		return fmt.Errorf("%w: duplicate: record %d in place of %d: there are more records before it", ErrInconsistent, id, p.last)
	}
	return nil
}

func (p *proof) ordered(got page) error {
	for i, r := range got.records[min(1, len(got.records)):] {
		switch before := got.records[i].id; {
		case r.id == before:
			return fmt.Errorf("%w: duplicate: record %d", ErrInconsistent, r.id)
		case r.id < before:
			return fmt.Errorf("%w: not ordered by id: record %d after %d", ErrInconsistent, r.id, before)
		}
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
func link(url string) (*pageURL, error) {
	if url == "" {
		return nil, nil
	}
	q, err := parsePageURL(url)
	if err != nil {
		return nil, fmt.Errorf("%w: %.200q", ErrInvalidPage, url)
	}
	return &q, nil
}
