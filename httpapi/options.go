package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/gobacklist/backlist/pagination"
)

// ErrInvalidConfig is wrapped by the errors of [New], [NewHandler] and [Mount] about
// invalid arguments. Their texts name the argument and the reason.
var ErrInvalidConfig = errors.New("httpapi: invalid configuration")

// Options configures a [Handler]. With the zero value, nobody may write, links begin with
// the host of the request, pages have 21 records and at most 1000, and requests are limited
// by the default [Bounds].
type Options struct {
	// Authorizer decides which requests may post. If nil, none may, and a POST is
	// answered with 403 and "Authentication credentials were not provided.".
	Authorizer Authorizer

	// BaseURL is what links begin with: an absolute http or https URL without user, query
	// or fragment. It may have a path: "https://x.example/shop" leads to links to
	// https://x.example/shop/api/. Slashes at its end are dropped. If empty, scheme, host
	// and prefix are those of the request, which are otherwise ignored.
	BaseURL string

	// TrustedProxies are the addresses of proxies that determine the scheme and host of
	// links if there is no BaseURL. If the RemoteAddr of a request is among them, they
	// are taken from X-Forwarded-Proto and X-Forwarded-Host or from proto and host of
	// Forwarded (RFC 7239). The last value of each counts, which is the one that the
	// proxy added. What the headers do not contain is taken from the request. Schemes
	// other than http and https, invalid hosts, and headers of both kinds that differ
	// are answered with 400. Other headers, such as X-Forwarded-Prefix, are ignored.
	//
	// A trusted proxy must either write or remove X-Forwarded-Proto and
	// X-Forwarded-Host, or remove both and write Forwarded. Otherwise its clients can
	// choose what links begin with.
	//
	// If empty, no proxy is trusted. A RemoteAddr that is not an IP address with a port,
	// such as that of a Unix socket, is never trusted. The zero Prefix and IPv4 in
	// IPv6 (::ffff:0:0/96) are invalid. The slice is copied.
	TrustedProxies []netip.Prefix

	// Limits are the default and the largest size of a page. The zero value is that of
	// the service.
	Limits pagination.Limits

	// Bounds limits what one request may ask for.
	Bounds Bounds

	// ETags enables strong entity tags for the root and for pages of collections that are
	// [Revisioned]. A GET or HEAD whose If-None-Match contains the tag, or is "*", is
	// answered with 304 if the request is valid. The handler then calls only Revision,
	// and Fields if OnAccess receives an ordering. If Revision fails, the page has no tag.
	// A tag is valid for one Handler only, so the same page of another process has another
	// tag. If-Match and dates are ignored. So is If-None-Match for POST and OPTIONS, which
	// have no tags, although RFC 9110 defines it for OPTIONS. If ETags is false, there are
	// no tags, as in the service.
	ETags bool

	// CacheControl is the Cache-Control of answers with an ETag. It must consist of
	// printable ASCII. If empty, it is "no-cache", so that caches ask every time.
	CacheControl string

	// OnAccess, if not nil, is called once for each request after the answer has been
	// written. It is called by the goroutine that serves the request, with the request's
	// context, and must be safe for concurrent use. The server does not finish the answer
	// until it returns. If it panics, OnError is called. Package accesslog provides
	// an OnAccess for log/slog.
	OnAccess func(ctx context.Context, a Access)

	// OnError, if not nil, is called with errors that are not sent to the client: errors
	// of collections that lead to a 409, 410, 500 or 503, errors of an authorizer other
	// than those of [Unauthorized] and [Forbidden], panics of either ([ErrPanic]), and
	// errors of a [Revisioned] if the request has none of the others. It is called before
	// the answer is written, and must be safe for concurrent use. If nil, errors are
	// discarded.
	OnError func(r *http.Request, err error)
}

// checkCacheControl returns the value of Cache-Control, or an error.
func checkCacheControl(text string) (string, error) {
	if text == "" {
		return "no-cache", nil
	}
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' {
			return "", fmt.Errorf("%w: CacheControl %q cannot stand in a header", ErrInvalidConfig, text)
		}
	}
	return text, nil
}
