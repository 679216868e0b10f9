package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Bearer returns the [Authorizer] that lets write who sends
// "Authorization: Bearer <token>". It is Token("Bearer", token).
func Bearer(token string) Authorizer { return Token("Bearer", token) }

// Token returns the [Authorizer] that lets write who sends the token under
// that scheme, for all collections alike:
//
//	Authorization: <scheme> <token>
//
// Others get a 401 with the scheme, as given, in WWW-Authenticate, and the
// details that Django REST framework's TokenAuthentication gives. The scheme
// compares without case, the token byte by byte in constant time. An empty
// scheme is Bearer. An empty token, or one with white space in it, lets
// nobody write.
func Token(scheme, token string) Authorizer {
	if scheme == "" {
		scheme = "Bearer"
	}
	lower := strings.ToLower(scheme)
	sum := sha256.Sum256([]byte(token))
	return func(r *http.Request, _ string) error {
		parts := strings.Fields(strings.Join(r.Header["Authorization"], ","))
		if len(parts) == 0 || !equalFoldASCII(parts[0], lower) {
			return Unauthorized(scheme, detailNoCredentials)
		}
		if fault := tokenFault(parts[1:]); fault != "" {
			return Unauthorized(scheme, fault)
		}
		sent := sha256.Sum256([]byte(parts[1]))
		if token == "" || subtle.ConstantTimeCompare(sent[:], sum[:]) == 0 {
			return Unauthorized(scheme, "Invalid token.")
		}
		return nil
	}
}

// tokenFault says why what follows the scheme is no token, "" if it is one.
func tokenFault(parts []string) string {
	switch {
	case len(parts) == 0:
		return "Invalid token header. No credentials provided."
	case len(parts) > 1:
		return "Invalid token header. Token string should not contain spaces."
	case !utf8.ValidString(parts[0]):
		return "Invalid token header. Token string should not contain invalid characters."
	}
	return ""
}
