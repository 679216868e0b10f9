package cataloguetest

import (
	"bytes"
	"fmt"
	"html"
	"mime"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// BrowsableAPI responds to requests with format=api as Django REST framework does where
// its browsable API is enabled. If the client accepts HTML, the response is a page of
// HTML that shows the JSON; a status 204 becomes 200. If the client accepts only other
// types, such as application/json, the response has status 406, and a write has no effect.
// The real page has forms and links as well.
//
// Without this fault, a house responds with JSON, as the document of the service says.
// The links of the documented root listing end in ?format=api, and a next link keeps the
// parameter, so a client that follows them works only without the browsable API.
//
// Requests without format=api are not changed, nor are requests to other paths than those
// of the root listing, of collections and of their records.
func BrowsableAPI() Fault {
	return Fault{
		call:    call("BrowsableAPI"),
		stage:   inFormat,
		prepare: func(i *interceptor) { i.negotiateHTML() },
		apply:   func(i *interceptor, _ int) bool { return i.renderHTML() },
	}
}

// A rendering is the result of negotiating HTML.
type rendering int

const (
	asJSON    rendering = iota // format=api was not requested
	asHTML                     // requested and acceptable
	notAsHTML                  // requested and not acceptable
)

// shownIndent is the indentation of the JSON in a page.
const shownIndent = 4

// negotiateHTML decides how the response is rendered, and changes the Accept header of
// the request so that the handler responds with the JSON to show, or with status 406.
func (i *interceptor) negotiateHTML() {
	format, _ := pagination.ParseQuery(i.r.URL.RawQuery).Get("format")
	if format != "api" || !i.paths.isServed(i.r.URL.Path) {
		return
	}
	accept := "text/html" // is not acceptable to the handler
	i.rendering = notAsHTML
	if acceptsHTML(i.r.Header["Accept"]) {
		i.rendering = asHTML
		accept = fmt.Sprintf("application/json; indent=%d", shownIndent)
	}
	i.r = i.r.WithContext(i.r.Context()) // a copy
	i.r.Header = i.r.Header.Clone()
	i.r.Header.Set("Accept", accept)
}

// renderHTML renders the response, and reports whether it is not that of the JSON format.
func (i *interceptor) renderHTML() bool {
	resp := i.response
	mediaType, _, _ := mime.ParseMediaType(resp.header.Get("Content-Type"))
	switch {
	case i.rendering == notAsHTML:
		return resp.status == http.StatusNotAcceptable
	case i.rendering == asJSON, mediaType != "application/json" && resp.status != http.StatusNoContent:
		return false
	}
	resp.body = browsablePage(i.r, resp)
	if resp.status == http.StatusNoContent {
		resp.status = http.StatusOK
	}
	resp.header.Set("Content-Type", "text/html; charset=utf-8")
	resp.header.Del("Content-Length")
	return true
}

// browsablePage returns a page that shows a response.
func browsablePage(r *http.Request, resp *response) []byte {
	var page bytes.Buffer
	method := r.Method
	if method == http.MethodHead { // has the header of the GET
		method = http.MethodGet
	}
	target := html.EscapeString(r.URL.RequestURI())
	fmt.Fprintf(&page, "<!DOCTYPE html>\n<html>\n<head><title>%s – Django REST framework</title></head>\n<body>\n", html.EscapeString(r.URL.Path))
	fmt.Fprintf(&page, "<pre><b>%s</b> %s</pre>\n", html.EscapeString(method), target)
	fmt.Fprintf(&page, "<pre><b>HTTP %d %s</b>\n\n%s</pre>\n</body>\n</html>\n", resp.status, http.StatusText(resp.status), html.EscapeString(string(resp.body)))
	return page.Bytes()
}

// acceptsHTML reports whether the Accept headers of a request accept text/html, as the
// framework negotiates: qualities are ignored, no header accepts all types, and an empty
// one accepts none.
func acceptsHTML(headers []string) bool {
	if len(headers) == 0 {
		return true
	}
	for alternative := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, _, _ := strings.Cut(alternative, ";")
		main, sub, _ := strings.Cut(strings.TrimSpace(name), "/")
		if (main == "*" || strings.EqualFold(main, "text")) && (sub == "*" || strings.EqualFold(sub, "html")) {
			return true
		}
	}
	return false
}
