// Package catalogue keeps collections of records in memory. Records have a Go type, can be ordered
// by any of their fields, and are read in pages at any offset with an exact count. A [Collection]
// holds the records of one type:
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
// A [Catalogue] is a set of collections with descriptions, which package httpapi serves. [New]
// makes one from definitions:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{
//		Description: &schema.Description{Filters: []string{"year"}, Search: []string{"name"}},
//	})
//
//	c, err := catalogue.New(Directors, Films)
//	films, err := Films.In(c)
//	handler, err := httpapi.New(c, httpapi.Options{})
//
// [schema.DescriptionOf] lists the words of the tag backlist, which makes a field the key, a
// reference, unique, and so on. A collection without a Go type holds open records, [schema.Record],
// which can have any members.
//
// # Concurrency
//
// Collections and catalogues are safe for concurrent use. Each read sees one state, and never waits
// for a writer's work; see [Collection]. A batch, a load, a save, a clone and a snapshot of a
// catalogue affect or read all its collections at one instant.
//
// # Order
//
// Terms and conditions have the snake_case form of a field's name in JSON, such as released_on, or
// that name itself, such as releasedOn. Two members of a record whose names are the same in
// snake_case are an error. A member of an open record whose name would be that of the id, such as
// _id, has only its name in JSON. Package ordering specifies how values compare; null is the
// largest. Records that are equal by all terms are in the order of their ids, in the direction of
// the first term, so -a,b is the exact reverse of a,-b. A repeated field has no effect, and neither
// has a term after the id. Without terms, a collection is in its default order: that of
// [Options].Ordering or, if it is empty, by id.
//
// # Conditions
//
// Where selects the records that satisfy conditions, such as ordering.Equal("slug", "vertigo") or
// ordering.Between("year", 1950, 1959). It is a method of collections, snapshots and batches. The
// [Selection] that it returns is counted, and read in pages or one by one:
//
//	page, err := films.Where(ordering.Less("year", 1960)).Page(pagination.Window{Limit: 21}, ordering.Asc("year"))
//	film, err := films.Where(ordering.Equal("slug", "vertigo")).First()
//	byYear, err := films.Where().All(ordering.Asc("year"))
//
// # Validity
//
// All writes observe [Options].Unique: the sets of fields of which no two records have the same
// values. Whatever else tags and descriptions demand (lengths, bounds, patterns, and rules, which
// are methods Validate or functions) is checked for requests, and for all writes and loads if
// Options.Validate is set.
//
// # References
//
// A field can refer to records of a collection of the catalogue, by their ids or by a unique text:
// [schema.Field].Refers and By. Requests can filter, search and order by the fields of these
// records, as in author__name__icontains. Requests cannot write a reference to a record that does
// not exist. A request that deletes a record is refused, or deletes or changes the records that
// refer to it: [schema.Field].OnDelete. One that changes a unique text changes the references to
// it. Writes from Go and loads do none of this: [Catalogue.Check] finds the references to no record
// that they leave.
//
// # Indexes
//
// The first use of an ordering sorts the records without holding a lock. The result is kept as an
// index, which every write updates. [Options].Indexes declares indexes that are there from the
// beginning. [Selection] describes which queries indexes answer, and INDEXES.md in this directory
// what memory they take and when they are dropped.
//
// # Following changes
//
// A collection with [Options].History keeps its last changes. [Collection.Since] returns those
// after a revision, and [Collection.Changes] waits for more. To follow changes, take a snapshot and
// iterate from its revision. To learn whether anything has changed, compare [Collection.Revision].
//
// # Storage
//
// A catalogue is saved when the program calls [Catalogue.SaveFile]. To have each write on disk
// before it is visible, set a function with [Catalogue.Journal]; examples/durable in the repository
// stores records in a bbolt file. Stored records can be older than the program: EVOLVING.md in this
// directory says what happens when fields are added, renamed or removed.
//
// # Cost
//
// With n records and m indexes, a page is O(log n + limit) at any offset, a count is O(1), and a
// write is O(m log n). [Selection] describes the cost of conditions.
//
// Ten million records of five fields with four indexes take 2.8 GB. On two cores of a rented server
// a page at any offset takes 4 µs and an update 46 µs, but a range in the order of another field
// takes 1.9 s, and one page in a thousand 191 ms beside 1,000 updates a second. BenchmarkLarge
// measures these figures. A program to which they are too slow, or whose records take more than
// half of its memory, needs a database: see examples/postgres in the repository.
package catalogue
