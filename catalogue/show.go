package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/core"

// Show returns a definition whose records are shown otherwise than they are stored: what is served of a
// record is the JSON of the S that f returns for it, in the order of the members of S. S is a struct, of
// which [schema.DescriptionOf] says what it can have. [ShowInLists] is for a shorter S in lists.
//
// A member of S with the name of a stored field is described as that field and has its type. All others
// are read-only, and also one whose field has another name in bodies, with the tag write: then a reference
// is read as an object and written as an id. No member is [schema.Field].Hidden. Nil lists are empty.
// Bodies, filters, orders, files and journals have what is stored, and so has Go.
//
// f reads at, a read-only catalogue of the collections of reads, in the state that the record has been read
// from; another collection is an error. After a write that is the state after the write, or a later one. f is
// called each time a record is served, at most once for a response to a request for a record, and by several
// goroutines at a time; nothing is cached. It must neither change r, which is the stored record, nor write
// to its catalogue. A query by a reference, as by [ordering.Equal], takes O(log n + records found).
//
// An error of f is one of the request, which it fails, whatever it wraps: a 500 of package httpapi. After a
// write, the write stays. So does a panic. A nil f and unknown collections are errors of [New].
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
