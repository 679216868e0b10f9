package openapi

// failing is a kind of error response. Its value is the name of the component.
type failing string

// The kinds of error responses. Some share a status.
const (
	badRequest         failing = "BadRequest"
	badRecord          failing = "BadRecord"
	badFilter          failing = "BadFilter"
	unauthorized       failing = "Unauthorized"
	forbidden          failing = "Forbidden"
	notFound           failing = "NotFound"
	noRecord           failing = "NoRecord"
	notAcceptable      failing = "NotAcceptable"
	conflict           failing = "Conflict"
	preconditionFailed failing = "PreconditionFailed"
	tooLarge           failing = "BodyTooLarge"
	targetTooLong      failing = "TargetTooLong"
	unsupported        failing = "UnsupportedMediaType"
	failure            failing = "Failure"
)

// status returns the key of the response in an operation.
func (f failing) status() string {
	switch f {
	case badRequest, badRecord, badFilter:
		return "400"
	case unauthorized:
		return "401"
	case forbidden:
		return "403"
	case notFound, noRecord:
		return "404"
	case notAcceptable:
		return "406"
	case conflict:
		return "409"
	case preconditionFailed:
		return "412"
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
		{allowHeader, header{Description: "The methods that the path supports.", Schema: ofKind("string")}},
		{challengeHeader, header{Description: "The credentials that are required.", Schema: ofKind("string")}},
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
		{badRequest, "The request exceeds a limit, or its Host or a forwarded header is invalid."},
		{badRecord, "The body is not valid JSON or not a valid record, with the errors by field."},
		{unauthorized, "The credentials are missing or invalid."},
		{forbidden, "The client may not send this request."},
		{notFound, "The path or the format does not exist."},
		{notAcceptable, "The Accept header excludes JSON."},
		{tooLarge, "The body is too large."},
		{targetTooLong, "The path or the query is too long."},
		{unsupported, "The content type of the body is not JSON."},
		{failure, "Any other error, such as 500 or 503."},
	} {
		list.add(string(f.failing), f.response(f.text))
	}
	return list
}

func (f failing) response(text string) response {
	return response{Description: text, Headers: f.headers(), Content: jsonBody(f.body())}
}

func (f failing) body() *jsonSchema {
	if f == badRecord || f == badFilter {
		return ref(fieldErrors)
	}
	return ref(detail)
}

func (f failing) headers() members[header] {
	if f == unauthorized {
		return one(challengeHeader, headerRef(challengeHeader))
	}
	return nil
}
