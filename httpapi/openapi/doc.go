// Package openapi generates an OpenAPI 3.1 document for an [httpapi.Handler]. It
// describes the root, the 39 collections and their records, including records of
// types that the program defines.
//
//	handler, err := httpapi.New(house, httpapi.Options{})
//	...
//	document, err := openapi.New(ctx, handler, openapi.Options{Title: "The Shop"})
//	...
//	mux.Handle("/openapi.json", document)
//
// To write a file instead, call os.WriteFile("openapi.json", document.JSON(), 0o644).
//
// # Records
//
// Events, labels and social links are described by the fields in package resources.
// Open records are objects with an id and any other members. The types passed to
// catalogue.Define are described by reflection, as encoding/json encodes them. The
// records of any other [httpapi.Collection] are described as objects with arbitrary
// members, unless the collection has a RecordType method as described at [New].
//
// A type that implements [encoding/json.Marshaler] is described as any value.
//
// # Operations
//
// Every path has GET with its parameters, and POST if the handler accepts it. HEAD and
// OPTIONS have the tag "metadata". Page sizes are those of the handler's options.
//
// The document describes requests as they should be sent. The handler accepts more: it
// also accepts names in snake_case and numbers in strings, and ignores unknown
// orderings. The values of ordering are listed if they follow from a type, but not if
// they depend on the stored records.
//
// The document is deterministic: equal handlers and options result in equal bytes. It
// does not describe authorization, except for the scheme in [Options.Scheme].
package openapi
