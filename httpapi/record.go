package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// retrieve sends a record.
func (v *view) retrieve() {
	params := v.params()
	record, err := v.route.retriever.Get(v.r.Context(), v.id, params)
	if err != nil {
		v.failBecause(err, causesOfGet(params))
		return
	}
	if v.handler.tags {
		v.tag = v.recordTag(record)
	}
	if status := v.readStatus(); status != 0 {
		v.sendInstead(status)
		return
	}
	v.write(http.StatusOK, record)
}

// exists reports whether the record of the path exists and no filter hides it. If that
// cannot be determined, exists returns false.
func (v *view) exists() bool {
	_, err := v.route.retriever.Get(v.r.Context(), v.id, v.params())
	return err == nil
}

// update changes a record. As in Django REST framework, a request for a record that does
// not exist fails before its body is read. So does one whose precondition is false.
func (v *view) update(partial bool) {
	params, condition := v.params(), v.writeCondition()
	record, err := v.route.retriever.Get(v.r.Context(), v.id, params)
	if err == nil && condition != nil {
		err = v.precheck(condition, record, v.route.updaterIf != nil)
	}
	if err != nil {
		v.failBecause(err, causesOfGet(params)|ifPrecondition)
		return
	}
	body, ok := v.readJSON()
	if !ok {
		return
	}
	if condition == nil {
		record, err = v.route.updater.Update(v.r.Context(), v.id, params, body, partial)
	} else {
		record, err = v.route.updaterIf.UpdateIf(v.r.Context(), v.id, params, body, partial, condition)
	}
	if err != nil {
		v.failBecause(err, ifPrecondition|ifNotFound|ifSyntax|ifFields)
		return
	}
	if partial && v.handler.tags && params == nil {
		v.tag = v.recordTag(record) // RFC 9110, section 9.3.4, forbids that for a PUT
	}
	v.write(http.StatusOK, record)
}

// destroy deletes a record.
func (v *view) destroy() {
	var err error
	params, condition := v.params(), v.writeCondition()
	switch {
	case condition == nil:
		err = v.route.deleter.Delete(v.r.Context(), v.id, params)
	case v.route.deleterIf != nil:
		err = v.route.deleterIf.DeleteIf(v.r.Context(), v.id, params, condition)
	default:
		var record []byte
		if record, err = v.route.retriever.Get(v.r.Context(), v.id, params); err == nil {
			err = v.precheck(condition, record, false)
		}
	}
	if err != nil {
		v.failBecause(err, causesOfGet(params)|ifPrecondition|ifReferenced)
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
	return slices.ContainsFunc(r.about.Fields, func(f schema.Field) bool {
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
