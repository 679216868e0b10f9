package main

import (
	"cmp"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
)

// maxIgnored is the number of names that are printed.
const maxIgnored = 100

// ignored prints the names in requests that nothing reads, each once, with the spelling that works. The
// names of json-server mean nothing here. It is safe for concurrent use.
type ignored struct {
	mu      sync.Mutex
	printed []string
}

// print prints a name that nothing reads in a request for records with pages in a style.
func (g *ignored) print(to *log.Logger, records *catalogue.Catalogue, style pagination.Style, r *http.Request, name, hint string) {
	q := r.URL.Query()
	text := printable(name)
	if strings.HasPrefix(hint, "did you mean") { // otherwise it is a long list
		text += ": " + hint
	}
	names, spelling := spelled(q, name, filtersOf(records, r.URL.Path), pagination.TraitsOf(style))
	names = slices.DeleteFunc(names, func(name string) bool { return !q.Has(name) })
	if spelling != "" && q.Has(name) {
		sent := make([]string, len(names))
		for i, name := range names {
			sent[i] = name + "=" + q.Get(name)
		}
		name, text = names[0], printable(strings.Join(sent, "&")+": write "+spelling)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.printed) < maxIgnored && !slices.Contains(g.printed, name) {
		g.printed = append(g.printed, name)
		to.Printf("%s %s: nothing reads %s", r.Method, printable(r.URL.Path), text)
	}
}

// printable returns a text for a terminal, at most 200 bytes of which are printed.
func printable(text string) string {
	quoted := strconv.Quote(text[:min(len(text), 200)])
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// filtersOf returns the filters of the collection at a path, or of one of whose records it is the path.
func filtersOf(records *catalogue.Catalogue, path string) []string {
	segments := strings.Split(path, "/")
	for _, c := range records.All() {
		if about := c.Description(); slices.Contains(segments, about.Segment) {
			return about.Filters
		}
	}
	return nil
}

// spelled returns what does here what a parameter of json-server does there, with those that belong to it,
// or "".
func spelled(q url.Values, name string, filters []string, is pagination.Traits) (names []string, text string) {
	size := cmp.Or(q.Get("_limit"), q.Get("_per_page"))
	from, _ := strconv.Atoi(q.Get("_start"))
	to, _ := strconv.Atoi(q.Get("_end"))
	page, _ := strconv.Atoi(q.Get("_page"))
	switch name {
	case "_sort", "_order":
		return []string{"_sort", "_order"}, orderOf(q)
	case "q":
		return []string{name}, parameter("search", q.Get(name))
	case "_page", "_limit", "_per_page", "_start", "_end":
		names = []string{"_page", "_limit", "_per_page", "_start", "_end"}
		if size == "" && to > from {
			size = strconv.Itoa(to - from)
		}
		limit, _ := strconv.Atoi(size)
		switch {
		case is.Size == "" || !is.Counted && page+from > 0: // there is no such place
			return nil, ""
		case page > 0 && !is.Anywhere:
			text = parameter(is.Place, strconv.Itoa(page))
		case page > 0:
			from = (page - 1) * cmp.Or(limit, 10)
			size = strconv.Itoa(cmp.Or(limit, 10))
		case !is.Anywhere:
			from = 0
		}
		if from > 0 && is.Anywhere {
			text = parameter(is.Place, strconv.Itoa(from))
		}
		if size != "" {
			text = strings.TrimPrefix(text+"&"+parameter(is.Size, size), "&")
		}
		return names, text
	}
	base, lookup, found := name, "", false
	for _, ends := range [...][2]string{{"_gte", "gte"}, {"_lte", "lte"}, {"_gt", "gt"}, {"_lt", "lt"}, {"_like", "icontains"},
		{":gte", "gte"}, {":lte", "lte"}, {":gt", "gt"}, {":lt", "lt"}, {":in", "in"}, {":contains", "icontains"}, {":eq", ""}} {
		if base, found = strings.CutSuffix(name, ends[0]); found {
			lookup = strings.TrimSuffix("__"+ends[1], "__")
			break
		}
	}
	if filter := strings.ReplaceAll(base, ".", "__") + lookup; slices.Contains(filters, filter) {
		return []string{name}, parameter(filter, q.Get(name))
	}
	return nil, ""
}

// orderOf returns the parameter that orders as those of json-server do: _sort=user,-views, or
// _sort=user,views&_order=asc,desc.
func orderOf(q url.Values) string {
	if q.Get("_sort") == "" {
		return ""
	}
	orders := strings.Split(q.Get("_order"), ",")
	terms := strings.Split(strings.ReplaceAll(q.Get("_sort"), ".", "__"), ",")
	for i := range terms {
		if i < len(orders) && strings.EqualFold(orders[i], "desc") {
			terms[i] = "-" + strings.TrimPrefix(terms[i], "-")
		}
	}
	return parameter("ordering", strings.Join(terms, ","))
}

// parameter returns a parameter of a query, in which commas stay readable.
func parameter(name, value string) string {
	return fmt.Sprintf("%s=%s", name, strings.ReplaceAll(url.QueryEscape(value), "%2C", ","))
}
