package httpapi

import (
	"errors"
	"fmt"
	"net/http"
)

// Details that Django REST framework gives to who may not write.
const (
	detailNoCredentials = "Authentication credentials were not provided."
	detailNoPermission  = "You do not have permission to perform this action."
)

// An Authorizer decides whether a request may post to a collection, named by
// its key. Nil means yes. An error made by [Unauthorized] or [Forbidden],
// wrapped or not, is answered with what it says; any other with 403 and a
// standard detail, its text going to [Options.OnError] alone.
//
// It is asked after format, Accept and method are known to be good and before
// the body is read, which it must leave alone, and by OPTIONS, to find out
// whether to show what can be posted; so it should have no side effects. It is
// called by many requests at once.
type Authorizer func(r *http.Request, collection string) error

// AllowAll is the [Authorizer] that lets anybody write.
func AllowAll(*http.Request, string) error { return nil }

// denyAll is the authorizer of a handler that was given none.
func denyAll(*http.Request, string) error { return Forbidden(detailNoCredentials) }

// refusal is an authorizer's no, as the client gets to see it.
type refusal struct {
	status    int
	challenge string
	detail    string
}

func (e *refusal) Error() string {
	return fmt.Sprintf("httpapi: %d: %s", e.status, e.detail)
}

// Unauthorized returns an error by which an [Authorizer] asks for (other)
// credentials: status 401 with the challenge as WWW-Authenticate. An empty
// detail stands for "Authentication credentials were not provided.". Since a
// 401 must have a challenge, an empty one makes it a 403, as in Django REST
// framework.
func Unauthorized(challenge, detail string) error {
	if detail == "" {
		detail = detailNoCredentials
	}
	if challenge == "" {
		return Forbidden(detail)
	}
	return &refusal{http.StatusUnauthorized, challenge, detail}
}

// Forbidden returns an error by which an [Authorizer] refuses whatever the
// credentials: status 403. An empty detail stands for "You do not have
// permission to perform this action.".
func Forbidden(detail string) error {
	if detail == "" {
		detail = detailNoPermission
	}
	return &refusal{http.StatusForbidden, "", detail}
}

// authorize asks the authorizer and returns its refusal, nil if there is none.
func (v *view) authorize() *refusal {
	err := v.handler.authorizer(v.r, v.route.key)
	if err == nil {
		return nil
	}
	var no *refusal
	if errors.As(err, &no) {
		return no
	}
	v.handler.report(v.r, err)
	return &refusal{http.StatusForbidden, "", detailNoPermission}
}
