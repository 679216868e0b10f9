package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
)

// Details that Django REST framework sends.
const (
	detailNoCredentials = "Authentication credentials were not provided."
	detailNoPermission  = "You do not have permission to perform this action."
)

// An Authorizer decides whether a request may perform an action on a collection, which is named by
// its key. The action is a single one, such as [schema.Create]. The Authorizer returns nil to
// permit the request. An error that is or wraps one made by [Unauthorized] or [Forbidden]
// determines the response. Any other results in 403 and a standard detail, and is passed to
// [Options].OnError.
//
// A [Handler] calls its Authorizer after checking format, Accept and method, and before looking for
// a record and reading the body, which the Authorizer must not read. It is also called for OPTIONS
// of a path that can be written to, with Create or Update, to decide whether the response lists the
// fields, and by pages of package browse, so it should have no side effects. It must be safe for
// concurrent use.
//
// An Authorizer may read a cookie. A page of another site cannot write with it: browsers send a
// PUT, PATCH or DELETE of such a page, and JSON, only if the server permits it in a preflight
// (CORS), and a Handler rejects a POST of such a page with another type, even without a body or,
// with Options.Forms, a form. The program must not permit origins with credentials that it does not
// trust.
type Authorizer func(r *http.Request, collection string, action schema.Actions) error

// AllowAll is an [Authorizer] that permits every request.
func AllowAll(*http.Request, string, schema.Actions) error { return nil }

// refusal is an error that describes its response.
type refusal struct {
	status    int
	challenge string
	detail    string
}

func (e *refusal) Error() string {
	return fmt.Sprintf("httpapi: %d: %s", e.status, e.detail)
}

// Unauthorized returns an error for an [Authorizer] or a [Collection] to reject missing or invalid
// credentials. It results in 401 with the challenge as WWW-Authenticate or, if challenge is empty,
// in 403, as in Django REST framework. If detail is empty, it is "Authentication credentials were
// not provided.".
func Unauthorized(challenge, detail string) error {
	if detail == "" {
		detail = detailNoCredentials
	}
	if challenge == "" {
		return Forbidden(detail)
	}
	return &refusal{http.StatusUnauthorized, challenge, detail}
}

// Forbidden returns an error for an [Authorizer] or a [Collection] to reject a request regardless
// of its credentials. It results in 403. If detail is empty, it is "You do not have permission to
// perform this action.".
func Forbidden(detail string) error {
	if detail == "" {
		detail = detailNoPermission
	}
	return &refusal{http.StatusForbidden, "", detail}
}

// Bearer returns Token("Bearer", token).
func Bearer(token string) Authorizer { return Token("Bearer", token) }

// Token returns an Authorizer that permits requests carrying the token with the scheme, for all
// collections and actions:
//
//	Authorization: <scheme> <token>
//
// Other requests are rejected with 401, the scheme in WWW-Authenticate, and the details of Django
// REST framework's TokenAuthentication. Schemes are compared without regard to case, and tokens
// byte by byte, in constant time. If scheme is empty, it is "Bearer". If token is empty or not
// valid UTF-8, or if either contains white space, no request is permitted.
func Token(scheme, token string) Authorizer {
	if scheme == "" {
		scheme = "Bearer"
	}
	sum := sha256.Sum256([]byte(token))
	return func(r *http.Request, _ string, _ schema.Actions) error {
		parts := strings.Fields(strings.Join(r.Header["Authorization"], ","))
		switch {
		case len(parts) == 0 || !negotiation.EqualFold(parts[0], scheme):
			return Unauthorized(scheme, detailNoCredentials)
		case len(parts) == 1:
			return Unauthorized(scheme, "Invalid token header. No credentials provided.")
		case len(parts) > 2:
			return Unauthorized(scheme, "Invalid token header. Token string should not contain spaces.")
		case !utf8.ValidString(parts[1]):
			return Unauthorized(scheme, "Invalid token header. Token string should not contain invalid characters.")
		}
		sent := sha256.Sum256([]byte(parts[1]))
		if token == "" || subtle.ConstantTimeCompare(sent[:], sum[:]) == 0 {
			return Unauthorized(scheme, "Invalid token.")
		}
		return nil
	}
}
