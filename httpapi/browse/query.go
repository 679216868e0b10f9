package browse

import (
	"net/http"
	"net/url"
)

// query is that of a request, to make links to other views of the same path.
type query struct{ values url.Values }

// readQuery takes what can be read; what cannot does nothing in the handler
// either.
func readQuery(r *http.Request) query {
	values, _ := url.ParseQuery(r.URL.RawQuery)
	return query{values}
}

// get returns the last value of a name, which is the one that counts.
func (q query) get(name string) string {
	if values := q.values[name]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

// with returns a link to the same path with some parameters changed, given as
// names and values by turns; an empty value takes a parameter out. Links are for
// pages, so the format is api unless it is given.
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
