// Package catalogue keeps collections of records in memory. Records have a Go type, can
// be ordered by any of their fields, and are read in pages at any offset with an exact
// count. A [Collection] holds the records of one type:
//
//	type Film struct {
//		ID   int    `json:"id"`
//		Name string `json:"name" backlist:"maxlength=80"`
//		Year int    `json:"year"`
//	}
//
//	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films"})
//	id, err := films.Insert(Film{Name: "Vertigo", Year: 1958})
//	old := films.Where(ordering.Less("year", 1960))
//	page, err := old.Page(pagination.Window{Limit: 21, Offset: 42}, ordering.Desc("year"))
//
// A [Catalogue] is a set of collections with descriptions, for servers. [New] makes one from
// definitions, and package httpapi serves it:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{
//		Description: &schema.Description{Filters: []string{"year"}, Search: []string{"name"}},
//	})
//
//	c, err := catalogue.New(Directors, Films)
//	films, err := Films.In(c)
//	handler, err := httpapi.New(c, httpapi.Options{})
//
// The tag backlist makes a field the key, a reference, unique, and so on: [schema.DescriptionOf]
// lists its words. A collection without a Go type of its own holds open records,
// [schema.Record], which can have any members.
//
// # Concurrency
//
// A Collection is safe for concurrent use. Each read sees one state: every write that
// returned before the read began, and no write that begins after it. A read never waits for a
// writer's work. It takes a lock for microseconds, never while your functions run. Writers of
// one collection take turns. The writes of one batch become visible together or, after an
// error or a panic, not at all.
//
// [Catalogue.Batch] writes to several collections at one instant: a reader that has seen one
// of the writes sees all. [Catalogue.Save], [Catalogue.Clone] and [Catalogue.Snapshot] read
// all collections at one instant. [Catalogue.Load] replaces them at one instant.
//
// # Order
//
// Records can be ordered by every field. Terms and conditions have the snake_case form of its
// name in JSON, such as released_on, or that name itself, such as releasedOn. Two members of a
// record whose names are the same in snake_case are an error, and a member of an open record whose
// name would be that of the id, such as _id, has only its name in JSON. Package
// ordering specifies how values compare; null is the largest. Records that are equal by all
// terms are in the order of their ids, in the direction of the first term, so -a,b is the
// exact reverse of a,-b. A repeated field has no effect, and neither has a term after the id.
// Without terms, a collection is in its default order, which is by id if Options.Ordering is
// empty. A page, its count and its order come from one state.
//
// # Conditions
//
// Where selects the records that satisfy conditions, such as
// ordering.Equal("slug", "vertigo") or ordering.Between("year", 1950, 1959). Without
// conditions it selects all. A [Selection] is counted and read in pages, and has the first
// record, an iterator in any order, and the position of a record:
//
//	page, err := films.Where(ordering.Less("year", 1960)).Page(pagination.Window{Limit: 21}, ordering.Asc("year"))
//	film, err := films.Where(ordering.Equal("slug", "vertigo")).First()
//	byYear, err := films.Where().All(ordering.Asc("year"))
//
// Where is a method of collections, snapshots and batches. Package ordering specifies what
// conditions mean, and [Selection] what they cost.
//
// # Validity
//
// [Options].Unique are sets of fields of which no two records have the same values. All writes
// observe them. What else tags and the description of a collection demand (lengths, bounds,
// patterns, and the program's own rules, which are methods Validate or functions of the
// description) is checked for requests, and for writes of the program and loads if
// [Options].Validate is set. [schema.Description.Rule] says what a rule may do.
//
// # References
//
// A field can refer to records of a collection of the catalogue, by their ids or by a unique
// text: [schema.Field].Refers and By. Requests can filter, search and order by the fields of
// these records, as in author__name__icontains; such a page shows one instant of all collections
// involved. Requests cannot write a reference to a record that does not exist. A request that
// deletes a record is refused, or deletes or changes the records that refer to it, depending on
// [schema.Field].OnDelete. A request that changes a unique text changes the references to it.
// Everything that a request changes becomes visible at one instant. Writes from Go and loads do
// none of this: [Catalogue.Check] finds the references to no record that they leave, and
// [LoadOptions].References refuses a load that would leave any.
//
// # Indexes
//
// The first use of an ordering sorts the records without holding a lock. The result is kept as an
// index, which every write updates. Queries with conditions are answered by the same indexes, if
// the fields with conditions come first in one. An index that queries miss is built in the
// background, once they have cost as much; no query waits for it. [Options].Indexes declares indexes
// that are there from the beginning. INDEXES.md in this directory says what indexes take, and when
// they are dropped.
//
// # Following changes
//
// A collection with [Options].History keeps its last changes. [Collection.Since] returns the
// changes after a revision, and [Collection.Changes] waits for more. To follow changes, take a
// snapshot and iterate from its revision. A [Change] is the difference that one revision made to
// one record. Writers never wait for callers that follow changes. Callers that fall behind get
// [ErrHistoryTrimmed]. To learn whether anything has changed, compare [Collection.Revision].
//
// # Storage
//
// A catalogue is saved when the program calls [Catalogue.SaveFile]. To have each write on disk
// before it is visible, set a function with [Catalogue.Journal]; examples/durable in the repository
// stores records in a bbolt file. Stored records can be older than the program that loads them:
// fields can be added, renamed ([schema.Field].Formerly) and removed. EVOLVING.md in this directory
// says what happens to each change.
//
// # Cost
//
// With n records and m indexes, a page is O(log n + limit) at any offset, a count is O(1),
// and a write is O(m log n). [Selection] describes the cost of conditions. A snapshot is
// O(1), but the next write copies the tree nodes that it changes. A clone is O(m). A history
// of h changes adds O(log h) for each change.
//
// Ten million records of five fields with four indexes take 279 bytes each, 2.8 GB in all. On two
// cores of a rented server they are loaded from a file in 31 s, a page at any offset takes 4 µs, a
// page of a filter with an order 14 µs, and an update 46 µs. The worst cases grow with the size. One
// page in a thousand takes 42 ms while the garbage collector marks the records, and 191 ms beside
// 1,000 updates a second. A range in the order of another field takes 1.9 s. BenchmarkLarge measures
// these figures. A program to which they are too slow, or whose records take more than half of its
// memory, needs a database: examples/postgres in the repository serves the same definitions.
package catalogue
