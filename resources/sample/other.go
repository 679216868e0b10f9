package sample

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/resources"
)

// other makes a record of a collection whose fields the document does not show.
// They are put together here, by theme: the shop, sales, accounts, and the work
// of the house.
func (m *maker) other(key string, id int) resources.Record {
	d := m.draw(key, id)
	for _, theme := range []func(*draw) []member{shop, sales, accounts, work} {
		if members := theme(d); members != nil {
			return record(id, members...)
		}
	}
	return record(id)
}

// to refers to a record of a collection; null if that has none.
func (d *draw) to(key string) any {
	id, _ := d.ref(key)
	return orNull(id)
}

// maybe refers to a record, or is null every third time.
func (d *draw) maybe(key string) any {
	if d.every(3, 2) {
		return nil
	}
	return d.to(key)
}

// someone is a person's name in any language.
func (d *draw) someone() string { return pick(d.rng, d.languages).person(d.rng) }

// email is an address at a host that cannot exist.
func (d *draw) email() string { return "reader" + strconv.Itoa(d.between(100, 999)) + "@mail.example" }

// line is a sentence in any language.
func (d *draw) line() string { return pick(d.rng, pick(d.rng, d.languages).lines) }

// amount is money from 1 up to a number of units.
func (d *draw) amount(most int) string { return money(d.between(100, most*100)) }

// soon is a day near the one the sample plays around.
func (d *draw) soon() string { return date(day(d.near())) }

// date is a day on the wire.
func date(t time.Time) string { return t.Format(time.DateOnly) }

// moment is an instant near that day, to the microsecond, as clocks in Genoa
// show it.
func (d *draw) moment() time.Time {
	second, micro := d.below(24*60*60), d.below(1_000_000)
	return day(d.near()).Add(time.Duration(second)*time.Second + time.Duration(micro)*time.Microsecond)
}

// stamp is an instant on the wire.
func (d *draw) stamp(t time.Time) resources.DateTime {
	genoa := d.places[0].zone
	return genoa.show(d.plainTime(genoa, t))
}

// number is that of a document, counted within its collection.
func (d *draw) number(prefix string) string { return fmt.Sprintf("%s-2026-%05d", prefix, d.id) }
