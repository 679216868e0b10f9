package browse

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/pagination"
)

// query is the query of a request, from which links to the same path are made.
type query struct{ values url.Values }

// readQuery parses the query of a request as the handler does.
func readQuery(r *http.Request) query { return parseQuery(r.URL.RawQuery) }

// parseQuery parses a raw query. Unlike net/url, it drops nothing.
func parseQuery(raw string) query {
	q := query{make(url.Values)}
	for name, value := range pagination.ParseQuery(raw).All() {
		q.values.Add(name, value)
	}
	return q
}

// get returns the last value of a parameter, as the handler does, or "".
func (q query) get(name string) string {
	if values := q.values[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// with returns a link to the same path with changed parameters, given as alternating
// names and values. An empty value removes a parameter. The format is api unless given.
func (q query) with(changes ...string) string {
	values := make(url.Values, len(q.values)+1)
	for name, all := range q.values {
		values[name] = all
	}
	values.Set("format", "api")
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			values.Del(changes[i])
		} else {
			values.Set(changes[i], changes[i+1])
		}
	}
	return "?" + values.Encode()
}

// parameterValue is a hidden input of a form.
type parameterValue struct{ Name, Value string }

// kept returns the parameters whose names satisfy keep, for a form that sends them too. The
// format is always api.
func (q query) kept(keep func(name string) bool) []parameterValue {
	kept := []parameterValue{{"format", "api"}}
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if name == "format" || !keep(name) {
			continue
		}
		for _, value := range q.values[name] {
			kept = append(kept, parameterValue{name, value})
		}
	}
	return kept
}
