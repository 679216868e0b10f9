package sample

import (
	"time"

	"github.com/gobacklist/backlist/resources"
)

// zone is a place's offsets from UTC. Summer time holds from one instant until
// another; both are written out for the year that the sample plays in, so that
// no time zone database is asked.
type zone struct {
	winter, summer time.Duration
	from, until    time.Time
}

// europe is a zone of the European Union or the United Kingdom, whose clocks all
// change at one instant.
func europe(winterHours int) zone {
	return zone{
		winter: time.Duration(winterHours) * time.Hour,
		summer: time.Duration(winterHours+1) * time.Hour,
		from:   time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC),
		until:  time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC),
	}
}

func newYork() zone {
	return zone{
		winter: -5 * time.Hour,
		summer: -4 * time.Hour,
		from:   time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC),
		until:  time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC),
	}
}

// fixed is a zone whose clocks do not change.
func fixed(offset time.Duration) zone { return zone{winter: offset, summer: offset} }

// offset is the one in force at an instant.
func (z zone) offset(t time.Time) time.Duration {
	if !t.Before(z.from) && t.Before(z.until) {
		return z.summer
	}
	return z.winter
}

// show is an instant with the offset in force then.
func (z zone) show(t time.Time) resources.DateTime {
	return resources.At(t.In(time.FixedZone("", int(z.offset(t)/time.Second))))
}

// wall is the instant at which the clocks show what local shows in UTC: the
// first of two in autumn, and as if clocks had not changed yet in the hour that
// spring leaves out.
func (z zone) wall(local time.Time) time.Time {
	if t := local.Add(-z.summer); z.offset(t) == z.summer {
		return t
	}
	return local.Add(-z.winter)
}

// day is midnight in UTC, n days from the day the sample plays around.
func day(n int) time.Time { return time.Date(2026, 5, 10+n, 0, 0, 0, 0, time.UTC) }

// near draws a number of days, small ones more often than large ones: at most
// 170, so that what lasts ten days more is within half a year too.
func (r *rng) near() int { return r.between(-85, 85) + r.between(-85, 85) }
