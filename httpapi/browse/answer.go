package browse

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
)

// answer is what the handler says, kept in memory. It is the ResponseWriter that
// the handler gets.
type answer struct {
	header http.Header
	status int // 0: none yet
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status = status
	}
}

func (a *answer) Write(body []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(body)
}

// ask has the handler answer a browser's request in JSON, whole: with the body
// for a HEAD too, since the page is made of it.
func (b *browser) ask(r *http.Request) *answer {
	in := inner(r)
	if r.Method == http.MethodHead {
		in.Method = http.MethodGet
	}
	return b.do(in)
}

// askFor asks the handler something of its own, without a body, on behalf of who
// sent r.
func (b *browser) askFor(r *http.Request, method, path, query string) *answer {
	in := inner(r)
	in.Method = method
	in.URL = &url.URL{Path: path, RawQuery: query}
	in.RequestURI = in.URL.RequestURI()
	setBody(in, nil)
	return b.do(in)
}

// post has the handler post JSON to the path of r.
func (b *browser) post(r *http.Request, body []byte) *answer {
	in := inner(r)
	setBody(in, body)
	in.Header.Set("Content-Type", "application/json")
	return b.do(in)
}

func (b *browser) do(in *http.Request) *answer {
	a := &answer{header: make(http.Header)}
	b.next.ServeHTTP(a, in)
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a
}

// inner is a request like r for JSON: all of it, new, and as it is.
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
