package main

import "github.com/tidwall/btree"

// mapFinder has a map from slug to book. It finds books by slug only.
type mapFinder struct {
	finder // nil
	books  map[string]*book
}

func newMapFinder() finder { return &mapFinder{books: map[string]*book{}} }

func (f *mapFinder) name() string { return "map" }

func (f *mapFinder) load(books []book) {
	for _, b := range stored(books) {
		f.books[b.Slug] = b
	}
}

func (f *mapFinder) update(b *book) {
	fresh := *b
	f.books[b.Slug] = &fresh
}

func (f *mapFinder) lookup(slug string) (b book, ok bool) {
	if found := f.books[slug]; found != nil {
		return *found, true
	}
	return b, false
}

func (f *mapFinder) peek(slug string) (id int) {
	if found := f.books[slug]; found != nil {
		return found.ID
	}
	return 0
}

// keyedFinder has a bare B-tree from slug to book. Its nodes hold the slugs, so a descent
// does not follow a pointer to each book. It finds books by slug only.
type keyedFinder struct {
	finder // nil
	books  btree.Map[string, *book]
}

func newKeyedFinder() finder { return &keyedFinder{} }

func (f *keyedFinder) name() string { return "keyed" }

func (f *keyedFinder) load(books []book) {
	for _, b := range stored(books) {
		f.books.Set(b.Slug, b)
	}
}

func (f *keyedFinder) update(b *book) {
	fresh := *b
	f.books.Set(b.Slug, &fresh)
}

func (f *keyedFinder) lookup(slug string) (b book, ok bool) {
	if found, ok := f.books.Get(slug); ok {
		return *found, true
	}
	return b, false
}

func (f *keyedFinder) peek(slug string) (id int) {
	if found, ok := f.books.Get(slug); ok {
		return found.ID
	}
	return 0
}

func (f *mapFinder) close()   {}
func (f *keyedFinder) close() {}
