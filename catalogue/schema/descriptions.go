package schema

import "github.com/gobacklist/backlist/ordering"

// named is a documented collection.
type named struct{ key, name string }

// documented returns the keys of all collections in the order of the root listing, with
// the names of their records.
func documented() []named {
	return []named{
		{"attribute-types", "attribute type"},
		{"attributes", "attribute"},
		{"authors", "author"},
		{"collaborators", "collaborator"},
		{"direct-sales", "direct sale"},
		{"books", "book"},
		{"bookshop-sales", "bookshop sale"},
		{"carts", "cart"},
		{"commissions", "commission"},
		{"compensations", "compensation"},
		{"collaborator-invoices", "collaborator invoice"},
		{"contributions", "contribution"},
		{"credit-notes", "credit note"},
		{"crowdfundings", "crowdfunding"},
		{"direct-debit-payments", "direct debit payment"},
		{"credit-note-lines", "credit note line"},
		{"restockings", "restocking"},
		{"direct-debits", "direct debit"},
		{"events", "event"},
		{"expenses", "expense"},
		{"inventories", "inventory"},
		{"items", "item"},
		{"itemVariants", "item variant"},
		{"labels", "label"},
		{"products", "product"},
		{"projects", "project"},
		{"proposals", "proposal"},
		{"reshipments", "reshipment"},
		{"services", "service"},
		{"shipments", "shipment"},
		{"social-links", "social link"},
		{"tieins", "tiein"},
		{"vouchers", "voucher"},
		{"variants", "variant"},
		{"wires", "wire"},
		{"publishers", "publisher"},
		{"suppliers", "supplier"},
		{"news", "news"},
		{"faqs", "faq"},
	}
}

// Descriptions returns the descriptions of all 39 collections in the order of the
// service's document. The caller may modify the result. O(1).
func Descriptions() []Description {
	all := documented()
	list := make([]Description, 0, len(all))
	for _, c := range all {
		list = append(list, c.describe())
	}
	return list
}

// Lookup returns the description of the collection with the given key and reports
// whether the document lists the key. Keys are case-sensitive. A path segment is not a
// key. The caller may modify the result. O(1).
func Lookup(key string) (Description, bool) {
	for _, c := range documented() {
		if c.key == key {
			return c.describe(), true
		}
	}
	return Description{}, false
}

func (c named) describe() Description {
	d := Description{
		Key:      c.key,
		Segment:  c.key,
		Name:     c.name,
		Actions:  List,
		Vary:     "Accept",
		Query:    "format=api",
		Ordering: []ordering.Term{{Field: "id"}},
	}
	switch c.key {
	case "itemVariants":
		d.Segment = "item_variants"
	case "labels":
		d.Fields = labelFields()
	case "social-links":
		d.Actions |= Create
		d.Fields = socialLinkFields()
	case "events":
		d.Actions |= Create
		d.Vary = "Authorization, Accept"
		d.Ordering = []ordering.Term{{Field: "start_date"}}
		d.Fields = eventFields()
	}
	return d
}
