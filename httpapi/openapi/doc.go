// Package openapi generates an OpenAPI document for an [httpapi.Handler]. It
// describes the root, the collections that the handler serves and their records,
// including records of types that the program defines.
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
// If the description of a collection has fields, its records have these, with the kinds
// of package resources. These are events, labels, social links, and all structs in a
// catalogue made by catalogue.NewOnly. Open records with such a description may have other
// members and may lack those that are not required. Other open records are objects with an
// id and any other members. Other types passed to catalogue.Define are described by
// reflection, as encoding/json encodes them. The records of any other [httpapi.Collection]
// are described as objects with arbitrary members, unless the collection has a RecordType
// method as described at [New].
//
// A type that implements [encoding/json.Marshaler] is described as any value.
//
// # Operations
//
// Every path has the methods of the actions that the handler serves, with their
// parameters. HEAD and OPTIONS have the tag "metadata". Page sizes are those of the
// handler's options. Filters and the search are parameters of pages and of the paths of
// records, where a record that they do not select results in 404 for all methods but
// OPTIONS. With entity tags ([httpapi.Options].ETags), reads have If-None-Match and 304, and
// the writes of records whose tags the collection can compare have If-Match and 412.
//
// A POST, a PUT and a PATCH have bodies of their own: New, the name of a record, and that
// name with Update or Patch appended, such as NewFilm, FilmUpdate and FilmPatch. Only a
// POST has defaults, and a PATCH requires nothing. These bodies have the rules for new
// values, such as a minimum. Stored records do not, because they may have been loaded.
//
// The document describes requests as they should be sent. The handler accepts more: it
// also accepts names in snake_case and numbers in strings, and ignores unknown
// orderings. The values of ordering are listed if they follow from a type or a
// description, but not if they depend on the stored records. Filters of numbers are
// strings, because they may have a point or an exponent whatever the kind of the field.
//
// The document is deterministic: equal handlers and options result in equal bytes. It
// does not describe authorization, except for the scheme in [Options.Scheme], and that
// reads need no credentials unless [httpapi.Options.AuthorizeReads] is set.
//
// # Versions
//
// The document is written in OpenAPI 3.1, or for tools that need it in 3.0, see
// [Options.OpenAPI]. The versions differ in the schemas only:
//
//	              3.1                                3.0
//	null          "oneOf": [{…}, {"type": "null"}]   "nullable": true
//	base64        "contentEncoding": "base64"        "format": "byte"
//
// Some facts are written in the form that most tools understand. The default of a list or
// of any value is in the description, because ogen generates no operation with such a default. The schema
// FieldErrors describes both the errors by field and a detail, instead of alternatives.
// The directory examples/openapi lists the tools that accept the document.
package openapi
