package sample

import (
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A zone holds the offsets of a place from UTC in 2026. Summer time begins at from and
// ends at until. The offsets do not depend on the time zone database.
type zone struct {
	winter, summer time.Duration
	from, until    time.Time
}

// europe returns a zone of the European Union or the United Kingdom, whose clocks change
// at the same instant.
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

// fixed returns a zone whose clocks do not change.
func fixed(offset time.Duration) zone { return zone{winter: offset, summer: offset} }

// offset returns the offset at an instant.
func (z zone) offset(t time.Time) time.Duration {
	if !t.Before(z.from) && t.Before(z.until) {
		return z.summer
	}
	return z.winter
}

// show returns an instant as a date-time in the zone.
func (z zone) show(t time.Time) schema.DateTime {
	return schema.At(t.In(time.FixedZone("", int(z.offset(t)/time.Second))))
}

// wall returns the instant of a local time, which is expressed in UTC. In the hour that
// is repeated in autumn it returns the first of the two instants. In the hour that is
// skipped in spring it uses the offset before the change.
func (z zone) wall(local time.Time) time.Time {
	if t := local.Add(-z.summer); z.offset(t) == z.summer {
		return t
	}
	return local.Add(-z.winter)
}

// day returns midnight UTC, n days after May 10, 2026.
func day(n int) time.Time { return time.Date(2026, 5, 10+n, 0, 0, 0, 0, time.UTC) }

// near returns a random number of days from -170 to 170, small ones more often. Ten days
// later is still within half a year.
func (r *rng) near() int { return r.between(-85, 85) + r.between(-85, 85) }
