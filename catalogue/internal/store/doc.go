// Package store is the engine of a collection: trees of entries, how they become
// visible, and who waits for whom. It knows neither the type of the records nor
// their JSON.
//
// # State
//
// A [State] has a tree of all entries by id and an index for each ordering in
// use, whose items hold the sort key inline. The state that a [Store] publishes is
// the live one. A short read pins it ([Store.Page], [Store.Get]). What outlives
// a call marks it as handed out ([Store.Current], [Freeze], a build), and a
// state that is handed out never changes again.
//
// # Writes
//
// A writer holds the writers' mutex. It first does all that can fail or that
// runs the program's code: it checks and copies the record and computes the keys
// of every index. Then it holds the state mutex for a step that is bounded
// and cannot fail: it makes the change in all trees, in the published state
// if nobody can be reading that, else in a fork, and publishes the result. Larger batches
// work on forks off the state mutex. A reader never waits for more than that step.
//
// # Reads
//
// A page is read from arrays of entries where its index has them (see parts), else from
// the tree. The first read by an ordering has its index built off every lock,
// while writers note what the index misses.
package store
