package schema

import (
	"net/netip"
	"strings"
	"unicode/utf8"
)

// Lengths in code points.
const (
	maxURL   = 2048
	maxHost  = 253 // without user and port
	maxLabel = 63
)

// lookalikes are the characters up to U+FFFF whose Unicode compatibility forms contain
// / ? # @ or :. Python's urlsplit rejects them.
const lookalikes = "\u2047\u2048\u2049\u2100\u2101\u2105\u2106\u2a74\ufe13\ufe16" +
	"\ufe55\ufe56\ufe5f\ufe6b\uff03\uff0f\uff1a\uff1f\uff20"

// validURL reports whether URLValidator of Django 3.2 accepts a text. It is stricter in
// three points: a host is not tried again in punycode, digits are ASCII, and an address
// in brackets is checked even after user information.
func validURL(text string) bool {
	scheme, rest, found := strings.Cut(text, "://")
	if !found || strings.ContainsAny(text, "\t\r\n") || utf8.RuneCountInString(text) > maxURL {
		return false
	}
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ftps":
	default:
		return false
	}
	network := upTo(rest, "/?#")
	host := upTo(network[strings.LastIndexByte(network, '@')+1:], ":")
	if utf8.RuneCountInString(host) > maxHost || strings.ContainsAny(network, lookalikes) {
		return false
	}
	return validAddress(rest) || validAddress(withoutUser(rest))
}

// upTo returns the part of text before the first character in set.
func upTo(text, set string) string {
	if i := strings.IndexAny(text, set); i >= 0 {
		return text[:i]
	}
	return text
}

// withoutUser removes "user@" or "user:password@" from the front of a text. It returns
// "" if the text does not begin so.
func withoutUser(text string) string {
	info, rest, found := strings.Cut(text, "@")
	user, password, _ := strings.Cut(info, ":")
	if !found || user == "" || strings.Contains(password, ":") ||
		strings.Contains(info, "/") || strings.ContainsAny(upTo(info, "?#"), "[]") ||
		strings.ContainsFunc(info, isSpace) {
		return ""
	}
	return rest
}

// validAddress reports whether a text is a host with an optional port, followed by an
// optional path, query or fragment without white space.
func validAddress(text string) bool {
	host := upTo(text, ":/?#")
	if strings.HasPrefix(text, "[") {
		host = upTo(text, "]") + "]"
	}
	rest, found := strings.CutPrefix(text, host)
	if !found || !validHost(host) {
		return false
	}
	if strings.HasPrefix(rest, ":") {
		port := upTo(rest[1:], "/?#")
		if len(port) < 2 || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
			return false
		}
		rest = rest[1+len(port):]
	}
	return rest == "" || strings.IndexByte("/?#", rest[0]) >= 0 && !strings.ContainsFunc(rest, isSpace)
}

// validHost reports whether host is an IPv4 address, an IPv6 address in brackets,
// localhost, or a name of at least two labels whose last label can be a top-level
// domain.
func validHost(host string) bool {
	if strings.HasPrefix(host, "[") {
		addr, err := netip.ParseAddr(host[1 : len(host)-1])
		return err == nil && addr.Is6() && addr.Zone() == ""
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Is4()
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for _, label := range labels {
		if !validLabel(label) {
			return false
		}
	}
	return len(labels) > 1 && topLevel(labels[len(labels)-1])
}

// validLabel reports whether label has 1 to 63 letters, digits and hyphens, and neither
// begins nor ends with a hyphen. All code points from U+00A1 to U+FFFF are letters.
func validLabel(label string) bool {
	if strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
		return false
	}
	for _, r := range label {
		if !isLetter(r) && !isDigit(r) && r != '-' && (r < 0xa1 || r > 0xffff) {
			return false
		}
	}
	n := utf8.RuneCountInString(label)
	return 0 < n && n <= maxLabel
}

// topLevel reports whether a valid label can be a top-level domain: it has at least two
// characters and no digits, or it is xn-- followed by ASCII letters and digits.
func topLevel(label string) bool {
	tail, found := strings.CutPrefix(strings.ToLower(label), "xn--")
	if found && validSlug(tail) && !strings.ContainsAny(tail, "-_") {
		return true
	}
	return utf8.RuneCountInString(label) > 1 && !strings.ContainsAny(label, "0123456789")
}
