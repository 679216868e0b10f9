// Package origin determines the beginning of the absolute URLs in a response: scheme, host,
// and the part of the path before the handler's part. It takes them from a base URL or from
// the request, including the headers of trusted proxies.
//
// Error texts have no prefix. The caller wraps them.
package origin

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
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
	if len(r.proxies) > 0 && r.proxies.trust(req.RemoteAddr) {
		if fault = o.readForwarded(req.Header); fault == "" && r.prefix {
			o.Prefix, fault = readPrefix(req.Header)
		}
		if fault != "" {
			return Origin{}, fault
		}
	}
	if o.Host == "" && req.ProtoMajor == 1 && req.ProtoMinor == 0 {
		o.Host = localHost(req, o.Scheme) // HTTP/1.0 has no Host
	}
	if !validHost(o.Host) {
		return Origin{}, "Invalid Host header."
	}
	o.Prefix += prefix(req)
	return o, ""
}

// localHost returns the address on which the server has received a request, without the default
// port of the scheme, or localhost if it is unknown.
func localHost(req *http.Request, scheme string) string {
	address, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !validHost(address.String()) {
		return "localhost"
	}
	if scheme == "https" {
		return strings.TrimSuffix(address.String(), ":443")
	}
	return strings.TrimSuffix(address.String(), ":80")
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

// parseBaseURL parses a base URL. It returns the zero Origin if text is empty.
func parseBaseURL(text string) (Origin, error) {
	if text == "" {
		return Origin{}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return Origin{}, fmt.Errorf("BaseURL: %v", err)
	}
	if fault := baseURLFault(u, text); fault != "" {
		return Origin{}, fmt.Errorf("BaseURL %q %s", text, fault)
	}
	path := EscapePath(u.EscapedPath())
	return Origin{u.Scheme, u.Host, strings.TrimRight(path, "/")}, nil
}

// baseURLFault returns an error text if u is not a base URL, or "".
func baseURLFault(u *url.URL, text string) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "is not an absolute http or https URL"
	case u.User != nil:
		return "has user information"
	case strings.Contains(text, "?"):
		return "has a query"
	case strings.Contains(text, "#"):
		return "has a fragment"
	case !validHost(u.Host):
		return "has an invalid host"
	}
	return ""
}

// prefix returns the part of the request target before the path that the handler
// receives, escaped: "/shop" under StripPrefix("/shop", h). It returns "" if the target
// does not end in that path.
func prefix(r *http.Request) string {
	target := r.RequestURI
	if rest, ok := strings.CutPrefix(target, r.URL.Path); ok && (rest == "" || rest[0] == '?') {
		return "" // the most common case
	}
	before, ok := cutPathSuffix(targetPath(target), r.URL.Path)
	if !ok || before != "" && before[0] != '/' {
		return ""
	}
	return EscapePath(before)
}

// targetPath returns the path of a request target, escaped as it was sent. The
// target may be in absolute form.
func targetPath(target string) string {
	target, _, _ = strings.Cut(target, "?")
	if strings.HasPrefix(target, "/") {
		return target
	}
	_, rest, ok := strings.Cut(target, "://")
	if !ok {
		return ""
	}
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return ""
}

// cutPathSuffix cuts the decoded path suffix off the escaped path. It compares from the
// end. Escapes can be recognized from there, since '%' is not a hex digit.
func cutPathSuffix(escaped, suffix string) (before string, ok bool) {
	end := len(escaped)
	for i := len(suffix) - 1; i >= 0; i-- {
		if end == 0 {
			return "", false
		}
		c, size := escaped[end-1], 1
		if end >= 3 && escaped[end-3] == '%' {
			if high, low := hexValue(escaped[end-2]), hexValue(escaped[end-1]); high >= 0 && low >= 0 {
				c, size = byte(high<<4|low), 3
			}
		}
		if c != suffix[i] {
			return "", false
		}
		end -= size
	}
	return escaped[:end], true
}

// hexValue returns the value of a hex digit, or -1.
func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// maxHostName is the maximum length of a name in DNS. It also limits the length of links.
const maxHostName = 253

// validHost reports whether host is a name, an IPv4 address, or an IPv6 address in
// brackets, with or without a port from 1 to 65535. A name consists of ASCII letters,
// digits, '-', '.' and '_', which container networks use. A valid host needs no
// escaping in a URL or in JSON.
func validHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		address, rest, closed := strings.Cut(host[1:], "]")
		if !closed || !validIPv6(address) {
			return false
		}
		return rest == "" || rest[0] == ':' && validPort(rest[1:])
	}
	name, port, hasPort := strings.Cut(host, ":")
	if name == "" || len(name) > maxHostName || hasPort && !validPort(port) {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && c != '.' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

func validIPv6(text string) bool {
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6() && address.Zone() == ""
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0 && len(text) <= len("65535")
}

// EscapePath escapes each byte that is not allowed in the path of a URL. The result needs
// no escaping in JSON or in a header. Existing escapes are kept.
func EscapePath(path string) string { return escape(path, isPathByte) }

// escapeQuery escapes each byte that is not allowed in the query of a URL.
func escapeQuery(query string) string { return escape(query, isQueryByte) }

// quotePath escapes a path without escapes as Django does: also ';' and '=', but none of
// ! ' ( ) *, which [net/url.URL.EscapedPath] escapes.
func quotePath(path string) string { return escape(path, isQuotedPathByte) }

func escape(text string, isClean func(byte) bool) string {
	clean := 0
	for clean < len(text) && isClean(text[clean]) {
		clean++
	}
	if clean == len(text) {
		return text
	}
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text)+16)
	out = append(out, text[:clean]...)
	for _, c := range []byte(text[clean:]) {
		if isClean(c) {
			out = append(out, c)
		} else {
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}

// isPathByte reports whether c is allowed unescaped in a path (RFC 3986, section 3.3) or
// begins an escape.
func isPathByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
}

// isQuotedPathByte reports whether quotePath leaves c as it is.
func isQuotedPathByte(c byte) bool {
	return isPathByte(c) && c != ';' && c != '=' && c != '%'
}

// isQueryByte reports whether c is allowed unescaped in a query or begins an escape. It
// allows brackets, since browsers send them.
func isQueryByte(c byte) bool {
	return isPathByte(c) || c == '?' || c == '[' || c == ']'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// proxies are the addresses of the trusted proxies.
type proxies []netip.Prefix

// newProxies copies prefixes. It returns an error if one is invalid or that of
// IPv4-mapped IPv6 addresses. Such addresses are compared as IPv4, so it would match none.
func newProxies(prefixes []netip.Prefix) (proxies, error) {
	for _, p := range prefixes {
		if !p.IsValid() {
			return nil, errors.New("TrustedProxies: invalid prefix")
		}
		if p.Addr().Is4In6() {
			return nil, fmt.Errorf("TrustedProxies: %v is an IPv4-mapped IPv6 prefix; use IPv4", p)
		}
	}
	return slices.Clone(prefixes), nil
}

// trust reports whether a request whose RemoteAddr is remote comes from a proxy.
func (ps proxies) trust(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	address := from.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(ps, func(p netip.Prefix) bool { return p.Contains(address) })
}

// readForwarded sets the scheme and the host of o to those in the headers of a trusted proxy. It
// uses the last value of a header, which the proxy wrote; a client may have sent those before.
func (o *Origin) readForwarded(header http.Header) (fault string) {
	if scheme, found := lastValue(header["X-Forwarded-Proto"]); found {
		o.Scheme = strings.ToLower(scheme)
		if o.Scheme != "http" && o.Scheme != "https" {
			return "Invalid X-Forwarded-Proto header."
		}
	}
	if host, found := lastValue(header["X-Forwarded-Host"]); found {
		o.Host = host
		if !validHost(host) {
			return "Invalid X-Forwarded-Host header."
		}
	}
	return ""
}

// maxPrefix is the maximum length of a forwarded prefix. Each link of the root repeats it.
const maxPrefix = 255

// readPrefix returns the prefix in X-Forwarded-Prefix, without a slash at the end.
func readPrefix(header http.Header) (prefix, fault string) {
	value, found := lastValue(header["X-Forwarded-Prefix"])
	if !found {
		return "", ""
	}
	prefix = strings.TrimSuffix(value, "/")
	valid := wire.IsPrefix(prefix) && len(prefix) <= maxPrefix && EscapePath(prefix) == prefix
	if value != "/" && !valid {
		return "", "Invalid X-Forwarded-Prefix header."
	}
	return prefix, ""
}

// lastValue returns the last value of a list header and reports whether the header is
// present. A blank header counts as absent.
func lastValue(lines []string) (value string, found bool) {
	list := strings.TrimSpace(strings.Join(lines, ","))
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:]), list != ""
}
