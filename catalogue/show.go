package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/core"

// Show returns a definition whose records are served as f shows them, in place of as they are stored: a
// response is the JSON of the result of f, a struct S. A member of S with the name of a stored field is
// described as that field, any other one is read-only. Requests write, filter and order what is stored.
//
//	books := catalogue.Show(Books, func(at *catalogue.Catalogue, b *Book) (BookShown, error) {
//		authors, err := Authors.In(at)
//		…
//	}, Authors, Reviews)
//
// f reads at, which is read-only and has the collections of reads only, all of the instant of the record.
// It must not modify the record. It is called for each record each time that it is served, also by several
// goroutines at a time, and nothing is cached. Its error, or a panic, is that of the request; after a write
// the write stays.
func Show[T, S any](d Definition[T], f func(at *Catalogue, r *T) (S, error), reads ...AnyDefinition) Definition[T] {
	d.shown = shownAs(f, reads)
	return d
}

// ShowInLists is Show for the records of lists.
func ShowInLists[T, S any](d Definition[T], f func(at *Catalogue, r *T) (S, error), reads ...AnyDefinition) Definition[T] {
	d.listed = shownAs(f, reads)
	return d
}

func shownAs[T, S any](f func(at *Catalogue, r *T) (S, error), reads []AnyDefinition) *core.Shown {
	var keys []string
	for _, d := range reads {
		keys = append(keys, d.Key())
	}
	return core.ShowAs(func(at *core.Set, r *T) (S, error) { return f(&Catalogue{at}, r) }, keys)
}
