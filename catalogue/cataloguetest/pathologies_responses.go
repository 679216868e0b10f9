package cataloguetest

import "time"

// Bodies of error responses.
const (
	errorDocument = `{"detail":"Internal server error."}`
	gatewayPage   = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
)

// wrongResponses are services that send something other than a page.
func wrongResponses() []pathology {
	const (
		status = "check the status before the body, and return an error or retry if it is not 200"
		shape  = "a body without count and results is neither a page nor the end of the list, even with status 200"
	)
	retry := Header("Retry-After", "0")
	html := Header("Content-Type", "text/html; charset=utf-8")
	return []pathology{
		{name: "status-500-once", records: fewRecords, breaks: []scopedFault{second(Status(500, errorDocument))}, want: completesOrFails, remedy: status},
		{name: "status-503-once", records: fewRecords, breaks: []scopedFault{second(Unavailable(0))}, want: completesOrFails, remedy: status},
		{name: "status-429-once", records: fewRecords, breaks: []scopedFault{second(Status(429, `{"detail":"Request was throttled."}`)), second(retry)}, want: completesOrFails, remedy: status},
		{name: "status-500-always", records: fewRecords, breaks: []scopedFault{always(Status(500, errorDocument))}, want: fails, remedy: status},
		{name: "status-500-from-second-page", records: fewRecords, breaks: []scopedFault{fromSecond(Status(500, errorDocument))}, want: fails, remedy: status},
		{name: "error-with-status-200", records: fewRecords, breaks: []scopedFault{second(Status(200, errorDocument))}, want: completesOrFails, remedy: shape},
		{name: "html-with-status-200", records: fewRecords, breaks: []scopedFault{second(Status(200, gatewayPage))}, want: completesOrFails, remedy: "return the error of decoding the page"},
		{name: "wrong-content-type", records: fewRecords, breaks: []scopedFault{always(html)}, want: completesOrFails, remedy: "either return an error or accept the page"},
	}
}

// brokenConnections are services whose responses do not arrive in full.
func brokenConnections() []pathology {
	const (
		whole  = "return the error of reading or decoding the body, or retry; a partial body is not a page"
		ctxUse = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	)
	return []pathology{
		// Twice, because net/http retries if the connection has been used before.
		{name: "cut-before-header", records: fewRecords, breaks: []scopedFault{second(Cut()), third(Cut())}, want: completesOrFails, remedy: "return the error of the request, or retry"},
		{name: "cut-in-body", records: fewRecords, breaks: []scopedFault{second(CutAfter(300))}, want: completesOrFails, remedy: whole},
		{name: "truncated-body", records: fewRecords, breaks: []scopedFault{second(Truncate(300))}, want: completesOrFails, remedy: whole},
		// The chunks are shorter than a page of small records.
		{name: "slow-body", records: fewRecords, breaks: []scopedFault{always(Slow(200, time.Millisecond))}, want: completes, remedy: "a body may arrive in pieces; read all of it before decoding it"},
		{name: "stalled", records: fewRecords, breaks: []scopedFault{fromSecond(Delay(time.Hour))}, timeout: 100 * time.Millisecond, want: fails, remedy: ctxUse},
		{name: "cancelled", records: fewRecords, cancelled: true, want: fails, remedy: ctxUse},
	}
}
