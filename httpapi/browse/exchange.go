package browse

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// exchange is the request that the handler was sent, and its response.
type exchange struct {
	Request string
	Sent    string // body of the request, or ""
	Status  string
	Header  []headerLine
	Body    template.HTML
	Folded  string // label of a body that is only visible if it is unfolded, or ""
	Open    bool   // the body is visible nevertheless
}

type headerLine struct{ Name, Value string }

// A body of at most maxLines lines and maxVisible bytes is not folded.
const (
	maxLines   = 30
	maxVisible = 2000
)

// escapeText escapes a text for HTML outside tags. A template would escape quotes too, of
// which JSON has many.
func (b *browser) escapeText(text string) template.HTML {
	return template.HTML(b.escapes.Replace(text))
}

// newExchange returns the exchange that ended with resp. If the handler was not asked, the
// request is that of the browser.
func (b *browser) newExchange(r *http.Request, resp *response) exchange {
	body := indented(resp.body.Bytes())
	e := exchange{
		Request: r.Method + " " + r.RequestURI,
		Status:  fmt.Sprintf("HTTP %d %s", resp.status, http.StatusText(resp.status)),
		Body:    b.escapeText(body),
	}
	if in := resp.request; in != nil {
		path, _, _ := strings.Cut(r.RequestURI, "?") // it has the prefix that the handler does not see
		e.Request = in.Method + " " + path
		if in.URL.RawQuery != "" {
			e.Request += "?" + in.URL.RawQuery
		}
		e.Sent = indented(resp.sent)
	}
	for _, name := range slices.Sorted(maps.Keys(resp.header)) {
		for _, value := range resp.header[name] {
			e.Header = append(e.Header, headerLine{name, value})
		}
	}
	if len(body) > maxVisible || strings.Count(body, "\n") >= maxLines {
		e.Folded = "Body, " + grouped(resp.body.Len()) + " bytes"
	}
	return e
}
