package openapi

import "encoding/json"

// Versions of OpenAPI.
const (
	version31 = "3.1"
	version30 = "3.0"
)

// patch returns the number of a version with that of its patch.
func patch(version string) string {
	if version == version30 {
		return "3.0.3"
	}
	return "3.1.0"
}

// write brings the schemas of the components into the form of a version. The parts of a
// document other than these schemas are the same in both versions.
func (c *components) write(version string) {
	for _, m := range c.Schemas {
		m.value.write(version)
	}
}

// write brings a schema and its parts into the form of a version. A second call has no
// effect, so schemas may share parts.
func (s *jsonSchema) write(version string) {
	for _, p := range s.Properties {
		p.value.write(version)
	}
	for _, part := range []*jsonSchema{s.Items, s.Others} {
		if part != nil {
			part.write(version)
		}
	}
	if version == version30 {
		s.write30()
	} else {
		s.write31()
	}
}

// write31 writes null as an alternative. A list of types, which means the same, is
// unknown to ogen, and other generators accept both.
func (s *jsonSchema) write31() {
	if !s.null {
		return
	}
	inner := *s
	inner.Description, inner.Default, inner.ReadOnly, inner.null = "", nil, false, false
	*s = jsonSchema{Description: s.Description, Default: s.Default, ReadOnly: s.ReadOnly, OneOf: []*jsonSchema{&inner, ofKind("null")}}
}

// write30 writes null as nullable. Other members beside a reference are ignored, so the
// reference is wrapped.
func (s *jsonSchema) write30() {
	if s.Encoding != "" { // base64
		s.Encoding, s.Format = "", "byte"
	}
	if !s.null {
		return
	}
	if s.Ref != "" {
		*s = jsonSchema{Description: s.Description, AllOf: []*jsonSchema{{Ref: s.Ref}}, Default: s.Default, ReadOnly: s.ReadOnly}
	}
	s.Enum.null = s.Enum.list != nil
	s.Nullable, s.null = true, false
}

// choices is the list of the values that a schema accepts.
type choices struct {
	list []string
	null bool // null is one of them
}

// IsZero reports whether there is no list.
func (c choices) IsZero() bool { return c.list == nil }

// MarshalJSON encodes the list.
func (c choices) MarshalJSON() ([]byte, error) {
	if !c.null {
		return json.Marshal(c.list)
	}
	values := make([]*string, len(c.list)+1) // the last one is null
	for i := range c.list {
		values[i] = &c.list[i]
	}
	return json.Marshal(values)
}
