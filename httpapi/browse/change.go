package browse

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Parameters of a form for a record. They are in the query so that they cannot be names of
// fields.
const (
	methodName = "_method" // of the request to send: forms can only send GET and POST
	tagName    = "_tag"    // entity tag of the record that the form shows, if it has one
	shownName  = "_shown"  // digests of the texts that the form shows
)

const (
	detailChanged = "The record has changed since the form was opened, so nothing was stored."
	detailKept    = "The record has changed since this page was opened, so it was not deleted."
)

// servePostedRecord changes or deletes a record as a form specifies. Other requests are
// forwarded to the handler, which rejects them.
func (b *browser) servePostedRecord(w http.ResponseWriter, r *http.Request, c *collection) {
	method := readQuery(r).get(methodName)
	switch {
	case method == http.MethodDelete && c.actions.Has(schema.Destroy):
		b.serveDeletion(w, r, c)
	case method != "" && method == c.updateMethod():
		b.serveChange(w, r, c, method)
	default:
		b.serveResponse(w, r, b.forward(r))
	}
}

// serveDeletion deletes a record, unless it has changed since the visitor was asked.
func (b *browser) serveDeletion(w http.ResponseWriter, r *http.Request, c *collection) {
	match := ""
	if c.deleterIf {
		match = readQuery(r).get(tagName)
	}
	resp := b.send(r, http.MethodDelete, nil, match)
	switch resp.status {
	case http.StatusNoContent:
		seeOther(w, "../?format=api")
		return
	case http.StatusPreconditionFailed:
		if now := b.request(r, http.MethodGet, r.URL.Path, ""); now.status == http.StatusOK {
			p := b.newPage(r, resp)
			b.showRecord(p, r, now)
			p.Fault, p.Detail = true, detailKept
			b.sendPage(w, r, resp, p)
			return
		}
	}
	b.serveResponse(w, r, resp)
}

// serveChange changes a record. If the sender may not do that, the handler rejects a
// request without a body, so that the form is not read.
func (b *browser) serveChange(w http.ResponseWriter, r *http.Request, c *collection, method string) {
	if c.actions.Has(schema.Update) && !b.offers(r, http.MethodPut) {
		b.serveResponse(w, r, b.request(r, http.MethodPut, r.URL.Path, ""))
		return
	}
	now, record := b.current(r)
	if record == nil {
		b.serveResponse(w, r, now)
		return
	}
	posted, refused := readForm(w, r)
	if refused != nil {
		b.serveResponse(w, r, refused)
		return
	}
	q := readQuery(r)
	ch := newChange(c.Fields, posted, q.get(shownName), record)
	if ch.conflicts != nil {
		b.serveConflict(w, r, refusal(http.StatusPreconditionFailed, detailChanged), posted)
		return
	}
	match := ""
	if c.updaterIf && now.header.Get("Etag") != "" {
		match = q.get(tagName)
		if match == "" {
			match = `""` // it is not that of a record
		}
	}
	resp := b.send(r, method, ch.json(c.Fields, method), match)
	switch resp.status {
	case http.StatusOK:
		seeOther(w, "?format=api")
	case http.StatusBadRequest:
		b.serveFaults(w, r, resp, posted)
	case http.StatusPreconditionFailed:
		b.serveConflict(w, r, resp, posted)
	default:
		b.serveResponse(w, r, resp)
	}
}

// current requests the record at the path of r. If that fails, record is nil and resp the
// response to send.
func (b *browser) current(r *http.Request) (resp *response, record []member) {
	resp = b.request(r, http.MethodGet, r.URL.Path, "")
	if resp.status != http.StatusOK {
		return resp, nil
	}
	record, err := readMembers(resp.body.Bytes())
	if err != nil || record == nil {
		return refusal(http.StatusInternalServerError, "The record could not be read."), nil
	}
	return resp, record
}

// serveConflict serves the form again after the record has changed: with what the visitor
// has changed, and with the present values of the other fields.
func (b *browser) serveConflict(w http.ResponseWriter, r *http.Request, resp *response, posted url.Values) {
	now, record := b.current(r)
	if record == nil {
		b.serveResponse(w, r, now)
		return
	}
	c, _ := b.find(r.URL.Path)
	ch := newChange(c.Fields, posted, readQuery(r).get(shownName), record)
	p := b.newPage(r, resp)
	p.Title = "Not stored"
	p.here()
	p.Form = newChangeForm(c, ch.values, ch.conflicts, digests(c.Fields, record), now.header.Get("Etag"))
	p.Form.Failed = detailChanged + " What you have changed is still in the form. The other fields have their present values. " +
		"Please check them and save again."
	b.sendPage(w, r, resp, p)
}

// A change is what a form changes in a record.
type change struct {
	touched   map[string]string          // JSON of the fields that the visitor has changed
	stored    map[string]json.RawMessage // present values of all fields
	values    url.Values                 // of a form for the record as it is now, with the change
	conflicts faults                     // touched fields that have got another value in the meantime
}

// newChange compares a form with the record as it is stored. The visitor has changed a field
// if its text is not the one that the form has shown. A form that does not say what it has
// shown counts as one that has shown the record as it is stored. A field that is not in the
// form is not changed.
func newChange(fields []schema.Field, posted url.Values, shown string, record []member) change {
	ch := change{touched: map[string]string{}, stored: map[string]json.RawMessage{}, values: url.Values{}}
	for _, m := range record {
		ch.stored[m.name] = m.value
	}
	if stored := digests(fields, record); len(shown) != len(stored) {
		shown = stored
	}
	for _, field := range fields {
		if field.ReadOnly {
			continue
		}
		var was string
		was, shown = shown[:digestSize], shown[digestSize:]
		now, text := valueText(field, ch.stored[field.Name]), posted.Get(field.Name)
		unsent := !posted.Has(field.Name) && field.Kind != schema.Boolean
		if unsent || digest(text) == was {
			ch.values.Set(field.Name, now)
			continue
		}
		ch.values.Set(field.Name, text)
		ch.touched[field.Name] = changedJSON(field, text)
		if is := digest(now); is != was && is != digest(text) {
			ch.conflict(field.Name, now)
		}
	}
	return ch
}

// changedJSON returns the JSON of a changed field.
func changedJSON(field schema.Field, text string) string {
	if value, ok := fieldJSON(field, text); ok {
		return value
	}
	return emptyJSON(field)
}

// conflict adds a message about a field whose present value is now.
func (ch *change) conflict(name, now string) {
	if ch.conflicts == nil {
		ch.conflicts = make(faults)
	}
	message := "It has been emptied in the meantime."
	if now, _ = cut(now); now != "" {
		message = "It has been changed in the meantime: " + now
	}
	ch.conflicts[name] = []string{message}
}

// json returns the body of a request with the given method. That of a PATCH has the fields
// that the visitor has changed. A PUT has the others too, as they are stored, which their
// texts may not represent exactly.
func (ch change) json(fields []schema.Field, method string) []byte {
	var out object
	for _, field := range fields {
		value, touched := ch.touched[field.Name]
		if before := ch.stored[field.Name]; !touched && method == http.MethodPut && !field.ReadOnly {
			value, touched = string(before), before != nil
		}
		if touched {
			out.add(field.Name, value)
		}
	}
	return out.json()
}

// digestSize is the length of a digest.
const digestSize = 8

// digest returns a digest of a text in a form.
func digest(text string) string {
	sum := sha256.Sum256([]byte(received(text)))
	return base64.RawURLEncoding.EncodeToString(sum[:digestSize*6/8])
}

// digests returns the digests of the texts that a form for a record shows, joined.
func digests(fields []schema.Field, record []member) string {
	texts, all := recordValues(fields, record), ""
	for _, field := range fields {
		if !field.ReadOnly {
			all += digest(texts.Get(field.Name))
		}
	}
	return all
}

// seeOther redirects to a relative link after a form has been processed.
func seeOther(w http.ResponseWriter, location string) {
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}
