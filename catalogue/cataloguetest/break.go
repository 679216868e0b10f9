package cataloguetest

// Break applies fault to the requests that where selects, until it is mended:
//
//	house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Status(503, ""))
//	house.Break(cataloguetest.Where{Collection: "events", Page: cataloguetest.AtOffset(21)}, cataloguetest.MissingRow())
//
// If several faults apply to one request, they take effect in the order in which a
// response is made: delays and cuts before the response, a status in its place,
// changes to its page, headers, truncation, and finally the way its bytes are
// sent. Faults of the same kind take effect in the order of the calls, so the last of
// two statuses is sent. Each fault counts the requests as they arrive, independently
// of other faults.
//
// Break calls Fatalf on the testing.TB of the house if where or fault is invalid.
func (h *House) Break(where Where, fault Fault) *Breakage {
	h.tb.Helper()
	b, err := h.faults.add(where, fault)
	if err != nil {
		h.tb.Fatalf("cataloguetest: Break: %v", err)
	}
	return b
}

// Mend removes all faults. Requests that have already arrived are not affected.
func (h *House) Mend() { h.faults.mend() }
