package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A route is a path that is served, or the paths of the records of a collection, with the
// common parts of the responses. Responses share the slices of header values.
type route struct {
	path       string // with its slash; of a record's path, the part before the id
	link       string // the path as it appears in URLs; it needs no escaping in JSON
	key        string // of the collection; empty at the root
	about      *schema.Description
	collection Collection                                     // nil at the root
	all        Collection                                     // collection without its restrictions
	rows       []func(context.Context) ([]schema.Test, error) // what Restrict adds to filters
	checks     schema.Checks                                  // of filters
	records    *route                                         // of the records of this collection; nil if their paths are not served
	isRecord   bool                                           // the path ends in an id
	actions    schema.Actions
	allow      []string
	vary       []string
	sortable   []string                   // fields that records can be ordered by; nil if they are not known
	order      string                     // the parameter of orderings
	orders     map[string][]ordering.Term // terms of no ordering, and of those by one field
	byDefault  []ordering.Term            // the order of lists without terms, if it must be sent
	named      []string                   // parameters that are read, and whose name in the description is the same
	pages      pagination.Style
	is         pagination.Traits // of pages

	getter     Getter
	creator    Creator
	updater    Updater
	deleter    Deleter
	revisioner Revisioner // nil if its pages have no tags
	counter    Counter    // nil if it is none
	hides      bool       // some field is hidden
	pointed    bool       // texts by which paths name records can have points
}

func newRoute(root string, c Collection, pages pagination.Style, as schema.Framework) *route {
	d := c.Description()
	d.Pages = cmp.Or(d.Pages, pages)
	d = as.Describe(d)
	path := root + d.Segment + "/"
	r := &route{path: path, link: origin.EscapePath(path), key: d.Key, about: &d, collection: c, sortable: wire.Sortable(d), pages: d.Pages, is: pagination.TraitsOf(d.Pages)}
	for whole := false; !whole; {
		switch part := c.(type) {
		case restricted:
			r.rows, c = append(r.rows, part.rows), part.Collection
		case redescribed:
			r.byDefault, c = defaultOrder(&d), part.Collection
		default:
			whole = true
		}
	}
	r.all, r.checks = c, anyRecord()
	if c, ok := c.(ReferenceChecker); ok {
		r.checks = schema.Checks{Find: c.Find}
	}
	r.orders = map[string][]ordering.Term{"": nil}
	for _, name := range append(slices.Clip(r.sortable), "id") {
		for _, text := range [...]string{name, "-" + name} {
			r.orders[text] = slices.Clip(wire.Terms(d, text, r.sorts))
		}
	}
	r.pointed = slices.ContainsFunc(d.Fields, func(f schema.Field) bool {
		return ordering.Snake(f.Name) == d.Lookup && f.Kind != schema.Slug && f.Kind != schema.UnicodeSlug && f.Kind != schema.UUID
	})
	order, search := d.Params()
	r.order = order
	r.named = slices.DeleteFunc(append([]string{r.is.Place, r.is.Size, order, "format", search}, d.Filters...),
		func(name string) bool {
			return name == "" || d.Named(name) != name || name == search && !wire.Selects(d, search)
		})
	r.hides = slices.ContainsFunc(d.Fields, func(f schema.Field) bool { return f.Hidden })
	if d.Vary != "" {
		r.vary = []string{d.Vary}
	}
	r.getter, _ = c.(Getter)
	r.creator, _ = c.(Creator)
	r.updater, _ = c.(Updater)
	r.deleter, _ = c.(Deleter)
	if own, ok := c.(catalogue.AnyCollection); ok {
		r.revisioner, r.counter = catalogued{own}, catalogued{own}
	} else {
		r.revisioner, _ = c.(Revisioner)
		r.counter, _ = c.(Counter)
	}
	d.Actions &= r.possible()
	if d.Actions&wire.RecordActions != 0 {
		records := *r
		records.isRecord, records.actions = true, d.Actions&wire.RecordActions
		records.allow = allowed(records.actions)
		r.records = &records
	}
	r.actions = d.Actions &^ wire.RecordActions
	r.allow = allowed(r.actions)
	return r
}

// sorts reports whether an ordering may name a field. If the fields are not known, any name without
// capital letters may, and the collection drops those that it lacks.
func (r *route) sorts(field string) bool {
	if !r.is.Counted && (r.about.Sortable != nil && len(r.sortable) == 0 || r.positioned(field) == nil) {
		return false
	}
	return r.sortable == nil && (r.about.JSONNames || strings.ToLower(field) == field) || field == ordering.Snake(r.about.Identity().Name) || slices.Contains(r.sortable, field)
}

// possible returns the actions that the collection implements.
func (r *route) possible() schema.Actions {
	actions := schema.List
	if r.creator != nil {
		actions |= schema.Create
	}
	if r.getter == nil {
		return actions
	}
	actions |= schema.Retrieve
	if r.updater != nil {
		actions |= schema.Update | schema.PartialUpdate
	}
	if r.deleter != nil {
		actions |= schema.Destroy
	}
	return actions
}

// allowed returns the value of Allow for the actions of a path.
func allowed(actions schema.Actions) []string {
	var methods []string
	for _, m := range [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead} {
		if actions&actionsOf(m) != 0 {
			methods = append(methods, m)
		}
	}
	return []string{strings.Join(append(methods, http.MethodOptions), ", ")}
}

// actionsOf returns the actions that a method can mean. A path has at most one of them. As in
// net/http, "" is GET.
func actionsOf(method string) schema.Actions {
	switch method {
	case http.MethodGet, http.MethodHead, "":
		return schema.List | schema.Retrieve
	case http.MethodPost:
		return schema.Create
	case http.MethodPut:
		return schema.Update
	case http.MethodPatch:
		return schema.PartialUpdate
	case http.MethodDelete:
		return schema.Destroy
	}
	return 0
}

// checkPages returns an error if the style of a collection contradicts its description.
func (r *route) checkPages() error {
	is := &r.is
	if !is.Counted {
		if first := defaultOrder(r.about)[0].Field; r.positioned(first) == nil {
			return fmt.Errorf("pages by cursors need a default order by the id or a scalar field that is described: %q is none", first)
		}
		if !r.about.Positions {
			return errors.New("pages by cursors need a collection with Positions in its description")
		}
	}
	for _, name := range []string{is.Place, is.Size} {
		if name != "" && (is.Place == is.Size || name == "format") {
			return fmt.Errorf("the parameter %q of pages is another one, too", name)
		}
	}
	return nil
}

// positioned returns the field whose values can be positions in a list that is ordered by a name
// first, or nil if none exists.
func (r *route) positioned(name string) *schema.Field {
	for i, f := range r.about.Fields {
		if ordering.Snake(f.Name) == name && !f.Hidden && f.Kind.Scalar() {
			return &r.about.Fields[i]
		}
	}
	if f := r.about.Identity(); ordering.Snake(f.Name) == name {
		return &f
	}
	return nil
}

// revision returns the collection's revision. If that fails, or the collection is not a
// Revisioner, ok is false.
func (r *route) revision(ctx context.Context) (revision uint64, ok bool, err error) {
	if r.revisioner == nil {
		return 0, false, nil
	}
	revision, err = r.revisioner.Revision(ctx)
	return revision, err == nil, err
}

// A catalogued is the Revisioner and the Counter of a collection of a catalogue. AnyCollection
// itself is neither, so that a type that embeds it and restricts what a user sees has no tags and
// no counts by promotion.
type catalogued struct{ catalogue.AnyCollection }

func (c catalogued) Revision(context.Context) (uint64, error) {
	return c.AnyCollection.Revision(), nil
}

func (c catalogued) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error) {
	return c.AnyCollection.Counts(ctx, filter, groups)
}
