package cataloguetest

// Break makes requests go wrong, in both ways behind the house's Client: those
// that where says, with that fault, until it is mended.
//
//	house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Status(503, ""))
//	house.Break(cataloguetest.Where{Collection: "events", Page: cataloguetest.AtOffset(21)}, cataloguetest.MissingRow())
//
// When several faults meet one request all of them happen, in the order in which
// an answer comes about and not in that of the calls: delays and cuts before an
// answer, a status in its place, lies in its page, headers, truncation, and last
// how its bytes are sent. Of two of one kind the later call comes last, so of two
// statuses it is the one that is seen. Each fault counts requests for itself, as
// they arrive, whatever the others do to them.
//
// A Where or a Fault that cannot be fails the test at once, and says why.
func (h *House) Break(where Where, fault Fault) *Breakage {
	h.tb.Helper()
	b, err := h.faults.add(where, fault)
	if err != nil {
		h.tb.Fatalf("cataloguetest: Break: %v", err)
	}
	return b
}

// Mend takes all faults away, for requests that have not arrived.
func (h *House) Mend() { h.faults.mend() }
