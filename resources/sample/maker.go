package sample

import (
	"html"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/resources"
)

// maker makes records of one house. Nothing in it changes.
type maker struct {
	opts      Options
	languages []language
	places    []place
}

func newMaker(opts Options) *maker {
	return &maker{opts: opts, languages: languages(), places: places()}
}

// draw is the making of one record: its random numbers, and where it stands.
type draw struct {
	*rng
	*maker
	key string
	id  int
	n   int // place in its collection, from 0: oddities come round by it
}

func (m *maker) draw(key string, id int) *draw {
	return &draw{stream(m.opts.Seed, key, id), m, key, id, placeOf(id)}
}

// every is true for one record of m in a row: the one at place n, n+m, ...
func (d *draw) every(m, n int) bool { return d.n%m == n }

// ref is the id of a record in the collection of a key, false if it has none.
func (d *draw) ref(key string) (id int, ok bool) {
	size := d.opts.size(key)
	if size == 0 {
		return 0, false
	}
	return idAt(d.below(size)), true
}

// refs is up to n ids of the collection of a key, ascending, without repeats.
func (d *draw) refs(key string, n int) []int {
	ids := []int{}
	for range n {
		if id, ok := d.ref(key); ok {
			ids = append(ids, id)
		}
	}
	return ascending(ids)
}

// ascending sorts ids and drops repeats.
func ascending(ids []int) []int {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// tongue is the language with a code; the first if there is none.
func (m *maker) tongue(code string) language {
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

// paragraphs is an HTML fragment of n paragraphs, of two sentences each.
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

// anchor is an HTML link.
func anchor(url, text string) string {
	return `<a href="` + html.EscapeString(url) + `">` + html.EscapeString(text) + `</a>`
}

const (
	site  = "https://backlist.example/"
	media = "https://cdn.backlist.example/media/"
)

// image is the URL of an image, and that of its WebP rendition.
func (d *draw) image(folder, ext string) (original, webp string) {
	name := media + folder + "/" + d.hex(8)
	return name + ext, name + ".webp"
}

// hex is n hexadecimal digits.
func (r *rng) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[r.below(16)]
	}
	return string(b)
}

// member is a name and a value of an open record.
type member struct {
	name  string
	value any
}

// record makes an open record. All values here are such that With takes them.
func record(id int, members ...member) resources.Record {
	r := resources.Record{ID: id}
	for _, m := range members {
		if next, err := r.With(m.name, m.value); err == nil {
			r = next
		}
	}
	return r
}
