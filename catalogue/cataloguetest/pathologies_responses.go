package cataloguetest

import "time"

// Bodies of error responses.
const (
	errorDocument = `{"detail":"Internal server error."}`
	gatewayPage   = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
)

// wrongResponses are services that send something other than a page.
func wrongResponses() []pathology {
	retry := Header("Retry-After", "0")
	html := Header("Content-Type", "text/html; charset=utf-8")
	return []pathology{
		{name: "status-500-once", records: fewRecords, breaks: []scopedFault{second(Status(500, errorDocument))}, want: completesOrFails, remedy: remedyStatus},
		{name: "status-503-once", records: fewRecords, breaks: []scopedFault{second(Unavailable(0))}, want: completesOrFails, remedy: remedyStatus},
		{name: "status-429-once", records: fewRecords, breaks: []scopedFault{second(Status(429, `{"detail":"Request was throttled."}`)), second(retry)}, want: completesOrFails, remedy: remedyStatus},
		{name: "status-500-always", records: fewRecords, breaks: []scopedFault{always(Status(500, errorDocument))}, want: fails, remedy: remedyStatus},
		{name: "status-500-from-second-page", records: fewRecords, breaks: []scopedFault{fromSecond(Status(500, errorDocument))}, want: fails, remedy: remedyStatus},
		{name: "error-with-status-200", records: fewRecords, breaks: []scopedFault{second(Status(200, errorDocument))}, want: completesOrFails, remedy: remedyShape},
		{name: "html-with-status-200", records: fewRecords, breaks: []scopedFault{second(Status(200, gatewayPage))}, want: completesOrFails, remedy: remedyDecode},
		{name: "wrong-content-type", records: fewRecords, breaks: []scopedFault{always(html)}, want: completesOrFails, remedy: remedyContentType},
	}
}

// brokenConnections are services whose responses do not arrive in full.
func brokenConnections() []pathology {
	return []pathology{
		// Twice, because net/http retries if the connection has been used before.
		{name: "cut-before-header", records: fewRecords, breaks: []scopedFault{second(Cut()), third(Cut())}, want: completesOrFails, remedy: remedyCut},
		{name: "cut-in-body", records: fewRecords, breaks: []scopedFault{second(CutAfter(300))}, want: completesOrFails, remedy: remedyWhole},
		{name: "truncated-body", records: fewRecords, breaks: []scopedFault{second(Truncate(300))}, want: completesOrFails, remedy: remedyWhole},
		// The chunks are shorter than a page of small records.
		{name: "slow-body", records: fewRecords, breaks: []scopedFault{always(Slow(200, time.Millisecond))}, want: completes, remedy: remedySlow},
		{name: "stalled", records: fewRecords, breaks: []scopedFault{fromSecond(Delay(time.Hour))}, timeout: 100 * time.Millisecond, want: fails, remedy: remedyContext},
		{name: "cancelled", records: fewRecords, cancelled: true, want: fails, remedy: remedyContext},
	}
}
