package client

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Options say which service is read, and how gently. All but BaseURL may be zero.
type Options struct {
	// BaseURL is what stands before /api/: an absolute http or https URL, with a
	// path if need be, without user, query or fragment. Slashes at its end do not count.
	BaseURL string

	// HTTP sends the requests. Its redirects are not followed, whatever it says: a
	// page is where it was asked for. Nil: one that gives up after 30 seconds a
	// request.
	HTTP *http.Client

	// Header is sent with every request: credentials, or the name of the program.
	// It is copied, names in whatever case. Accept is the client's own.
	Header http.Header

	// Rate is how many requests are sent in a second at most, those that are sent
	// again included, over all walks of the client together. 0: 5. Less: no bound.
	Rate float64

	// PageSize is the limit that is asked for, 2 at least, since pages overlap by a
	// record. A service that gives less a page is taken at that. 0: 100.
	PageSize int

	// MaxBody is the size of the largest answer that is read, in bytes, when it is
	// decompressed. 0: 16 MiB.
	MaxBody int64

	// MaxRecords is how many records a collection may have. 0: a million.
	MaxRecords int

	// Retries is how often a request is sent again that was answered with 429 or
	// 503: after the time that Retry-After says, else after 1, 2, 4 … seconds.
	// Nothing else is asked again. 0: 3. Less: never.
	Retries int

	// MaxWait is the longest time that is waited before a request is sent again. A
	// service that wants more is [ErrUnavailable] at once. 0: a minute.
	MaxWait time.Duration
}

// A Client reads one service. It may be used by any number of goroutines at once,
// which share its rate.
type Client struct {
	base    string // without slash at its end
	http    *http.Client
	header  http.Header
	opts    Options // numbers without zeros
	pace    pace
	retries int
}

// New makes a client; nothing is asked yet. [ErrInvalidOptions] says what of the options
// cannot be used.
func New(opts Options) (*Client, error) {
	if err := checkBase(opts.BaseURL); err != nil {
		return nil, err
	}
	if err := opts.checkNumbers(); err != nil {
		return nil, err
	}
	c := &Client{
		base:    strings.TrimRight(opts.BaseURL, "/"),
		http:    noRedirects(opts.HTTP),
		header:  canonical(opts.Header),
		retries: max(or(opts.Retries, 3), 0),
	}
	if rate := or(opts.Rate, 5); rate > 0 {
		c.pace.every = time.Duration(float64(time.Second) / rate)
	}
	opts.PageSize = or(opts.PageSize, 100)
	opts.MaxBody = min(or(opts.MaxBody, 16<<20), math.MaxInt64-1) // a byte more is asked for, to see that there is none
	opts.MaxRecords = or(opts.MaxRecords, 1_000_000)
	opts.MaxWait = or(opts.MaxWait, time.Minute)
	c.opts = opts
	return c, nil
}

// or is a value, or the default if it is zero.
func or[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}

func checkBase(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		return fmt.Errorf("%w: BaseURL: %w", ErrInvalidOptions, err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "", u.ForceQuery, strings.Contains(base, "#"):
		return fmt.Errorf("%w: BaseURL %q: want an absolute http or https URL without user, query and fragment", ErrInvalidOptions, base)
	}
	return nil
}

func (o Options) checkNumbers() error {
	switch {
	case o.PageSize < 0 || o.PageSize == 1:
		return fmt.Errorf("%w: PageSize %d: want 2 or more", ErrInvalidOptions, o.PageSize)
	case o.MaxBody < 0 || o.MaxRecords < 0 || o.MaxWait < 0:
		return fmt.Errorf("%w: a maximum below zero", ErrInvalidOptions)
	case math.IsNaN(o.Rate) || 0 < o.Rate && o.Rate*secondsOfDay < 1:
		return fmt.Errorf("%w: Rate %v: want a request a day or more", ErrInvalidOptions, o.Rate)
	}
	return nil
}

const secondsOfDay = 24 * 60 * 60

// noRedirects is the same client, which takes a redirect for an answer.
func noRedirects(given *http.Client) *http.Client {
	c := http.Client{Timeout: 30 * time.Second}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// canonical is a copy under the names that net/http goes by.
func canonical(given http.Header) http.Header {
	header := make(http.Header, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		for _, value := range given[name] {
			header.Add(name, value)
		}
	}
	return header
}
