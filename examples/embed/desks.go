package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
)

// desks is this shop's rule for who may write: the stage desk posts events, the
// press desk social links, each with the password it has. A desk that has none
// writes nothing.
func desks(passwords map[string]string) httpapi.Authorizer {
	desk := map[string]string{"events": "stage", "social-links": "press"}
	return func(r *http.Request, collection string) error {
		user, password, ok := r.BasicAuth()
		if want := passwords[user]; !ok || want == "" || !same(password, want) {
			return httpapi.Unauthorized(`Basic realm="shop"`, "")
		}
		if desk[collection] != user {
			return httpapi.Forbidden("Another desk writes " + collection + ".")
		}
		return nil
	}
}

// same compares in a time that tells nothing of what is compared.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
