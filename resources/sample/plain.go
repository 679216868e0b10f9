package sample

import "time"

// To disable an oddity of times, the functions in this file move the times after they
// have been drawn. They do not use random numbers, so the rest of the record does not
// change.

// plainTime moves an instant that is a disabled oddity. Neither move results in the
// other oddity.
func (d *draw) plainTime(z zone, t time.Time) time.Time {
	if d.without(ClockChanges) && z.changing(t) {
		t = t.Add(2 * time.Hour) // past the hour after the change
	}
	if d.without(Midnights) && z.midnight(t) {
		t = t.Add(10 * time.Hour)
	}
	return t
}

// plainEnd returns the end of an event without disabled oddities. It is after the
// beginning, because no event begins later than 22:00.
func (d *draw) plainEnd(z zone, begin time.Time, length time.Duration) time.Time {
	if d.without(LaterEnds) {
		length %= 24 * time.Hour // only the first of several days
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

// changing reports whether clocks change within one hour of t.
func (z zone) changing(t time.Time) bool {
	return z.offset(t.Add(-time.Hour)) != z.offset(t.Add(time.Hour))
}

// local returns the local time at t, expressed in UTC. It is the inverse of wall.
func (z zone) local(t time.Time) time.Time { return t.Add(z.offset(t)) }

// midnight reports whether the local time is exactly 00:00:00.
func (z zone) midnight(t time.Time) bool {
	local := z.local(t)
	return local.Equal(local.Truncate(24 * time.Hour))
}

// lastQuarter returns 23:45 local time on the day of t.
func (z zone) lastQuarter(t time.Time) time.Time {
	return z.wall(z.local(t).Truncate(24 * time.Hour).Add(24*time.Hour - 15*time.Minute))
}
