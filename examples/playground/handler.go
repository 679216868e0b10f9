package main

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// mount is the path of the folder. It is not the root, so that the worker does not answer
// for other programs that use the same port later.
const mount = "/playground/"

// handler returns a handler that serves the files at mount, with the headers of a good
// host of static files.
func (f folder) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cache-Control", "no-cache")
		name, ok := strings.CutPrefix(r.URL.Path, mount)
		if name == "" {
			name = "index.html"
		}
		data, exists := f[name]
		switch {
		case r.URL.Path == "/" || r.URL.Path+"/" == mount:
			http.Redirect(w, r, mount, http.StatusFound) // not 301, which browsers keep for the port
		case !ok || !exists:
			header.Set("Content-Security-Policy", "frame-ancestors 'none'") // the rest is in the page
			header.Set("Content-Type", contentType(missingName))
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(f[missingName]) // the browser is gone if it fails
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are allowed.", http.StatusMethodNotAllowed)
		default:
			header.Set("Content-Type", contentType(name))
			header.Set("Etag", `"`+integrity(data)+`"`)
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
		}
	})
}

// contentType returns the media type of a file. The types of mime are those of the system.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".gz":
		return "application/gzip" // not Content-Encoding: the worker decompresses it
	}
	return mime.TypeByExtension(path.Ext(name))
}
