package cataloguetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// Page calls change with each page of a collection, which it may modify, and with the
// request for it, which must not be modified:
//
//	cataloguetest.Page(func(_ *http.Request, page *pagination.Envelope[json.RawMessage]) {
//		page.Count--
//	})
//
// Pages are the responses with status 200 to GET and HEAD requests for the path of a
// collection. Other responses do not change. A page that change leaves as it is does not
// count as changed. change runs in the goroutine of the request, and concurrently if requests
// are. If it returns records that are not valid JSON, the page is not changed. If change is
// nil, the fault is invalid.
func Page(change func(r *http.Request, page *pagination.Envelope[json.RawMessage])) Fault {
	if change == nil {
		return Fault{err: errors.New("Page: nil function")}
	}
	return pageFault("Page", func(i *interceptor, page *envelope) { change(i.r, page) })
}

type envelope = pagination.Envelope[json.RawMessage]

// pageFault returns a fault that changes pages, given the function that returns it.
func pageFault(function string, change func(i *interceptor, page *envelope)) Fault {
	return Fault{call: call(function), stage: inPage, apply: func(i *interceptor) bool {
		if !requestsPage(i.r, i.paths) || i.response.status != http.StatusOK {
			return false
		}
		var page envelope
		if json.Unmarshal(i.response.body, &page) != nil {
			return false
		}
		change(i, &page)
		body, err := page.MarshalJSON()
		if err == nil {
			body, err = indentLike(i.response.body, body)
		}
		if err != nil || bytes.Equal(body, i.response.body) {
			return false
		}
		i.response.body = body
		return true
	}}
}

// indentLike indents a page like another one.
func indentLike(page, body []byte) ([]byte, error) {
	indented, ok := bytes.CutPrefix(page, []byte("{\n"))
	if !ok {
		return body, nil
	}
	indent := indented[:len(indented)-len(bytes.TrimLeft(indented, " "))]
	var b bytes.Buffer
	err := json.Indent(&b, body, "", string(indent))
	return b.Bytes(), err
}

// NextIsSelf makes the next link of a page lead to the page itself, on the last page
// as well. A client that follows the links never ends.
func NextIsSelf() Fault {
	return pageFault("NextIsSelf", func(i *interceptor, page *envelope) {
		scheme, target := "http", i.r.RequestURI // with a prefix that StripPrefix has removed
		if i.r.TLS != nil {
			scheme = "https"
		}
		if !strings.HasPrefix(target, "/") {
			target = i.r.URL.RequestURI()
		}
		page.Next = scheme + "://" + i.r.Host + target
	})
}

// MissingRow removes the last record of a page. The count and the links do not
// change, so the record is on no page. An empty page is not changed.
func MissingRow() Fault {
	return pageFault("MissingRow", func(_ *interceptor, page *envelope) {
		page.Records = page.Records[:max(len(page.Records)-1, 0)]
	})
}

// RepeatedRow inserts the last record of the previous page at the front of a page,
// which may then have one more than its limit. The count and the links do not change.
// The first page and empty pages are not changed.
//
// Together with a [MissingRow] for the same requests, each page has the right number of
// records, and the whole list has as many as its count. This happens in services whose
// orderings have ties that each query breaks differently.
func RepeatedRow() Fault {
	return pageFault("RepeatedRow", func(i *interceptor, page *envelope) {
		if offsetOf(i.r) == 0 || len(page.Records) == 0 {
			return
		}
		// The last record of the previous page. Of a parameter that occurs twice, the last
		// value counts.
		r := i.r.WithContext(i.r.Context()) // a copy
		u := *i.r.URL
		u.RawQuery += fmt.Sprintf("&limit=1&offset=%d", offsetOf(i.r)-1)
		r.URL = &u
		var previous envelope
		if json.Unmarshal(i.record(r).body, &previous) == nil && len(previous.Records) == 1 {
			page.Records = slices.Insert(page.Records, 0, previous.Records[0])
		}
	})
}

// BrowsableAPI responds to requests with format=api as Django REST framework does where
// its browsable API is enabled. If the client accepts HTML, the response is a page of
// HTML that shows the JSON; a status 204 becomes 200. If the client accepts only other
// types, such as application/json, the response has status 406, and a write has no effect.
// The real page has forms and links as well.
//
// Without this fault, a server responds with JSON, as the document of the service says.
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
		apply:   func(i *interceptor) bool { return i.renderHTML() },
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
