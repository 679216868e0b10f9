package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/btree"
)

// treeFinder has a bare B-tree of pointers for each order. It counts a range by walking
// through it.
type treeFinder struct {
	id, slug, start, title *btree.BTreeG[*book]

	wanted book // used to find a place in a tree without an allocation
}

func compareDay(a, b *book) int {
	if c := cmp.Compare(a.Start, b.Start); c != 0 {
		return c
	}
	return a.ID - b.ID
}

func compareTitle(a, b *book) int {
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return a.ID - b.ID
}

func newTreeFinder() finder {
	tree := func(less func(a, b *book) bool) *btree.BTreeG[*book] {
		return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
	}
	return &treeFinder{
		id:    tree(func(a, b *book) bool { return a.ID < b.ID }),
		slug:  tree(func(a, b *book) bool { return a.Slug < b.Slug }),
		start: tree(func(a, b *book) bool { return compareDay(a, b) < 0 }),
		title: tree(func(a, b *book) bool { return compareTitle(a, b) < 0 }),
	}
}

func (f *treeFinder) name() string { return "btree" }

// load sorts the books for each tree, as the library does.
func (f *treeFinder) load(books []book) {
	all := stored(books)
	for _, b := range all {
		f.id.Load(b)
	}
	for _, o := range []struct {
		tree    *btree.BTreeG[*book]
		compare func(a, b *book) int
	}{
		{f.slug, func(a, b *book) int { return strings.Compare(a.Slug, b.Slug) }},
		{f.start, compareDay},
		{f.title, compareTitle},
	} {
		slices.SortFunc(all, o.compare)
		for _, b := range all {
			o.tree.Load(b)
		}
	}
}

// stored returns copies of books, as a finder keeps them.
func stored(books []book) []*book {
	all := make([]*book, len(books))
	for i, b := range books {
		all[i] = &b
	}
	return all
}

func (f *treeFinder) update(b *book) {
	fresh := *b
	if old, ok := f.id.Set(&fresh); ok && old.Start != b.Start {
		f.start.Delete(old)
	}
	f.slug.Set(&fresh)
	f.start.Set(&fresh)
	f.title.Set(&fresh)
}

func (f *treeFinder) lookup(slug string) (b book, ok bool) {
	f.wanted.Slug = slug
	if found, ok := f.slug.Get(&f.wanted); ok {
		return *found, true
	}
	return b, false
}

func (f *treeFinder) peek(slug string) (id int) {
	f.wanted.Slug = slug
	if found, ok := f.slug.Get(&f.wanted); ok {
		return found.ID
	}
	return 0
}

// at returns the place of the first book of a day.
func (f *treeFinder) at(day int) *book {
	f.wanted.ID, f.wanted.Start = 0, day
	return &f.wanted
}

func (f *treeFinder) count(days span) (n int) {
	f.start.Ascend(f.at(days.from), func(b *book) bool {
		if b.Start >= days.to {
			return false
		}
		n++
		return true
	})
	return n
}

func (f *treeFinder) countAvailable(days span) (n int) {
	f.start.Ascend(f.at(days.from), func(b *book) bool {
		if b.Start >= days.to {
			return false
		}
		if b.Available {
			n++
		}
		return true
	})
	return n
}

// view walks through the range once, for the page and for the count.
func (f *treeFinder) view(p *bookPage, days span, offset int) (count int) {
	p.books = p.books[:0]
	f.start.Ascend(f.at(days.from), func(b *book) bool {
		if b.Start >= days.to {
			return false
		}
		if offset <= count && count < offset+pageSize {
			p.books = append(p.books, b)
		}
		count++
		return true
	})
	return count
}

func (f *treeFinder) copies(days span, offset int) ([]book, int) {
	p := bookPage{books: make([]*book, 0, pageSize)}
	count := f.view(&p, days, offset)
	return copied(p.books), count
}

func copied(books []*book) []book {
	all := make([]book, len(books))
	for i, b := range books {
		all[i] = *b
	}
	return all
}

func (f *treeFinder) countPrefix(prefix string) (n int) {
	f.wanted.ID, f.wanted.Name = 0, prefix
	f.title.Ascend(&f.wanted, func(b *book) bool {
		if !strings.HasPrefix(b.Name, prefix) {
			return false
		}
		n++
		return true
	})
	return n
}

func (f *treeFinder) viewPrefix(p *bookPage, prefix string) (count int) {
	p.books = p.books[:0]
	f.wanted.ID, f.wanted.Name = 0, prefix
	f.title.Ascend(&f.wanted, func(b *book) bool {
		if !strings.HasPrefix(b.Name, prefix) {
			return false
		}
		if count < pageSize {
			p.books = append(p.books, b)
		}
		count++
		return true
	})
	return count
}

func (f *treeFinder) close() {}
