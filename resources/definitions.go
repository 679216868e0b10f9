package resources

import (
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// The definitions of the collections that the document describes in detail. Events are ordered by
// start date, all other collections by id.
var (
	Events      = catalogue.Define[Event]("events", catalogue.Options{Description: described("events")})
	Labels      = catalogue.Define[Label]("labels", catalogue.Options{Description: described("labels")})
	SocialLinks = catalogue.Define[SocialLink]("social-links", catalogue.Options{Description: described("social-links")})
)

// Records returns the definition of one of the other 36 collections, such as "authors".
// Their records are open: the document names these collections but not their fields.
// Amounts and prices, which are text in JSON, are ordered by value. For any other key,
// Records returns a definition of open records without a description. O(1).
func Records(key string) catalogue.Definition[schema.Record] {
	opts := catalogue.Options{Description: described(key)}
	if opts.Description != nil {
		for _, name := range []string{"amount", "price", "raised", "total"} {
			opts.Members = append(opts.Members, schema.Field{Name: name, Kind: schema.Decimal})
		}
	}
	return catalogue.Define[schema.Record](key, opts)
}

// New returns an empty catalogue with the 39 documented collections, in the order of the
// document, followed by those of other definitions. A definition with one of the 39 keys
// replaces the documented one. It inherits the documented description unless it has its own.
//
//	var Books = catalogue.Define[Book]("books", catalogue.Options{})
//
//	c, err := resources.New(Books)
//	books, err := Books.In(c)
//
// The error is returned by [catalogue.New]. Without definitions the error is nil. O(1).
func New(definitions ...catalogue.AnyDefinition) (*catalogue.Catalogue, error) {
	all := make([]catalogue.AnyDefinition, 0, len(documented)+len(definitions))
	at := map[string]int{}
	for i, key := range documented {
		all, at[key] = append(all, definition(key)), i
	}
	for _, d := range definitions {
		if v := reflect.ValueOf(d); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return catalogue.New(nil) // an error
		}
		i, known := at[d.Key()]
		if !known {
			all = append(all, d)
			continue
		}
		all[i] = d.WithDescription(*described(d.Key()))
		delete(at, d.Key()) // a second definition is an error
	}
	return catalogue.New(all...)
}

// described returns the documented description of a collection, or nil if the document does
// not name it.
func described(key string) *schema.Description {
	if !slices.Contains(documented[:], key) {
		return nil
	}
	d := &schema.Description{Name: nameOf(key), Actions: schema.List, Query: "format=api"}
	switch key {
	case "itemVariants":
		d.Segment = "item_variants"
	case "social-links":
		d.Actions |= schema.Create
	case "events":
		d.Actions |= schema.Create
		d.Vary = "Authorization, Accept"
		d.Ordering = []ordering.Term{ordering.Asc("start_date")}
	}
	return d
}

// definition returns the documented definition of a collection.
func definition(key string) catalogue.AnyDefinition {
	switch key {
	case Events.Key():
		return Events
	case Labels.Key():
		return Labels
	case SocialLinks.Key():
		return SocialLinks
	}
	return Records(key)
}

// documented are the keys in the order of the root listing.
var documented = [...]string{
	"attribute-types", "attributes", "authors", "collaborators", "direct-sales", "books",
	"bookshop-sales", "carts", "commissions", "compensations", "collaborator-invoices",
	"contributions", "credit-notes", "crowdfundings", "direct-debit-payments",
	"credit-note-lines", "restockings", "direct-debits", "events", "expenses", "inventories",
	"items", "itemVariants", "labels", "products", "projects", "proposals", "reshipments",
	"services", "shipments", "social-links", "tieins", "vouchers", "variants", "wires",
	"publishers", "suppliers", "news", "faqs",
}

// nameOf returns the name of the records of a documented collection.
func nameOf(key string) string {
	switch key {
	case "inventories":
		return "inventory"
	case "itemVariants":
		return "item variant"
	case "news":
		return "news"
	}
	return strings.ReplaceAll(strings.TrimSuffix(key, "s"), "-", " ")
}
