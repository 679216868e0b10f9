package sample

import (
	"strconv"

	"github.com/gobacklist/backlist/resources"
)

// networks are the places that links lead to; the first four have pages of
// labels too.
func networks() []string {
	return []string{"facebook", "bluesky", "linkedin", "instagram", "youtube", "website"}
}

func (m *maker) link(id int) resources.SocialLink {
	d := m.draw("social-links", id)
	to := m.destination(id)
	link := resources.SocialLink{
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

// handle is an author's name on a network, unless each link is to have its own.
func (d *draw) handle(to destination) string {
	shared := slug(to.name, "author-"+strconv.Itoa(to.author))
	if d.without(SharedLinks) {
		return shared + "-" + strconv.Itoa(d.id)
	}
	return shared
}

// destination is what a link leads to.
type destination struct {
	author        int
	name, network string
}

// destination is the same for every fifth link as for the one before it.
func (m *maker) destination(id int) destination {
	if n := placeOf(id); n%5 == 4 {
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
