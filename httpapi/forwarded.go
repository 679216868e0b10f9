package httpapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the addresses whose forwarded headers count.
type proxies []netip.Prefix

// newProxies copies prefixes. It returns [ErrInvalidConfig] for one that is none, or
// that no address would match: IPv4 addresses are compared as such.
func newProxies(prefixes []netip.Prefix) (proxies, error) {
	for _, p := range prefixes {
		if !p.IsValid() {
			return nil, fmt.Errorf("%w: TrustedProxies: an invalid prefix", ErrInvalidConfig)
		}
		if p.Addr().Is4In6() {
			return nil, fmt.Errorf("%w: TrustedProxies: write %v as a prefix of IPv4", ErrInvalidConfig, p)
		}
	}
	return slices.Clone(prefixes), nil
}

// trust reports whether a request from that address and port comes from one of
// the proxies. Without any it is free.
func (ps proxies) trust(remote string) bool {
	if len(ps) == 0 {
		return false
	}
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return false
	}
	address := from.Addr().Unmap().WithZone("")
	return slices.ContainsFunc(ps, func(p netip.Prefix) bool { return p.Contains(address) })
}

// forwarded is what a proxy tells of the request that it got; "" where it tells
// nothing.
type forwarded struct {
	scheme string // http or https
	host   string // valid
}

// readForwarded reads the headers of a proxy that is trusted. Where one has several
// values the last counts: the proxy wrote it, while those before it may have come
// from anybody. Forwarded and X-Forwarded-... must not differ: the proxy writes one
// of them, and what it does not know of it may pass on as a client sent it.
func readForwarded(header http.Header) (told forwarded, fault string) {
	told, fault = readXForwarded(header)
	lines := header["Forwarded"]
	if fault != "" || len(lines) == 0 {
		return told, fault
	}
	standard, ok := parseForwarded(strings.Join(lines, ","))
	switch {
	case !ok:
		return forwarded{}, "Invalid Forwarded header."
	case told == forwarded{}:
		return standard, ""
	case standard != forwarded{} && standard != told:
		return forwarded{}, "The headers Forwarded and X-Forwarded differ."
	}
	return told, ""
}

func readXForwarded(header http.Header) (told forwarded, fault string) {
	if scheme, found := lastValue(header["X-Forwarded-Proto"]); found && !told.set("proto", scheme) {
		return forwarded{}, "Invalid X-Forwarded-Proto header."
	}
	if host, found := lastValue(header["X-Forwarded-Host"]); found && !told.set("host", host) {
		return forwarded{}, "Invalid X-Forwarded-Host header."
	}
	return told, ""
}

// lastValue is the last of a list. A header that is blank is none.
func lastValue(lines []string) (value string, found bool) {
	list := strings.TrimSpace(strings.Join(lines, ","))
	return strings.TrimSpace(list[strings.LastIndexByte(list, ',')+1:]), list != ""
}

// set takes one parameter, by its name in the Forwarded header. It returns false
// for a value that cannot be, and for one that comes twice.
func (f *forwarded) set(name, value string) bool {
	switch {
	case equalFoldASCII(name, "proto"):
		scheme := strings.ToLower(value)
		if f.scheme != "" || scheme != "http" && scheme != "https" {
			return false
		}
		f.scheme = scheme
	case equalFoldASCII(name, "host"):
		if f.host != "" || !validHost(value) {
			return false
		}
		f.host = value
	}
	return true
}

// parseForwarded reads a Forwarded header (RFC 7239) and returns what its last
// element tells. It reads from the front, so that nobody's quote can swallow what
// comes behind: one that is not closed spoils the whole. Not as in the RFC, a value
// need not be quoted for a colon or a bracket in it.
func parseForwarded(text string) (last forwarded, ok bool) {
	isNext := false // a comma was passed
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

// cutForwarded cuts one name=value off the front. A backslash stays in the value:
// no host and no scheme has one.
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
