package httpapi

import (
	"fmt"
	"net/netip"
	"slices"
)

// proxies are the addresses whose forwarded headers count.
type proxies []netip.Prefix

// newProxies copies prefixes. It returns [ErrOptions] for one that is none, or
// that no address would match: IPv4 addresses are compared as such.
func newProxies(prefixes []netip.Prefix) (proxies, error) {
	for _, p := range prefixes {
		if !p.IsValid() {
			return nil, fmt.Errorf("%w: TrustedProxies: an invalid prefix", ErrOptions)
		}
		if p.Addr().Is4In6() {
			return nil, fmt.Errorf("%w: TrustedProxies: write %v as a prefix of IPv4", ErrOptions, p)
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
