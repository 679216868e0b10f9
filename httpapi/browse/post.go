package browse

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxForm is the maximum size of a form in bytes.
const maxForm = 1 << 20

// detailForeign is the detail of the response to a request that isForeign.
const detailForeign = "The request was sent from another site, so nothing was stored."

// isForeign reports whether a page of another site, which is not trusted, sent a request
// that may write. Browsers add the visitor's cookies to such a request, whatever its Accept
// header and its content type. Clients that are no browsers send neither Sec-Fetch-Site nor
// Origin. Behind a proxy that changes the Host, a browser without Sec-Fetch-Site sends the
// origin of the links.
func (b *browser) isForeign(r *http.Request) bool {
	if r.Method == "" || b.crossOrigin.Check(r) == nil {
		return false
	}
	return r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != b.next.Origin(r)
}

// isForm reports whether r is a form sent by a browser, which states its origin. The
// handler rejects forms without an origin.
func isForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Method == http.MethodPost && media == "application/x-www-form-urlencoded" &&
		(r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "")
}

// servePosted passes the values of a form to the handler. If the sender may not post, it
// forwards the request to the handler, which rejects it, without reading the body.
func (b *browser) servePosted(w http.ResponseWriter, r *http.Request) {
	c, id := b.find(r.URL.Path)
	if id != "" {
		b.servePostedRecord(w, r, c)
		return
	}
	if c == nil || !b.postable(r, c) {
		b.serveResponse(w, r, b.forward(r))
		return
	}
	posted, refused := readForm(w, r)
	if refused != nil {
		b.serveResponse(w, r, refused)
		return
	}
	resp := b.post(r, formJSON(c.Fields, posted))
	switch resp.status {
	case http.StatusCreated:
		seeOther(w, recordLink(r, resp))
	case http.StatusBadRequest:
		b.serveFaults(w, r, resp, posted)
	default:
		b.serveResponse(w, r, resp)
	}
}

// serveFaults serves the form again, with its values and errors.
func (b *browser) serveFaults(w http.ResponseWriter, r *http.Request, resp *response, posted url.Values) {
	wrong, err := readFaults(resp.body.Bytes())
	if err != nil {
		b.serveResponse(w, r, resp)
		return
	}
	p := b.newPage(r, resp)
	p.Title = "Not stored"
	p.here()
	if c, id := b.find(r.URL.Path); id != "" {
		q := readQuery(r)
		p.Form = newChangeForm(c, posted, wrong, q.get(shownName), q.get(tagName))
	} else {
		p.Form = newForm(c.Fields, posted, wrong)
	}
	b.sendPage(w, r, resp, p)
}

// recordLink returns a link to a new record, in the list with the newest first.
func recordLink(r *http.Request, resp *response) string {
	link := readQuery(r).with("ordering", "-id", "offset", "")
	members, _ := readMembers(resp.body.Bytes())
	for _, m := range members {
		if m.name == "id" {
			link += "#" + url.PathEscape(rowID(m.value))
		}
	}
	return link
}

// readForm reads the body of a form. If that fails, it returns the response to send.
func readForm(w http.ResponseWriter, r *http.Request) (posted url.Values, refused *response) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err == nil {
		posted, err = url.ParseQuery(string(body))
	}
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return posted, nil
	case errors.As(err, &tooLarge):
		return nil, refusal(http.StatusRequestEntityTooLarge, "The form is larger than 1 MiB.")
	}
	return nil, refusal(http.StatusBadRequest, "The form could not be read.")
}

// refusal returns an error response.
func refusal(status int, detail string) *response {
	resp := &response{header: make(http.Header), status: status}
	resp.body.WriteString(`{"detail":` + quote(detail) + `}`)
	return resp
}
