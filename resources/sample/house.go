package sample

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A House holds the records of all 39 collections, each sorted by id. The zero House has
// no records. Callers may modify the exported fields before [House.WriteTo] writes them.
// Houses do not share memory that can be modified.
type House struct {
	Events      []schema.Event
	Labels      []schema.Label
	SocialLinks []schema.SocialLink

	open map[string][]schema.Record // the other 36 collections, by key
}

// New generates a house. The same options generate the same house, and all options are
// valid. See [Options]. O(records), about 10 µs each.
func New(opts Options) *House {
	m := newMaker(opts)
	h := &House{open: map[string][]schema.Record{}}
	for _, d := range schema.Descriptions() {
		switch d.Key {
		case "events":
			h.Events = list(m, d.Key, m.event)
		case "labels":
			h.Labels = list(m, d.Key, m.label)
		case "social-links":
			h.SocialLinks = list(m, d.Key, m.link)
		case "authors":
			h.open[d.Key] = list(m, d.Key, m.author)
		case "books":
			h.open[d.Key] = list(m, d.Key, m.book)
		default:
			h.open[d.Key] = list(m, d.Key, func(id int) schema.Record { return m.other(d.Key, id) })
		}
	}
	return h
}

// list generates all records of a collection.
func list[T any](m *maker, key string, make func(id int) T) []T {
	var all []T
	for i := range m.opts.size(key) {
		all = append(all, make(idAt(i)))
	}
	return all
}

// Records returns the records of a collection by its key, such as "books" or
// "itemVariants". It returns nil for events, labels and social links, which are fields
// of the House, for a key that does not exist, and for a collection without records.
// The caller may modify the slice. O(records).
func (h *House) Records(key string) []schema.Record { return slices.Clone(h.open[key]) }

// idAt returns the id of the record at index i. Every eighth id is missing, so that
// programs that confuse ids with indexes fail.
func idAt(i int) int { return 1 + i + i/7 }

// indexOf is the inverse of idAt.
func indexOf(id int) int { return (id - 1) - (id-1)/8 }
