// Package store implements the engine of a collection: it keeps entries in
// trees, makes writes visible and synchronizes readers with writers. It does not
// depend on the type of the records or on their JSON form.
//
// # States
//
// A [State] has a tree of all entries by id and an index for each ordering in
// use. The items of an index hold the sort key inline. A [Store] publishes one
// state at a time. A short read pins the published state ([Store.Page],
// [Store.Get]). Anything that needs a state after a call returns freezes it
// ([Store.Current], [Freeze], the build of an index). A frozen state never
// changes again.
//
// # Writes
//
// A writer holds the writers' mutex. It first does everything that can fail or
// that runs callbacks: it checks and copies the record, computes its
// keys in all indexes, and calls the journal. It then holds the state mutex for a step
// that is bounded and cannot fail: it changes all trees, in place if no reader can be using
// the published state and in a fork of that state otherwise, and publishes the
// result. A batch of several stores holds the mutexes of all, in the order of their
// catalogue, and withdraws all states before it publishes the first. A larger batch
// changes forks of all trees without holding the state mutex and locks it only to publish
// them. A reader never waits longer for a writer than that step takes.
//
// # Reads
//
// A page refers to arrays of entries where its index has them (see parts), and is read
// from the tree otherwise. The first read of an ordering builds its index without
// holding a lock; meanwhile writers record the changes that the index misses.
//
// # Conditions
//
// A condition is a list of key ranges of a field. An index in which the fields with
// conditions come first has the entries that satisfy them at consecutive positions, which
// binary searches find: a route. If what is left of the index is the order of the query, the
// page and the count follow from the positions. If conditions permit several values, there is
// a run for each, and the runs are merged (see mergedRuns). Otherwise a plan reads the
// route with the fewest entries, filters them by the other conditions and sorts them, and
// the query adds to the demand for the index that would have answered it. Queries of a
// batch read its draft, a fork of the published state with the changes made so far.
package store
