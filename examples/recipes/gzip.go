package recipes

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

const gzipSuffix = "-gzip"

// Gzip compresses responses of at least 1 KiB for clients that accept that. A compressed
// response has another strong entity tag, which ends in -gzip. Requests with such a tag are
// passed to h without the suffix.
func Gzip(h http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1024), gzhttp.SuffixETag(gzipSuffix))
	if err != nil {
		return nil, err
	}
	return wrap(withoutSuffix(h)), nil
}

// withoutSuffix removes the suffix of tags in requests. A 304 has it again if the request
// had it, since it confirms the client's copy.
func withoutSuffix(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		had := false
		for _, name := range []string{"If-Match", "If-None-Match"} {
			for i, value := range r.Header[name] {
				if strings.Contains(value, gzipSuffix+`"`) {
					if !had {
						r = r.Clone(r.Context())
						had = true
					}
					r.Header[name][i] = strings.ReplaceAll(value, gzipSuffix+`"`, `"`)
				}
			}
		}
		if had {
			w = &suffixer{w}
		}
		h.ServeHTTP(w, r)
	})
}

// suffixer adds the suffix to the tag of a 304, which gzhttp does not compress.
type suffixer struct{ http.ResponseWriter }

func (w *suffixer) WriteHeader(status int) {
	if tags := w.Header()["Etag"]; status == http.StatusNotModified && len(tags) == 1 {
		tag := strings.TrimSuffix(tags[0], `"`) + gzipSuffix + `"`
		w.Header()["Etag"] = []string{tag}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap supports http.ResponseController.
func (w *suffixer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
