package recipes

import (
	"encoding/json"
	"net/http"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// PerOwner returns opts for a handler of collections whose records have a read-only text field owner.
// Everybody reads all records. Users own the records that they create, and only the owner changes or
// deletes a record, like with the permissions IsAuthenticatedOrReadOnly and IsOwnerOrReadOnly of the
// tutorial of Django REST framework. The response to any other user is a 403 and, if there is no such
// record, a 404, whatever the body. userOf returns the user of a request, or "" if its credentials are
// missing or invalid, with which a write results in 401.
func PerOwner(opts httpapi.Options, userOf func(r *http.Request) string) httpapi.Options {
	opts.Authorizer = func(r *http.Request, _ string, action schema.Actions) error {
		if action&(schema.List|schema.Retrieve) == 0 && userOf(r) == "" {
			return httpapi.Unauthorized("Bearer", "")
		}
		return nil
	}
	opts.Permit = func(r *http.Request, _ string, _ schema.Actions, record []byte) error {
		var of struct{ Owner string }
		err := json.Unmarshal(record, &of)
		if err == nil && of.Owner != userOf(r) {
			err = httpapi.Forbidden("")
		}
		return err
	}
	opts.Assign = func(r *http.Request, _ string, action schema.Actions) (owner schema.Record, err error) {
		if action == schema.Create {
			owner, err = owner.With("owner", userOf(r))
		}
		return owner, err
	}
	return opts
}
