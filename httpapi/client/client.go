// Package client reads whole collections from a running service. It verifies that no record is
// missing and that none appears twice.
//
//	films, err := catalogue.New(Directors, Films)
//	…
//	service, err := client.New(client.Options{BaseURL: "https://films.example", Root: "/v1/"})
//	…
//	for imported := range service.Import(ctx, films) {
//
// A [Client] sends only GET requests, at a rate of at most [Options.Rate]. Every record must
// have an integer id, or a key of text in its place, and the service must be able to order by it.
// Collections are read as a whole: pages that a filter or a search selects are not.
//
// # Collections
//
// The root listing of a service has the keys and the URLs of its collections. A client reads it
// before the first walk, and uses the last segments of the URLs. To read a service without a root
// listing, set [Options.Catalogue]. If records have a key in place of an id, the client needs the
// description of their collection, which names the member. It is taken from Options.Catalogue or
// from the catalogue into which [Client.Import] imports. The service must order keys by their
// bytes. What follows applies to keys as it does to ids.
//
// # Verification
//
// Each page shows the collection at one instant, but a walk over many pages does
// not: a concurrent insertion or deletion moves records across page boundaries.
// Therefore a walk requests the records ordered by id, which never changes, and
// each page after the first starts with the last record of the page before it.
// If that record is still at its offset, the number of records before it has not
// changed, and the records that follow it on the page are the next ones by id.
// So a completed walk contains every record that existed from the first request
// to the last exactly once, as it was when its page was made. The count must be
// the same on every page and must equal the number of records.
//
// A record inserted or deleted during the walk usually results in an error, from
// the count or from the overlapping record. It is not detected, and does not affect
// the result above, if as many records were inserted as deleted on the same side of
// the page boundary. Changes to fields other than the id are not detected either. A walk
// cannot tell which records existed together at one instant.
//
// Offsets are computed. The links of a page are compared with the expected ones
// and never followed.
//
// # Other pages
//
// Pages with numbers ([Options.Pages]) do not overlap. A walk counts them from 1, and checks the
// ids, the counts, the sizes and the links of all of them. It fails if the count changes, but
// does not detect that a record moved to a page before it if as many records were inserted as
// deleted between two requests.
//
// Pages by cursors have no count. A walk requests the first one and follows the next links
// to the end, if they lead to the same list with another cursor. It checks the ids. Since a
// cursor is a position in the order of ids, a completed walk contains every record that
// existed from the first request to the last exactly once, unless the service leaves one out.
package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// Options configures a [Client]. Only BaseURL is required. Negative values are invalid
// except for Rate and Retries.
type Options struct {
	// BaseURL is the part of the service's URLs before Root: an absolute http or
	// https URL without user, query or fragment. It may have a path. Trailing
	// slashes are ignored.
	BaseURL string

	// Root is the path of the root listing, below which the service has its
	// collections. It begins and ends with a slash and is clean in the sense of
	// [path.Clean], as in "/v1/" or "/". If empty, it is "/api/".
	Root string

	// Catalogue is a catalogue with the collections of the service. Only their descriptions
	// are used. If nil, the collections are read from the root listing.
	Catalogue *catalogue.Catalogue

	// HTTP sends the requests. Redirects are not followed, regardless of its
	// CheckRedirect. If nil, a client with a timeout of 30 seconds is used.
	HTTP *http.Client

	// Header is added to every request, for credentials or a User-Agent. Its names are
	// canonical, as [http.Header.Set] writes them. New copies it. The client sets Accept
	// itself.
	Header http.Header

	// Rate is the maximum number of requests per second, including retries, over
	// all walks of the client together. Zero means 5. Negative means no limit. A
	// positive rate must be at least one request per day.
	Rate float64

	// Pages is the style of the pages of the service, of which the client uses the names of
	// parameters. Descriptions of the Catalogue with another style take precedence. If nil,
	// pages have a limit and an offset.
	Pages pagination.Style

	// PageSize is the requested number of records per page. It must be at least 2,
	// because pages overlap by one record. If the service returns smaller pages, the
	// client adopts their size. Pages with numbers or cursors have any size unless Pages has
	// the name of a parameter for it. Zero means 100.
	PageSize int

	// MaxBody is the maximum size of a response body in bytes, after decompression.
	// Zero means 16 MiB.
	MaxBody int64

	// Retries is the number of times a request is repeated after a response of 429
	// or 503. The client waits as long as Retry-After demands, or 1, 2, 4, …
	// seconds without it. If it had to wait for more than a minute, the walk fails
	// immediately with [ErrUnavailable]. Other failures are not retried. Zero means 3.
	// Negative means no retries.
	Retries int
}

// maxWait is the maximum delay before a retry.
const maxWait = time.Minute

// A Client reads collections from one service. It is safe for concurrent use; all
// goroutines share its rate.
type Client struct {
	known   atomic.Pointer[service] // nil until the root listing is read
	base    string                  // without trailing slash
	http    *http.Client
	header  http.Header
	opts    Options // with defaults filled in
	pace    *pace
	retries int
}

var errInvalidOptions = errors.New("client: invalid option")

// New returns a client for a service. It sends no request. If an option is invalid,
// it returns an error that names it.
func New(opts Options) (*Client, error) {
	if err := checkBase(opts.BaseURL); err != nil {
		return nil, err
	}
	if err := opts.checkNumbers(); err != nil {
		return nil, err
	}
	if err := opts.checkRoot(); err != nil {
		return nil, err
	}
	switch opts.Pages = cmp.Or[pagination.Style](opts.Pages, pagination.Limits{}); opts.Pages.(type) {
	case pagination.Limits, pagination.Numbers, pagination.Cursors:
	default:
		return nil, fmt.Errorf("%w: Pages %T: want Limits, Numbers or Cursors of package pagination", errInvalidOptions, opts.Pages)
	}
	c := &Client{
		base:    strings.TrimRight(opts.BaseURL, "/"),
		http:    noRedirects(opts.HTTP),
		header:  opts.Header.Clone(),
		pace:    new(pace),
		retries: max(cmp.Or(opts.Retries, 3), 0),
	}
	opts.Root = cmp.Or(opts.Root, "/api/")
	if opts.Catalogue != nil {
		known := serviceOf(opts.Catalogue)
		c.known.Store(&known)
	}
	if rate := cmp.Or(opts.Rate, 5); rate > 0 {
		c.pace.every = time.Duration(float64(time.Second) / rate)
	}
	opts.PageSize = cmp.Or(opts.PageSize, 100)
	opts.MaxBody = min(cmp.Or(opts.MaxBody, 16<<20), math.MaxInt64-1) // read requests one byte more, to detect larger bodies
	c.opts = opts
	return c, nil
}

func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return fmt.Errorf("%w: BaseURL: %w", errInvalidOptions, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.ForceQuery, strings.Contains(base, "#"):
		return fmt.Errorf("%w: BaseURL %q: want an absolute http or https URL without user, query or fragment", errInvalidOptions, base)
	}
	return nil
}

// checkRoot returns an error unless package httpapi accepts the root.
func (o Options) checkRoot() error {
	if o.Root == "" || wire.IsRoot(o.Root) {
		return nil
	}
	return fmt.Errorf("%w: Root %q: want a clean path that ends in a slash, like /v1/", errInvalidOptions, o.Root)
}

func (o Options) checkNumbers() error {
	switch {
	case o.PageSize < 0 || o.PageSize == 1:
		return fmt.Errorf("%w: PageSize %d: want at least 2", errInvalidOptions, o.PageSize)
	case o.MaxBody < 0:
		return fmt.Errorf("%w: MaxBody is negative", errInvalidOptions)
	case math.IsNaN(o.Rate) || 0 < o.Rate && o.Rate*secondsOfDay < 1:
		return fmt.Errorf("%w: Rate %v: want at least one request per day", errInvalidOptions, o.Rate)
	}
	return nil
}

const secondsOfDay = 24 * 60 * 60

// noRedirects returns a copy of given that does not follow redirects.
func noRedirects(given *http.Client) *http.Client {
	c := http.Client{Timeout: 30 * time.Second}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// get requests url and returns the body of the response. It retries while the
// service is busy.
func (c *Client) get(ctx context.Context, url string) ([]byte, error) {
	for try := 0; ; try++ {
		if err := c.pace.wait(ctx); err != nil {
			return nil, err
		}
		body, busy, err := c.ask(ctx, url)
		if busy == nil {
			return body, err
		}
		delay := busy.delay(try)
		if try == c.retries || delay > maxWait {
			return nil, fmt.Errorf("%w: status %d after %d requests, next retry in %v", ErrUnavailable, busy.status, try+1, delay)
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// busy is a response of 429 or 503.
type busy struct {
	status int
	after  string // Retry-After
}

// delay returns how long to wait after the given number of retries.
func (b *busy) delay(try int) time.Duration {
	if seconds, err := strconv.ParseUint(b.after, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(b.after); err == nil {
		return max(time.Until(date), 0)
	}
	return time.Second << min(try, 30)
}

// ask sends a request once.
func (c *Client) ask(ctx context.Context, url string) (body []byte, _ *busy, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(request.Header, c.header.Clone())
	request.Header.Set("Accept", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return nil, &busy{response.StatusCode, response.Header.Get("Retry-After")}, nil
	case http.StatusOK:
		body, err = c.read(response)
		return body, nil, err
	}
	return nil, nil, fmt.Errorf("%w: status %d", ErrInvalidPage, response.StatusCode)
}

// read returns the body of a response. It checks the content type and the size.
func (c *Client) read(response *http.Response) ([]byte, error) {
	header := response.Header.Get("Content-Type")
	if kind, _, err := mime.ParseMediaType(header); err != nil || kind != "application/json" {
		return nil, fmt.Errorf("%w: content type %.200q", ErrInvalidPage, header)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, c.opts.MaxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidPage, err)
	}
	if int64(len(body)) > c.opts.MaxBody {
		return nil, fmt.Errorf("%w: body larger than %d bytes", ErrInvalidPage, c.opts.MaxBody)
	}
	return body, nil
}

// pace enforces a minimum interval between requests.
type pace struct {
	every time.Duration // zero means no limit

	mu   sync.Mutex
	next time.Time // earliest time of the next request
}

// wait blocks until the next request may be sent, or returns the error of ctx. It
// does not reserve a time in advance, so a canceled wait delays no other request.
func (p *pace) wait(ctx context.Context) error {
	if p.every <= 0 {
		return ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := p.turn()
		if d <= 0 {
			return nil
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// turn returns 0 if a request may be sent now, or else how long to wait before
// trying again.
func (p *pace) turn() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if d := p.next.Sub(now); d > 0 {
		return d
	}
	p.next = now.Add(p.every)
	return 0
}

// sleep waits for d. It returns the error of ctx as soon as ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Keys returns the keys of the collections of the service: the collections of
// [Options.Catalogue] that can be listed, in its order, or all of the root listing, in
// alphabetical order.
//
// The root listing is requested once. If that fails, the error wraps [ErrUnavailable],
// [ErrInvalidPage] if the response is not a root listing or a collection is not below the
// root, or the error of ctx or of the network. O(collections).
func (c *Client) Keys(ctx context.Context) ([]string, error) {
	s, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	return s.keys(), nil
}

// service returns the collections of the service. Goroutines that call it before the root
// listing is known may each request it.
func (c *Client) service(ctx context.Context) (service, error) {
	if known := c.known.Load(); known != nil {
		return *known, nil
	}
	url := c.base + c.opts.Root
	body, err := c.get(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("client: %s: %w", url, err)
	}
	s, err := parseRoot(body, c.opts.Root)
	if err != nil {
		return nil, fmt.Errorf("client: %s: %w", url, err)
	}
	c.known.Store(&s)
	return s, nil
}

// A service is the collections of a service.
type service []collection

type collection struct {
	key, segment string
	listed       bool             // pages are served
	by           string           // member that is the key of records, or empty if it is not known
	pages        pagination.Style // nil: that of the options
}

// serviceOf returns the collections that a catalogue describes.
func serviceOf(c *catalogue.Catalogue) (s service) {
	for _, c := range c.All() {
		d := c.Description()
		s = append(s, collection{d.Key, d.Segment, d.Actions.Has(schema.List), keyOf(d), d.Pages})
	}
	return s
}

// keyOf returns the member that is the key of records, or "" if they have an id.
func keyOf(d schema.Description) string {
	for _, f := range d.Fields {
		if f.Key {
			return f.Name
		}
	}
	return ""
}

// parseRoot returns the collections of a root listing, an object with their URLs.
func parseRoot(body []byte, root string) (s service, err error) {
	var links map[string]string
	if err := json.Unmarshal(body, &links); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalidPage, cmp.Or(schema.CheckSyntax(body), err))
	}
	if links == nil {
		return nil, fmt.Errorf("%w: null", ErrInvalidPage)
	}
	for _, key := range slices.Sorted(maps.Keys(links)) {
		segment, ok := segmentOf(links[key], root)
		if !ok {
			return nil, fmt.Errorf("%w: the URL %.200q of %s is not that of a collection below %s", ErrInvalidPage, links[key], key, root)
		}
		s = append(s, collection{key, segment, true, "", nil})
	}
	return s, nil
}

// segmentOf returns the last segment, as escaped in the URL, of a collection's URL.
func segmentOf(link, root string) (segment string, ok bool) {
	u, err := url.Parse(link)
	if err != nil {
		return "", false
	}
	escaped := strings.TrimSuffix(u.EscapedPath(), "/")
	segment = escaped[strings.LastIndexByte(escaped, '/')+1:]
	name, err := url.PathUnescape(segment)
	return segment, err == nil && name != "" && strings.HasSuffix(u.Path, root+name+"/")
}

// keys returns the keys of the collections that can be listed.
func (s service) keys() (keys []string) {
	for _, c := range s {
		if c.listed {
			keys = append(keys, c.key)
		}
	}
	return keys
}
