package origin

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
)

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

// forwarded holds the values of forwarded headers. Each field is empty if it is absent.
type forwarded struct {
	scheme string // http or https
	host   string // valid
}

// readForwarded reads the headers of a trusted proxy. It uses the last value of a header,
// which the proxy wrote; a client may have sent those before it. Forwarded and
// X-Forwarded-... must not differ, since a proxy writes one kind and may forward the
// other as a client sent it.
func readForwarded(header http.Header) (f forwarded, fault string) {
	f, fault = readXForwarded(header)
	lines := header["Forwarded"]
	if fault != "" || len(lines) == 0 {
		return f, fault
	}
	standard, ok := parseForwarded(strings.Join(lines, ","))
	switch {
	case !ok:
		return forwarded{}, "Invalid Forwarded header."
	case f == forwarded{}:
		return standard, ""
	case standard != forwarded{} && standard != f:
		return forwarded{}, "The headers Forwarded and X-Forwarded differ."
	}
	return f, ""
}

func readXForwarded(header http.Header) (f forwarded, fault string) {
	if scheme, found := lastValue(header["X-Forwarded-Proto"]); found && !f.set("proto", scheme) {
		return forwarded{}, "Invalid X-Forwarded-Proto header."
	}
	if host, found := lastValue(header["X-Forwarded-Host"]); found && !f.set("host", host) {
		return forwarded{}, "Invalid X-Forwarded-Host header."
	}
	return f, ""
}

// maxPrefix is the maximum length of a forwarded prefix. Each link of the root repeats it.
const maxPrefix = 255

// readPrefix returns the prefix in X-Forwarded-Prefix, without a slash at the end. The
// standard header has none (RFC 7239).
func readPrefix(header http.Header) (prefix, fault string) {
	value, found := lastValue(header["X-Forwarded-Prefix"])
	if !found {
		return "", ""
	}
	prefix = strings.TrimSuffix(value, "/")
	if prefix != "" && !validPrefix(prefix) || !strings.HasPrefix(value, "/") {
		return "", "Invalid X-Forwarded-Prefix header."
	}
	return prefix, ""
}

// validPrefix reports whether text is a clean path without escapes that begins with a
// slash and does not end in one. Escapes could hide slashes and points.
func validPrefix(text string) bool {
	if len(text) > maxPrefix || !strings.HasPrefix(text, "/") || strings.Contains(text, "%") || EscapePath(text) != text {
		return false
	}
	return path.Clean(text) == text && text != "/"
}

// lastValue returns the last value of a list header and reports whether the header is
// present. A blank header counts as absent.
func lastValue(lines []string) (value string, found bool) {
	list := strings.TrimSpace(strings.Join(lines, ","))
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:]), list != ""
}

// set sets the field that a parameter of the Forwarded header names, and ignores other
// parameters. It returns false if the value is invalid or the field is already set.
func (f *forwarded) set(name, value string) bool {
	switch {
	case negotiation.EqualFold(name, "proto"):
		scheme := strings.ToLower(value)
		if f.scheme != "" || scheme != "http" && scheme != "https" {
			return false
		}
		f.scheme = scheme
	case negotiation.EqualFold(name, "host"):
		if f.host != "" || !validHost(value) {
			return false
		}
		f.host = value
	}
	return true
}

// parseForwarded parses a Forwarded header (RFC 7239) and returns its last element. It
// parses all elements, because an unclosed quote must make the whole header invalid.
// Unlike in the RFC, a value with a colon or a bracket need not be quoted.
func parseForwarded(text string) (last forwarded, ok bool) {
	isNext := false // after a comma
	for {
		text = strings.TrimLeft(text, " \t")
		if text != "" && text[0] != ';' && text[0] != ',' {
			if isNext {
				last, isNext = forwarded{}, false
			}
			var name, value string
			name, value, text, ok = cutForwarded(text)
			if !ok || !last.set(name, value) {
				return forwarded{}, false
			}
			text = strings.TrimLeft(text, " \t")
		}
		switch {
		case text == "":
			return last, true
		case text[0] == ',':
			isNext = true
		case text[0] != ';':
			return forwarded{}, false
		}
		text = text[1:]
	}
}

// cutForwarded cuts the first name=value off text. It leaves backslashes in the value,
// which is then invalid.
func cutForwarded(text string) (name, value, rest string, ok bool) {
	name, rest, ok = strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsAny(name, " \t,;\"") {
		return "", "", "", false
	}
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, " \t,;\"")
		if end < 0 {
			end = len(rest)
		}
		return name, rest[:end], rest[end:], true
	}
	for end := 1; end < len(rest); end++ {
		switch rest[end] {
		case '\\':
			end++
		case '"':
			return name, rest[1:end], rest[end+1:], true
		}
	}
	return "", "", "", false
}
