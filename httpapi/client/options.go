package client

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// Options configures a [Client]. Only BaseURL is required. Negative values are invalid
// except for Rate and Retries.
//
// Its methods ReadFiles and ReadHAR read recordings of a service other than the
// documented one. They use only Root and Catalogue.
type Options struct {
	// BaseURL is the part of the service's URLs before Root: an absolute http or
	// https URL without user, query or fragment. It may have a path. Trailing
	// slashes are ignored.
	BaseURL string

	// Root is the path of the root listing, below which the service has its
	// collections. It begins and ends with a slash and is clean in the sense of
	// [path.Clean], as in "/v1/" or "/". If empty, it is "/api/".
	Root string

	// Catalogue is a catalogue with the collections of the service. Only their
	// descriptions are used. If nil, the service has the 39 documented collections,
	// or those of the catalogue that [Import] loads.
	Catalogue *catalogue.Catalogue

	// HTTP sends the requests. Redirects are not followed, regardless of its
	// CheckRedirect. If nil, a client with a timeout of 30 seconds is used.
	HTTP *http.Client

	// Header is added to every request, for credentials or a User-Agent. New copies
	// it and canonicalizes the names. The client sets Accept itself.
	Header http.Header

	// Rate is the maximum number of requests per second, including retries, over
	// all walks of the client together. Zero means 5. Negative means no limit. A
	// positive rate must be at least one request per day.
	Rate float64

	// PageSize is the requested number of records per page. It must be at least 2,
	// because pages overlap by one record. If the service returns smaller pages, the
	// client adopts their size. Zero means 100.
	PageSize int

	// MaxBody is the maximum size of a response body in bytes, after decompression.
	// Zero means 16 MiB.
	MaxBody int64

	// MaxRecords is the maximum number of records of a collection. Zero means a
	// million.
	MaxRecords int

	// Retries is the number of times a request is repeated after a response of 429
	// or 503. The client waits as long as Retry-After demands, or 1, 2, 4, …
	// seconds without it. Other failures are not retried. Zero means 3. Negative
	// means no retries.
	Retries int

	// MaxWait is the maximum delay before a retry. If the delay would be longer, the
	// walk fails immediately with [ErrUnavailable]. Zero means one minute.
	MaxWait time.Duration
}

// A Client reads collections from one service. It is safe for concurrent use; all
// goroutines share its rate.
type Client struct {
	service service
	base    string // without trailing slash
	http    *http.Client
	header  http.Header
	opts    Options // with defaults filled in
	pace    *pace
	retries int
}

// New returns a client for a service. It sends no request. If an option is invalid,
// it returns an error wrapping [ErrInvalidOptions].
func New(opts Options) (*Client, error) {
	if err := checkBase(opts.BaseURL); err != nil {
		return nil, err
	}
	if err := opts.checkNumbers(); err != nil {
		return nil, err
	}
	service, err := opts.service()
	if err != nil {
		return nil, err
	}
	c := &Client{
		service: service,
		base:    strings.TrimRight(opts.BaseURL, "/"),
		http:    noRedirects(opts.HTTP),
		header:  canonical(opts.Header),
		pace:    new(pace),
		retries: max(cmp.Or(opts.Retries, 3), 0),
	}
	if rate := cmp.Or(opts.Rate, 5); rate > 0 {
		c.pace.every = time.Duration(float64(time.Second) / rate)
	}
	opts.PageSize = cmp.Or(opts.PageSize, 100)
	opts.MaxBody = min(cmp.Or(opts.MaxBody, 16<<20), math.MaxInt64-1) // read requests one byte more, to detect larger bodies
	opts.MaxRecords = cmp.Or(opts.MaxRecords, 1_000_000)
	opts.MaxWait = cmp.Or(opts.MaxWait, time.Minute)
	c.opts = opts
	return c, nil
}

func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return fmt.Errorf("%w: BaseURL: %w", ErrInvalidOptions, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.ForceQuery, strings.Contains(base, "#"):
		return fmt.Errorf("%w: BaseURL %q: want an absolute http or https URL without user, query or fragment", ErrInvalidOptions, base)
	}
	return nil
}

func (o Options) checkNumbers() error {
	switch {
	case o.PageSize < 0 || o.PageSize == 1:
		return fmt.Errorf("%w: PageSize %d: want at least 2", ErrInvalidOptions, o.PageSize)
	case o.MaxBody < 0 || o.MaxRecords < 0 || o.MaxWait < 0:
		return fmt.Errorf("%w: negative MaxBody, MaxRecords or MaxWait", ErrInvalidOptions)
	case math.IsNaN(o.Rate) || 0 < o.Rate && o.Rate*secondsOfDay < 1:
		return fmt.Errorf("%w: Rate %v: want at least one request per day", ErrInvalidOptions, o.Rate)
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

// canonical returns a copy of given with canonical names.
func canonical(given http.Header) http.Header {
	header := make(http.Header, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		for _, value := range given[name] {
			header.Add(name, value)
		}
	}
	return header
}
