package sample

import (
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// other generates a record of a collection whose fields the document does not show.
func (m *maker) other(key string, id int) schema.Record {
	d := m.draw(key, id)
	for _, theme := range []func(*draw) []member{shop, sales, accounts, work} {
		if members := theme(d); members != nil {
			return record(id, members...)
		}
	}
	return record(id)
}

// to returns the id of a record of a collection, or nil if the collection is empty.
func (d *draw) to(key string) any {
	id, _ := d.ref(key)
	return orNull(id)
}

// maybe is like to, but returns nil for every third record.
func (d *draw) maybe(key string) any {
	if d.every(3, 2) {
		return nil
	}
	return d.to(key)
}

// someone returns the name of a person in any language.
func (d *draw) someone() string { return pick(d.rng, d.languages).person(d.rng) }

// email returns an address at a host that does not exist.
func (d *draw) email() string { return "reader" + strconv.Itoa(d.between(100, 999)) + "@mail.example" }

// line returns a sentence in any language.
func (d *draw) line() string { return pick(d.rng, pick(d.rng, d.languages).lines) }

// amount returns an amount of money from 1 to most.
func (d *draw) amount(most int) string { return money(d.between(100, most*100)) }

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
	genoa := d.places[0].zone
	return genoa.show(d.plainTime(genoa, t))
}

// number returns the number of a document, which is unique within its collection.
func (d *draw) number(prefix string) string { return fmt.Sprintf("%s-2026-%05d", prefix, d.id) }
