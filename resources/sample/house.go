package sample

import (
	"slices"

	"github.com/gobacklist/backlist/resources"
)

// A House is the records of all 39 collections, each sorted by id. The zero
// House has none. The three typed lists are the caller's to change before
// [House.WriteTo] writes them; two houses share nothing that can be changed.
type House struct {
	Events      []resources.Event
	Labels      []resources.Label
	SocialLinks []resources.SocialLink

	open map[string][]resources.Record // the other 36, by key
}

// New makes a house up. The same options give the same house; there are no bad
// ones, see [Options]. O(records), about 10 µs each.
func New(opts Options) *House {
	m := newMaker(opts)
	h := &House{open: map[string][]resources.Record{}}
	for _, c := range resources.Descriptions() {
		switch c.Key {
		case "events":
			h.Events = list(m, c.Key, m.event)
		case "labels":
			h.Labels = list(m, c.Key, m.label)
		case "social-links":
			h.SocialLinks = list(m, c.Key, m.link)
		case "authors":
			h.open[c.Key] = list(m, c.Key, m.author)
		case "books":
			h.open[c.Key] = list(m, c.Key, m.book)
		default:
			h.open[c.Key] = list(m, c.Key, func(id int) resources.Record { return m.other(c.Key, id) })
		}
	}
	return h
}

// list makes all records of a collection.
func list[T any](m *maker, key string, make func(id int) T) []T {
	var all []T
	for i := range m.opts.size(key) {
		all = append(all, make(idAt(i)))
	}
	return all
}

// Records gives the records of one of the 36 collections that are no events,
// labels or social links, by its key: "books", "itemVariants". The slice is the
// caller's; the records in it cannot be changed. Nil for a key that is none of
// the 36 and for a collection without records. O(records).
func (h *House) Records(key string) []resources.Record { return slices.Clone(h.open[key]) }

// idAt is the id of the record at place i, from 0. Every eighth id is missing,
// so that nobody takes an id for a place.
func idAt(i int) int { return 1 + i + i/7 }

// placeOf is the inverse of idAt.
func placeOf(id int) int { return (id - 1) - (id-1)/8 }
