package httpapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/ordering"
)

// A route is a path that is served, or the paths of the records of a collection, with the
// common parts of the responses. Responses share the slices of header values.
type route struct {
	path       string // with its slash; of a record's path, the part before the id
	link       string // the path as it appears in URLs
	key        string // of the collection; empty at the root
	about      *schema.Description
	collection Collection // nil at the root
	records    *route     // of the records of this collection; nil if their paths are not served
	isRecord   bool       // the path ends in an id
	actions    schema.Actions
	allow      []string
	vary       []string

	lenient    LenientPager // nil if list must drop unknown terms
	filterer   Filterer     // nil if there are no filters
	retriever  Retriever
	creator    Creator
	updater    Updater
	deleter    Deleter
	updaterIf  ConditionalUpdater // nil if preconditions of an update cannot be evaluated
	deleterIf  ConditionalDeleter // the same for a deletion
	revisioned Revisioned         // nil if its responses have no tags
	standard   []ordering.Term    // the default order, ending in an ascending id
}

// recordActions are those of the path of a record.
const recordActions = schema.Retrieve | schema.Update | schema.PartialUpdate | schema.Destroy

// newRoutes returns the routes of the root and of all collections by their paths.
func newRoutes(root string, collections []served) map[string]*route {
	routes := make(map[string]*route, 1+len(collections))
	routes[root] = &route{path: root, actions: schema.List, allow: allowed(schema.List), vary: []string{"Accept"}}
	for _, c := range collections {
		r := newRoute(root, c)
		routes[r.path] = r
	}
	return routes
}

func newRoute(root string, s served) *route {
	d := s.description
	r := &route{
		path:       collectionPath(root, d),
		link:       linkPath(root, d),
		key:        d.Key,
		about:      &d,
		collection: s.collection,
		standard:   endInID(slices.Clone(d.Ordering)),
	}
	if d.Vary != "" {
		r.vary = []string{d.Vary}
	}
	r.lenient, _ = s.collection.(LenientPager)
	r.revisioned, _ = s.collection.(Revisioned)
	r.creator, _ = s.collection.(Creator)
	r.retriever, _ = s.collection.(Retriever)
	r.updater, _ = s.collection.(Updater)
	r.deleter, _ = s.collection.(Deleter)
	r.updaterIf, _ = s.collection.(ConditionalUpdater)
	r.deleterIf, _ = s.collection.(ConditionalDeleter)
	if len(d.Filters)+len(d.Search) > 0 {
		r.filterer, _ = s.collection.(Filterer)
	}
	served := r.possible() & d.Actions
	if served&recordActions != 0 {
		records := *r
		records.isRecord, records.actions = true, served&recordActions
		records.allow = allowed(records.actions)
		r.records = &records
	}
	r.actions = served &^ recordActions
	r.allow = allowed(r.actions)
	return r
}

// possible returns the actions that the collection implements.
func (r *route) possible() schema.Actions {
	actions := schema.List
	if r.creator != nil {
		actions |= schema.Create
	}
	if r.retriever == nil {
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

// methods are the methods of the actions in the order of Allow.
func methods() []methodAction {
	return []methodAction{
		{http.MethodGet, schema.List | schema.Retrieve},
		{http.MethodPost, schema.Create},
		{http.MethodPut, schema.Update},
		{http.MethodPatch, schema.PartialUpdate},
		{http.MethodDelete, schema.Destroy},
		{http.MethodHead, schema.List | schema.Retrieve},
	}
}

type methodAction struct {
	method  string
	actions schema.Actions
}

// allowed returns the value of Allow for the actions of a path.
func allowed(actions schema.Actions) []string {
	var names []string
	for _, m := range methods() {
		if actions&m.actions != 0 {
			names = append(names, m.method)
		}
	}
	return []string{strings.Join(append(names, http.MethodOptions), ", ")}
}

// action returns the action of a method at the path, or 0 if the method is not allowed.
// As in net/http, "" is GET.
func (r *route) action(method string) schema.Actions {
	var wanted schema.Actions
	switch method {
	case http.MethodGet, http.MethodHead, "":
		wanted = schema.List | schema.Retrieve
	case http.MethodPost:
		wanted = schema.Create
	case http.MethodPut:
		wanted = schema.Update
	case http.MethodPatch:
		wanted = schema.PartialUpdate
	case http.MethodDelete:
		wanted = schema.Destroy
	}
	return r.actions & wanted
}

// find returns the route of a path, or nil, and the segment with the id if it is the path
// of a record. As in Django REST framework, that segment has at most one point, before the
// name of a format, and must then be followed by a slash.
func (h *Handler) find(path string) (r *route, id string) {
	if r := h.routes[path]; r != nil {
		return r, ""
	}
	rest, ok := strings.CutSuffix(path, "/")
	if !ok {
		return nil, ""
	}
	at := strings.LastIndexByte(rest, '/') + 1
	list := h.routes[rest[:at]]
	if id = rest[at:]; list == nil || !isRecordSegment(id) {
		return nil, ""
	}
	return list.records, id
}

// isRecordSegment reports whether a segment of a path is an id, or an id with a format
// suffix.
func isRecordSegment(segment string) bool {
	id, format, suffixed := strings.Cut(segment, ".")
	if id == "" || suffixed && format == "" {
		return false
	}
	return !strings.ContainsFunc(format, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}

// parseID returns the id that a segment of a path holds, or 0, which is not the id of a
// record. White space around the number is ignored. As in Python's int(), U+001C to U+001F
// are not white space.
func parseID(segment string) int {
	id, err := strconv.Atoi(strings.TrimSpace(segment))
	if err != nil || id < 0 {
		return 0
	}
	return id
}

func collectionPath(root string, d schema.Description) string {
	return root + d.Segment + "/"
}

// linkPath returns the path of a collection as it appears in URLs. It needs no escaping in
// JSON.
func linkPath(root string, d schema.Description) string {
	return origin.EscapePath(collectionPath(root, d))
}

// A Served is a path that a [Handler] serves, and that of its records.
type Served struct {
	Path        string             // without the handler's prefix: "/api/", "/api/events/"
	Description schema.Description // zero at the root
	Collection  Collection         // nil at the root
	Actions     schema.Actions     // those that are served, if the authorizer permits them
	Tagged      bool               // whether responses to GET have an ETag; with Options.ETags, those of records always have one
}

// Served returns the paths that h serves: the root, then the collections in the order of
// the root listing. The caller may modify the slice. O(number of collections).
func (h *Handler) Served() []Served {
	list := []Served{{Path: h.rootPath, Tagged: h.tags}}
	for _, c := range h.collections {
		r := h.routes[collectionPath(h.rootPath, c.description)]
		actions := r.actions
		if r.records != nil {
			actions |= r.records.actions
		}
		list = append(list, Served{r.path, c.description, r.collection, actions, h.tags && r.revisioned != nil})
	}
	return list
}
