package openapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// model is an OpenAPI document, limited to what this package uses. The names are
// those of the specification.
type model struct {
	OpenAPI    string            `json:"openapi"`
	Info       info              `json:"info"`
	Servers    []server          `json:"servers"`
	Security   requirements      `json:"security,omitzero"` // of operations without their own
	Tags       []tag             `json:"tags"`
	Paths      members[pathItem] `json:"paths"`
	Components components        `json:"components"`
}

type info struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Contact     *contact `json:"contact,omitempty"`
	License     *license `json:"license,omitempty"`
	Version     string   `json:"version"`
}

type contact struct {
	URL string `json:"url"`
}

type license struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// infoOf returns what the options say about the API.
func infoOf(opts Options) info {
	i := info{Title: opts.Title, Description: opts.Description, Version: opts.Version}
	if opts.Contact != "" {
		i.Contact = &contact{opts.Contact}
	}
	if opts.License != "" {
		i.License = &license{opts.License, opts.LicenseURL}
	}
	return i
}

type server struct {
	URL string `json:"url"`
}

type tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type components struct {
	Schemas         members[*jsonSchema]    `json:"schemas"`
	Responses       members[response]       `json:"responses,omitempty"`
	Parameters      members[parameter]      `json:"parameters,omitempty"`
	Headers         members[header]         `json:"headers,omitempty"`
	SecuritySchemes members[securityScheme] `json:"securitySchemes,omitempty"`
}

// requirements lists the credentials with which a request is permitted. An empty list
// requires none.
type requirements []members[[]struct{}]

type securityScheme struct {
	Type   string `json:"type"`
	Scheme string `json:"scheme"`
}

type pathItem struct {
	Parameters []parameter `json:"parameters,omitempty"` // of all operations
	Get        *operation  `json:"get,omitempty"`
	Post       *operation  `json:"post,omitempty"`
	Put        *operation  `json:"put,omitempty"`
	Patch      *operation  `json:"patch,omitempty"`
	Delete     *operation  `json:"delete,omitempty"`
}

type operation struct {
	ID          string            `json:"operationId"`
	Summary     string            `json:"summary"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	Parameters  []parameter       `json:"parameters,omitempty"`
	RequestBody *requestBody      `json:"requestBody,omitempty"`
	Responses   members[response] `json:"responses"`
	Security    requirements      `json:"security,omitempty"`
}

// parameter is a parameter or a reference to one of the components.
type parameter struct {
	Ref         string      `json:"$ref,omitempty"`
	Name        string      `json:"name,omitempty"`
	In          string      `json:"in,omitempty"`
	Description string      `json:"description,omitempty"`
	Required    bool        `json:"required,omitempty"`
	Explode     *bool       `json:"explode,omitempty"`
	Schema      *jsonSchema `json:"schema,omitempty"`
}

type requestBody struct {
	Required bool           `json:"required"`
	Content  members[media] `json:"content"`
}

type media struct {
	Schema *jsonSchema `json:"schema"`
}

// response is a response or a reference to one of the components.
type response struct {
	Ref         string          `json:"$ref,omitempty"`
	Description string          `json:"description,omitempty"`
	Headers     members[header] `json:"headers,omitempty"`
	Content     members[media]  `json:"content,omitempty"`
}

// header is a header or a reference to one of the components.
type header struct {
	Ref         string      `json:"$ref,omitempty"`
	Description string      `json:"description,omitempty"`
	Schema      *jsonSchema `json:"schema,omitempty"`
}

// members is a JSON object with ordered members.
type members[T any] []member[T]

type member[T any] struct {
	name  string
	value T
}

// one returns an object with one member.
func one[T any](name string, value T) members[T] { return members[T]{{name, value}} }

func (ms *members[T]) add(name string, value T) { *ms = append(*ms, member[T]{name, value}) }

func (ms members[T]) has(name string) bool {
	return slices.ContainsFunc(ms, func(m member[T]) bool { return m.name == name })
}

// MarshalJSON encodes the members in order.
func (ms members[T]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// describer builds a document, path by path.
type describer struct {
	model      *model
	types      *types
	operations names
	scheme     string
	reads      bool // reads need permission too
	tags       bool // records have entity tags
	writes     bool // some operation writes

	recordFilters bool // of Options
}

// collection is a collection with its names in the document.
type collection struct {
	httpapi.ServedCollection
	name   string // of one record, such as "ItemVariant"; unique
	record string // component of the records; shared by those without a description
}

func describe(h *httpapi.Handler, opts Options) (*model, error) {
	served := h.Served()
	collections := make([]collection, len(served.Collections))
	taken := reserved()
	for i, s := range served.Collections {
		collections[i] = collection{ServedCollection: s, name: taken.takeRecord(s.Description)}
	}
	m := newModel(h, opts, collections)
	d := &describer{
		model: m, types: newTypes(taken, &m.Components.Schemas), operations: names{},
		scheme: opts.Scheme, reads: served.AuthorizesReads, tags: served.Tagged, recordFilters: opts.RecordFilters,
	}
	d.root(served, collections)
	d.know(collections)
	for _, c := range collections {
		d.collection(c)
	}
	d.secure()
	m.Components.write(opts.OpenAPI)
	return m, m.prune()
}

// newModel returns a document without paths.
func newModel(h *httpapi.Handler, opts Options, collections []collection) *model {
	about := "Reading and adding records."
	if slices.ContainsFunc(collections, collection.hasRecordPath) {
		about = "Reading and writing records."
	}
	return &model{
		OpenAPI: patch(opts.OpenAPI),
		Info:    infoOf(opts),
		Servers: []server{{opts.Server}},
		Tags:    []tag{{recordsTag, about}},
		Components: components{
			Schemas:    commonSchemas(collections),
			Responses:  commonResponses(),
			Parameters: commonParameters(h.Served().Limits),
			Headers:    commonHeaders(),
		},
	}
}

// know lets types refer to the components of the collections with fields. Inside another
// value, unlike in a record, a nil list is encoded as null, so types with lists have a
// component of their own.
func (d *describer) know(collections []collection) {
	for _, c := range collections {
		t := recordType(c.Collection)
		if c.Description.Fields == nil || t == nil || t.Kind() != reflect.Struct || isOpen(t) || d.types.known[t] != "" {
			continue
		}
		if members, _ := jsonmember.Of(t); !slices.ContainsFunc(members, isList) {
			d.types.known[t] = c.name
		}
	}
}

// collection adds the paths of a collection and the components that they need.
func (d *describer) collection(c collection) {
	fields, known := d.record(&c)
	term := ofKind("string")
	if known {
		d.once(termOf(c.record), orderingTerm(fields))
		term = ref(termOf(c.record))
	}
	order := d.ordering(c, orderingParameter(term, c.Description.Ordering))
	filters := d.filters(c)
	path := escaped(c.Path)
	if c.Actions&^wire.RecordActions != 0 {
		d.model.Paths.add(path, d.listPath(c, order, filters))
	}
	if c.hasRecordPath() {
		if !d.recordFilters {
			filters, c.Description.Filters = nil, nil
		}
		d.model.Paths.add(path+"{"+idParameter+"}/", d.recordPath(c, filters))
	}
}

// ordering returns the name of the parameter ordering of a collection. Collections with
// the same records share it if their default orders are the same.
func (d *describer) ordering(c collection, p parameter) string {
	name := orderOf(c.record)
	for _, other := range d.model.Components.Parameters {
		if other.name == name && other.value.Description != p.Description {
			name = orderOf(c.name)
		}
	}
	if parameters := &d.model.Components.Parameters; !parameters.has(name) {
		parameters.add(name, p)
	}
	return name
}

// once adds a schema if none exists of that name.
func (d *describer) once(name string, s *jsonSchema) {
	if schemas := &d.model.Components.Schemas; !schemas.has(name) {
		schemas.add(name, s)
	}
}

// Schemas that belong to no particular type.
const (
	openRecord    = "Record"
	unknownRecord = "Object"
	detail        = "Detail"
	fieldErrors   = "FieldErrors"
	root          = "Root"
	format        = "Format"
)

// recordName returns the name of a collection's records, such as "ItemVariant".
func recordName(c schema.Description) string { return clean(joined(c.Name)) }

// listName returns the name of a collection in operations, such as "ItemVariants".
func listName(c schema.Description) string { return joined(c.Segment) }

// joined returns the words of a name without what separates them, each with its first
// letter in upper case.
func joined(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == '_' }) {
		_, size := utf8.DecodeRuneInString(word)
		b.WriteString(strings.ToUpper(word[:size]) + word[size:])
	}
	return b.String()
}

// escaped returns a path as it appears in a URL. Braces would mark parameters.
func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// names is a set of names of components or operations.
type names map[string]bool

// reserved returns the names that a document may need regardless of its collections.
func reserved() names {
	taken := names{}
	for _, name := range []string{detail, fieldErrors, root, format} {
		taken[name] = true
	}
	for _, record := range []string{openRecord, unknownRecord} {
		taken.addAll(componentsOf(record))
	}
	return taken
}

func pageOf(record string) string  { return record + "Page" }
func termOf(record string) string  { return record + "OrderingTerm" }
func orderOf(record string) string { return record + "Ordering" } // a parameter

// bodyOf returns the component of the body of a request with an action.
func bodyOf(record string, action schema.Actions) string {
	switch action {
	case schema.Update:
		return record + "Update"
	case schema.PartialUpdate:
		return record + "Patch"
	}
	return "New" + record
}

// componentsOf returns the names of all schemas that a collection may need.
func componentsOf(record string) []string {
	return []string{
		record, pageOf(record), termOf(record), bodyOf(record, schema.Create),
		bodyOf(record, schema.Update), bodyOf(record, schema.PartialUpdate),
	}
}

func (taken names) addAll(list []string) {
	for _, name := range list {
		taken[name] = true
	}
}

// takeRecord adds the names of a collection's components and returns that of its records.
func (taken names) takeRecord(c schema.Description) string {
	base := recordName(c)
	name := base
	for i := 2; slices.ContainsFunc(componentsOf(name), func(s string) bool { return taken[s] }); i++ {
		name = base + strconv.Itoa(i)
	}
	taken.addAll(componentsOf(name))
	return name
}

// take adds a name similar to wanted that is valid for a component and not taken yet.
// It returns that name.
func (taken names) take(wanted string) string {
	base := clean(wanted)
	name := base
	for i := 2; taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}

// clean replaces characters that are not valid in the name of a component.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// used is a set of components, with names such as "schemas/Event".
type used map[string]bool

// prune removes the components that no operation needs.
func (m *model) prune() error {
	texts, err := m.Components.encoded()
	if err != nil {
		return err
	}
	paths, err := json.Marshal(m.Paths)
	if err != nil {
		return err
	}
	reached := used{}
	reached.follow(paths, texts)
	c := &m.Components
	c.Schemas = kept("schemas", c.Schemas, reached)
	c.Responses = kept("responses", c.Responses, reached)
	c.Parameters = kept("parameters", c.Parameters, reached)
	c.Headers = kept("headers", c.Headers, reached)
	return nil
}

// encoded returns the JSON of all components by kind and name.
func (c *components) encoded() (texts map[string]map[string]json.RawMessage, err error) {
	all, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(all, &texts)
}

// follow adds the components that a text refers to, and those that these refer to.
func (u used) follow(text []byte, texts map[string]map[string]json.RawMessage) {
	reference := regexp.MustCompile(`"\$ref":"#/components/([a-z]+)/([^"]+)"`)
	for rest := [][]byte{text}; len(rest) > 0; {
		last := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		for _, found := range reference.FindAllSubmatch(last, -1) {
			kind, name := string(found[1]), string(found[2])
			if key := kind + "/" + name; !u[key] {
				u[key] = true
				rest = append(rest, texts[kind][name])
			}
		}
	}
}

// kept returns the members of a kind that are used.
func kept[T any](kind string, all members[T], u used) members[T] {
	return slices.DeleteFunc(all, func(m member[T]) bool { return !u[kind+"/"+m.name] })
}
