package browse

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// response is a response of the handler. It is the http.ResponseWriter that the handler
// writes to.
type response struct {
	request *http.Request // that it answers, or nil
	sent    []byte        // body of the request, if it was made from a form
	header  http.Header
	status  int // 0 until it is known
	body    bytes.Buffer
}

func (resp *response) Header() http.Header { return resp.header }

func (resp *response) WriteHeader(status int) {
	if resp.status == 0 && status >= http.StatusOK {
		resp.status = status
	}
}

func (resp *response) Write(body []byte) (int, error) {
	resp.WriteHeader(http.StatusOK)
	return resp.body.Write(body)
}

// sendJSON sends a response to a client other than a browser that follows a link.
func (resp *response) sendJSON(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(resp.body.Len()))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(resp.status)
	_, _ = w.Write(resp.body.Bytes()) // the client is gone if it fails
}

// forward passes a browser's request to the handler and returns its JSON response. It
// sends HEAD as GET, since the page is made from the body.
func (b *browser) forward(r *http.Request) *response {
	in := inner(r)
	if r.Method == http.MethodHead {
		in.Method = http.MethodGet
	}
	return b.do(in, nil)
}

// request sends the handler an additional request without a body, with the headers of r.
func (b *browser) request(r *http.Request, method, path, query string) *response {
	in := inner(r)
	in.Method = method
	in.URL = &url.URL{Path: path, RawQuery: query}
	in.RequestURI = in.URL.RequestURI()
	setBody(in, nil)
	return b.do(in, nil)
}

// post posts JSON to the path of r.
func (b *browser) post(r *http.Request, body []byte) *response {
	in := inner(r)
	setBody(in, body)
	in.Header.Set("Content-Type", "application/json")
	return b.do(in, body)
}

// send sends JSON to the path of r with another method, without a query, and with a value of
// If-Match unless that is empty.
func (b *browser) send(r *http.Request, method string, body []byte, match string) *response {
	in := inner(r)
	in.Method = method
	in.URL = &url.URL{Path: r.URL.Path}
	in.RequestURI = in.URL.RequestURI()
	setBody(in, body)
	if len(body) > 0 {
		in.Header.Set("Content-Type", "application/json")
	}
	if match != "" {
		in.Header.Set("If-Match", match)
	}
	return b.do(in, body)
}

// do sends the handler a request. sent is its body if it was made from a form.
func (b *browser) do(in *http.Request, sent []byte) *response {
	resp := &response{request: in, sent: sent, header: make(http.Header)}
	b.next.ServeHTTP(resp, in)
	if resp.status == 0 {
		resp.status = http.StatusOK
	}
	return resp
}

// inner returns a copy of r that requests JSON, unconditionally, whole and uncompressed.
func inner(r *http.Request) *http.Request {
	in := r.Clone(r.Context())
	in.Header["Accept"] = []string{"application/json"}
	for _, name := range []string{
		"Accept-Encoding", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range",
	} {
		in.Header.Del(name)
	}
	return in
}

func setBody(in *http.Request, body []byte) {
	in.Body, in.ContentLength = http.NoBody, int64(len(body))
	if len(body) > 0 {
		in.Body = io.NopCloser(bytes.NewReader(body))
	}
	in.TransferEncoding = nil
	in.Header.Del("Content-Length")
	in.Header.Del("Content-Type")
	in.Header.Del("Expect")
}
