package openapi

import (
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// model is an OpenAPI document, limited to what this package uses. The names are the
// specification's.
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
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version"`
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
	Headers         members[parameter]      `json:"headers,omitempty"`
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

// parameter is a parameter or a reference to one of the components. The header of a response is one
// without a name.
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
	Ref         string             `json:"$ref,omitempty"`
	Description string             `json:"description,omitempty"`
	Headers     members[parameter] `json:"headers,omitempty"`
	Content     members[media]     `json:"content,omitempty"`
}

// collection is a collection with its names in the document.
type collection struct {
	httpapi.ServedCollection
	name   string // of one record, such as "ItemVariant"; of no other collection
	record string // component of the records; shared by those without a description
	listed string // component of the records in lists
}

// describer builds a document, path by path.
type describer struct {
	model      *model
	operations names
	places     map[string]int // of components by kind and name
	scheme     string         // of Options.Scheme
	forms      bool           // httpapi.Options.Forms
	errors     *jsonSchema    // of fieldErrors
	writes     bool           // some operation writes
	reads      bool           // reads need permission too
	tags       bool           // records have entity tags

	tag string // of the operations of the current path
}

// setTag sets the tag of the operations that follow.
func (d *describer) setTag(name, description string) {
	d.tag = name
	if !slices.ContainsFunc(d.model.Tags, func(t tag) bool { return t.Name == name }) {
		d.model.Tags = append(d.model.Tags, tag{name, description})
	}
}

// share adds a component of a kind and returns its name: the given one, followed by a number if
// another component has that.
func share[T any](d *describer, kind string, all *members[T], name string, value T) string {
	base := name
	for i := 2; ; i++ {
		at, taken := d.places[kind+name]
		if !taken {
			d.places[kind+name] = len(*all)
			all.add(name, value)
			return name
		}
		if reflect.DeepEqual((*all)[at].value, value) {
			return name
		}
		name = base + strconv.Itoa(i)
	}
}

// schema adds a schema that belongs to no collection, and returns a reference to it.
func (d *describer) schema(name string, s *jsonSchema) *jsonSchema {
	return ref(share(d, "schemas/", &d.model.Components.Schemas, name, s))
}

// parameter adds the component of a parameter, and returns a reference to it.
func (d *describer) parameter(name string, p parameter) parameter {
	return parameter{Ref: "#/components/parameters/" + share(d, "parameters/", &d.model.Components.Parameters, name, p)}
}

// Schemas that belong to no particular type.
const (
	openRecord      = "Record"
	unknownRecord   = "Object"
	detail          = "Detail"
	fieldErrors     = "FieldErrors"
	fieldError      = "FieldError"
	fieldErrorItem  = "FieldErrorItem"
	fieldErrorParts = "FieldErrorParts"
	root            = "Root"
)

// article returns a name of one record with its article.
func article(name string) string {
	if strings.ContainsRune("aeiouAEIOU", []rune(name)[0]) {
		return "an " + name
	}
	return "a " + name
}

// joined returns the words of a name without what separates them, each with its first
// letter in upper case.
func joined(name string) string { return strings.Join(wire.Titles(wire.Words(name)), "") }

// escaped returns a path as it appears in a URL. Braces would mark parameters.
func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }

// names is a set of names of components or operations.
type names map[string]bool

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
