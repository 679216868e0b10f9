package cataloguetest

import (
	"fmt"
	"testing"
)

// maxUnused is the number of unused faults that are reported.
const maxUnused = 10

// unused returns the faults that have changed no response, in the order in which they were
// added. Mended faults count too.
func (f *faults) unused() (all []*Breakage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.added {
		if b.count == 0 {
			all = append(all, b)
		}
	}
	return all
}

// describe says what an unused fault is, where it was made, and how far it came.
func (b *Breakage) describe() string {
	b.owner.mu.Lock()
	defer b.owner.mu.Unlock()
	text := fmt.Sprintf("%s: Break(%s, %s) changed no response: ", b.at, b.where.text(), b.fault.call)
	switch {
	case b.matched == 0:
		text += "no request matched its Where"
	case b.selected == 0:
		text += fmt.Sprintf("requests that matched: %d; Share, After and Nth selected none of them", b.matched)
	default:
		text += fmt.Sprintf("requests that matched: %d, of which %d were selected; the fault could not change their responses", b.matched, b.selected)
	}
	return text
}

// reportUnused logs the faults that changed no response, or fails the test if they are
// required to change one. It reports nothing of a test that was skipped.
func (h *House) reportUnused(tb testing.TB) {
	tb.Helper()
	if tb.Skipped() {
		return
	}
	report := tb.Logf
	if h.requireFaults {
		report = tb.Errorf
	}
	unused := h.faults.unused()
	for i, b := range unused {
		if i == maxUnused {
			report("cataloguetest: and %d more faults changed no response", len(unused)-i)
			return
		}
		report("cataloguetest: %s", b.describe())
	}
}
