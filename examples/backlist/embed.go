package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// embedding is a collection with two parameters of json-server: _embed=comments adds the comments that refer
// to it to each post, and _expand=post to each comment the post to which its postId refers.
type embedding struct {
	withoutQuery
	about schema.Description
	cat   *catalogue.Catalogue
}

type embedKey struct{}

// embedded lets the collections of h know the parameters of a request, and calls unread with those that add
// nothing to records.
func embedded(h http.Handler, cat *catalogue.Catalogue, unread func(r *http.Request, name string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query()
		if asked["_embed"] != nil || asked["_expand"] != nil {
			for _, c := range cat.All() {
				if about := c.Description(); strings.HasPrefix(r.URL.Path, "/api/"+about.Segment+"/") {
					embedding{about: about, cat: cat}.check(asked, func(name string) { unread(r, name) })
				}
			}
		}
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), embedKey{}, asked)))
	})
}

// check calls unread with the parameters that add nothing to records.
func (e embedding) check(asked url.Values, unread func(name string)) {
	for _, name := range asked["_expand"] {
		if !slices.ContainsFunc(e.about.Fields, func(f schema.Field) bool {
			return f.Refers != "" && ordering.Snake(name)+"_id" == ordering.Snake(f.Name)
		}) {
			unread("_expand=" + name)
		}
	}
	for _, key := range asked["_embed"] {
		c, err := e.cat.Collection(key)
		if err != nil || !slices.ContainsFunc(c.Description().Fields, func(f schema.Field) bool { return f.Refers == e.about.Key }) {
			unread("_embed=" + key)
		}
	}
}

func (e embedding) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	list, err := e.withoutQuery.List(ctx, q)
	list.Records = slices.Clone(list.Records)
	for i := 0; i < len(list.Records) && err == nil; i++ {
		list.Records[i], err = e.embed(ctx, list.Records[i])
	}
	return list, err
}

func (e embedding) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	record, err := e.withoutQuery.Get(ctx, segment, filter)
	if err == nil {
		record, err = e.embed(ctx, record)
	}
	return record, err
}

// Revision is that of all collections together, since records of any can be added.
func (e embedding) Revision(context.Context) (n uint64, err error) {
	for _, c := range e.cat.All() {
		n += c.Revision()
	}
	return n, nil
}

// embed returns a record with what the request adds. Names of nothing add nothing, as with json-server.
func (e embedding) embed(ctx context.Context, record []byte) ([]byte, error) {
	asked, _ := ctx.Value(embedKey{}).(url.Values)
	if asked["_embed"] == nil && asked["_expand"] == nil {
		return record, nil
	}
	r, err := schema.ParseKeyed(record)
	for _, f := range e.about.Fields {
		i := slices.IndexFunc(asked["_expand"], func(name string) bool { return ordering.Snake(name)+"_id" == ordering.Snake(f.Name) })
		if value, _ := r.Get(f.Name); i >= 0 && f.Refers != "" && value != "" && value != "null" && err == nil {
			to, _ := e.cat.Collection(f.Refers) // the catalogue has it
			r, err = with(ctx, r, asked["_expand"][i], to, cmp.Or(f.By, "id"), value, "", "")
		}
	}
	id, _ := r.Get(e.about.Identity().Name)
	for key, c := range e.cat.All() {
		fields := c.Description().Fields
		by := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Refers == e.about.Key })
		if by >= 0 && slices.Contains(asked["_embed"], key) && err == nil {
			r, err = with(ctx, r, key, c, ordering.Snake(fields[by].Name), id, "[", "]")
		}
	}
	return []byte(r.String()), err
}

// with returns a record with a member: the records of a collection with a value in a field.
func with(ctx context.Context, r schema.Record, name string, c catalogue.AnyCollection, field, value, open, end string) (schema.Record, error) {
	text := value
	_ = json.Unmarshal([]byte(value), &text) // a number is its text
	list, err := c.List(ctx, catalogue.Query{Filter: schema.Filter{Tests: []schema.Test{{Field: field, Lookup: "exact", Values: []string{text}}}}})
	if err != nil {
		return r, err
	}
	return r.With(name, json.RawMessage(open+string(bytes.Join(list.Records, []byte(",")))+end))
}
