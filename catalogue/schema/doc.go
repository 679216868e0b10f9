// Package resources describes the records of the catalogue service, independently of
// how they are stored. It contains the documented records [Event], [Label] and
// [SocialLink], the open [Record] for collections that the service's document names but
// does not detail, the descriptions of all 39 collections, and the validation of
// requests to write records. [DescriptionOf] describes collections of a program's own.
//
// The JSON of a record equals that of the service byte for byte: members are in the
// document's order, without white space, empty lists are [], and date-times have an
// offset. Unmarshalling is strict. Unknown, repeated and misspelled members, and null
// where the document does not allow it, are errors that name the member.
//
// [Description.Validate] converts a posted JSON object to a [Record] or returns the
// errors of its fields, with the messages of Django REST framework 3.14.
// [Description.ValidateUpdate] does the same for a PUT or PATCH of a record. They differ
// from the framework in a few points, which package httpapi lists. Among them: date-times
// keep their offset and must have one, numbers sent for text fields keep their digits,
// numbers have ASCII digits and no underscores, a [Decimal] zero has no sign, the error of
// a [TextList] is that of its first invalid element, and NaN and Infinity are invalid
// wherever they come from.
//
// The package has no state. All functions and methods are safe for concurrent use,
// provided that no goroutine modifies a value that another one uses.
//
// # Collections
//
// The service's document is the description of its HTTP interface that this module
// follows. It names these collections. The key of a collection is also its segment in
// a path, /api/events/, except for itemVariants, whose segment is item_variants.
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
package schema
