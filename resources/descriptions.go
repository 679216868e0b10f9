package resources

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// keys are the collections in the order of the root listing.
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

// Descriptions gives all 39 in the order of the service's document, as a slice
// of the caller's own. O(1).
func Descriptions() []Description {
	list := make([]Description, 0, len(keys()))
	for _, key := range keys() {
		list = append(list, describe(key))
	}
	return list
}

// Lookup gives the collection of a root key, and false for a key that the
// document does not list. Keys are case-sensitive; a path segment is no key.
// O(1).
func Lookup(key string) (Description, bool) {
	if !slices.Contains(keys(), key) {
		return Description{}, false
	}
	return describe(key), true
}

// describe says what sets a collection apart from the plain ones.
func describe(key string) Description {
	c := Description{
		Key:      key,
		Segment:  key,
		Vary:     "Accept",
		Ordering: []ordering.Term{{Field: "id"}},
	}
	switch key {
	case "itemVariants":
		c.Segment = "item_variants"
	case "labels":
		c.Fields = labelFields()
	case "social-links":
		c.Creatable = true
		c.Fields = socialLinkFields()
	case "events":
		c.Creatable = true
		c.Vary = "Authorization, Accept"
		c.Ordering = []ordering.Term{{Field: "start_date"}}
		c.Fields = eventFields()
	}
	return c
}
