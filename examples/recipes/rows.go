package recipes

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

type userKey struct{}

// PerUser returns a handler for the collections of a catalogue. Their records must have a
// read-only text field owner. Users read, change and delete their own records, and own those that
// they create. For the records of others, the response is that for a record that does not exist.
// userOf returns the user of a request, or "" if its credentials are missing or invalid, which
// results in 401.
func PerUser(cat *catalogue.Catalogue, opts httpapi.Options, userOf func(r *http.Request) string) (http.Handler, error) {
	own := func(ctx context.Context) (url.Values, error) {
		user, ok := ctx.Value(userKey{}).(string)
		if !ok {
			return nil, errors.New("the request has no user")
		}
		return url.Values{"owner": {user}}, nil
	}
	var collections []httpapi.Collection
	for _, c := range cat.All() {
		collections = append(collections, httpapi.Restrict(c, own))
	}
	opts.AuthorizeReads = true
	opts.Authorizer = func(r *http.Request, _ string, _ schema.Actions) error {
		if r.Context().Value(userKey{}) == nil {
			return httpapi.Unauthorized("Bearer", "")
		}
		return nil
	}
	opts.Assign = func(r *http.Request, _ string, _ schema.Actions) (schema.Record, error) {
		return schema.Record{}.With("owner", r.Context().Value(userKey{}))
	}
	h, err := httpapi.NewHandler(collections, opts)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user := userOf(r); user != "" {
			r = r.WithContext(context.WithValue(r.Context(), userKey{}, user))
		}
		h.ServeHTTP(w, r)
	}), nil
}
