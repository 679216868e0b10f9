package cataloguetest

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// invalidToken is the detail of the response to an invalid token.
const invalidToken = "Invalid token."

// translates reports whether a codec translates a request and its response.
func (p paths) translates(r *http.Request) bool { return p.codec != nil && p.isServed(r.URL.Path) }

// ask returns the response of the framework's handler to a request of the service. The links of a
// page are the service's, and what it does not have is absent.
func (p paths) ask(r *http.Request, recorder func() *wire.Recorder, next http.Handler) *wire.Recorder {
	w := recorder()
	inner := r.Clone(r.Context())
	inner.URL.Path = p.canonical(r.URL.Path)
	inner.URL.RawPath = ""
	inner.Header.Set("Accept", "application/json")
	style := p.at(r.URL.Path).Pages
	isPage := requestsPage(r, p)
	if isPage {
		query, ok := p.codec.query(r, style)
		if !ok {
			wire.SendDetail(w, http.StatusBadRequest, invalidToken)
			return w
		}
		inner.URL.RawQuery = query.Encode()
	}
	next.ServeHTTP(w, inner)
	switch is := pagination.TraitsOf(style); {
	case !isPage || w.Status != http.StatusNotFound:
	case !is.Counted:
		w.Status = http.StatusBadRequest
	default: // past the last page
		query := inner.URL.Query()
		query.Set(is.Place, "last")
		inner.URL.RawQuery = query.Encode()
		w = recorder()
		next.ServeHTTP(w, inner)
		p.change(style, w, func(page *envelope) { page.Next, page.Previous, page.Records = "", "", nil })
	}
	if isPage {
		p.change(style, w, func(page *envelope) {
			page.Next, page.Previous = p.codec.link(r, style, page.Next), p.codec.link(r, style, page.Previous)
		})
	}
	return w
}

// change changes the page of a response, and reports whether it has.
func (p paths) change(style pagination.Style, w *wire.Recorder, change func(page *envelope)) bool {
	page, ok := p.parsePage(style, w.Body)
	if !ok || w.Status != http.StatusOK {
		return false
	}
	before, _ := page.MarshalJSON()
	change(&page)
	if !p.counted(style) {
		page.Count = -1
	}
	if p.codec != nil && p.codec.Next == "" && p.codec.Body == nil {
		page.Next = ""
	}
	after, err := page.MarshalJSON()
	if err != nil || bytes.Equal(before, after) {
		return false
	}
	w.Body = after
	return true
}

// parsePage parses a page of a style.
func (p paths) parsePage(style pagination.Style, body []byte) (page envelope, ok bool) {
	err := json.Unmarshal(body, &page)
	missing := page.Count < 0 && p.counted(style)
	return page, err == nil && page.Records != nil && !missing // null unmarshals without error
}

// counted reports whether pages of a style have the number of all records.
func (p paths) counted(style pagination.Style) bool {
	return pagination.TraitsOf(style).Counted && (p.codec == nil || p.codec.Count != "" || p.codec.Body != nil)
}

// encode converts a response to the form of the service, without headers that only the framework sends.
func (p paths) encode(r *http.Request, w *wire.Recorder) {
	for _, name := range []string{"Allow", "Cross-Origin-Opener-Policy", "Referrer-Policy", "Vary", "X-Content-Type-Options", "X-Frame-Options"} {
		if name != "Allow" || w.Status != http.StatusMethodNotAllowed {
			w.Sent.Del(name)
		}
	}
	style := p.at(r.URL.Path).Pages
	page, ok := p.parsePage(style, w.Body)
	switch {
	case requestsPage(r, p) && ok && w.Status == http.StatusOK:
		w.Body = p.codec.encode(page, style, w.Sent)
	case w.Status >= http.StatusBadRequest:
		w.Body = p.codec.failure(w.Status, w.Body)
	}
}

// tokenOf reports whether a request is for a page that begins at a cursor or token, and whether it is
// for one that begins at none.
func (p paths) tokenOf(r *http.Request) (isToken, begins bool) {
	is := pagination.TraitsOf(p.at(r.URL.Path).Pages)
	place, tokens := is.Place, !is.Counted
	if p.codec != nil {
		place, _ = p.codec.names(is)
		tokens = tokens || p.codec.Tokens
	}
	at := r.URL.Query().Get(place)
	tokens = tokens && requestsPage(r, p)
	return tokens && at != "", tokens && at == ""
}
