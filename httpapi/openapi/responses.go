package openapi

// failing is a kind of error response. Its value is the name of the component.
type failing string

// The kinds of error responses. Two share a status.
const (
	badRequest    failing = "BadRequest"
	badRecord     failing = "BadRecord"
	unauthorized  failing = "Unauthorized"
	forbidden     failing = "Forbidden"
	notFound      failing = "NotFound"
	notAllowed    failing = "MethodNotAllowed"
	notAcceptable failing = "NotAcceptable"
	tooLarge      failing = "BodyTooLarge"
	targetTooLong failing = "TargetTooLong"
	unsupported   failing = "UnsupportedMediaType"
	failure       failing = "Failure"
)

// status returns the key of the response in an operation.
func (f failing) status() string {
	switch f {
	case badRequest, badRecord:
		return "400"
	case unauthorized:
		return "401"
	case forbidden:
		return "403"
	case notFound:
		return "404"
	case notAllowed:
		return "405"
	case notAcceptable:
		return "406"
	case tooLarge:
		return "413"
	case targetTooLong:
		return "414"
	case unsupported:
		return "415"
	}
	return "default"
}

// responses returns the successful response, followed by error responses.
func responses(status string, good response, bad ...failing) members[response] {
	list := one(status, good)
	for _, f := range bad {
		list.add(f.status(), responseRef(string(f)))
	}
	return list
}

func responseRef(name string) response { return response{Ref: "#/components/responses/" + name} }

// Response headers.
const (
	allowHeader     = "Allow"
	challengeHeader = "WWW-Authenticate"
)

func commonHeaders() members[header] {
	return members[header]{
		{allowHeader, header{Description: "The methods of the path.", Schema: ofKind("string")}},
		{challengeHeader, header{Description: "What credentials are asked for.", Schema: ofKind("string")}},
	}
}

func headerRef(name string) header { return header{Ref: "#/components/headers/" + name} }

// commonResponses returns the error responses.
func commonResponses() members[response] {
	var list members[response]
	for _, f := range []struct {
		failing
		text string
	}{
		{badRequest, "The request asks for too much, or its Host is none."},
		{badRecord, "The body is no JSON, or no record: what is wrong with which field."},
		{unauthorized, "Credentials are missing or wrong."},
		{forbidden, "This may not be written to, or not by the sender."},
		{notFound, "There is no such path, or no such format."},
		{notAllowed, "A method that the path does not list: no operation answers so."},
		{notAcceptable, "The header Accept takes no JSON."},
		{tooLarge, "The body is too large."},
		{targetTooLong, "The path or the query is too long."},
		{unsupported, "The body is said to be no JSON."},
		{failure, "Anything else that went wrong, such as 500 and 503."},
	} {
		list.add(string(f.failing), response{Description: f.text, Headers: f.headers(), Content: jsonBody(f.body())})
	}
	return list
}

func (f failing) body() *schema {
	if f == badRecord {
		return &schema{AnyOf: []*schema{ref(detail), ref(fieldErrors)}}
	}
	return ref(detail)
}

func (f failing) headers() members[header] {
	switch f {
	case unauthorized:
		return one(challengeHeader, headerRef(challengeHeader))
	case notAllowed:
		return one(allowHeader, headerRef(allowHeader))
	}
	return nil
}
