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
	"math/bits"
	"slices"
	"time"

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
	m, err = newMaker(opts.Seed, sizes)
	return m, keys, cmp.Or(err, opts.check(sizes))
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

// encode marshals a value without HTML escapes.
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
	seed   uint64
	sizes  map[string]int // of the collections by key
	places []place
	texts
}

func newMaker(seed uint64, sizes map[string]int) (*maker, error) {
	m := &maker{seed: seed, sizes: sizes, places: places()}
	return m, json.Unmarshal([]byte(textsJSON), &m.texts)
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

// An rng is a SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom
// number generators", 2014). Package math/rand does not promise the same numbers for a
// seed in every Go version.
type rng struct{ state uint64 }

// stream returns the random numbers of one record, independent of all others.
func stream(seed uint64, key string, id int) *rng {
	r := &rng{seed}
	for i := range len(key) {
		r.state = r.next() ^ uint64(key[i])
	}
	r.state = r.next() ^ uint64(id)
	return r
}

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 up to but not including n, which must be positive. Its
// bias is less than n in 2⁶⁴, which is negligible.
func (r *rng) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// between returns a number from low to high, inclusive.
func (r *rng) between(low, high int) int { return low + r.below(high-low+1) }

// oneIn reports true with probability 1/n.
func (r *rng) oneIn(n int) bool { return r.below(n) == 0 }

// pick returns a random element of a list, which must not be empty.
func pick[T any](r *rng, list []T) T { return list[r.below(len(list))] }

// hex returns n hexadecimal digits.
func (r *rng) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[r.below(16)]
	}
	return string(b)
}

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

// places returns all places. The clocks of places[0] change; events near a change take place
// there.
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
