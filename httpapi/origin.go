package httpapi

import "net/http"

// origin is what the links of an answer begin with, where it comes from the
// request: zero with a base URL.
type origin struct {
	host   string // valid
	secure bool   // https
}

// originOf finds out whom a client took itself to be asking. A fault, "" for none,
// says which header is to blame.
func (h *Handler) originOf(r *http.Request) (o origin, fault string) {
	if h.base != "" {
		return origin{}, ""
	}
	o = origin{r.Host, r.TLS != nil}
	if h.proxies.trust(r.RemoteAddr) {
		told, fault := readForwarded(r.Header)
		if fault != "" {
			return origin{}, fault
		}
		if told.host != "" {
			o.host = told.host
		}
		if told.scheme != "" {
			o.secure = told.scheme == "https"
		}
	}
	if !validHost(o.host) {
		return origin{}, "Invalid Host header."
	}
	return o, ""
}
