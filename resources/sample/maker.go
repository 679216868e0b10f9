package sample

import (
	"html"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A maker generates the records of one house. It is immutable.
type maker struct {
	opts      Options
	languages []language
	places    []place
}

func newMaker(opts Options) *maker {
	return &maker{opts: opts, languages: languages(), places: places()}
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
	return &draw{stream(m.opts.Seed, key, id), m, key, id, indexOf(id)}
}

// every reports whether the record is one of those at index n, n+m, n+2m and so on.
func (d *draw) every(m, n int) bool { return d.n%m == n }

// ref returns the id of a random record of a collection and reports whether the
// collection has records.
func (d *draw) ref(key string) (id int, ok bool) {
	size := d.opts.size(key)
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

// language returns the language with the given code, or the first language if there is
// none.
func (m *maker) language(code string) language {
	i := slices.IndexFunc(m.languages, func(l language) bool { return l.code == code })
	return m.languages[max(i, 0)]
}

func (l language) person(r *rng) string {
	given, family := pick(r, l.given), pick(r, l.family)
	if l.familyFirst {
		given, family = family, given
	}
	return given + " " + family
}

func (l language) title(r *rng) string { return pick(r, l.heads) + l.space + pick(r, l.tails) }

func (l language) quote(title string) string { return l.open + title + l.close }

// paragraphs returns an HTML fragment of n paragraphs of two sentences each.
func (l language) paragraphs(r *rng, n int) string {
	var b strings.Builder
	next := r.below(len(l.lines))
	line := func() string {
		next++
		return html.EscapeString(l.lines[next%len(l.lines)])
	}
	for range n {
		b.WriteString("<p>" + line() + " <em>" + line() + "</em></p>")
	}
	return b.String()
}

// anchor returns an HTML link.
func anchor(url, text string) string {
	return `<a href="` + html.EscapeString(url) + `">` + html.EscapeString(text) + `</a>`
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

// hex returns n hexadecimal digits.
func (r *rng) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[r.below(16)]
	}
	return string(b)
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
