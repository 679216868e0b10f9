package httpapi

import (
	"bytes"
	"cmp"
	"net/http"
)

// sendRoot sends the URLs of the collections. As in Django REST framework, they have the
// format of the request.
func (v *view) sendRoot() {
	v.findTag(nil)
	if status := v.readStatus(); status != 0 {
		v.sendInstead(status)
		return
	}
	query := ""
	if format, ok := v.query.Get("format"); ok {
		query = "format=" + format
	}
	var room [256]byte
	v.write(http.StatusOK, v.handler.root[query].build(v.origin.AppendURL(room[:0], "")))
}

// rootBody is the body of the root, split where its links begin.
type rootBody [][]byte

// newRootBodies returns the bodies of the root, by the query of those links for which the
// description of the collection has none.
func newRootBodies(root string, collections []served) map[string]rootBody {
	bodies := map[string]rootBody{}
	for _, query := range []string{"", "format=", "format=json", "format=api"} {
		bodies[query] = newRootBody(root, collections, query)
	}
	return bodies
}

// newRootBody returns a body that lists the collections.
func newRootBody(root string, collections []served, query string) rootBody {
	var body rootBody
	part := "{"
	for i, c := range collections {
		d := c.description
		if i > 0 {
			part += ","
		}
		body = append(body, []byte(part+quote(d.Key)+`:"`))
		part = linkPath(root, d)
		if q := cmp.Or(d.Query, query); q != "" {
			part += "?" + q
		}
		part += `"`
	}
	return append(body, []byte(part+"}"))
}

// build returns the body with base at the beginning of each link.
func (b rootBody) build(base []byte) []byte { return bytes.Join(b, base) }
