// Package openapi generates an OpenAPI document for an [httpapi.Handler]. It
// describes the root, the collections that the handler serves and their records.
//
//	films, err := catalogue.New(Directors, Films)
//	...
//	handler, err := httpapi.New(films, httpapi.Options{})
//	...
//	document, err := openapi.New(handler, openapi.Options{Title: "Films"})
//	...
//	mux.Handle("/openapi.json", document)
//
// To write a file instead, call os.WriteFile("openapi.json", document.JSON(), 0o644).
//
// # Records
//
// If the description of a collection has fields, its records have these, with the kinds
// of package catalogue/schema. Open records with such a description may have other members
// and may lack optional ones; without one they are objects with an id and
// any other members. All other records without fields are objects with any members.
//
// Objects inside records are described in place. A field of the kind JSON, such as one that is
// computed, has the form of its Go type, if that is known, and otherwise any value. Hidden fields
// are writeOnly members of bodies, and computed ones readOnly members of records.
//
// # Operations
//
// Every path has the methods of the actions that the handler serves, with their parameters.
// The handler also responds to HEAD where there is a GET, and to OPTIONS everywhere, and has
// the parameter format; the document leaves these out. Each collection has a tag, its path
// segment. Page sizes come from the handler's options. Filters and the search are parameters
// of pages. The paths of records have them, too, where a record that they do not select results in
// 404 for all methods; the document leaves that out, since clients would become several times
// larger. With entity tags
// ([httpapi.Options].ETags), reads have If-None-Match and 304, and the writes of records
// whose tags the collection can compare have If-Match and 412.
//
// A POST, a PUT and a PATCH have bodies of their own: New, the name of a record, and that name
// with Update or Patch appended, such as NewFilm, FilmUpdate and FilmPatch. Only a POST has
// defaults, and a PATCH requires nothing. These bodies have the rules for new values, such as a
// minimum. Stored records do not, because they may have been loaded. The pattern of a field is
// one of the schema if it means the same in ECMA-262, and otherwise in its description.
//
// The document describes requests as they should be sent. The handler accepts more: it also
// accepts names in snake_case and numbers in strings, and ignores unknown orderings. With
// [schema.Description].JSONNames, orderings and filters have the names of members in JSON. The
// values of ordering are listed if they follow from a type or a description, but not if they
// depend on the stored records. Filters of numbers are strings, because they may have a point
// or an exponent in a field of any kind.
//
// The document does not depend on the records: equal handlers and options result in equal bytes. It
// does not describe authorization, except for the scheme in [Options.Scheme], and that reads need no
// credentials unless [httpapi.Options.AuthorizeReads] is set.
//
// # Version
//
// The document is written in OpenAPI 3.1.
//
// Some facts are written in the form that most tools understand. The default of a member is
// in its description, because openapi-typescript would require the member. The schema
// FieldErrors describes both the errors by field and a detail, instead of alternatives. Its members
// are lists of messages, or trees if some record has a list, a map or an object. The
// directory examples/openapi lists the tools that accept the document.
package openapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// Options configures a [Document]. The zero value is ready to use.
type Options struct {
	// Title is the title of the API. If empty, it is "Catalogue".
	Title string
	// Version is the version of the API. If empty, it is "1".
	Version string
	// Description is a description of the API in Markdown. If empty, it says that there are pages.
	Description string

	// Server is the part of the service's URLs before the root's path: a URL
	// ("https://x.example/shop"), or the path that the handler is mounted at
	// ("/shop"), relative to the host that serves the document. Trailing slashes are
	// ignored. If empty, the BaseURL of the handler is used. If that is empty too,
	// the server is the host that serves the document.
	Server string

	// Scheme is the authentication scheme that requests to write use in the Authorization
	// header: Bearer, or the one passed to [httpapi.Token]. With
	// [httpapi.Options.AuthorizeReads] all requests use it. If empty, the document
	// describes no credentials.
	Scheme string
}

// defaults validates the options and returns a copy with defaults filled in.
func (o Options) defaults(h *httpapi.Handler) (Options, error) {
	server, err := url.Parse(o.Server)
	isURL := err == nil && (server.Scheme == "http" || server.Scheme == "https") && server.Host != ""
	isPath := err == nil && server.Scheme == "" && server.Host == "" && (o.Server == "" || o.Server[0] == '/')
	switch {
	case !isURL && !isPath || strings.ContainsAny(o.Server, "?#{}"):
		return o, fmt.Errorf("%w: Server %q is neither an http or https URL nor an absolute path, or has a query, a fragment or a template", httpapi.ErrInvalidConfig, o.Server)
	case strings.ContainsAny(o.Scheme, " \t\r\n"):
		return o, fmt.Errorf("%w: Scheme %q contains white space", httpapi.ErrInvalidConfig, o.Scheme)
	}
	o.Title = cmp.Or(o.Title, "Catalogue")
	o.Version = cmp.Or(o.Version, "1")
	o.Description = cmp.Or(o.Description, "Collections of records, which are read in pages.")
	o.Server = cmp.Or(strings.TrimRight(cmp.Or(o.Server, h.Served().BaseURL), "/"), "/")
	return o, nil
}

// A Document is an OpenAPI document. It is immutable and safe for concurrent use.
type Document struct {
	text []byte
	etag string
}

// New returns the document of a handler. It does not follow later changes to the
// collections. O(fields of all collections).
//
// The types of a collection's records are known if the collection has a method
//
//	ShownTypes() (record, listed reflect.Type)
//
// as [catalogue.AnyCollection] has, that returns the types from which encoding/json encodes them,
// alone and in lists, such as reflect.TypeFor[Film](), or nil if they are unknown. If the
// collection's description has fields, its records have these, and the type only adds which of them
// may be absent, which pointers may be null, and which fields of the kind JSON are lists or
// objects. Lists and maps may be null only if the field is Nullable.
//
// New returns an error wrapping [httpapi.ErrInvalidConfig] if h is nil or an option is invalid.
func New(h *httpapi.Handler, opts Options) (*Document, error) {
	if h == nil {
		return nil, fmt.Errorf("%w: nil handler", httpapi.ErrInvalidConfig)
	}
	opts, err := opts.defaults(h)
	if err != nil {
		return nil, err
	}
	text, err := encode(describe(h.Served(), opts))
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return &Document{text, fmt.Sprintf(`"%x"`, sha256.Sum256(text))}, nil
}

// encode returns readable JSON: indented, and without escaping <, > and &.
func encode(m *model) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(m)
	return b.Bytes(), err
}

// JSON returns a copy of the document as it is served, with a trailing newline.
// O(len).
func (d *Document) JSON() []byte { return bytes.Clone(d.text) }

// ServeHTTP serves the document in response to GET and HEAD requests of any path. It
// responds with 304 if the client's copy is current. It responds to other methods with 405
// and the JSON that an [httpapi.Handler] sends with this status.
func (d *Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, "":
	default:
		w.Header().Set("Allow", "GET, HEAD")
		wire.SendDetail(w, http.StatusMethodNotAllowed, `Method "`+r.Method+`" not allowed.`)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Etag", d.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.text))
}

func describe(served httpapi.Served, opts Options) *model {
	taken := names{fieldError: true, fieldErrorItem: true, fieldErrorParts: true} // which refer to each other
	var all []collection
	for _, s := range served.Collections {
		s.Description = withNumbers(s.Description)
		all = append(all, collection{ServedCollection: s, name: taken.take(joined(s.Description.Name))})
	}
	m := &model{OpenAPI: "3.1.0", Info: info{opts.Title, opts.Description, opts.Version}, Servers: []server{{opts.Server}}}
	d := &describer{
		model: m, operations: names{}, places: map[string]int{}, scheme: opts.Scheme, errors: fieldErrorsSchema(all),
		reads: served.AuthorizeReads, tags: served.ETags, forms: served.Forms,
	}
	d.root(served)
	for _, c := range all {
		d.collection(c)
	}
	d.secure()
	return m
}

// collection adds the paths of a collection and the components that they need.
func (d *describer) collection(c collection) {
	d.setTag(c.Description.Segment, wire.Capital(wire.Words(c.Description.Segment))+".")
	known := d.record(&c)
	path := escaped(c.Path)
	if c.Description.Actions&^wire.RecordActions != 0 {
		d.model.Paths.add(path, d.listPath(c, known))
	}
	if c.Description.Actions&wire.RecordActions != 0 {
		item := d.recordPath(c)
		d.model.Paths.add(path+"{"+cmp.Or(item.Parameters[0].Name, idParameter.Name)+"}/", item)
	}
}

// record adds the components for the records of a collection, sets c.record and c.listed, and reports
// whether the fields are known.
func (d *describer) record(c *collection) (known bool) {
	name, s := c.name, ofKind("object")
	t, inLists := typesOf(c.Collection)
	switch fields := wire.Shown(c.Description); {
	case fields != nil:
		known, s = true, stored(fields, t, true)
	case t != nil && isOpen(t):
		name, s = openRecord, object(member[*jsonSchema]{"id", integer()})
		s.Others = &jsonSchema{}
	default:
		name = unknownRecord
	}
	c.record = name
	if c.Description.Actions&^schema.Destroy != 0 { // responses have records
		c.record = share(d, "schemas/", &d.model.Components.Schemas, name, s)
	}
	c.listed = c.record
	if fields := wire.ShownInLists(c.Description); c.Description.ShownInLists != nil && (inLists != t || inLists == nil) && c.Description.Actions.Has(schema.List) {
		c.listed = share(d, "schemas/", &d.model.Components.Schemas, name+"InLists", stored(fields, inLists, true))
	}
	return known
}

// withNumbers returns a description whose references By keys that are integers are as those by ids.
func withNumbers(d schema.Description) schema.Description {
	d.Fields = slices.Clone(d.Fields)
	for i, f := range d.Fields {
		if to := d.Related[f.Refers]; to != nil && f.By != "" {
			if key := to.Identity(); key.Key && key.Kind == schema.Integer && ordering.Snake(key.Name) == f.By {
				d.Fields[i].By = ""
			}
		}
	}
	return d
}

// typesOf returns the types of a collection's records as they are served alone and in lists, or nil if they
// are unknown.
func typesOf(c httpapi.Collection) (alone, inLists reflect.Type) {
	for {
		switch of := c.(type) {
		case interface{ ShownTypes() (_, _ reflect.Type) }:
			return of.ShownTypes()
		case interface{ Unwrap() httpapi.Collection }:
			c = of.Unwrap()
		default:
			return nil, nil
		}
	}
}

// secure describes the credentials of the requests that have no description of their own.
// If the handler authorizes reads and the scheme is not known, nothing is said about them.
func (d *describer) secure() {
	switch {
	case !d.reads:
		d.model.Security = requirements{} // none are needed
	case d.scheme != "":
		d.model.Security = required()
	}
	if d.scheme != "" && (d.reads || d.writes) {
		d.model.Components.SecuritySchemes = one(credentials, securityScheme{"http", strings.ToLower(d.scheme)})
	}
}
