package bridge

import (
	"bytes"
	"io"
	"net/http"
)

// A Request is a request as a service worker receives it.
type Request struct {
	Method  string
	URL     string     // absolute, serialized by the browser
	Headers [][]string // pairs of a name and a value
	Body    []byte

	// Length is the length of the body that was sent. It is greater than len(Body) if the
	// body was too long to be copied. Reading it then fails with io.ErrUnexpectedEOF.
	Length int64
}

// header returns the headers. It skips elements that are not pairs.
func (r Request) header() http.Header {
	header := make(http.Header)
	for _, pair := range r.Headers {
		if len(pair) == 2 {
			header.Add(pair[0], toBytes(pair[1]))
		}
	}
	return header
}

// body returns the body and its length.
func (r Request) body() (io.ReadCloser, int64) {
	switch sent := int64(len(r.Body)); {
	case r.Length > sent:
		return io.NopCloser(io.MultiReader(bytes.NewReader(r.Body), cut{})), r.Length
	case sent > 0:
		return io.NopCloser(bytes.NewReader(r.Body)), sent
	}
	return http.NoBody, 0
}

// cut is the end of a body that was not copied completely.
type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// toBytes returns the bytes of a header value. In a browser each character of a value is
// one byte. Other characters become a question mark.
func toBytes(value string) string {
	out := make([]byte, 0, len(value))
	for _, c := range value {
		if c > 0xff {
			c = '?'
		}
		out = append(out, byte(c))
	}
	return string(out)
}

// fromBytes is the inverse of toBytes. As in net/http, line ends become spaces. So does
// NUL, which browsers refuse.
func fromBytes(value string) string {
	out := make([]rune, 0, len(value))
	for i := range len(value) {
		c := value[i]
		if c == '\r' || c == '\n' || c == 0 {
			c = ' '
		}
		out = append(out, rune(c))
	}
	return string(out)
}
