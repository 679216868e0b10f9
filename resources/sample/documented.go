package sample

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

func (m *maker) event(id int) resources.Event {
	d := m.draw("events", id)
	where := d.venue()
	l := m.language(where.language)
	about := d.subject(l)
	kind := pick(d.rng, l.Kinds)
	begin, end := d.times(where.zone)
	e := resources.Event{
		ID:          id,
		Name:        kind + l.colon() + l.quote(about.title),
		Slug:        slug(kind, "event"), // which all events of the kind share
		Summary:     pick(d.rng, l.Lines),
		Description: l.paragraphs(d.rng, d.between(1, 3)) + anchor(site+"books/?from=events&id="+strconv.Itoa(id), about.title),
		Location:    where.venue,
		StartDate:   where.zone.show(begin),
		EndDate:     where.zone.show(end),
		Published:   !d.every(6, 5),
		Labels:      d.eventLabels(about),
		Authors:     d.eventAuthors(about),
	}
	if !d.every(9, 2) {
		e.Poster, e.PosterWebp = d.image("poster", ".jpg")
	}
	return e
}

// subject returns the book that an event is about. If there are no books, it is an
// invented one.
func (d *draw) subject(l language) bookFacts {
	if id, ok := d.ref("books"); ok {
		return d.bookFacts(id)
	}
	about := bookFacts{title: l.title(d.rng)}
	about.author, _ = d.ref("authors")
	about.label, _ = d.ref("labels")
	return about
}

// eventLabels returns the label of the book, no label, or two labels.
func (d *draw) eventLabels(about bookFacts) []int {
	switch {
	case about.label == 0 || d.every(12, 6):
		return []int{}
	case d.every(12, 1):
		return ascending(append(d.refs("labels", 1), about.label))
	}
	return []int{about.label}
}

// eventAuthors returns the author of the book, no author, or several authors.
func (d *draw) eventAuthors(about bookFacts) []int {
	switch {
	case about.author == 0 || d.every(9, 4):
		return []int{}
	case d.every(9, 8):
		return ascending(append(d.refs("authors", d.between(1, 4)), about.author))
	}
	return []int{about.author}
}

func (d *draw) venue() place {
	if d.clocksChange() {
		return d.places[0]
	}
	return pick(d.rng, d.places)
}

// clocksChange reports whether the event is near a change of clocks.
func (d *draw) clocksChange() bool { return d.every(30, 11) }

// times returns the beginning and the end of an event.
func (d *draw) times(z zone) (begin, end time.Time) {
	length := time.Duration(d.between(4, 12)) * 15 * time.Minute
	date := day(d.near())
	switch {
	case d.clocksChange():
		begin = changes()[d.n/30%len(changes())]
	case d.every(10, 3): // midnight
		begin = z.wall(date)
	case d.every(10, 5): // at the same instant, in different offsets
		begin = day(0).Add(16 * time.Hour)
	case d.every(10, 7): // several days
		begin = z.wall(date.Add(10 * time.Hour))
		length = time.Duration(d.between(1, 3))*24*time.Hour + 8*time.Hour
	default:
		begin = z.wall(date.Add(time.Duration(d.between(9*4, 22*4)) * 15 * time.Minute))
	}
	return begin, begin.Add(length)
}

// changes returns instants at which the clocks in Genoa change or are about to: before
// and after the hour that is skipped in spring, and in both occurrences of the hour that
// is repeated in autumn.
func changes() []time.Time {
	spring, autumn := europe(1).from, europe(1).until
	return []time.Time{
		spring.Add(-30 * time.Minute),
		spring,
		autumn.Add(-30 * time.Minute),
		autumn.Add(30 * time.Minute),
	}
}

// imprint returns the name of a label. Names are reused with a number.
func (m *maker) imprint(id int) string {
	n := indexOf(id)
	name := m.Imprints[n%len(m.Imprints)]
	if again := n / len(m.Imprints); again > 0 {
		name += " " + strconv.Itoa(again+1)
	}
	return name
}

func (m *maker) label(id int) resources.Label {
	d := m.draw("labels", id)
	l := pick(d.rng, m.Languages)
	name := m.imprint(id)
	label := resources.Label{
		ID:          id,
		Name:        name,
		Slug:        slug(name, "label-"+strconv.Itoa(id)),
		Enabled:     !d.every(8, 5),
		CatchPhrase: pick(d.rng, l.Lines),
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
		lines = append(lines, pick(d.rng, l.Lines))
	}
	if d.every(3, 0) {
		again := pick(d.rng, l.Lines)
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
			url := "https://" + d.Networks[i] + ".example/" + label.Slug
			*page = &url
		}
	}
}

// messages sets the messages of the label. Most remain null.
func (d *draw) messages(label *resources.Label, l language) {
	for i, message := range []*json.RawMessage{&label.GlobalMessage, &label.CheckoutMessage} {
		if d.every(6, 2+i) {
			text, _ := record(d.id, member{"text", pick(d.rng, l.Lines)}).Get("text") // without escapes for HTML
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

// authorFacts are the properties of an author that other records use.
type authorFacts struct {
	name, language string
}

func (m *maker) authorFacts(id int) authorFacts { return m.draw("authors", id).asAuthor() }

// asAuthor returns the facts of the author that is being generated. It must be called
// before any other random number of the record is used, so that all callers get the
// same result.
func (d *draw) asAuthor() authorFacts {
	l := pick(d.rng, d.Languages)
	return authorFacts{l.person(d.rng), l.Code}
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
		member{"language", l.Code},
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
	l := pick(d.rng, d.Languages)
	if b.author != 0 {
		l = d.language(d.authorFacts(b.author).language)
	}
	b.title, b.language = l.title(d.rng), l.Code
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
		member{"language", l.Code},
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
	network := pick(d.rng, d.Networks)
	if d.every(3, 0) {
		network = "instagram"
	}
	return destination{author, m.authorFacts(author).name, network}
}

// other generates a record of a collection whose fields the document does not show.
func (m *maker) other(key string, id int) schema.Record {
	d := m.draw(key, id)
	return record(id, slices.Concat(shop(d), sales(d), accounts(d), work(d))...)
}

// to returns the id of a record of a collection, or nil if the collection is empty.
func (d *draw) to(key string) any {
	id, _ := d.ref(key)
	return orNull(id)
}

// maybe returns what to returns, or nil for every third record.
func (d *draw) maybe(key string) any {
	if d.every(3, 2) {
		return nil
	}
	return d.to(key)
}

// someone returns the name of a person in any language.
func (d *draw) someone() string { return pick(d.rng, d.Languages).person(d.rng) }

// email returns an address at a host that does not exist.
func (d *draw) email() string { return "reader" + strconv.Itoa(d.between(100, 999)) + "@mail.example" }

// line returns a sentence in any language.
func (d *draw) line() string { return pick(d.rng, pick(d.rng, d.Languages).Lines) }

// amount returns an amount of money from 1 to most.
func (d *draw) amount(most int) string { return money(d.between(100, most*100)) }

// number returns the number of a document, which is unique within its collection.
func (d *draw) number(prefix string) string { return fmt.Sprintf("%s-2026-%05d", prefix, d.id) }

// money returns an amount in cents as text, as decimals are written in JSON.
func money(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// orNull returns an id, or nil for 0.
func orNull(id int) any {
	if id == 0 {
		return nil
	}
	return id
}

// shop returns the members of a record in a collection of the shop, or nil for other
// keys.
func shop(d *draw) []member {
	switch d.key {
	case "attribute-types":
		return []member{{"name", []string{"binding", "pages", "signed", "language"}[d.n%4]}, {"position", d.n}}
	case "attributes":
		return []member{{"type", d.to("attribute-types")}, {"value", d.attribute()}}
	case "products":
		l := pick(d.rng, d.Languages)
		title := l.title(d.rng)
		return []member{
			{"name", title},
			{"slug", slug(title, "product-"+strconv.Itoa(d.id))},
			{"kind", pick(d.rng, []string{"book", "ebook", "tote bag", "poster"})},
			{"price", d.amount(40)},
			{"label", d.to("labels")},
			{"book", d.maybe("books")},
		}
	case "variants":
		return []member{{"product", d.to("products")}, {"name", d.format()}, {"attributes", d.refs("attributes", 3)}}
	case "itemVariants":
		return []member{{"variant", d.to("variants")}, {"name", d.format()}, {"sku", "BL-" + d.hex(6)}, {"stock", d.between(-2, 400)}}
	case "items":
		price, quantity := d.asItem()
		return []member{{"itemVariant", d.to("itemVariants")}, {"quantity", quantity}, {"price", money(price)}}
	case "carts":
		items, total := d.cartItems()
		return []member{
			{"createdAt", d.stamp(d.moment())},
			{"items", items},
			{"voucher", d.maybe("vouchers")},
			{"total", money(total)},
			{"state", pick(d.rng, []string{"open", "paid", "abandoned"})},
		}
	case "vouchers":
		return []member{
			{"code", "LIBRO-" + d.hex(4)},
			{"discount", json.Number(pick(d.rng, []string{"5", "7.5", "10", "12.50", "100"}))},
			{"validUntil", d.soon()},
			{"used", d.oneIn(2)},
		}
	case "shipments":
		return d.shipment()
	case "reshipments":
		return []member{
			{"shipment", d.to("shipments")},
			{"reason", pick(d.rng, []string{"lost", "damaged", "wrong address"})},
			{"requestedAt", d.stamp(d.moment())},
		}
	}
	return nil
}

func (d *draw) format() string {
	return pick(d.rng, []string{"paperback", "hardback", "large print", "signed copy"})
}

// attribute returns values of different kinds.
func (d *draw) attribute() any {
	switch d.n % 5 {
	case 0:
		return d.format()
	case 1:
		return d.between(48, 800)
	case 2:
		return d.oneIn(2)
	case 3:
		return []string{pick(d.rng, d.Languages).Code, pick(d.rng, d.Languages).Code}
	}
	return nil
}

// asItem returns the price of an item, in cents, and its quantity. Like asAuthor, it
// must be called first.
func (d *draw) asItem() (price, quantity int) { return d.between(490, 4000), d.between(1, 4) }

// cartItems returns the items of a cart and their total price. Of every three carts one
// is empty, one has one item, and one has two. No item is in two carts.
func (d *draw) cartItems() (ids []int, total int) {
	ids = []int{}
	count := d.n % 3
	first := d.n - count + max(count-1, 0)
	for i := first; i < min(first+count, d.sizes["items"]); i++ {
		price, quantity := d.draw("items", idAt(i)).asItem()
		ids, total = append(ids, idAt(i)), total+price*quantity
	}
	return ids, total
}

// shipment returns the members of a shipment. One of them is present only if the
// shipment has been delivered.
func (d *draw) shipment() []member {
	sent := d.moment()
	members := []member{
		{"cart", d.to("carts")},
		{"carrier", pick(d.rng, []string{"Corriere Lepre", "Kranich Post", "Paper Boat"})},
		{"recipient", d.someone()},
		{"shippedAt", d.stamp(sent)},
	}
	if d.every(3, 0) {
		return members
	}
	arrived := sent.Add(time.Duration(d.between(20, 200)) * time.Hour)
	return append(members, member{"deliveredAt", d.stamp(arrived)})
}

// sales returns the members of a record in a collection about sales or stock, or nil for
// other keys.
func sales(d *draw) []member {
	switch d.key {
	case "direct-sales":
		return []member{{"book", d.to("books")}, {"quantity", d.between(1, 12)}, {"amount", d.amount(200)}, {"soldOn", d.soon()}, {"event", d.maybe("events")}}
	case "bookshop-sales":
		return []member{
			{"bookshop", pick(d.rng, d.places).venue},
			{"book", d.to("books")},
			{"quantity", d.between(-3, 60)}, // returns are negative
			{"discount", json.Number(pick(d.rng, []string{"30", "32.5", "35.0", "40"}))},
			{"amount", d.amount(900)},
			{"month", d.soon()[:len("2026-05")]},
		}
	case "inventories":
		return []member{{"warehouse", pick(d.rng, d.places).venue}, {"book", d.to("books")}, {"copies", d.between(0, 3000)}, {"takenOn", d.soon()}}
	case "restockings":
		ordered := d.near()
		var arrived any
		if !d.every(4, 3) {
			arrived = date(day(ordered + d.between(2, 10)))
		}
		return []member{
			{"supplier", d.to("suppliers")},
			{"book", d.to("books")},
			{"quantity", d.between(1, 20) * 50},
			{"orderedOn", date(day(ordered))},
			{"arrivedOn", arrived},
		}
	case "suppliers":
		return []member{{"name", d.someone() + " & Co."}, {"email", d.email()}, {"leadDays", d.between(3, 45)}}
	case "publishers":
		l := pick(d.rng, d.Languages)
		return []member{{"name", pick(d.rng, l.Family) + " " + pick(d.rng, d.Imprints)}, {"language", l.Code}, {"website", "https://publisher" + d.hex(3) + ".example/"}}
	case "tieins":
		return []member{
			{"name", pick(d.rng, d.Languages).title(d.rng)},
			{"book", d.to("books")},
			{"medium", pick(d.rng, []string{"film", "series", "play", "game"})},
			{"releasedOn", d.soon()},
		}
	}
	return nil
}

// accounts returns the members of a record in a collection about money, or nil for other
// keys.
func accounts(d *draw) []member {
	switch d.key {
	case "commissions":
		return []member{{"collaborator", d.to("collaborators")}, {"project", d.to("projects")}, {"percentage", json.Number(pick(d.rng, []string{"2.5", "5", "7.50", "10"}))}}
	case "compensations":
		return []member{{"author", d.to("authors")}, {"book", d.to("books")}, {"amount", d.amount(3000)}, {"paidOn", d.paidOn()}}
	case "collaborator-invoices":
		return []member{{"number", d.number("F")}, {"collaborator", d.to("collaborators")}, {"amount", d.amount(2500)}, {"issuedOn", d.soon()}, {"paidOn", d.paidOn()}}
	case "credit-notes":
		return []member{{"number", d.number("NC")}, {"customer", d.someone()}, {"reason", d.line()}, {"issuedOn", d.soon()}}
	case "credit-note-lines":
		return []member{{"creditNote", d.to("credit-notes")}, {"book", d.to("books")}, {"quantity", d.between(1, 9)}, {"amount", d.amount(150)}}
	case "direct-debits":
		return []member{{"mandate", d.number("SDD")}, {"debtor", d.someone()}, {"signedOn", d.soon()}, {"active", !d.oneIn(4)}}
	case "direct-debit-payments":
		return []member{{"directDebit", d.to("direct-debits")}, {"amount", d.amount(90)}, {"dueOn", d.soon()}, {"state", pick(d.rng, []string{"due", "collected", "returned"})}}
	case "expenses":
		return []member{{"project", d.maybe("projects")}, {"category", pick(d.rng, []string{"paper", "printing", "travel", "rights"})}, {"amount", d.amount(5000)}, {"spentOn", d.soon()}}
	case "wires":
		members := []member{{"sender", d.someone()}, {"amount", d.amount(1200)}, {"receivedAt", d.stamp(d.moment())}, {"cart", d.maybe("carts")}}
		if d.every(4, 1) { // a member that most wires lack
			members = append(members, member{"note", d.line()})
		}
		return members
	}
	return nil
}

// paidOn returns a day, or null for unpaid.
func (d *draw) paidOn() any {
	if d.every(3, 1) {
		return nil
	}
	return d.soon()
}

// work returns the members of a record in a collection about the work of the publisher, or
// nil for other keys.
func work(d *draw) []member {
	switch d.key {
	case "collaborators":
		return []member{{"name", d.someone()}, {"email", d.email()}, {"role", pick(d.rng, []string{"editor", "translator", "illustrator", "proofreader"})}, {"active", !d.oneIn(5)}}
	case "projects":
		return []member{{"name", pick(d.rng, d.Languages).title(d.rng)}, {"label", d.to("labels")}, {"authors", d.refs("authors", 2)}, {"dueOn", d.soon()}}
	case "proposals":
		return []member{
			{"title", pick(d.rng, d.Languages).title(d.rng)},
			{"sender", d.someone()},
			{"email", d.email()},
			{"submittedAt", d.stamp(d.moment())},
			{"accepted", []any{nil, true, false}[d.n%3]}, // null if undecided
		}
	case "crowdfundings":
		return d.crowdfunding()
	case "contributions":
		return []member{{"crowdfunding", d.to("crowdfundings")}, {"name", d.someone()}, {"amount", d.amount(200)}, {"message", d.line()}, {"anonymous", d.oneIn(3)}, {"createdAt", d.stamp(d.moment())}}
	case "services":
		return []member{{"name", pick(d.rng, []string{"proofreading", "layout", "cover design", "translation"})}, {"price", d.amount(800)}, {"hourly", d.oneIn(2)}}
	case "news":
		l := pick(d.rng, d.Languages)
		title := pick(d.rng, l.Lines)
		return []member{
			{"title", title},
			{"slug", slug(title, "news-"+strconv.Itoa(d.id))},
			{"body", l.paragraphs(d.rng, d.between(2, 4))},
			{"label", d.maybe("labels")},
			{"publishedAt", d.stamp(d.moment())},
		}
	case "faqs":
		l := pick(d.rng, d.Languages)
		return []member{{"question", "Is " + l.quote(l.title(d.rng)) + " still in print?"}, {"answer", l.paragraphs(d.rng, 1)}, {"position", d.n}}
	}
	return nil
}

func (d *draw) crowdfunding() []member {
	begin := d.near()
	goal := d.between(10, 200) * 100
	return []member{
		{"project", d.to("projects")},
		{"name", pick(d.rng, d.Languages).title(d.rng)},
		{"goal", goal},
		{"raised", money(d.between(0, goal*150))}, // at most one and a half times the goal
		{"startDate", date(day(begin))},
		{"endDate", date(day(begin + d.between(1, 9)))},
		{"open", begin >= 0},
	}
}
