package openapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// A Document is a description in OpenAPI 3.1. It never changes, and may be used by
// any number of goroutines at once.
type Document struct {
	text []byte
	etag string
}

// Typed is implemented by a [httpapi.Collection] of the program's own that tells
// what its records are encoded from by encoding/json, such as
// reflect.TypeFor[Book](); those of a catalogue implement it. It does not count for
// events, labels and social links, whose records the service's document describes.
type Typed interface {
	// RecordType is that type; nil if nothing is known.
	RecordType() reflect.Type
}

// New describes a handler. Collections whose type is known are asked for their
// fields; an error of theirs is returned, wrapped with the collection's key.
// [httpapi.ErrInvalidConfig] says that the handler is nil, or which option cannot be used. The
// document does not follow what is changed in ctx or in collections later.
// O(fields of all collections).
func New(ctx context.Context, h *httpapi.Handler, opts Options) (*Document, error) {
	if h == nil {
		return nil, fmt.Errorf("%w: nil handler", httpapi.ErrInvalidConfig)
	}
	opts, err := opts.defaults(h.BaseURL())
	if err != nil {
		return nil, err
	}
	m, err := describe(ctx, h, opts)
	if err != nil {
		return nil, err
	}
	text, err := encode(m)
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return &Document{text, fmt.Sprintf(`"%x"`, sha256.Sum256(text))}, nil
}

// encode writes for people, who read such documents too: indented, and with <, >
// and & as they are.
func encode(m *model) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// JSON is the document as it is served, with a line feed at its end. The slice is
// the caller's. O(len).
func (d *Document) JSON() []byte { return bytes.Clone(d.text) }

// ServeHTTP answers GET and HEAD of whatever path with the document, and with 304
// those who have it already; other methods are 405.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, "":
	default:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Etag", d.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.text))
}
