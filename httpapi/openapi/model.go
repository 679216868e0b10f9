package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
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
	Head       *operation  `json:"head,omitempty"`
	Options    *operation  `json:"options"`
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
