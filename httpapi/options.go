package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/gobacklist/backlist/pagination"
)

// ErrInvalidConfig is returned by [New], [NewHandler] and [Mount] for arguments
// that they cannot use. The error names the argument and the reason.
var ErrInvalidConfig = errors.New("httpapi: invalid configuration")

// Options changes how a [Handler] answers. The zero value lets nobody write,
// takes the base of links from the request, pages by 21 and at most 1000
// records, and bounds all that a request may ask for.
type Options struct {
	// Authorizer decides who may post. Nil: nobody, and a POST is answered
	// with 403 "Authentication credentials were not provided.".
	Authorizer Authorizer

	// BaseURL is what links begin with, in place of the scheme, Host and
	// prefix of the request, which are then ignored: an absolute http or https
	// URL, with a path if need be ("https://x.example/shop" makes links to
	// https://x.example/shop/api/...), without user, query or fragment.
	// Slashes at its end do not count. Empty: taken from the request.
	BaseURL string

	// TrustedProxies are the addresses of proxies whose word counts for the scheme
	// and host of links, where there is no BaseURL. Of a request whose RemoteAddr
	// is among them X-Forwarded-Proto and X-Forwarded-Host are believed, or else
	// proto and host in Forwarded (RFC 7239): of each the last value, which the
	// proxy itself wrote. What is neither http nor https, or no host, is answered
	// with 400, and so are headers of both kinds that differ. What they do not
	// tell comes from the request itself.
	//
	// A proxy in this list must write or remove X-Forwarded-Proto and -Host, or
	// remove both and write Forwarded; else its clients choose what links begin
	// with. Other headers, such as X-Forwarded-Prefix, never count. A RemoteAddr
	// that is no IP address with its port, as over a Unix socket, is nobody's.
	// IPv4 in IPv6 (::ffff:0:0/96), and the zero Prefix, are an error. Empty:
	// nobody is trusted. The slice is copied.
	TrustedProxies []netip.Prefix

	// Limits bounds the size of pages. Its zero value is the service's.
	Limits pagination.Limits

	// Bounds limits what one request may ask for.
	Bounds Bounds

	// ETags gives pages of collections that are [Revisioned], and the root, a strong
	// ETag, and answers a GET or HEAD whose If-None-Match names it with 304, before
	// anything is asked of the collection but its revision (and its fields, if
	// OnAccess is to be told an ordering). "*" is answered with 304 if the request is
	// good. If-Match and dates are not looked at. A page whose revision cannot be had
	// has no tag. The tag is good for one handler: not for the same page of another
	// process. OPTIONS and POST have none, and take no notice of If-None-Match, which
	// RFC 9110 asks of OPTIONS. False: no tags, as the service.
	ETags bool

	// CacheControl is the Cache-Control of answers that have an ETag. Empty:
	// "no-cache", so that caches ask each time. Bytes that cannot stand in a
	// header are an error.
	CacheControl string

	// OnAccess is told of each request when it is answered, by the goroutine that
	// serves it, so by many at once; until it returns the server does not take the
	// answer for ended. ctx is the request's. A panic in it goes to OnError, the
	// answer is out. Nil: nobody is told, which costs nothing. Package accesslog
	// has one for log/slog.
	OnAccess func(ctx context.Context, a Access)

	// OnError is told what the client is not: errors of collections behind a
	// 409, 410, 500 or 503, errors of an authorizer that are neither [Unauthorized] nor
	// [Forbidden], panics of either ([ErrPanic]), and, of requests without any of
	// these, errors of a [Revisioned], which change no status. It is called before the
	// answer is written, by many requests at once. Nil: all that is dropped.
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
