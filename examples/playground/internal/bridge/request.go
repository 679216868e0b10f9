package bridge

import "net/http"

// A Request is a request as a service worker receives it.
type Request struct {
	Method  string
	URL     string     // absolute, serialized by the browser
	Headers [][]string // pairs of a name and a value
	Body    []byte
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
