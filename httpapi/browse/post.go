package browse

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// maxForm is the size of the largest form that is read.
const maxForm = 1 << 20

// isForm reports whether a browser sends what somebody has typed in: it says
// where that comes from. Without that it is for the handler to refuse.
func isForm(r *http.Request) bool {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.Method == http.MethodPost && media == "application/x-www-form-urlencoded" &&
		(r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "")
}

// servePosted has the handler make a record of a form. Who may not is told so by
// the handler, which then gets the request as it came; no byte of its body has
// been read.
func (b *browser) servePosted(w http.ResponseWriter, r *http.Request) {
	if err := b.crossOrigin.Check(r); err != nil {
		b.serveAnswer(w, r, refusal(http.StatusForbidden, "The form was sent from another site, so nothing was stored."))
		return
	}
	if !b.postable(r) {
		b.serveAnswer(w, r, b.ask(r))
		return
	}
	posted, no := readForm(w, r)
	if no != nil {
		b.serveAnswer(w, r, no)
		return
	}
	fields := b.collections[r.URL.Path].Fields
	a := b.post(r, formJSON(fields, posted))
	switch a.status {
	case http.StatusCreated:
		w.Header().Set("Location", placeOf(r, a))
		w.WriteHeader(http.StatusSeeOther)
	case http.StatusBadRequest:
		b.serveFaults(w, r, a, posted)
	default:
		b.serveAnswer(w, r, a)
	}
}

// serveFaults shows the form again, with what was typed and what is wrong.
func (b *browser) serveFaults(w http.ResponseWriter, r *http.Request, a *answer, posted url.Values) {
	wrong, err := readFaults(a.body.Bytes())
	if err != nil {
		b.serveAnswer(w, r, a)
		return
	}
	p := b.newPage(r, a)
	p.Title = "Not stored"
	p.here()
	p.Form = newForm(b.collections[r.URL.Path], posted, wrong)
	b.send(w, r, a, p)
}

// placeOf is where a new record is seen: with the newest first.
func placeOf(r *http.Request, a *answer) string {
	link := readQuery(r).with("ordering", "-id", "offset", "")
	members, _ := readMembers(a.body.Bytes())
	for _, m := range members {
		if m.name == "id" {
			link += "#" + url.PathEscape(rowID(m.value))
		}
	}
	return link
}

// readForm reads the body of a form. If it cannot, no is what to answer.
func readForm(w http.ResponseWriter, r *http.Request) (posted url.Values, no *answer) {
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

// refusal is an answer of this package's own.
func refusal(status int, detail string) *answer {
	a := &answer{header: make(http.Header), status: status}
	a.body.WriteString(`{"detail":` + quote(detail) + `}`)
	return a
}
