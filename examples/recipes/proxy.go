package recipes

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// Proxy serves the paths of target below prefix, such as "/shop". The handler at target
// needs the address of the proxy in Options.TrustedProxies, and Options.ForwardedPrefix.
// ReverseProxy removes the forwarded headers of clients, except for X-Forwarded-Prefix,
// which is replaced here.
func Proxy(target *url.URL, prefix string) http.Handler {
	return http.StripPrefix(prefix, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
			r.Out.Header.Set("X-Forwarded-Prefix", prefix)
		},
	})
}
