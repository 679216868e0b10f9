package sample

import (
	"testing"
	"time"
)

// TestPlainTimes covers rare times, and times to which several moves apply.
func TestPlainTimes(t *testing.T) {
	genoa, london := europe(1), europe(0)
	const all = AllOddities
	tests := []struct {
		reason      string
		zone        zone
		without     Oddity
		begin, want string
		length      time.Duration
		end         string
	}{
		{"midnight", genoa, Midnights, "2026-05-10T00:00:00+02:00", "2026-05-10T10:00:00+02:00", time.Hour, "2026-05-10T11:00:00+02:00"},
		{"a microsecond after midnight", genoa, all, "2026-05-10T00:00:00.000001+02:00", "2026-05-10T00:00:00.000001+02:00", time.Hour, "2026-05-10T01:00:00.000001+02:00"},
		{"midnight in UTC only", genoa, Midnights, "2026-05-10T02:00:00+02:00", "2026-05-10T02:00:00+02:00", time.Hour, "2026-05-10T03:00:00+02:00"},
		{"end at midnight", genoa, Midnights, "2026-05-10T22:00:00+02:00", "2026-05-10T22:00:00+02:00", 2 * time.Hour, "2026-05-10T23:45:00+02:00"},
		{"end at midnight is on a later day", genoa, LaterEnds, "2026-05-10T22:00:00+02:00", "2026-05-10T22:00:00+02:00", 2 * time.Hour, "2026-05-10T23:45:00+02:00"},
		{"several days", genoa, LaterEnds, "2026-05-10T10:00:00+02:00", "2026-05-10T10:00:00+02:00", 56 * time.Hour, "2026-05-10T18:00:00+02:00"},
		{"several days with later ends enabled", genoa, all &^ LaterEnds, "2026-05-10T10:00:00+02:00", "2026-05-10T10:00:00+02:00", 56 * time.Hour, "2026-05-12T18:00:00+02:00"},
		{"an hour before the change in spring", genoa, all, "2026-03-29T01:00:00+01:00", "2026-03-29T04:00:00+02:00", time.Hour, "2026-03-29T05:00:00+02:00"},
		{"only the end is near the change in spring", genoa, ClockChanges, "2026-03-29T00:00:00+01:00", "2026-03-29T00:00:00+01:00", time.Hour, "2026-03-29T04:00:00+02:00"},
		{"an hour after the change in spring", genoa, all, "2026-03-29T04:00:00+02:00", "2026-03-29T04:00:00+02:00", time.Hour, "2026-03-29T05:00:00+02:00"},
		{"first occurrence of the repeated hour", genoa, all, "2026-10-25T02:30:00+02:00", "2026-10-25T03:30:00+01:00", time.Hour, "2026-10-25T04:30:00+01:00"},
		{"second occurrence of the repeated hour", genoa, all, "2026-10-25T02:30:00+01:00", "2026-10-25T04:30:00+01:00", time.Hour, "2026-10-25T05:30:00+01:00"},
		{"midnight an hour before the change in spring", london, all, "2026-03-29T00:00:00Z", "2026-03-29T03:00:00+01:00", time.Hour, "2026-03-29T04:00:00+01:00"},
		{"midnight before the change in autumn", london, Midnights, "2026-10-25T00:00:00+01:00", "2026-10-25T09:00:00Z", time.Hour, "2026-10-25T10:00:00Z"},
		{"end moved to a later day by the change", london, all, "2026-03-28T22:00:00Z", "2026-03-28T22:00:00Z", 3 * time.Hour, "2026-03-28T23:45:00Z"},
		{"all oddities enabled", london, 0, "2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z", time.Hour, "2026-03-29T02:00:00+01:00"},
	}
	for _, tt := range tests {
		given, err := time.Parse(time.RFC3339, tt.begin)
		if err != nil {
			t.Fatal(err)
		}
		d := newMaker(Options{Without: tt.without}).draw("events", 1)
		begin := d.plainTime(tt.zone, given)
		end := d.plainEnd(tt.zone, begin, tt.length)
		for _, at := range []struct {
			time time.Time
			want string
		}{{begin, tt.want}, {end, tt.end}} {
			if got := tt.zone.show(at.time).Format(time.RFC3339Nano); got != at.want {
				t.Errorf("%s: %s, want %s", tt.reason, got, at.want)
			}
		}
	}
}
