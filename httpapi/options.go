package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/gobacklist/backlist/pagination"
)

// ErrInvalidConfig is wrapped by the errors that [New], [NewHandler] and [Mount] return
// for invalid arguments. Their texts name the argument and the reason.
var ErrInvalidConfig = errors.New("httpapi: invalid configuration")

// Options configures a [Handler]. With the zero value, writes are rejected, links begin
// with the host of the request, pages have 21 records by default and at most 1000, and
// requests are limited by the default [Bounds].
type Options struct {
	// Root is the path of the root listing, below which the collections are served. It
	// begins and ends with a slash, is clean in the sense of [path.Clean], and consists
	// of printable ASCII without {}?#%, quotes, backslashes and white space, as in "/v1/"
	// or "/". If empty, it is "/api/".
	Root string

	// Authorizer decides which requests may write. If nil, they are rejected with 403
	// and "Authentication credentials were not provided.".
	Authorizer Authorizer

	// AuthorizeReads determines that the Authorizer decides about GET, HEAD and OPTIONS
	// too: with [schema.Retrieve] for a record and otherwise with [schema.List]. At
	// the root the key of the collection is empty. If false, all reads are permitted.
	AuthorizeReads bool

	// BaseURL is the part of links before the root: an absolute http or https URL without
	// user, query or fragment. It may have a path, as in "https://x.example/shop".
	// Trailing slashes are ignored. If BaseURL is empty, links begin with the scheme, host
	// and prefix of the request. Otherwise these are ignored.
	BaseURL string

	// TrustedProxies are the addresses of proxies that determine the scheme and host of
	// links if there is no BaseURL. If the RemoteAddr of a request is among them, the
	// scheme and the host are those in X-Forwarded-Proto and X-Forwarded-Host, or in
	// proto and host of Forwarded (RFC 7239). The last value of each header is used,
	// which is the one that the proxy added. Without these headers, the scheme and host
	// of the request are used. Schemes other than http and https, invalid hosts, and
	// headers of both kinds that differ are rejected with 400. Other headers are ignored,
	// except for that of ForwardedPrefix.
	//
	// A trusted proxy must either write or remove X-Forwarded-Proto and
	// X-Forwarded-Host, or remove both and write Forwarded. Otherwise its clients can
	// choose the scheme and host of links.
	//
	// If empty, no proxy is trusted. A RemoteAddr that is not an IP address with a port,
	// such as that of a Unix socket, is never trusted. The zero Prefix and IPv4-mapped
	// IPv6 prefixes (::ffff:0:0/96) are invalid. The slice is copied.
	TrustedProxies []netip.Prefix

	// ForwardedPrefix determines that the last value of X-Forwarded-Prefix from a trusted
	// proxy is a part of links: the path that the proxy has removed from the beginning of
	// the request's. The prefix of the request, if it has one, follows. It must be a clean
	// path of at most 255 bytes that begins with a slash, as in "/shop", without escapes
	// and without other characters that a URL would escape. One slash at its end is
	// ignored. Any other value is rejected with 400. Forwarded has no such parameter.
	//
	// A trusted proxy must then write or remove X-Forwarded-Prefix. Otherwise its clients
	// can choose the path of links. If false, or without TrustedProxies, the header is
	// ignored.
	ForwardedPrefix bool

	// Limits are the default and the maximum size of a page. The zero value means 21 and
	// 1000.
	Limits pagination.Limits

	// Bounds limits the size of requests.
	Bounds Bounds

	// ETags enables strong entity tags for the root, for pages of collections that are
	// [Revisioned], and for records. If-Match and If-None-Match are then evaluated, as the
	// package documentation describes. A GET or HEAD of a page whose If-None-Match contains
	// the tag, or is "*", results in 304. For these the handler calls only Revision, and
	// Fields if there is an OnAccess and the request has an ordering. If there is also an
	// If-Match, or a "*" and a filter, it calls PageWhere or Page first. If Revision fails,
	// the page has no tag.
	//
	// The tag of a page is valid for one Handler only, so the same page of another process
	// has another tag, unless ETagKey is set. The tag of a record depends only on its JSON.
	// If ETags is false, there are no tags and preconditions are ignored, as in the service.
	ETags bool

	// ETagKey, if not empty, makes the tags of pages valid for all handlers with the same key and the
	// same other options. Set it if several processes serve the same collections and their
	// revisions are those of a shared database. Change it if the same revision is to have
	// other responses, for instance after a new field. In-memory collections need no key:
	// their revisions count the writes of one process.
	ETagKey string

	// Order lists the keys of collections that come first in the root listing. The others
	// follow in the order of the catalogue or of [NewHandler].
	Order []string

	// CacheControl is the Cache-Control of responses with an ETag. It must consist of
	// printable ASCII. If empty, it is "no-cache", so that caches always revalidate.
	CacheControl string

	// OnAccess, if not nil, is called once for each request after the response has been
	// written. It is called by the goroutine that serves the request, with the request's
	// context, and must be safe for concurrent use. The server does not complete the
	// response until it returns. If it panics, OnError is called. Package accesslog
	// provides an OnAccess for log/slog.
	OnAccess func(ctx context.Context, a Access)

	// OnError is called with errors that are not sent to the client: errors of
	// collections that result in 409, 410, 500 or 503, errors of an authorizer other than
	// those of [Unauthorized] and [Forbidden], panics ([ErrPanic]), errors of Fields on
	// behalf of OnAccess, and errors of a [Revisioned] if the request has no other error.
	// It is called before the response is written, except for panics of OnAccess and of
	// the ResponseWriter. It must be safe for concurrent use. If nil, errors are discarded.
	OnError func(r *http.Request, err error)
}

// checkCacheControl returns the value of Cache-Control, or an error.
func checkCacheControl(text string) (string, error) {
	if text == "" {
		return "no-cache", nil
	}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("%w: CacheControl %q is not printable ASCII", ErrInvalidConfig, text)
		}
	}
	return text, nil
}
