// Package openapi describes what a [httpapi.Handler] serves, for tools: an OpenAPI
// 3.1 document of its root and its 39 collections, generated from what the library
// knows of their records, with a program's own types in it.
//
//	handler, err := httpapi.New(house, httpapi.Options{})
//	...
//	document, err := openapi.New(ctx, handler, openapi.Options{Title: "The Shop"})
//	...
//	mux.Handle("/openapi.json", document)
//
// Or, for a file: os.WriteFile("openapi.json", document.JSON(), 0o644).
//
// # Records
//
// Events, labels and social links are described from the fields in package
// resources; open records as objects with an id and any other members; the types
// of a program (catalogue.Typed) by reflection, once, in the way in which
// encoding/json writes them. A collection of the program's own is an object of
// which nothing is known, unless it implements [Typed] or is one of the three.
//
// Of a type with a MarshalJSON of its own nothing is known either: it is described
// as any value.
//
// # What it says
//
// GET of every path with its parameters, POST where the handler takes it, and, for
// tools that look for them, HEAD and OPTIONS, which have the tag metadata. Page
// sizes are those of the handler's options. Requests are described as they should be
// sent, which is narrower than what is taken: names in snake_case and numbers in
// strings are, too, and an unknown ordering is dropped. What can be ordered by is
// listed where it depends on a type, not where it depends on the records there are.
//
// The same handler gives the same bytes. Who may write is the program's affair;
// [Options.Scheme] says by which credentials, if they stand in the header
// Authorization.
package openapi
