package openapi

import (
	"encoding/json"
	"regexp"
	"slices"
)

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
