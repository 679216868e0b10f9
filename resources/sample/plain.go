package sample

import "time"

// Oddities of time are switched off by moving what has been drawn: no more and
// no fewer random numbers are taken, so that all else of a record stays.

// plainTime moves an instant out of the hours that are switched off. Neither move
// leads into the hours of the other.
func (d *draw) plainTime(z zone, t time.Time) time.Time {
	if d.without(ClockChanges) && z.changing(t) {
		t = t.Add(2 * time.Hour) // all of the hours before and after the change
	}
	if d.without(Midnights) && z.midnight(t) {
		t = t.Add(10 * time.Hour)
	}
	return t
}

// plainEnd is the end of what begins at an instant and lasts so long. It is after
// the beginning, since no event begins later than at 22:00.
func (d *draw) plainEnd(z zone, begin time.Time, length time.Duration) time.Time {
	if d.without(LaterEnds) {
		length %= 24 * time.Hour // of days on end, the first
	}
	end := begin.Add(length)
	if d.without(ClockChanges) && z.changing(end) {
		end = end.Add(2 * time.Hour)
	}
	if last := z.lastQuarter(begin); d.without(LaterEnds) && end.After(last) {
		end = last
	}
	if d.without(Midnights) && z.midnight(end) {
		end = end.Add(-15 * time.Minute)
	}
	return end
}

// changing reports whether clocks change in the hour up to t or in that after it.
func (z zone) changing(t time.Time) bool {
	return z.offset(t.Add(-time.Hour)) != z.offset(t.Add(time.Hour))
}

// local is what the clocks show, in UTC: what wall turns back.
func (z zone) local(t time.Time) time.Time { return t.Add(z.offset(t)) }

// midnight reports whether the clocks show 00:00:00 and no fraction.
func (z zone) midnight(t time.Time) bool {
	local := z.local(t)
	return local.Equal(local.Truncate(24 * time.Hour))
}

// lastQuarter is 23:45 on the day of t.
func (z zone) lastQuarter(t time.Time) time.Time {
	return z.wall(z.local(t).Truncate(24 * time.Hour).Add(24*time.Hour - 15*time.Minute))
}
