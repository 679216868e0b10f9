package browse

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// posted creates, changes or deletes a record as a form specifies. It returns the response to show,
// or nil after a redirect. Other requests are forwarded to the handler, which rejects them, without
// reading the body.
func (v *view) posted() *response {
	method := v.query.get(methodName)
	switch {
	case v.c == nil:
	case v.id == "" && v.postable():
		return v.create()
	case v.id != "" && method == http.MethodDelete && v.c.Actions.Has(schema.Destroy):
		return v.delete()
	case v.id != "" && method != "" && method == v.c.updateMethod():
		return v.change(method)
	}
	return v.forward()
}

func (v *view) create() *response {
	texts, refused := v.readForm()
	if refused != nil {
		return refused
	}
	resp := misspelled(v.c.Fields, texts)
	if resp == nil {
		resp = v.send(http.MethodPost, v.r.URL.Path, v.r.URL.RawQuery, formJSON(v.c.Fields, texts))
	}
	if resp.Status != http.StatusCreated {
		return v.again(resp, texts)
	}
	var record members
	_ = json.Unmarshal(resp.Body, &record) // without a path, nothing is reported
	v.report("added", v.c.segmentOf(record))
	v.redirect(v.query.with(methodName, ""))
	return nil
}

// again makes the page of a response have the form again, if its texts are not valid.
func (v *view) again(resp *response, texts url.Values) *response {
	if wrong := readFaults(resp.Body); resp.Status == http.StatusBadRequest && wrong != nil {
		v.form = v.newForm(texts, wrong, v.query.get(tagName))
	}
	return resp
}

// delete deletes a record, unless it has changed since the visitor was asked.
func (v *view) delete() *response {
	resp := v.send(http.MethodDelete, v.r.URL.Path, "", nil, "If-Match", v.query.get(tagName))
	switch resp.Status {
	case http.StatusNoContent:
		v.report("deleted", v.id)
		v.redirect(v.listLink())
		return nil
	case http.StatusPreconditionFailed, http.StatusConflict:
		v.kept = v.get(v.r.URL.Path, "")
	}
	return resp
}

// change changes a record. If the sender may not do that, the handler rejects a request without a
// body, so that the form is not read.
func (v *view) change(method string) *response {
	if v.c.Actions.Has(schema.Update) && !v.offers(http.MethodPut) {
		return v.send(http.MethodPut, v.r.URL.Path, "", nil)
	}
	now, stored := v.current()
	if stored == nil {
		return now
	}
	texts, refused := v.readForm()
	if refused != nil {
		return refused
	}
	touched := touchedFields(v.c.Fields, texts, stored)
	if resp := misspelled(touched, texts); resp != nil {
		return v.again(resp, texts)
	}
	match := ""
	if now.Sent.Get("Etag") != "" {
		match = cmp.Or(v.query.get(tagName), `""`) // that of no record if the form does not say which it shows
	}
	fields := touched
	if method == http.MethodPut {
		fields = v.c.Fields
	}
	resp := v.send(method, v.r.URL.Path, "", changeJSON(fields, touched, texts, stored), "If-Match", match)
	switch resp.Status {
	case http.StatusOK:
		v.redirectChanged(resp)
		return nil
	case http.StatusPreconditionFailed:
		return v.conflict(resp, texts)
	}
	return v.again(resp, texts)
}

// redirectChanged redirects to the record of a response, whose path may be another one now.
func (v *view) redirectChanged(resp *response) {
	var record members
	resp.decode(&record)
	text, link := cmp.Or(v.c.text(record, v.c.Lookup), v.id), v.cleanLink()
	if text != v.id {
		segment := url.PathEscape(v.c.segment(v.c.Lookup, text))
		link = "../" + strings.TrimPrefix(segment+"/", "/") + strings.TrimPrefix(link, "./")
	}
	v.report("changed", text)
	v.redirect(link)
}

// current requests the record at the path of the request. If that fails, stored is nil and
// resp the response to send.
func (v *view) current() (resp *response, stored map[string]json.RawMessage) {
	resp = v.get(v.r.URL.Path, "")
	resp.decode(&stored)
	return resp, stored
}

// conflict returns the response to a form for a record that has changed since, with the form again:
// with what the visitor has changed, and with the present values of the other fields.
func (v *view) conflict(resp *response, texts url.Values) *response {
	now, stored := v.current()
	if stored == nil {
		return now
	}
	merged, wrong := recordTexts(v.c.Fields, stored), make(faults)
	for _, field := range touchedFields(v.c.Fields, texts, stored) {
		text, present := returned(texts.Get(field.Name)), returned(merged.Get(field.Name))
		merged.Set(field.Name, text)
		switch was := returned(texts.Get(shownPrefix + field.Name)); {
		case present == was || present == text || !texts.Has(shownPrefix+field.Name):
		case present == "":
			wrong[field.Name] = []string{"It has been emptied in the meantime."}
		default:
			present, _ = cut(present)
			wrong[field.Name] = []string{"It has been changed in the meantime: " + present}
		}
	}
	v.form = v.newForm(merged, wrong, now.Sent.Get("Etag"))
	v.form.Failed = "The record has changed since the form was opened, so nothing was stored. What you have changed is still in the form. " +
		"The other fields have their present values. Please check them and save again."
	return resp
}

// touchedFields returns the fields that the visitor has changed: those whose text is not the one that
// the form has shown. A form without the text that it has shown counts as showing the stored
// record. A field that is not in the form is not changed, except a boolean, since browsers send a
// box only if it is checked.
func touchedFields(fields []schema.Field, posted url.Values, stored map[string]json.RawMessage) (touched []schema.Field) {
	for _, field := range fields {
		if isReadOnly(field) || !posted.Has(field.Name) && field.Kind != schema.Boolean {
			continue
		}
		was := valueText(field, stored[field.Name])
		if shown := shownPrefix + field.Name; posted.Has(shown) {
			was = posted.Get(shown)
		}
		if returned(posted.Get(field.Name)) != returned(was) {
			touched = append(touched, field)
		}
	}
	return touched
}

// changeJSON returns the body of a request with some fields. Those that the visitor has left alone
// are as they are stored, which their texts may not represent exactly.
func changeJSON(fields, touched []schema.Field, posted url.Values, stored map[string]json.RawMessage) []byte {
	var members []string
	for _, field := range fields {
		value := string(stored[field.Name])
		if slices.ContainsFunc(touched, func(f schema.Field) bool { return f.Name == field.Name }) {
			value, _ = fieldJSON(field, returned(posted.Get(field.Name)))
		}
		if value != "" && !isReadOnly(field) {
			members = append(members, wire.Quote(field.Name)+":"+value)
		}
	}
	return objectJSON(members)
}
