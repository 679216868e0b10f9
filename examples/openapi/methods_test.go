package main

import (
	"net/http"
	"strings"
)

// checkMethods compares the documented methods of all paths with those that are
// answered. HEAD and OPTIONS, which are always answered, are not documented.
func (d *document) checkMethods(h http.Handler) {
	d.t.Helper()
	refused := d.schema("/components/schemas/Detail") // a 405 is never the answer to a documented request
	paths, _ := d.at("paths")
	for path := range paths {
		item, _ := d.at("paths", path)
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
			answer := request{method: method, target: path}.do(h)
			_, listed := item[strings.ToLower(method)]
			if allowed := answer.Code != http.StatusMethodNotAllowed; allowed != listed {
				d.t.Errorf("%s %s = %d, documented: %v", method, path, answer.Code, listed)
			} else if !allowed {
				if err := refused.Validate(parse(d.t, answer.Body.Bytes())); err != nil {
					d.t.Errorf("%s %s: %v", method, path, err)
				}
			}
		}
	}
}
