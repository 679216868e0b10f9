package sample

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// other generates a record of a collection whose fields the document does not show.
func (m *maker) other(key string, id int) schema.Record {
	d := m.draw(key, id)
	for _, theme := range []func(*draw) []member{shop, sales, accounts, work} {
		if members := theme(d); members != nil {
			return record(id, members...)
		}
	}
	return record(id)
}

// to returns the id of a record of a collection, or nil if the collection is empty.
func (d *draw) to(key string) any {
	id, _ := d.ref(key)
	return orNull(id)
}

// maybe is like to, but returns nil for every third record.
func (d *draw) maybe(key string) any {
	if d.every(3, 2) {
		return nil
	}
	return d.to(key)
}

// someone returns the name of a person in any language.
func (d *draw) someone() string { return pick(d.rng, d.languages).person(d.rng) }

// email returns an address at a host that does not exist.
func (d *draw) email() string { return "reader" + strconv.Itoa(d.between(100, 999)) + "@mail.example" }

// line returns a sentence in any language.
func (d *draw) line() string { return pick(d.rng, pick(d.rng, d.languages).lines) }

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
		l := pick(d.rng, d.languages)
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
		return []string{pick(d.rng, d.languages).code, pick(d.rng, d.languages).code}
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
		l := pick(d.rng, d.languages)
		return []member{{"name", pick(d.rng, l.family) + " " + pick(d.rng, imprints())}, {"language", l.code}, {"website", "https://publisher" + d.hex(3) + ".example/"}}
	case "tieins":
		return []member{
			{"name", pick(d.rng, d.languages).title(d.rng)},
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
		return []member{{"name", pick(d.rng, d.languages).title(d.rng)}, {"label", d.to("labels")}, {"authors", d.refs("authors", 2)}, {"dueOn", d.soon()}}
	case "proposals":
		return []member{
			{"title", pick(d.rng, d.languages).title(d.rng)},
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
		l := pick(d.rng, d.languages)
		title := pick(d.rng, l.lines)
		return []member{
			{"title", title},
			{"slug", slug(title, "news-"+strconv.Itoa(d.id))},
			{"body", l.paragraphs(d.rng, d.between(2, 4))},
			{"label", d.maybe("labels")},
			{"publishedAt", d.stamp(d.moment())},
		}
	case "faqs":
		l := pick(d.rng, d.languages)
		return []member{{"question", "Is " + l.quote(l.title(d.rng)) + " still in print?"}, {"answer", l.paragraphs(d.rng, 1)}, {"position", d.n}}
	}
	return nil
}

func (d *draw) crowdfunding() []member {
	begin := d.near()
	goal := d.between(10, 200) * 100
	return []member{
		{"project", d.to("projects")},
		{"name", pick(d.rng, d.languages).title(d.rng)},
		{"goal", goal},
		{"raised", money(d.between(0, goal*150))}, // at most one and a half times the goal
		{"startDate", date(day(begin))},
		{"endDate", date(day(begin + d.between(1, 9)))},
		{"open", begin >= 0},
	}
}
