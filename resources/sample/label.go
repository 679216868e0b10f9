package sample

import (
	"encoding/json"
	"strconv"

	"github.com/gobacklist/backlist/resources"
)

// imprints returns the names of labels. Names are reused with a number.
func imprints() []string {
	return []string{
		"Ardesia", "Brina & Corvo", "Dedalo Minore", "Edera", "Fiordaliso", "Ghiaia",
		"Hôtel du Nord", "Inchiostro", "Jaune", "Kartoffelpresse", "L'Ombra", "Mañana",
		"Nebbia", "Ôde", "Penumbra", "Quaderni \"Rossi\"", "Rive", "Straße 9",
		"Tuono", "Ückermark", "Vetro", "Wörterwald", "Xilografia", "Źdźbło",
	}
}

func imprint(id int) string {
	names, n := imprints(), indexOf(id)
	name := names[n%len(names)]
	if again := n / len(names); again > 0 {
		name += " " + strconv.Itoa(again+1)
	}
	return name
}

func (m *maker) label(id int) resources.Label {
	d := m.draw("labels", id)
	l := pick(d.rng, m.languages)
	name := imprint(id)
	label := resources.Label{
		ID:          id,
		Name:        name,
		Slug:        slug(name, "label-"+strconv.Itoa(id)),
		Enabled:     !d.every(8, 5),
		CatchPhrase: pick(d.rng, l.lines),
		Description: l.paragraphs(d.rng, d.between(1, 4)),
		CatchLines:  d.catchLines(l),
		Users:       d.users(),
	}
	label.Logo, label.LogoWebp = d.image("logo", ".png")
	label.LogoBig, label.LogoBigWebp = d.image("logo", ".jpg")
	label.Emblem, label.EmblemWebp = d.image("emblem", ".svg")
	d.footer(&label)
	d.pages(&label)
	d.messages(&label, l)
	d.features(&label)
	return label
}

// footer sets the footer logo, which every third label lacks.
func (d *draw) footer(label *resources.Label) {
	if !d.every(3, 1) {
		footer, webp := d.image("footer", ".png")
		label.LogoFooter, label.LogoFooterWebp = &footer, &webp
	}
}

// catchLines returns at most five catch lines. Every third label has one of them twice.
func (d *draw) catchLines(l language) []string {
	lines := []string{}
	for range d.between(0, 3) {
		lines = append(lines, pick(d.rng, l.lines))
	}
	if d.every(3, 0) {
		again := pick(d.rng, l.lines)
		lines = append(lines, again, again)
	}
	return lines
}

// users returns ids of users, which are not a collection.
func (d *draw) users() []int {
	ids := []int{}
	for range d.between(0, 4) {
		ids = append(ids, d.between(1, 40))
	}
	return ascending(ids)
}

// pages sets the pages of the label on other sites. Some are missing.
func (d *draw) pages(label *resources.Label) {
	for i, page := range []**string{
		&label.FacebookPage, &label.BlueskyPage, &label.LinkedinPage, &label.InstagramPage,
	} {
		if !d.oneIn(3) {
			url := "https://" + networks()[i] + ".example/" + label.Slug
			*page = &url
		}
	}
}

// messages sets the messages of the label. Most remain null.
func (d *draw) messages(label *resources.Label, l language) {
	for i, message := range []*json.RawMessage{&label.GlobalMessage, &label.CheckoutMessage} {
		if d.every(6, 2+i) {
			text, _ := record(d.id, member{"text", pick(d.rng, l.lines)}).Get("text") // without escapes for HTML
			*message = json.RawMessage(text)
		}
	}
}

func (d *draw) features(label *resources.Label) {
	for _, feature := range []*bool{
		&label.FeatureCrowdfunding, &label.FeatureProjects, &label.FeatureLibrary,
		&label.FeatureExternals, &label.FeatureShop, &label.FeatureAuthors,
		&label.FeatureAbout, &label.FeatureCart, &label.FeatureBookseller, &label.FeatureEvents,
	} {
		*feature = !d.oneIn(3)
	}
}
