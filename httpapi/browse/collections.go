package browse

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// collection is a collection that the handler serves.
type collection struct {
	schema.Description   // without Filters and Search if they have no effect
	actions              schema.Actions
	updaterIf, deleterIf bool // writes have preconditions
}

// recordActions are those of the path of a record.
const recordActions = schema.Retrieve | schema.Update | schema.PartialUpdate | schema.Destroy

// served is an [httpapi.Handler], or a type that embeds one.
type served interface {
	http.Handler
	Origin(r *http.Request) string
	Root() string
	Served() []httpapi.Served
}

// collectionsOf returns the collections of a handler.
func collectionsOf(h served) (list []collection) {
	for _, s := range h.Served() {
		if s.Collection == nil {
			continue // the root
		}
		c := collection{Description: s.Description, actions: s.Actions}
		_, c.updaterIf = s.Collection.(httpapi.ConditionalUpdater)
		_, c.deleterIf = s.Collection.(httpapi.ConditionalDeleter)
		if _, ok := s.Collection.(httpapi.Filterer); !ok {
			c.Filters, c.Search = nil, nil
		}
		list = append(list, c)
	}
	return list
}

// find returns the collection that a path names, or nil, and the segment with the id if
// it is the path of a record.
func (b *browser) find(path string) (c *collection, id string) {
	if c := b.collections[path]; c != nil {
		return c, ""
	}
	rest, ok := strings.CutSuffix(path, "/")
	at := strings.LastIndexByte(rest, '/') + 1
	c, id = b.collections[rest[:at]], rest[at:]
	if !ok || c == nil || c.actions&recordActions == 0 || id == "" || strings.Contains(id, ".") {
		return nil, ""
	}
	return c, id
}

// recordName returns the name of a record, such as "film 7". The id is a segment of a
// path.
func (c *collection) recordName(id string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(id)); err == nil {
		id = strconv.Itoa(n)
	}
	id, _ = cut(id)
	return spelled(c.Name) + " " + id
}

// hasPages reports whether the records have pages of their own.
func (c *collection) hasPages() bool { return c.actions.Has(schema.Retrieve) }

// hasFilters reports whether parameters of a query can select records.
func (c *collection) hasFilters() bool { return len(c.Filters)+len(c.Search) > 0 }

// hasSelect reports whether its forms have a list to select from.
func (c *collection) hasSelect() bool {
	return slices.ContainsFunc(c.Fields, func(f schema.Field) bool { return newInput(f).Control == "select" })
}

// updateMethod returns the method that changes records, or "". PATCH is better, since it does
// not send the values that the visitor has not changed.
func (c *collection) updateMethod() string {
	switch {
	case c.actions.Has(schema.PartialUpdate):
		return http.MethodPatch
	case c.actions.Has(schema.Update):
		return http.MethodPut
	}
	return ""
}

// parameter returns the field that a parameter of a query selects by, and the lookup. If no
// field has that name, it returns the zero Field.
func (c *collection) parameter(name string) (field schema.Field, lookup string) {
	for _, f := range c.Fields {
		rest, ok := strings.CutPrefix(name, ordering.Snake(f.Name))
		if ok && rest == "" {
			return f, "exact"
		}
		if lookup, ok := strings.CutPrefix(rest, "__"); ok {
			return f, lookup
		}
	}
	return schema.Field{}, "exact"
}

// selects reports whether a parameter selects records.
func (c *collection) selects(name string) bool {
	return slices.Contains(c.Filters, name) || name == searchName && len(c.Search) > 0
}

const searchName = "search"
