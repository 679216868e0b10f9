package cataloguetest

import "time"

// What the service says when it has nothing to say.
const (
	errorDocument = `{"detail":"Internal server error."}`
	gatewayPage   = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
)

// brokenAnswers are answers that are no pages.
func brokenAnswers() []pathology {
	const (
		status = "look at the status before the body; what is not 200 is an error, or is asked for again"
		shape  = "a body without count and results is no page, whatever the status says, and not the end of the list"
	)
	retry := Header("Retry-After", "0")
	return []pathology{
		{name: "status-500-once", records: fewRecords, breaks: []placed{second(Status(500, errorDocument))}, right: completesOrFails, advice: status},
		{name: "status-503-once", records: fewRecords, breaks: []placed{second(Status(503, gatewayPage)), second(retry)}, right: completesOrFails, advice: status},
		{name: "status-429-once", records: fewRecords, breaks: []placed{second(Status(429, `{"detail":"Request was throttled."}`)), second(retry)}, right: completesOrFails, advice: status},
		{name: "status-500-always", records: fewRecords, breaks: []placed{always(Status(500, errorDocument))}, right: fails, advice: status},
		{name: "status-500-from-second-page", records: fewRecords, breaks: []placed{fromSecond(Status(500, errorDocument))}, right: fails, advice: status},
		{name: "error-with-status-200", records: fewRecords, breaks: []placed{second(Status(200, errorDocument))}, right: completesOrFails, advice: shape},
		{name: "html-with-status-200", records: fewRecords, breaks: []placed{second(Status(200, gatewayPage))}, right: completesOrFails, advice: "return the error of decoding a page"},
		{name: "wrong-content-type", records: fewRecords, breaks: []placed{always(ContentType("text/html; charset=utf-8"))}, right: completesOrFails, advice: "a page that says it is something else is an error, or is a page all the same"},
	}
}

// brokenConnections are answers that do not come, or not as a whole.
func brokenConnections() []pathology {
	const (
		whole  = "return the error of reading and of decoding a body, or ask again; what was read before is not the page"
		faster = "take the context for each request (http.NewRequestWithContext), wait for nothing without it, and return its error"
	)
	return []pathology{
		// Twice, as net/http asks again by itself on a connection that it has used before.
		{name: "cut-before-header", records: fewRecords, breaks: []placed{second(Cut()), third(Cut())}, right: completesOrFails, advice: "return the error of the request, or ask again"},
		{name: "cut-in-body", records: fewRecords, breaks: []placed{second(CutAfter(300))}, right: completesOrFails, advice: whole},
		{name: "truncated-body", records: fewRecords, breaks: []placed{second(Truncate(300))}, right: completesOrFails, advice: whole},
		// In chunks that are shorter than a page of small records.
		{name: "slow-body", records: fewRecords, breaks: []placed{always(Slow(200, time.Millisecond))}, right: completes, advice: "a body comes in pieces: read it to its end before it is decoded"},
		{name: "stalled", records: fewRecords, breaks: []placed{fromSecond(Delay(time.Hour))}, timeout: 100 * time.Millisecond, right: fails, advice: faster},
		{name: "cancelled", records: fewRecords, cancelled: true, right: fails, advice: faster},
	}
}
