package origin

import (
	"net/netip"
	"strings"
)

// maxHostName is the maximum length of a name in DNS. It also limits the length of the 39
// links of the root.
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
	return validName(name) && (!hasPort || validPort(port))
}

func validName(name string) bool {
	if name == "" || len(name) > maxHostName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if !isAlphanumeric(c) && c != '.' && c != '-' && c != '_' {
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
	if len(text) == 0 || len(text) > 5 {
		return false
	}
	port := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
		port = port*10 + int(text[i]-'0')
	}
	return 1 <= port && port <= 65535
}
