package httpapi

import (
	"bytes"
	"net/http"
)

// sendRoot sends the URLs of the collections.
func (v *view) sendRoot() {
	v.findTag(nil)
	if v.clientHas() {
		v.sendNotModified()
		return
	}
	var room [256]byte
	v.write(http.StatusOK, v.handler.root.build(v.origin.AppendURL(room[:0], "")))
}

// rootBody is the body of the root, split where its links begin.
type rootBody [][]byte

// newRootBody returns a body that lists the collections.
func newRootBody(root string, collections []served) rootBody {
	var body rootBody
	part := "{"
	for i, c := range collections {
		d := c.description
		if i > 0 {
			part += ","
		}
		body = append(body, []byte(part+quote(d.Key)+`:"`))
		part = collectionPath(root, d)
		if d.Query != "" {
			part += "?" + d.Query
		}
		part += `"`
	}
	return append(body, []byte(part+"}"))
}

// build returns the body with base at the beginning of each link.
func (b rootBody) build(base []byte) []byte { return bytes.Join(b, base) }
