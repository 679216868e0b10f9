package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/core"

// Show returns a definition whose records are shown otherwise than they are stored: a response has, for
// each record, the JSON of the S that f returns, with the members of S in their order. S is a struct as
// [schema.DescribeShown] takes it. [ShowInLists] is for a shorter S in lists. Show is called where the
// catalogue is made, because package variables whose functions name each other do not compile:
//
//	c, err := catalogue.New(catalogue.Show(books, showBook, authors), authors)
//
// A member of S with the name of a stored field has its type and its description. Other members are
// read-only. So is a member whose field has another name in bodies, with the tag write: then a reference
// is read as an object and written as an id. No member is [schema.Field].Hidden. Nil lists are empty.
// Bodies, filters, orders, files and journals have what is stored, and so have reads and writes from Go.
//
// f reads at, a read-only catalogue of the collections of reads, of the instant of the record. Another
// collection is an error. After a write, the instant is that of the write or a later one. f is called
// each time that a record is served and before a request changes it, also by several goroutines at a
// time. Nothing is cached. f must neither change r, which is the stored record, nor write to its catalogue.
// Within f, a query by a reference, as with [ordering.Equal], takes O(log n + records found).
//
// An error or a panic of f fails the request, with 500 in package httpapi, whatever the error wraps. A
// write before it stays. A nil f and an unknown collection are errors of [New].
func Show[T, S any](d Definition[T], f func(at *Catalogue, r *T) (S, error), reads ...AnyDefinition) Definition[T] {
	d.shown = shownAs(f, reads)
	return d
}

// ShowInLists returns a definition whose records are shown in lists as [Show] says, and elsewhere as they
// are without it. The stored fields in S are among those of records.
func ShowInLists[T, S any](d Definition[T], f func(at *Catalogue, r *T) (S, error), reads ...AnyDefinition) Definition[T] {
	d.listed = shownAs(f, reads)
	return d
}

// shownAs returns how records are shown by a function, which New refuses if it is nil.
func shownAs[T, S any](f func(at *Catalogue, r *T) (S, error), reads []AnyDefinition) *core.Shown {
	keys := make([]string, len(reads))
	for i, d := range reads {
		if d != nil {
			keys[i] = d.Key()
		}
	}
	if f == nil {
		return core.ShowAs[T, S](nil, keys)
	}
	return core.ShowAs(func(at *core.Set, r *T) (S, error) { return f(&Catalogue{at}, r) }, keys)
}
