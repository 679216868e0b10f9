package openapi

import (
	"slices"
	"strings"
)

// credentials is the name of the security scheme.
const credentials = "credentials"

// required returns the requirement of credentials.
func required() requirements { return requirements{one(credentials, []struct{}{})} }

// secure describes the credentials of the requests that have no description of their own.
// If the handler authorizes reads and the scheme is not known, nothing is said about them.
func (d *describer) secure() {
	switch {
	case !d.reads:
		d.model.Security = requirements{} // none are needed
	case d.scheme != "":
		d.model.Security = required()
	}
	if d.scheme != "" && (d.reads || d.writes) {
		d.model.Components.SecuritySchemes = one(credentials, securityScheme{"http", strings.ToLower(d.scheme)})
	}
}

// denied adds the responses to a read that is not permitted, after that with status 400.
func (op *operation) denied() {
	at := 1 + slices.IndexFunc(op.Responses, func(m member[response]) bool { return m.name == badRequest.status() })
	op.Responses = slices.Insert(op.Responses, at, responses("", response{}, unauthorized, forbidden)[1:]...)
}
