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
// Events, labels and social links have the documented fields. The other 36 collections have
// invented ones, such as the name, the slug and the price of a book. Names are combined at random
// from lists, so any resemblance to a real person or book is coincidental. All host names are
// reserved ones. Every reference resolves. Events are within half a year of May 10, 2026.
//
// The default sizes have unusual values for any seed: events that share a slug, that end on a
// later day, that begin at midnight, that begin at the same instant in different offsets, and that
// have no poster, no authors or several authors; social links with the same url; and missing ids,
// as if records had been deleted.
//
// # Reproducibility
//
// The same options generate the same bytes on every machine and with every Go version: random
// numbers come from SplitMix64, arithmetic uses integers only, and offsets are fixed. A value
// depends only on the seed, its field, the key of its collection, its id, and the size of the
// collection to which it refers; a value that is unique or Created depends on the size of its own
// collection, too. So more news do not change any event.
//
// The package has no state. All functions are safe for concurrent use.
package sample

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
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

// idAt returns the id of the record at index i. Every eighth id is missing, so that
// programs that confuse ids with indexes fail.
func idAt(i int) int { return 1 + i + i/7 }

// A maker generates records.
type maker struct {
	seed  uint64
	sizes map[string]int // of the collections by key
	about map[string]schema.Description
	made  map[string][]string // values of the fields by which others refer

	Languages []language
}

// newMaker returns a maker, or an error if there is a size of an unknown collection.
func newMaker(opts Options, sizes map[string]int) (*maker, error) {
	for key := range opts.Sizes {
		if _, ok := sizes[key]; !ok {
			return nil, fmt.Errorf("%s: there is a size but no collection", key)
		}
	}
	m := &maker{seed: opts.Seed, sizes: sizes}
	return m, json.Unmarshal([]byte(textsJSON), m)
}

// A draw generates one record from its own random numbers.
type draw struct {
	*rng
	*maker
	key string
	id  int
	n   int // index in the collection
}

// draw returns the random numbers for the record at index n of a collection or, if field is not
// empty, for that field of it.
func (m *maker) draw(key, field string, n int) *draw {
	return &draw{stream(m.seed, key+field, idAt(n)), m, key, idAt(n), n}
}

// refs returns at most n ids of a collection, ascending and without duplicates.
func (d *draw) refs(key string, n int) []int {
	ids := []int{}
	for range min(n, d.sizes[key]) {
		ids = append(ids, idAt(d.below(d.sizes[key])))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

const media = "https://cdn.backlist.example/media/"

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

// day returns midnight UTC, n days after May 10, 2026.
func day(n int) time.Time { return time.Date(2026, 5, 10+n, 0, 0, 0, 0, time.UTC) }

// near returns a random number of days from -170 to 170, small ones more often. Ten days
// later is still within half a year.
func (r *rng) near() int { return r.between(-85, 85) + r.between(-85, 85) }

// textsJSON holds the texts, in eight languages of several scripts and both directions.
//
//go:embed texts.json
var textsJSON string

// A language holds the parts of names and texts in a language.
type language struct {
	Code        string
	Given       []string
	Family      []string
	FamilyFirst bool
	Heads       []string // first parts of titles
	Tails       []string // second parts of titles
	Space       string   // between the parts
	Open, Close string   // quotation marks
	Kinds       []string // kinds of events
	Lines       []string // sentences that fit any book
}

// language returns the language with the given code, or the first language if there is
// none.
func (m *maker) language(code string) language {
	i := slices.IndexFunc(m.Languages, func(l language) bool { return l.Code == code })
	return m.Languages[max(i, 0)]
}

func (l language) person(r *rng) string {
	given, family := pick(r, l.Given), pick(r, l.Family)
	if l.FamilyFirst {
		given, family = family, given
	}
	return given + " " + family
}

func (l language) title(r *rng) string { return pick(r, l.Heads) + l.Space + pick(r, l.Tails) }

// paragraphs returns an HTML fragment of n paragraphs of two sentences each.
func (l language) paragraphs(r *rng, n int) string {
	var b strings.Builder
	next := r.below(len(l.Lines))
	line := func() string {
		next++
		return html.EscapeString(l.Lines[next%len(l.Lines)])
	}
	for range n {
		b.WriteString("<p>" + line() + " <em>" + line() + "</em></p>")
	}
	return b.String()
}

// slug returns the slug of a text in any language.
func (d *draw) slug(text string) json.RawMessage {
	maker := values.Maker{Choose: d.below, Text: func(schema.Field) string { return text }}
	return json.RawMessage(maker.Value(schema.Field{Kind: schema.Slug}))
}
