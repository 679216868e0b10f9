package browse

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// record is the page of a record.
type record struct {
	About   string // such as "Film 7"
	Members []cell
	Refer   []referrer
	Change  string // link to the form that changes the record, or ""
	Delete  string // link to the page that asks whether to delete the record, or ""
	Asking  bool   // this is that page
	Action  string // of the form on that page
	Unasked string // link to the page of the record
}

// Parameters of a form for a record. They are in the query so that they cannot be names of
// fields.
const (
	methodName = "_method" // of the request to send: forms can only send GET and POST
	listName   = "_list"   // query of the list that led to the record
	tagName    = "_tag"    // entity tag of the record that the form shows, if it has one
)

// shownPrefix begins the name of an input with the text of a field that the form has shown. The
// name of the field follows.
const shownPrefix = "_shown."

const (
	detailChanged = "The record has changed since the form was opened, so nothing was stored."
	detailKept    = "The record has changed since this page was opened, so it was not deleted."
)

// showRecord shows a record. With the parameter _method it shows the form to change it, or
// the confirmation of its deletion.
func (v *view) showRecord(p *page, resp *response) {
	var values members
	if !resp.decode(&values) {
		v.showResponse(p, resp)
		return
	}
	links := v.links("../../", memberNames([]members{values}))
	r := &record{About: wire.Capital(v.c.recordName(v.id)), Unasked: v.cleanLink()}
	name := v.c.nameOf(values, v.c.recordName(v.id))
	p.Record, p.Title = r, v.c.nameOf(values, p.Title)
	p.Path[len(p.Path)-1].Name = p.Title
	for _, m := range values {
		c := v.cell(m, links[m.name], maxLinks, "").finish()
		c.Label = heading(m.name)
		r.Members = append(r.Members, c)
	}
	r.Refer = v.referrers(values)
	method := v.c.updateMethod()
	mayChange := method != "" && (!v.c.actions.Has(schema.Update) || v.offers(http.MethodPut))
	tag := resp.header.Get("Etag")
	if method != "" && !mayChange {
		v.explain(p)
	}
	if mayChange {
		r.Change = v.query.with(methodName, method)
	}
	if v.c.actions.Has(schema.Destroy) && (mayChange || method == "") {
		r.Delete = v.query.with(methodName, http.MethodDelete)
	}
	switch asked := v.query.get(methodName); {
	case r.Delete != "" && asked == http.MethodDelete:
		r.Asking, r.Action = true, v.query.with(tagName, tag)
		p.Verb, p.Title = "Delete", name
	case mayChange && asked == method:
		p.Form = v.newForm(recordTexts(v.c.Fields, values.byName()), nil, tag)
		p.Verb, p.Record, p.Title = "Change", nil, name
	}
	p.here()
}

// servePosted creates, changes or deletes a record as a form specifies. Other requests are
// forwarded to the handler, which rejects them, without reading the body.
func (v *view) servePosted() {
	method := v.query.get(methodName)
	switch {
	case v.c == nil:
		v.serve(v.forward())
	case v.id == "" && v.postable():
		v.serveCreation()
	case v.id != "" && method == http.MethodDelete && v.c.actions.Has(schema.Destroy):
		v.serveDeletion()
	case v.id != "" && method != "" && method == v.c.updateMethod():
		v.serveChange(method)
	default:
		v.serve(v.forward())
	}
}

// serveCreation creates a record.
func (v *view) serveCreation() {
	posted := v.readForm()
	if posted == nil {
		return
	}
	if v.isMisspelled(posted, posted) {
		return
	}
	resp := v.send(http.MethodPost, v.r.URL.Path, v.r.URL.RawQuery, formJSON(v.c.Fields, posted))
	if resp.status != http.StatusCreated {
		v.serveFailure(resp, posted)
		return
	}
	var record members
	_ = json.Unmarshal(resp.body.Bytes(), &record) // without a path, nothing is reported
	v.report("added", v.c.segmentOf(record))
	v.redirect(v.query.with(methodName, ""))
}

// isMisspelled reports whether some texts that should be JSON are not, and then serves the form
// again with what was posted.
func (v *view) isMisspelled(texts, posted url.Values) bool {
	wrong := syntaxFaults(v.c.Fields, texts)
	if len(wrong) > 0 {
		v.serveForm(refusal(http.StatusBadRequest, "Some values are not JSON."), v.newForm(posted, wrong, v.query.get(tagName)))
	}
	return len(wrong) > 0
}

// serveFailure serves a response to a form, with the form again if its values are not valid.
func (v *view) serveFailure(resp *response, posted url.Values) {
	wrong := readFaults(resp.body.Bytes())
	if resp.status != http.StatusBadRequest || wrong == nil {
		v.serve(resp)
		return
	}
	v.serveForm(resp, v.newForm(posted, wrong, v.query.get(tagName)))
}

// serveForm serves the form of a record that was not stored.
func (v *view) serveForm(resp *response, f *form) {
	p := v.newPage(resp)
	p.Title = "Not stored"
	p.here()
	p.Form = f
	v.sendPage(resp, p)
}

// listLink returns the link from a record to its list, with the order and the place from which
// the visitor has come.
func (v *view) listLink() string {
	return "../" + strings.TrimPrefix(parseQuery(v.query.get(listName)).with(), "./")
}

// serveDeletion deletes a record, unless it has changed since the visitor was asked.
func (v *view) serveDeletion() {
	resp := v.send(http.MethodDelete, v.r.URL.Path, "", nil, "If-Match", v.query.get(tagName))
	switch resp.status {
	case http.StatusNoContent:
		v.report("deleted", v.id)
		v.redirect(v.listLink())
		return
	case http.StatusPreconditionFailed, http.StatusConflict:
		if now := v.get(v.r.URL.Path, ""); now.status == http.StatusOK {
			p := v.newPage(resp)
			v.showRecord(p, now)
			if p.Fault, p.Detail = true, detailKept; resp.status == http.StatusConflict {
				p.Detail = strings.Join(readFaults(resp.body.Bytes())["detail"], " ")
				p.Instead = v.referring(p.Detail)
			}
			v.sendPage(resp, p)
			return
		}
	}
	v.serve(resp)
}

// referring returns a link to the record that, as a detail says, refers to the record of the page.
func (v *view) referring(detail string) step {
	_, rest, _ := strings.Cut(detail, ": record ")
	segment, after, _ := strings.Cut(rest, " of ")
	if quoted, err := strconv.QuotedPrefix(rest); err == nil { // a key, which may have anything in it
		segment, _ = strconv.Unquote(quoted)
		after = strings.TrimPrefix(rest[len(quoted):], " of ")
	}
	key, _, _ := strings.Cut(after, " ")
	c := v.byKey[key]
	if c == nil || !c.hasPages() {
		return step{}
	}
	if _, by := c.key(); c.segment(by, segment) == "" {
		return step{}
	}
	return step{"Show " + c.recordName(segment), "../../" + url.PathEscape(c.Segment) + "/" + url.PathEscape(segment) + "/"}
}

// serveChange changes a record. If the sender may not do that, the handler rejects a
// request without a body, so that the form is not read.
func (v *view) serveChange(method string) {
	if v.c.actions.Has(schema.Update) && !v.offers(http.MethodPut) {
		v.serve(v.send(http.MethodPut, v.r.URL.Path, "", nil))
		return
	}
	now, stored := v.current()
	if stored == nil {
		v.serve(now)
		return
	}
	posted := v.readForm()
	if posted == nil {
		return
	}
	ch := newChange(v.c.Fields, posted, stored)
	if v.isMisspelled(ch.touchedTexts(), posted) {
		return
	}
	match := ""
	if now.header.Get("Etag") != "" {
		match = cmp.Or(v.query.get(tagName), `""`) // that of no record if the form does not say which it shows
	}
	resp := refusal(http.StatusPreconditionFailed, detailChanged)
	if len(ch.conflicts) == 0 {
		resp = v.send(method, v.r.URL.Path, "", ch.json(v.c.Fields, method), "If-Match", match)
	}
	switch resp.status {
	case http.StatusOK:
		var record members
		resp.decode(&record)
		text, link := cmp.Or(record.text(v.c.Lookup), v.id), v.cleanLink()
		if text != v.id { // the path has changed
			segment := url.PathEscape(v.c.segment(v.c.Lookup, text))
			link = "../" + strings.TrimPrefix(segment+"/", "/") + strings.TrimPrefix(link, "./")
		}
		v.report("changed", text)
		v.redirect(link)
	case http.StatusPreconditionFailed:
		v.serveConflict(resp, posted)
	default:
		v.serveFailure(resp, posted)
	}
}

// current requests the record at the path of the request. If that fails, stored is nil and
// resp the response to send.
func (v *view) current() (resp *response, stored map[string]json.RawMessage) {
	resp = v.get(v.r.URL.Path, "")
	resp.decode(&stored)
	return resp, stored
}

// serveConflict serves the form again after the record has changed: with what the visitor
// has changed, and with the present values of the other fields.
func (v *view) serveConflict(resp *response, posted url.Values) {
	now, stored := v.current()
	if stored == nil {
		v.serve(now)
		return
	}
	ch := newChange(v.c.Fields, posted, stored)
	f := v.newForm(ch.texts, ch.conflicts, now.header.Get("Etag"))
	f.Failed = detailChanged + " What you have changed is still in the form. " +
		"The other fields have their present values. Please check them and save again."
	v.serveForm(resp, f)
}

// change is what a form changes in a record.
type change struct {
	touched   map[string]string          // JSON of the fields that the visitor has changed
	stored    map[string]json.RawMessage // present values of all fields
	texts     url.Values                 // of a form for the record as it is now, with the change
	conflicts faults                     // touched fields that have got another value in the meantime
}

// newChange compares a form with the record as it is stored. The visitor has changed a field
// if its text is not the one that the form has shown. A form without the text that it has
// shown counts as showing the stored record. A field that is not in the form is not changed,
// except a boolean, since browsers send a box only if it is checked.
func newChange(fields []schema.Field, posted url.Values, stored map[string]json.RawMessage) change {
	ch := change{touched: make(map[string]string), stored: stored, texts: recordTexts(fields, stored), conflicts: make(faults)}
	for _, field := range fields {
		if isReadOnly(field) || !posted.Has(field.Name) && field.Kind != schema.Boolean {
			continue
		}
		text, now := returned(posted.Get(field.Name)), returned(ch.texts.Get(field.Name))
		was := now
		if shown := shownPrefix + field.Name; posted.Has(shown) {
			was = returned(posted.Get(shown))
		}
		if text == was {
			continue
		}
		ch.texts.Set(field.Name, text)
		ch.touched[field.Name], _ = fieldJSON(field, text)
		if now != was && now != text {
			message := "It has been emptied in the meantime."
			if now, _ = cut(now); now != "" {
				message = "It has been changed in the meantime: " + now
			}
			ch.conflicts[field.Name] = []string{message}
		}
	}
	return ch
}

// touchedTexts returns the texts of the fields that the visitor has changed.
func (ch change) touchedTexts() url.Values {
	texts := make(url.Values)
	for name := range ch.touched {
		texts[name] = ch.texts[name]
	}
	return texts
}

// json returns the body of a request with the given method. That of a PATCH has the fields
// that the visitor has changed. A PUT has the others too, as they are stored, which their
// texts may not represent exactly.
func (ch change) json(fields []schema.Field, method string) []byte {
	var members []string
	for _, field := range fields {
		value, touched := ch.touched[field.Name]
		if before := ch.stored[field.Name]; !touched && method == http.MethodPut && !isReadOnly(field) {
			value, touched = string(before), before != nil
		}
		if touched {
			members = append(members, wire.Quote(field.Name)+":"+value)
		}
	}
	return objectJSON(members)
}

// recordTexts returns what a form for a record sends if nobody changes it: the texts of its
// values, twice.
func recordTexts(fields []schema.Field, stored map[string]json.RawMessage) url.Values {
	texts := make(url.Values)
	for _, field := range fields {
		text := valueText(field, stored[field.Name])
		texts.Set(field.Name, text)
		texts.Set(shownPrefix+field.Name, text)
	}
	return texts
}
