package recipes

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// PerOwner returns a handler for the collections of a catalogue. Their records must have a read-only
// text field owner. Everybody reads all records. Users own the records that they create, and only
// the owner changes or deletes a record, like with the permissions IsAuthenticatedOrReadOnly and
// IsOwnerOrReadOnly of the tutorial of Django REST framework. The response to any other user is a 403
// and, if there is no such record, a 404, whatever the body. userOf returns the user of a request, or
// "" if its credentials are missing or invalid, with which a write results in 401.
func PerOwner(cat *catalogue.Catalogue, opts httpapi.Options, userOf func(r *http.Request) string) (http.Handler, error) {
	var collections []httpapi.Collection
	for _, c := range cat.All() {
		collections = append(collections, owned{c})
	}
	opts.Authorizer = func(r *http.Request, _ string, action schema.Actions) error {
		if action&(schema.List|schema.Retrieve) == 0 && r.Context().Value(requester{}).(requester).user == "" {
			return httpapi.Unauthorized("Bearer", "")
		}
		return nil
	}
	opts.Assign = func(r *http.Request, _ string, action schema.Actions) (schema.Record, error) {
		if action != schema.Create {
			return schema.Record{}, nil
		}
		return schema.Record{}.With("owner", r.Context().Value(requester{}).(requester).user)
	}
	h, err := httpapi.NewHandler(collections, opts)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := requester{userOf(r), r.Method != http.MethodGet && r.Method != http.MethodHead}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requester{}, from)))
	}), nil
}

// A requester is the user of a request, in its context. The zero requester is the key.
type requester struct {
	user   string
	writes bool // or asks, with OPTIONS, whether it may
}

// check returns the error of a write to a record.
func (r requester) check(record []byte) error {
	var of struct{ Owner string }
	if err := json.Unmarshal(record, &of); err != nil {
		return err
	}
	if of.Owner != r.user {
		return httpapi.Forbidden("")
	}
	return nil
}

// owned is a collection of which only the owner of a record changes it.
type owned struct{ catalogue.AnyCollection }

// Get refuses a record to a request that would change it. A handler calls it before it reads the body.
func (c owned) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	record, err := c.AnyCollection.Get(ctx, segment, filter)
	if from := ctx.Value(requester{}).(requester); err == nil && from.writes {
		err = from.check(record)
	}
	return record, err
}

// Update checks the record again at the instant of the write, when it may have another owner.
func (c owned) Update(ctx context.Context, segment string, e catalogue.Edit) ([]byte, error) {
	e.Precondition = ofUser(ctx, e.Precondition)
	return c.AnyCollection.Update(ctx, segment, e)
}

// Delete checks the record again, like Update.
func (c owned) Delete(ctx context.Context, segment string, filter schema.Filter, precondition func([]byte) error) error {
	return c.AnyCollection.Delete(ctx, segment, filter, ofUser(ctx, precondition))
}

// ofUser returns the precondition that the record is the user's and satisfies another one, if that is not nil.
func ofUser(ctx context.Context, other func([]byte) error) func([]byte) error {
	return func(record []byte) error {
		err := ctx.Value(requester{}).(requester).check(record)
		if err == nil && other != nil {
			err = other(record)
		}
		return err
	}
}
