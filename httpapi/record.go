package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// retrieve sends a record.
func (v *view) retrieve() {
	params := v.params()
	v.findTag(params)
	record, err := v.route.retriever.Get(v.r.Context(), v.id, params)
	if err != nil {
		v.failWrite(err)
		return
	}
	if v.clientHas() {
		v.sendNotModified()
		return
	}
	v.confirmTag()
	v.write(http.StatusOK, record)
}

// exists reports whether the record of the path exists and no filter hides it. If that
// cannot be determined, exists returns false.
func (v *view) exists() bool {
	_, err := v.route.retriever.Get(v.r.Context(), v.id, v.params())
	return err == nil
}

// update changes a record. As in Django REST framework, a request for a record that does
// not exist fails before its body is read.
func (v *view) update(partial bool) {
	params := v.params()
	if _, err := v.route.retriever.Get(v.r.Context(), v.id, params); err != nil {
		v.failWrite(err)
		return
	}
	body, ok := v.readJSON()
	if !ok {
		return
	}
	record, err := v.route.updater.Update(v.r.Context(), v.id, params, body, partial)
	if err != nil {
		v.failWrite(err)
		return
	}
	v.write(http.StatusOK, record)
}

// destroy deletes a record.
func (v *view) destroy() {
	if err := v.route.deleter.Delete(v.r.Context(), v.id, v.params()); err != nil {
		v.failWrite(err)
		return
	}
	v.sendNoContent()
}

// referencedDetail returns the detail about a record that cannot be deleted.
func referencedDetail(err error) string {
	var by *catalogue.ReferenceError
	if errors.As(err, &by) {
		return fmt.Sprintf("The record cannot be deleted: %s of %s %d refers to it.", by.Field, by.Collection, by.ID)
	}
	return "The record cannot be deleted: other records refer to it."
}

// params returns the parameters of the query that select records, or nil if there are
// none.
func (v *view) params() (params url.Values) {
	if v.route.filterer == nil {
		return nil
	}
	for name, value := range v.query.All() {
		if v.route.selects(name) {
			if params == nil {
				params = url.Values{}
			}
			params.Add(name, value)
		}
	}
	return params
}

// selects reports whether a parameter selects records.
func (r *route) selects(name string) bool {
	return r.filterer != nil && (slices.Contains(r.about.Filters, name) || name == searchName && len(r.about.Search) > 0)
}

const searchName = "search"

// refers reports whether a field, in snake_case, holds ids of another collection.
func (r *route) refers(field string) bool {
	return slices.ContainsFunc(r.about.Fields, func(f resources.Field) bool {
		return f.Refers != "" && ordering.Snake(f.Name) == field
	})
}

// selfContained reports whether the parameters select records independently of the other
// collections, so that the revision of this one determines the result.
func (r *route) selfContained(params url.Values) bool {
	for name := range params {
		if name == searchName {
			if slices.ContainsFunc(r.about.Search, func(s string) bool { return strings.Contains(s, "__") }) {
				return false
			}
			continue
		}
		field, _, _ := strings.Cut(name, "__")
		if r.refers(field) {
			return false // the filter is invalid if the other record does not exist
		}
	}
	return true
}
