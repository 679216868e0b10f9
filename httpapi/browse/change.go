package browse

import (
	"net/http"

	"github.com/gobacklist/backlist/resources"
)

// methodName is the parameter with the method of a form for a record: forms can only
// send GET and POST. It is in the query so that it cannot be the name of a field.
const methodName = "_method"

// servePostedRecord changes or deletes a record as a form specifies. Other requests are
// forwarded to the handler, which rejects them.
func (b *browser) servePostedRecord(w http.ResponseWriter, r *http.Request, c *collection) {
	method := readQuery(r).get(methodName)
	switch {
	case method == http.MethodDelete && c.actions.Has(resources.Destroy):
		b.serveDeletion(w, r)
	case method != "" && method == c.updateMethod():
		b.serveChange(w, r, c, method)
	default:
		b.serveResponse(w, r, b.forward(r))
	}
}

func (b *browser) serveDeletion(w http.ResponseWriter, r *http.Request) {
	resp := b.request(r, http.MethodDelete, r.URL.Path, "")
	if resp.status != http.StatusNoContent {
		b.serveResponse(w, r, resp)
		return
	}
	seeOther(w, "../?format=api")
}

// serveChange changes a record. If the sender may not do that, the handler rejects a
// request without a body, so that the form is not read.
func (b *browser) serveChange(w http.ResponseWriter, r *http.Request, c *collection, method string) {
	if method == http.MethodPut && !b.offers(r, method) {
		b.serveResponse(w, r, b.request(r, method, r.URL.Path, ""))
		return
	}
	resp := b.request(r, http.MethodGet, r.URL.Path, "")
	if resp.status != http.StatusOK {
		b.serveResponse(w, r, resp)
		return
	}
	before, err := readMembers(resp.body.Bytes())
	if err != nil {
		b.serveResponse(w, r, refusal(http.StatusInternalServerError, "The record could not be read."))
		return
	}
	posted, refused := readForm(w, r)
	if refused != nil {
		b.serveResponse(w, r, refused)
		return
	}
	resp = b.send(r, method, changeJSON(c.Fields, posted, before))
	switch resp.status {
	case http.StatusOK:
		seeOther(w, "?format=api")
	case http.StatusBadRequest:
		b.serveFaults(w, r, resp, posted)
	default:
		b.serveResponse(w, r, resp)
	}
}

// seeOther redirects to a relative link after a form has been processed.
func seeOther(w http.ResponseWriter, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}
