// Package origin determines the beginning of the absolute URLs in a response: scheme,
// host, and the part of the path before that of the handler. It takes them from a base
// URL or from the request, including the headers of trusted proxies.
//
// Error texts have no prefix. The caller wraps them.
package origin

import (
	"net/http"
	"net/netip"
	"strings"
)

// An Origin is the beginning of absolute URLs. It needs no escaping in a URL, a header
// or a JSON string.
type Origin struct {
	Scheme string // http or https
	Host   string // valid, with its port if it has one
	Prefix string // escaped path without a trailing slash; may be empty
}

// AppendURL appends the absolute URL of a path that begins with a slash.
func (o Origin) AppendURL(dst []byte, path string) []byte {
	dst = append(dst, o.Scheme...)
	dst = append(dst, "://"...)
	dst = append(dst, o.Host...)
	dst = append(dst, o.Prefix...)
	return append(dst, path...)
}

// A Resolver determines the origin of each request. It is safe for concurrent use.
type Resolver struct {
	base    string // without trailing slashes; empty if the origin depends on the request
	fixed   Origin // base, parsed
	proxies proxies
	prefix  bool // of a proxy counts
}

// NewResolver returns a Resolver for the options of package httpapi with the same names.
// It copies the proxies. It returns an error if baseURL is neither empty nor an absolute
// http or https URL without user, query and fragment, or if a prefix is invalid or that
// of IPv4-mapped IPv6 addresses.
func NewResolver(baseURL string, trustedProxies []netip.Prefix, forwardedPrefix bool) (*Resolver, error) {
	fixed, err := parseBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	proxies, err := newProxies(trustedProxies)
	if err != nil {
		return nil, err
	}
	r := &Resolver{fixed: fixed, proxies: proxies, prefix: forwardedPrefix}
	if baseURL != "" {
		r.base = string(fixed.AppendURL(nil, ""))
	}
	return r, nil
}

// BaseURL returns the base URL as it appears in links, without trailing slashes. It is
// empty if the origin depends on the request.
func (r *Resolver) BaseURL() string { return r.base }

// Resolve returns the origin of a request. If a header in use is invalid, fault is an
// error text for the client. Otherwise it is empty.
func (r *Resolver) Resolve(req *http.Request) (o Origin, fault string) {
	if r.base != "" {
		return r.fixed, ""
	}
	o = Origin{Scheme: "http", Host: req.Host}
	if req.TLS != nil {
		o.Scheme = "https"
	}
	if r.proxies.trust(req.RemoteAddr) {
		sent, fault := readForwarded(req.Header)
		if fault != "" {
			return Origin{}, fault
		}
		if sent.host != "" {
			o.Host = sent.host
		}
		if sent.scheme != "" {
			o.Scheme = sent.scheme
		}
		if r.prefix {
			if o.Prefix, fault = readPrefix(req.Header); fault != "" {
				return Origin{}, fault
			}
		}
	}
	if !validHost(o.Host) {
		return Origin{}, "Invalid Host header."
	}
	o.Prefix += prefix(req)
	return o, ""
}

// Location returns the value of a Location header for a path and a query at o, which
// Resolve returned. The path has no escapes. The value is an absolute URL only if there is
// a base URL.
func (r *Resolver) Location(o Origin, path, rawQuery string) string {
	path = quotePath(path)
	location := r.base + path
	if r.base == "" {
		location = localURL(o.Prefix + path)
	}
	if rawQuery != "" {
		location += "?" + escapeQuery(rawQuery)
	}
	return location
}

// localURL escapes the second of two slashes at the beginning of a path. Clients would
// interpret the text after them as a host.
func localURL(path string) string {
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		return "/%2F" + rest
	}
	return path
}
