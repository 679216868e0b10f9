package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// departments returns the shop's authorizer. The programme department may post
// events, and the press department may post social links, each with its password. A
// department without a password may not post.
func departments(passwords map[string]string) httpapi.Authorizer {
	department := map[string]string{"events": "programme", "social-links": "press"}
	return func(r *http.Request, collection string, _ schema.Actions) error {
		user, password, ok := r.BasicAuth()
		if want := passwords[user]; !ok || want == "" || !equal(password, want) {
			return httpapi.Unauthorized(`Basic realm="shop"`, "")
		}
		if department[collection] != user {
			return httpapi.Forbidden("Another department writes " + collection + ".")
		}
		return nil
	}
}

// equal reports whether two strings are equal, in a time that does not depend on their
// contents.
func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
