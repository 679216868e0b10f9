package sample

import (
	"strconv"
	"time"

	"github.com/gobacklist/backlist/resources"
)

func (m *maker) event(id int) resources.Event {
	d := m.draw("events", id)
	where := d.venue()
	l := m.language(where.language)
	about := d.subject(l)
	kind := pick(d.rng, l.kinds)
	begin, end := d.times(where.zone)
	e := resources.Event{
		ID:          id,
		Name:        kind + l.colon() + l.quote(about.title),
		Slug:        slug(kind, "event"), // which all events of the kind share
		Summary:     pick(d.rng, l.lines),
		Description: l.paragraphs(d.rng, d.between(1, 3)) + anchor(site+"books/?from=events&id="+strconv.Itoa(id), about.title),
		Location:    where.venue,
		StartDate:   where.zone.show(begin),
		EndDate:     where.zone.show(end),
		Published:   !d.every(6, 5),
		Labels:      d.eventLabels(about),
		Authors:     d.eventAuthors(about),
	}
	if !d.every(9, 2) {
		e.Poster, e.PosterWebp = d.image("poster", ".jpg")
	}
	return e
}

// subject returns the book that an event is about. If there are no books, it is an
// invented one.
func (d *draw) subject(l language) bookFacts {
	if id, ok := d.ref("books"); ok {
		return d.bookFacts(id)
	}
	about := bookFacts{title: l.title(d.rng)}
	about.author, _ = d.ref("authors")
	about.label, _ = d.ref("labels")
	return about
}

// eventLabels returns the label of the book, no label, or two labels.
func (d *draw) eventLabels(about bookFacts) []int {
	switch {
	case about.label == 0 || d.every(12, 6):
		return []int{}
	case d.every(12, 1):
		return ascending(append(d.refs("labels", 1), about.label))
	}
	return []int{about.label}
}

// eventAuthors returns the author of the book, no author, or several authors.
func (d *draw) eventAuthors(about bookFacts) []int {
	switch {
	case about.author == 0 || d.every(9, 4):
		return []int{}
	case d.every(9, 8):
		return ascending(append(d.refs("authors", d.between(1, 4)), about.author))
	}
	return []int{about.author}
}

func (d *draw) venue() place {
	if d.clocksChange() {
		return d.places[0]
	}
	return pick(d.rng, d.places)
}

// clocksChange reports whether the event is near a change of clocks.
func (d *draw) clocksChange() bool { return d.every(30, 11) }

// times returns the beginning and the end of an event.
func (d *draw) times(z zone) (begin, end time.Time) {
	length := time.Duration(d.between(4, 12)) * 15 * time.Minute
	date := day(d.near())
	switch {
	case d.clocksChange():
		begin = changes()[d.n/30%len(changes())]
	case d.every(10, 3): // midnight
		begin = z.wall(date)
	case d.every(10, 5): // at the same instant, in different offsets
		begin = day(0).Add(16 * time.Hour)
	case d.every(10, 7): // several days
		begin = z.wall(date.Add(10 * time.Hour))
		length = time.Duration(d.between(1, 3))*24*time.Hour + 8*time.Hour
	default:
		begin = z.wall(date.Add(time.Duration(d.between(9*4, 22*4)) * 15 * time.Minute))
	}
	return begin, begin.Add(length)
}

// changes returns instants at which the clocks in Genoa change or are about to: before
// and after the hour that is skipped in spring, and in both occurrences of the hour that
// is repeated in autumn.
func changes() []time.Time {
	spring, autumn := europe(1).from, europe(1).until
	return []time.Time{
		spring.Add(-30 * time.Minute),
		spring,
		autumn.Add(-30 * time.Minute),
		autumn.Add(30 * time.Minute),
	}
}
