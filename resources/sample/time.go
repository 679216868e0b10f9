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

// A place is the venue of an event. The venues are invented, the cities are real.
type place struct {
	venue    string
	language string // code
	zone     zone
}

// places returns all places. The clocks of the first one change: events near a change
// are held there.
func places() []place {
	central, western := europe(1), europe(0)
	return []place{
		{"Libreria del Molo, Genova", "it", central},
		{`Salone delle Carte, pad. 2 "Ovale", Torino`, "it", central},
		{"Caffè dell'Indice, Palermo", "it", central},
		{"Reading Room <5>, London", "en", western},
		{"Quire & Quill, Dublin", "en", western},
		{"Café de l'Écritoire, Besançon", "fr", central},
		{"Haus der Bögen, Straße am Kanal 3, Köln", "de", central},
		{"Librería La Eñe, A Coruña", "es", central},
		{"Librería del Zaguán, Buenos Aires", "es", fixed(-3 * time.Hour)},
		{"Księgarnia pod Żurawiem, Łódź", "pl", central},
		{"Deckle Books, Brooklyn", "en", newYork()},
		{"The Colophon, Kolkata", "en", fixed(5*time.Hour + 30*time.Minute)},
		{"紙魚書店、東京", "ja", fixed(9 * time.Hour)},
		{"مكتبة الحبر، عمّان", "ar", fixed(3 * time.Hour)},
		{"online", "en", fixed(0)},
	}
}

// soon returns a day within half a year of May 10, 2026.
func (d *draw) soon() string { return date(day(d.near())) }

// date returns the wire form of a day.
func date(t time.Time) string { return t.Format(time.DateOnly) }

// moment returns an instant within half a year of May 10, 2026, to the microsecond.
func (d *draw) moment() time.Time {
	second, micro := d.below(24*60*60), d.below(1_000_000)
	return day(d.near()).Add(time.Duration(second)*time.Second + time.Duration(micro)*time.Microsecond)
}

// stamp returns an instant as a date-time in Genoa.
func (d *draw) stamp(t time.Time) schema.DateTime {
	return d.places[0].zone.show(t)
}
