// Package sample generates records of an invented publishing house: all 39 documented
// collections, from a seed. It is for demonstrations, experiments, and tests that need more
// than a few records.
//
//	err := sample.Write(file, sample.Options{Seed: 7}) // in the format that catalogue.Load reads
//
// [Records] generates records of any other collections from their descriptions.
//
//	opts := sample.Options{Sizes: map[string]int{"films": 100}}
//	records, err := sample.Records(opts, films, directors)
//	data, err := json.Marshal(records) // in the same format
//
// # Contents
//
// Events, labels and social links have the documented fields. Books and authors have a name,
// a slug and other fields that a shop shows, and the other 34 collections have invented
// fields. Names are combined at random from lists, so any resemblance to a real person or
// book is coincidental. All host names are reserved ones.
//
// Every reference resolves: the labels and authors of an event, the author and label of
// a book, the items of a cart. All dates are within half a year of May 10, 2026, except
// the dates on which books were published.
//
// Unusual values recur by id, so that the default sizes have all of them for any seed:
// events that share a slug, that end on a later day, that begin at midnight or when clocks
// change, that begin at the same instant in different offsets, and that have no poster, no
// authors or several authors; labels with repeated catch lines and without a footer logo;
// social links with the same url and author, with and without a logo; and missing ids, as if
// records had been deleted.
//
// # Reproducibility
//
// The same options generate the same bytes on every machine and with every Go version:
// random numbers come from SplitMix64, arithmetic uses integers only, and offsets are
// fixed, independent of the time zone database. A record depends only on the seed, its
// collection, its id, and the sizes of the collections it refers to: more news do not
// change any event. In the result of Records, a value depends only on the seed, its
// field, the key of its collection, its id, the size of the collection that the field
// refers to, and, if the field is unique or Created, the size of its own collection.
//
// The package has no state. All functions are safe for concurrent use.
package sample

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// Options configures [Write] and [Records]. The zero Options has seed 0 and the default
// sizes.
type Options struct {
	// Seed determines the contents of the records. Every value, including 0, generates
	// others.
	Seed uint64

	// Sizes holds numbers of records by key. A collection without an entry has the default
	// size. A negative size counts as 0, and one above ten million as ten million.
	Sizes map[string]int
}

// maxSize bounds the size of a collection, so that a mistyped size does not exhaust the
// memory.
const maxSize = 10_000_000

// size returns the number of records in a collection.
func (o Options) size(key string, standard int) int {
	if size, ok := o.Sizes[key]; ok {
		return min(max(size, 0), maxSize)
	}
	return standard
}

// Write writes records of the 39 documented collections in the format that
// [catalogue.Catalogue.Load] reads: a JSON object with an array of records for each
// collection, in the document's order and with one record per line.
//
// By default there are 300 events, 24 labels, 60 authors, 80 social links, 200 books, and 12
// records in each of the other collections. Without authors there are no social links.
//
// Write returns an error if w does, or if Options.Sizes has another key. O(records), about
// 10 µs each.
func Write(w io.Writer, opts Options) error {
	m, keys, err := documented(opts)
	if err != nil {
		return fmt.Errorf("sample: %w", err)
	}
	b := bufio.NewWriter(w)
	lead := "{"
	for _, key := range keys {
		fmt.Fprintf(b, "%s%q:[", lead, key)
		separator := "\n"
		for i := range m.sizes[key] {
			text, err := encode(m.record(key, idAt(i)))
			if err != nil {
				return fmt.Errorf("sample: %s: %w", key, err)
			}
			b.WriteString(separator)
			if _, err := b.Write(text); err != nil {
				return fmt.Errorf("sample: %w", err)
			}
			separator = ",\n"
		}
		b.WriteByte(']')
		lead = ",\n"
	}
	b.WriteString("}\n")
	if err := b.Flush(); err != nil { // also reports errors of earlier writes
		return fmt.Errorf("sample: %w", err)
	}
	return nil
}

// documented returns a maker of the documented collections and their keys in order.
func documented(opts Options) (m *maker, keys []string, err error) {
	c, err := resources.New()
	if err != nil {
		return nil, nil, err
	}
	standard := map[string]int{"events": 300, "labels": 24, "authors": 60, "social-links": 80, "books": 200}
	sizes := map[string]int{}
	for key := range c.All() {
		sizes[key] = opts.size(key, cmp.Or(standard[key], 12))
		keys = append(keys, key)
	}
	if sizes["authors"] == 0 {
		sizes["social-links"] = 0
	}
	return newMaker(opts.Seed, sizes), keys, opts.check(sizes)
}

// check returns an error if there is a size of an unknown collection.
func (o Options) check(known map[string]int) error {
	for key := range o.Sizes {
		if _, ok := known[key]; !ok {
			return fmt.Errorf("%s: there is a size but no collection", key)
		}
	}
	return nil
}

// record generates a record of a documented collection.
func (m *maker) record(key string, id int) any {
	switch key {
	case "events":
		return m.event(id)
	case "labels":
		return m.label(id)
	case "social-links":
		return m.link(id)
	case "authors":
		return m.author(id)
	case "books":
		return m.book(id)
	}
	return m.other(key, id)
}

// encode is json.Marshal without HTML escapes.
func encode(record any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(record)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// idAt returns the id of the record at index i. Every eighth id is missing, so that
// programs that confuse ids with indexes fail.
func idAt(i int) int { return 1 + i + i/7 }

// indexOf is the inverse of idAt.
func indexOf(id int) int { return (id - 1) - (id-1)/8 }

// A maker generates records. It is immutable.
type maker struct {
	seed      uint64
	sizes     map[string]int // of the collections by key
	languages []language
	places    []place
}

func newMaker(seed uint64, sizes map[string]int) *maker {
	return &maker{seed, sizes, languages(), places()}
}

// A draw generates one record from its own random numbers.
type draw struct {
	*rng
	*maker
	key string
	id  int
	n   int // index in the collection
}

func (m *maker) draw(key string, id int) *draw {
	return &draw{stream(m.seed, key, id), m, key, id, indexOf(id)}
}

// every reports whether the record is one of those at index n, n+m, n+2m and so on.
func (d *draw) every(m, n int) bool { return d.n%m == n }

// ref returns the id of a random record of a collection and reports whether the
// collection has records.
func (d *draw) ref(key string) (id int, ok bool) {
	size := d.sizes[key]
	if size == 0 {
		return 0, false
	}
	return idAt(d.below(size)), true
}

// refs returns at most n ids of a collection, ascending and without duplicates.
func (d *draw) refs(key string, n int) []int {
	ids := []int{}
	for range n {
		if id, ok := d.ref(key); ok {
			ids = append(ids, id)
		}
	}
	return ascending(ids)
}

// ascending sorts ids and removes duplicates.
func ascending(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

const (
	site  = "https://backlist.example/"
	media = "https://cdn.backlist.example/media/"
)

// image returns the URL of an image and the URL of its WebP version.
func (d *draw) image(folder, ext string) (original, webp string) {
	name := media + folder + "/" + d.hex(8)
	return name + ext, name + ".webp"
}

// A member is a name and a value of an open record.
type member struct {
	name  string
	value any
}

// record returns an open record. Record.With does not fail for the values used here.
func record(id int, members ...member) schema.Record {
	r := schema.Record{ID: id}
	for _, m := range members {
		if next, err := r.With(m.name, m.value); err == nil {
			r = next
		}
	}
	return r
}
