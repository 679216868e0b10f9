package resources

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// keys returns the keys of all collections in the order of the root listing.
func keys() []string {
	return []string{
		"attribute-types", "attributes", "authors", "collaborators", "direct-sales",
		"books", "bookshop-sales", "carts", "commissions", "compensations",
		"collaborator-invoices", "contributions", "credit-notes", "crowdfundings",
		"direct-debit-payments", "credit-note-lines", "restockings", "direct-debits",
		"events", "expenses", "inventories", "items", "itemVariants", "labels",
		"products", "projects", "proposals", "reshipments", "services", "shipments",
		"social-links", "tieins", "vouchers", "variants", "wires", "publishers",
		"suppliers", "news", "faqs",
	}
}

// Descriptions returns the descriptions of all 39 collections in the order of the
// service's document. The caller may modify the result. O(1).
func Descriptions() []Description {
	list := make([]Description, 0, len(keys()))
	for _, key := range keys() {
		list = append(list, describe(key))
	}
	return list
}

// Lookup returns the description of the collection with the given key and reports
// whether the document lists the key. Keys are case-sensitive. A path segment is not a
// key. The caller may modify the result. O(1).
func Lookup(key string) (Description, bool) {
	if !slices.Contains(keys(), key) {
		return Description{}, false
	}
	return describe(key), true
}

func describe(key string) Description {
	d := Description{
		Key:      key,
		Segment:  key,
		Name:     recordName(key),
		Actions:  List,
		Vary:     "Accept",
		Query:    "format=api",
		Ordering: []ordering.Term{{Field: "id"}},
	}
	switch key {
	case "itemVariants":
		d.Segment = "item_variants"
		d.Name = "item variant"
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
