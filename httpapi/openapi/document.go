package openapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// A Document is an OpenAPI document. It is immutable and safe for concurrent use.
type Document struct {
	text []byte
	etag string
}

// New returns the document of a handler. It does not follow later changes to the
// collections. O(fields of all collections).
//
// The type of a collection's records is known if the collection has a method
//
//	RecordType() reflect.Type
//
// that returns the type from which encoding/json encodes them, such as
// reflect.TypeFor[Book](), or nil if it is unknown. The collections of a catalogue
// have this method. If the collection's description has fields, its records have these,
// and the type only adds which of them may be absent or null and what fields of the kind
// JSON hold.
//
// New calls the Fields method of the collections whose description has fields or whose
// type is known, except for open records. If that fails, New returns the error, wrapped
// with the collection's key. It returns an error wrapping [httpapi.ErrInvalidConfig] if h
// is nil or an option is invalid.
func New(ctx context.Context, h *httpapi.Handler, opts Options) (*Document, error) {
	if h == nil {
		return nil, fmt.Errorf("%w: nil handler", httpapi.ErrInvalidConfig)
	}
	opts, err := opts.defaults(h)
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

// encode returns readable JSON: indented, and without escaping <, > and &.
func encode(m *model) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// JSON returns a copy of the document as it is served, with a trailing newline.
// O(len).
func (d *Document) JSON() []byte { return bytes.Clone(d.text) }

// ServeHTTP serves the document in response to GET and HEAD requests of any path. It
// responds with 304 if the client's copy is current. It responds to other methods with 405
// and the JSON that an [httpapi.Handler] sends with this status.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, "":
	default:
		refuse(w, r.Method)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Etag", d.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.text))
}

// refuse responds to a method other than GET and HEAD.
func refuse(w http.ResponseWriter, method string) {
	header := w.Header()
	header.Set("Allow", "GET, HEAD")
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusMethodNotAllowed)
	body, _ := json.Marshal(struct { // strings can always be encoded
		Detail string `json:"detail"`
	}{`Method "` + method + `" not allowed.`})
	_, _ = w.Write(body) // an error means that the client has disconnected
}
