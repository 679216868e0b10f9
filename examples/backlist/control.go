package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// A control serves the requests of -control.
type control struct{ houses *houses }

// newControl returns the handler of -control.
func newControl(hs *houses) http.Handler {
	c := control{hs}
	mux := http.NewServeMux()
	mux.Handle("/{$}", methods{"GET": c.root})
	mux.Handle("/houses/{$}", methods{"GET": c.listHouses, "POST": c.fork})
	mux.Handle("/houses/{house}/{$}", methods{"GET": c.of(c.show), "DELETE": c.of(c.remove)})
	mux.Handle("/houses/{house}/reset/{$}", methods{"POST": c.of(c.reset)})
	mux.Handle("/houses/{house}/faults/{$}", methods{"GET": c.of(c.listFaults), "POST": c.of(c.breakWith), "DELETE": c.of(c.mendAll)})
	mux.Handle("/houses/{house}/faults/{fault}/{$}", methods{"GET": c.ofFault(c.showFault), "DELETE": c.ofFault(c.mend)})
	mux.Handle("/houses/{house}/exchanges/{$}", methods{"GET": c.of(c.listExchanges), "DELETE": c.of(c.forget)})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/") {
			writeDetail(w, http.StatusNotFound, "Not found. All paths end with a slash.")
			return
		}
		writeDetail(w, http.StatusNotFound, "Not found.")
	})
	return mux
}

// methods are the handlers of a path by method. A GET handler serves HEAD as well.
type methods map[string]http.HandlerFunc

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if h, ok := m[method]; ok {
		h(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(m)), ", "))
	writeDetail(w, http.StatusMethodNotAllowed, fmt.Sprintf("Method %q not allowed.", r.Method))
}

// of returns a handler that calls f with the house in the path.
func (c control) of(f func(w http.ResponseWriter, r *http.Request, h *house)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("house")
		if h, ok := c.houses.lookup(name); ok {
			f(w, r, h)
			return
		}
		c.houses.refuseUnknown(w, name)
	}
}

func (c control) root(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"houses": "http://" + r.Host + "/houses/"})
}

// maxControlBody is the largest size of a request body.
const maxControlBody = 64 << 10

// readJSON decodes the request body into v. An empty body is an empty object. If the body is
// invalid, readJSON responds with the reason and returns false.
func readJSON(w http.ResponseWriter, r *http.Request, v any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		writeDetail(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes.", maxControlBody))
		return false
	case err != nil:
		writeDetail(w, http.StatusBadRequest, "The body could not be read.")
		return false
	case len(bytes.TrimSpace(body)) == 0:
		return true
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(v)
	if err == nil {
		if _, err = decoder.Token(); err == io.EOF {
			return true
		}
		err = errors.New("there is more than one value")
	}
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		err = fmt.Errorf("want an object with text, got %s", wrong.Value)
	}
	writeDetail(w, http.StatusBadRequest, "JSON parse error - "+strings.TrimPrefix(err.Error(), "json: "))
	return false
}

// writeJSON writes a response. v is a value that has a JSON form.
func writeJSON(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		status, body = http.StatusInternalServerError, *bytes.NewBufferString(`{"detail":"Internal server error."}`)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // an error is that of the connection
}

// writeDetail writes an error in the form of the service.
func writeDetail(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"detail": detail})
}

// writeFieldError writes the error of a member of the body in the form of the service.
func writeFieldError(w http.ResponseWriter, field string, err error) {
	writeJSON(w, http.StatusBadRequest, map[string][]string{field: {err.Error()}})
}
