package sample

import (
	"strconv"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// networks returns the sites that links lead to. Labels have pages on the first four.
func networks() []string {
	return []string{"facebook", "bluesky", "linkedin", "instagram", "youtube", "website"}
}

func (m *maker) link(id int) schema.SocialLink {
	d := m.draw("social-links", id)
	to := m.destination(id)
	link := schema.SocialLink{
		ID:     id,
		Title:  to.name + " · " + to.network,
		URL:    "https://" + to.network + ".example/" + d.handle(to) + "/",
		Type:   to.network,
		Author: to.author,
	}
	if d.every(4, 1) || d.without(NullLogos) {
		logo, _ := d.image("custom", ".png")
		link.Logo = &logo
	}
	return link
}

// handle returns the name of an author on a network. Links to the same destination share
// it, unless SharedLinks is disabled.
func (d *draw) handle(to destination) string {
	shared := slug(to.name, "author-"+strconv.Itoa(to.author))
	if d.without(SharedLinks) {
		return shared + "-" + strconv.Itoa(d.id)
	}
	return shared
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
