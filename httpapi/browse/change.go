package browse

import (
	"cmp"
	"encoding/json"
	"maps"
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
func (v *view) posted() *wire.Recorder {
	method := v.query.get(methodName)
	switch {
	case v.c == nil:
	case v.id == "" && v.postable(v.c):
		return v.create()
	case v.id != "" && method == http.MethodDelete && v.c.Actions.Has(schema.Destroy):
		return v.delete()
	case v.id != "" && method != "" && method == v.c.updateMethod():
		return v.change(method)
	}
	return v.forward()
}

func (v *view) create() *wire.Recorder {
	texts, refused := v.readForm()
	if refused != nil {
		return refused
	}
	inputs := newInputs("", "", v.c.written, texts, false)
	if resp := v.unsent(inputs, texts); resp != nil {
		return resp
	}
	resp := v.write(http.MethodPost, v.r.URL.RawQuery, inputsJSON(inputs), nil)
	if resp.Status != http.StatusCreated {
		return v.again(resp, texts)
	}
	record, _ := schema.ParseKeyed(resp.Body) // without a path, nothing is reported
	v.report(v.c.path, "added", v.c.segmentOf(record), v.c.nameOf(record, ""), "")
	next := v.query.with(methodName, "")
	if texts.Has(anotherName) {
		next = v.query.with()
	}
	v.redirect(next)
	return nil
}

// unsent returns the response to a form that is not sent to the handler, with the form again, or nil.
func (v *view) unsent(inputs []input, texts url.Values) *wire.Recorder {
	isFind := func(name string) bool { return strings.HasPrefix(name, findPrefix) && texts.Get(name) != "" }
	if texts.Has(againName) || slices.ContainsFunc(slices.Collect(maps.Keys(texts)), isFind) {
		v.form = v.newForm(texts, nil)
		return v.refusal(http.StatusOK, nil)
	}
	if wrong := misspelled(inputs); len(wrong) > 0 {
		v.form = v.newForm(texts, wrong)
		return v.refusal(http.StatusBadRequest, nil)
	}
	return nil
}

// again makes the page of a response have the form again, if its texts are not valid.
func (v *view) again(resp *wire.Recorder, texts url.Values) *wire.Recorder {
	if wrong := readFaults(resp.Body); resp.Status == http.StatusBadRequest && wrong != nil {
		v.form = v.newForm(texts, wrong)
	}
	return resp
}

// delete deletes a record, unless it or what refers to it has changed since the visitor was asked.
func (v *view) delete() *wire.Recorder {
	if no := v.denied(http.MethodDelete, v.r.URL.Path); no != nil {
		return no
	}
	now, name, with := v.get(v.r.URL.Path), "", ""
	var check func(record []byte) bool
	values, ok := recordOf(now)
	if stored, ok := v.stored(values, ok); ok {
		d := v.deletionOf(stored)
		if tag := v.query.get(tagName); tag != "" && tag != d.tag {
			v.kept = now
			return v.refusal(http.StatusPreconditionFailed, nil)
		}
		name, with, check = v.c.nameOf(values, ""), d.with, v.still(stored)
	}
	resp := v.write(http.MethodDelete, "", nil, check)
	switch resp.Status {
	case http.StatusNoContent:
		v.report(v.c.path, "deleted", v.id, name, with)
		v.redirect(v.listLink())
		return nil
	case http.StatusPreconditionFailed, http.StatusConflict:
		v.kept = v.get(v.r.URL.Path)
	}
	return resp
}

// still returns a check of whether a record, encoded as in responses, is still as it was stored.
func (v *view) still(stored schema.Record) func(record []byte) bool {
	return func(record []byte) bool {
		values, err := schema.ParseKeyed(record)
		now, ok := v.stored(values, err == nil)
		differs := func(f schema.Field) bool {
			before, _ := stored.Get(f.Name)
			after, _ := now.Get(f.Name)
			return before != after
		}
		return ok && !slices.ContainsFunc(v.c.written, differs) && (v.c.Fields != nil || now.String() == stored.String())
	}
}

// change changes a record. If the sender may not do that, the form is not read.
func (v *view) change(method string) *wire.Recorder {
	if no := v.denied(method, v.r.URL.Path); no != nil {
		return no
	}
	now := v.get(v.r.URL.Path)
	stored, ok := v.stored(recordOf(now))
	if !ok {
		return now
	}
	texts, refused := v.readForm()
	if refused != nil {
		return refused
	}
	present := recordTexts(v.c.written, stored)
	shown, whole := present, schema.Record{}
	if texts.Has(shownName) {
		shown = make(url.Values)
		_ = json.Unmarshal([]byte(texts.Get(shownName)), &shown) // what is no JSON is in conflict with the record
	}
	if method == http.MethodPut {
		whole = stored
	}
	inputs := v.touched(texts, shown, whole)
	if resp := v.unsent(inputs, texts); resp != nil {
		return resp
	}
	if !maps.EqualFunc(shown, present, slices.Equal[[]string]) {
		return v.conflict(texts, shown)
	}
	resp := v.write(method, "", inputsJSON(inputs), v.still(stored))
	switch resp.Status {
	case http.StatusOK:
		v.redirectChanged(resp)
		return nil
	case http.StatusPreconditionFailed:
		return v.conflict(texts, shown)
	}
	return v.again(resp, texts)
}

// redirectChanged redirects to the record of a response, whose path may be another one now.
func (v *view) redirectChanged(resp *wire.Recorder) {
	record, _ := recordOf(resp)
	text, link := cmp.Or(v.c.text(record, v.c.Lookup), v.id), v.cleanLink()
	if text != v.id {
		segment := url.PathEscape(v.c.segment(v.c.Lookup, text))
		link = "../" + strings.TrimPrefix(segment+"/", "/") + strings.TrimPrefix(link, "./")
	}
	v.report(v.c.path+text+"/", "changed", text, v.c.nameOf(record, ""), "")
	v.redirect(link)
}

// conflict returns the response to a form for a record that has changed since it was shown, with the form
// again: with what the visitor has changed, and with the present values of the other fields.
func (v *view) conflict(texts, shown url.Values) *wire.Recorder {
	now := v.get(v.r.URL.Path)
	stored, ok := v.stored(recordOf(now))
	if !ok {
		return now
	}
	merged, wrong := withShown(recordTexts(v.c.written, stored)), make(faults)
	for _, in := range allOf(v.touched(texts, shown, schema.Record{})) {
		text, now, was := returned(in.Value), returned(merged.Get(in.Name)), returned(shown.Get(in.Name))
		switch {
		case in.Removed && in.Remove != "":
			merged.Set(removePrefix+in.Name, "true")
		case in.Control != "group" && text != was:
			merged.Set(in.Name, text)
			if now != was && now != text {
				wrong[in.path] = []string{"It has been changed in the meantime: " + cut(cmp.Or(now, "nothing"))}
			}
		}
	}
	v.form = v.newForm(merged, wrong)
	v.form.Failed = "The record has changed since the form was opened, so nothing was stored. What you have changed is still in the form. " +
		"The other fields have their present values. Please check them and save again."
	return v.refusal(http.StatusPreconditionFailed, nil)
}

// touched returns the inputs of the fields that the visitor has changed since they were shown. The
// others are as in the record for a PUT, which their texts may not represent exactly.
func (v *view) touched(texts, shown url.Values, whole schema.Record) (touched []input) {
	for _, in := range newInputs("", "", v.c.written, texts, true) {
		if in.touched(texts, shown) {
			in.Field.Required = true // what is empty is sent
			touched = append(touched, in)
		} else if value, ok := whole.Get(in.Name); ok {
			touched = append(touched, input{Name: in.Name, Value: value, Field: schema.Field{Name: in.Name, Kind: schema.JSON}, kind: kind{Code: true}})
		}
	}
	return touched
}
