package sample

import (
	"encoding/json"
	"strconv"
	"time"
)

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
	for i := first; i < min(first+count, d.opts.size("items")); i++ {
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
