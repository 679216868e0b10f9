// Package resources defines the catalogue of a publishing house's web service: the records
// [Event], [Label] and [SocialLink], and 36 collections of open records, which the
// service's document names but does not detail.
//
//	c, err := resources.New()
//	events, err := resources.Events.In(c)
//	id, err := events.Insert(resources.Event{Name: "Signing"})
//
// [New] returns a [catalogue.Catalogue]. A program's own collections can be added to the
// documented ones or replace them.
//
// # Collections
//
// The service's document is the description of its HTTP interface. It names these
// collections. The key of a collection is also its segment in a path, /api/events/, except
// for itemVariants, whose segment is item_variants.
//
//	attribute-types, attributes, authors, collaborators, direct-sales, books,
//	bookshop-sales, carts, commissions, compensations, collaborator-invoices,
//	contributions, credit-notes, crowdfundings, direct-debit-payments,
//	credit-note-lines, restockings, direct-debits, events, expenses, inventories,
//	items, itemVariants, labels, products, projects, proposals, reshipments, services,
//	shipments, social-links, tieins, vouchers, variants, wires, publishers, suppliers,
//	news, faqs
//
// Events and social-links accept posts.
package resources
