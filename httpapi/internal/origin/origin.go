// Package origin determines the beginning of the absolute URLs in a response: scheme, host,
// and the part of the path before the handler's part. It takes them from a base URL or from
// the request, including the headers of trusted proxies.
//
// Error texts have no prefix. The caller wraps them.
package origin

import (
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
	base    Origin // zero if the origin depends on the request
	proxies []netip.Prefix
	prefix  bool // of a proxy counts
}

// NewResolver returns a Resolver for the options of package httpapi with the same names.
// It copies the proxies. It returns an error if baseURL is neither empty nor an absolute
// http or https URL without user, query and fragment, or if a prefix is invalid or that
// of IPv4-mapped IPv6 addresses. Such addresses are compared as IPv4, so it would match none.
func NewResolver(baseURL string, trustedProxies []netip.Prefix, forwardedPrefix bool) (*Resolver, error) {
	base, err := parseBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	for _, p := range trustedProxies {
		if !p.IsValid() || p.Addr().Is4In6() {
			return nil, fmt.Errorf("TrustedProxies: %v; IPv4 addresses must not be written as IPv6", p)
		}
	}
	return &Resolver{base, slices.Clone(trustedProxies), forwardedPrefix}, nil
}

// BaseURL returns the base URL as it appears in links, without trailing slashes. It is
// empty if the origin depends on the request.
func (r *Resolver) BaseURL() string {
	if r.base.Host == "" {
		return ""
	}
	return string(r.base.AppendURL(nil, ""))
}

// Resolve returns the origin of a request. If a header in use is invalid, fault is an
// error text for the client. Otherwise it is empty.
func (r *Resolver) Resolve(req *http.Request) (o Origin, fault string) {
	if r.base.Host != "" {
		return r.base, ""
	}
	o = Origin{Scheme: "http", Host: req.Host}
	if req.TLS != nil {
		o.Scheme = "https"
	}
	if len(r.proxies) > 0 && r.trusts(req.RemoteAddr) {
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
	return strings.TrimSuffix(address.String(), map[string]string{"http": ":80", "https": ":443"}[scheme])
}

// Location returns the value of a Location header for a path and a query at o, which
// Resolve returned. The path has no escapes. The value is an absolute URL only if there is
// a base URL.
func (r *Resolver) Location(o Origin, path, rawQuery string) string {
	path = escape(path, quotedBytes) // as Django does; url.URL escapes ! ' ( ) *, too
	location := r.BaseURL() + path
	if r.base.Host == "" {
		location = o.Prefix + path
		if rest, ok := strings.CutPrefix(location, "//"); ok { // clients would take what follows for a host
			location = "/%2F" + rest
		}
	}
	if rawQuery != "" {
		location += "?" + escape(rawQuery, queryBytes)
	}
	return location
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
	if u.Scheme != "http" && u.Scheme != "https" || !validHost(u.Host) || u.User != nil || strings.ContainsAny(text, "?#") {
		return Origin{}, fmt.Errorf("BaseURL %q is not an absolute http or https URL of a host and a path alone", text)
	}
	return Origin{u.Scheme, u.Host, strings.TrimRight(EscapePath(u.EscapedPath()), "/")}, nil
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
	if _, rest, ok := strings.Cut(target, "://"); ok && target[0] != '/' {
		return rest[max(strings.IndexByte(rest, '/'), 0):]
	}
	return target
}

// cutPathSuffix cuts the decoded path suffix off the escaped path, in which nothing is escaped if an
// escape is invalid.
func cutPathSuffix(escaped, suffix string) (before string, ok bool) {
	decoded, err := url.PathUnescape(escaped)
	if err != nil {
		return strings.CutSuffix(escaped, suffix)
	}
	before, ok = strings.CutSuffix(decoded, suffix)
	size := len(before)
	for i := 0; i < size; i++ {
		if escaped[i] == '%' {
			size += len("%20") - 1
		}
	}
	return escaped[:size], ok
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
		ip, err := netip.ParseAddr(address)
		valid := closed && err == nil && ip.Is6() && ip.Zone() == ""
		return valid && (rest == "" || rest[0] == ':' && validPort(rest[1:]))
	}
	name, port, hasPort := strings.Cut(host, ":")
	if name == "" || len(name) > maxHostName || hasPort && !validPort(port) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune(".-_", r) })
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0 && len(text) <= len("65535")
}

// The bytes besides letters and digits that are not escaped. They are allowed (RFC 3986, section 3.3) or
// begin an escape. Queries have brackets, since browsers send them.
const (
	pathBytes   = quotedBytes + ";=%"
	quotedBytes = "-._~!$&'()*+,:@/"
	queryBytes  = pathBytes + "?[]"
)

// EscapePath escapes each byte that is not allowed in the path of a URL. The result needs
// no escaping in JSON or in a header. Existing escapes are kept.
func EscapePath(path string) string { return escape(path, pathBytes) }

// escape escapes each byte that is not alphanumeric and not one of others.
func escape(text, others string) string {
	isDirty := func(r rune) bool { return !isAlphanumeric(r) && (r > '~' || strings.IndexByte(others, byte(r)) < 0) }
	if !strings.ContainsFunc(text, isDirty) {
		return text
	}
	var out []byte
	for _, c := range []byte(text) {
		if isDirty(rune(c)) {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// trusts reports whether a request whose RemoteAddr is remote comes from a proxy.
func (r *Resolver) trusts(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	address := from.Addr().Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(r.proxies, func(p netip.Prefix) bool { return p.Contains(address) })
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
