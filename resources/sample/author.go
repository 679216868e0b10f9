package sample

import (
	"fmt"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

// authorFacts are the properties of an author that other records use.
type authorFacts struct {
	name, language string
}

func (m *maker) authorFacts(id int) authorFacts { return m.draw("authors", id).asAuthor() }

// asAuthor returns the facts of the author that is being generated. It must be called
// before any other random number of the record is used, so that all callers get the
// same result.
func (d *draw) asAuthor() authorFacts {
	l := pick(d.rng, d.languages)
	return authorFacts{l.person(d.rng), l.code}
}

func (m *maker) author(id int) schema.Record {
	d := m.draw("authors", id)
	facts := d.asAuthor()
	l := m.language(facts.language)
	var portrait any // sometimes null
	if !d.every(4, 3) {
		portrait, _ = d.image("portrait", ".jpg")
	}
	return record(id,
		member{"name", facts.name},
		member{"slug", slug(facts.name, "author-"+strconv.Itoa(id))},
		member{"bio", l.paragraphs(d.rng, d.between(1, 2))},
		member{"language", l.code},
		member{"portrait", portrait},
		member{"bornIn", d.between(1931, 2001)},
	)
}

// bookFacts are the properties of a book that other records use.
type bookFacts struct {
	title, language string
	author, label   int // 0 for none
	price           int // in cents
}

func (m *maker) bookFacts(id int) bookFacts { return m.draw("books", id).asBook() }

// asBook returns the facts of the book that is being generated. Like asAuthor, it must
// be called first.
func (d *draw) asBook() (b bookFacts) {
	b.author, _ = d.ref("authors")
	b.label, _ = d.ref("labels")
	l := pick(d.rng, d.languages)
	if b.author != 0 {
		l = d.language(d.authorFacts(b.author).language)
	}
	b.title, b.language = l.title(d.rng), l.code
	b.price = pick(d.rng, []int{99, 490, 900, 1200, 1490, 1500, 1650, 1800, 2200, 3500, 10090})
	return b
}

func (m *maker) book(id int) schema.Record {
	d := m.draw("books", id)
	facts := d.asBook()
	l := m.language(facts.language)
	cover, webp := d.image("cover", ".jpg")
	var published any // null before publication
	if !d.every(8, 6) {
		published = date(day(-d.between(0, 30*365)))
	}
	return record(id,
		member{"name", facts.title},
		member{"slug", slug(facts.title, "book-"+strconv.Itoa(id))},
		member{"price", money(facts.price)},
		member{"pages", pick(d.rng, []int{64, 96, 128, 160, 192, 240, 320, 416, 704})},
		member{"publishedOn", published},
		member{"author", orNull(facts.author)},
		member{"label", orNull(facts.label)},
		member{"isbn", d.isbn()},
		member{"language", l.code},
		member{"description", l.paragraphs(d.rng, d.between(1, 3))},
		member{"cover", cover},
		member{"coverWebp", webp},
		member{"inPrint", !d.every(7, 3)},
	)
}

// isbn returns an ISBN-13 with its check digit, from a range that no publisher has.
func (r *rng) isbn() string {
	digits := fmt.Sprintf("9799%08d", r.below(100_000_000))
	sum := 0
	for i, digit := range digits {
		sum += int(digit-'0') * (1 + i%2*2)
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

// networks returns the sites that links lead to. Labels have pages on the first four.
func networks() []string {
	return []string{"facebook", "bluesky", "linkedin", "instagram", "youtube", "website"}
}

func (m *maker) link(id int) resources.SocialLink {
	d := m.draw("social-links", id)
	to := m.destination(id)
	link := resources.SocialLink{
		ID:     id,
		Title:  to.name + " · " + to.network,
		URL:    "https://" + to.network + ".example/" + slug(to.name, "author-"+strconv.Itoa(to.author)) + "/",
		Type:   to.network,
		Author: to.author,
	}
	if d.every(4, 1) {
		logo, _ := d.image("custom", ".png")
		link.Logo = &logo
	}
	return link
}

// A destination is the page that a link leads to.
type destination struct {
	author        int
	name, network string
}

// destination returns the destination of a link. Every fifth link has the same as the
// link before it.
func (m *maker) destination(id int) destination {
	if n := indexOf(id); n%5 == 4 {
		id = idAt(n - 1)
	}
	d := m.draw("destinations", id)
	author, _ := d.ref("authors")
	network := pick(d.rng, networks())
	if d.every(3, 0) {
		network = "instagram"
	}
	return destination{author, m.authorFacts(author).name, network}
}
