package httpapi

import "github.com/gobacklist/backlist/resources"

// rootBody is the body of the root, cut where the base of its links goes.
type rootBody struct {
	parts []string // a link between each two
	size  int      // of all parts
}

// newRootBody lists the collections in the order of the document.
func newRootBody(documented []resources.Collection) rootBody {
	body := rootBody{parts: make([]string, 0, len(documented)+1)}
	part := "{"
	for i, d := range documented {
		if i > 0 {
			part += ","
		}
		body.add(part + quote(d.Key) + `:"`)
		part = collectionPath(d) + `?format=api"`
	}
	body.add(part + "}")
	return body
}

func (b *rootBody) add(part string) {
	b.parts = append(b.parts, part)
	b.size += len(part)
}

// build returns the body with links that begin with base. At some 2.4 kB it is
// as fast to put together as to look up by base.
func (b *rootBody) build(base []byte) []byte {
	out := make([]byte, 0, b.size+(len(b.parts)-1)*len(base))
	for i, part := range b.parts {
		if i > 0 {
			out = append(out, base...)
		}
		out = append(out, part...)
	}
	return out
}
