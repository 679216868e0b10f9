package store

import (
	"testing"
)

// Since reads up to fewEvents events while it holds a pin. To read more, it freezes
// the state.
func TestSinceFreezes(t *testing.T) {
	c := newStore(t, newType(1000), fewEvents+1)
	put(c, &record{Entry: Entry{1}}) // in a state that was not read
	for _, row := range []struct {
		since  uint64
		want   int
		frozen bool
	}{
		{fewEvents + 1, 1, false},
		{2, fewEvents, false},
		{1, fewEvents + 1, true},
		{0, fewEvents + 2, true},
	} {
		s := c.published.Load()
		events, _, _ := c.Since(row.since)
		if len(events) != row.want || s.frozen.Load() != row.frozen || !c.pins.idle() {
			t.Errorf("Since(%d) returned %d events, frozen %v, want %d, %v", row.since, len(events), s.frozen.Load(), row.want, row.frozen)
		}
	}
}
