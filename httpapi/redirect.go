package httpapi

import (
	"net/http"
	"strings"
)

// redirect sends the client to a path with its slash, keeping the query as it
// is but for what must not stand in a header or a URL. GET and HEAD get a 301; others a 308, which keeps method and body.
func (h *Handler) redirect(w http.ResponseWriter, r *http.Request, path string) {
	location := h.base + path
	if h.base == "" {
		location = localURL(prefix(r) + path)
	}
	if r.URL.RawQuery != "" {
		location += "?" + escapeQuery(r.URL.RawQuery)
	}
	header := w.Header()
	header["Content-Type"] = h.values.html
	header["Location"] = []string{location}
	header["Content-Length"] = h.values.zero
	header["X-Content-Type-Options"] = h.values.nosniff
	header["Referrer-Policy"] = h.values.referrer
	w.WriteHeader(redirectStatus(r.Method))
}

func redirectStatus(method string) int {
	switch method {
	case http.MethodGet, http.MethodHead, "":
		return http.StatusMovedPermanently
	}
	return http.StatusPermanentRedirect
}

// localURL keeps a path that begins with two slashes from being read as the
// address of another host.
func localURL(path string) string {
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		return "/%2F" + rest
	}
	return path
}
