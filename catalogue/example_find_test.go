package catalogue_test

import (
	"errors"
	"fmt"
	"math/big"
	"net/netip"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func ExampleCollection_First() {
	books := newBooks()
	dune, err := books.First(ordering.Equal("name", "Dune"))
	if err != nil {
		panic(err)
	}
	fmt.Println(dune.ID, dune.Pages)

	_, err = books.First(ordering.Equal("name", "Persuasion"))
	fmt.Println(errors.Is(err, catalogue.ErrNotFound))
	// Output:
	// 2 412
	// true
}

func ExampleCollection_Where() {
	books := newBooks()
	long := books.Where(ordering.AtLeast("pages", 400), ordering.Less("name", "F"))
	byPages, err := long.Ordered(ordering.Desc("pages"))
	if err != nil {
		panic(err)
	}
	for b := range byPages {
		fmt.Println(b.Name, b.Pages)
	}
	// Output:
	// Emma 474
	// Dune 412
}

func ExampleSelection_Page() {
	books := newBooks()
	long := books.Where(ordering.AtLeast("pages", 400))
	page, err := long.Page(pagination.Window{Limit: 2}, ordering.Asc("name"))
	if err != nil {
		panic(err)
	}
	fmt.Println(page.Count, "books, the first two are")
	for _, b := range page.Records {
		fmt.Println(b.Name)
	}
	// Output:
	// 3 books, the first two are
	// Dune
	// Emma
}

// To show the page that contains a record, find its position first. Both calls use the
// same snapshot, so that no write comes between them.
func ExampleSelection_Position() {
	const limit = 2
	long := newBooks().Snapshot().Where(ordering.AtLeast("pages", 400))
	byName := ordering.Asc("name")

	p, err := long.Position(4, byName)
	if err != nil {
		panic(err)
	}
	page, err := long.Page(pagination.Window{Limit: limit, Offset: p - p%limit}, byName)
	if err != nil {
		panic(err)
	}
	fmt.Println("position", p, "of", page.Count)
	for _, b := range page.Records {
		fmt.Println(b.ID, b.Name)
	}
	// Output:
	// position 2 of 3
	// 4 Ulysses
}

// A batch finds the record with a slug and updates it, or inserts a new one. No other
// write comes between the two.
func ExampleTx_First() {
	type Article struct {
		ID    int    `json:"id"`
		Slug  string `json:"slug"`
		Title string `json:"title"`
	}
	articles, err := catalogue.NewCollection[Article](catalogue.Options{Unique: []string{"slug"}})
	if err != nil {
		panic(err)
	}
	save := func(a Article) error {
		return articles.Batch(func(tx *catalogue.Tx[Article]) error {
			old, err := tx.First(ordering.Equal("slug", a.Slug))
			if err == nil {
				a.ID = old.ID
			} else if !errors.Is(err, catalogue.ErrNotFound) {
				return err
			}
			_, err = tx.Upsert(a)
			return err
		})
	}
	for _, title := range []string{"Draft", "Spring list"} {
		if err := save(Article{Slug: "spring", Title: title}); err != nil {
			panic(err)
		}
	}
	for a := range articles.All() {
		fmt.Println(a.ID, a.Slug, a.Title)
	}
	// Output: 1 spring Spring list
}

func ExampleOptions_unique() {
	type Author struct {
		ID    int     `json:"id"`
		Slug  string  `json:"slug"`
		Email *string `json:"email"` // may be null, which equals nothing
	}
	authors, err := catalogue.NewCollection[Author](catalogue.Options{
		Name:   "authors",
		Unique: []string{"slug", "email"},
	})
	if err != nil {
		panic(err)
	}
	authors.Insert(Author{Slug: "anna"})
	authors.Insert(Author{Slug: "bruno"})
	_, err = authors.Insert(Author{Slug: "anna"})
	fmt.Println(errors.Is(err, catalogue.ErrDuplicate))
	fmt.Println(err)
	// Output:
	// true
	// authors: duplicate value: slug "anna" is that of id 1
}

// A netip.Addr has unexported fields, so the collection needs a function that returns its
// sort key and one that copies it. Without the first, addresses compare as text.
func ExampleOptions_keys() {
	type Server struct {
		ID   int        `json:"id"`
		Addr netip.Addr `json:"addr"`
	}
	servers, err := catalogue.NewCollection[Server](catalogue.Options{
		Keys: []ordering.KeyFunc{ordering.TypeKey(func(a netip.Addr) ordering.Key {
			b := a.As16()
			return ordering.Text(string(b[:]))
		})},
		Clones: []catalogue.CloneFunc{catalogue.CloneWith(func(a netip.Addr) netip.Addr { return a })},
	})
	if err != nil {
		panic(err)
	}
	for _, addr := range []string{"10.0.0.10", "10.0.0.9", "192.168.0.1"} {
		if _, err := servers.Insert(Server{Addr: netip.MustParseAddr(addr)}); err != nil {
			panic(err)
		}
	}
	network := netip.MustParsePrefix("10.0.0.0/24")
	inside, err := servers.Where(
		ordering.AtLeast("addr", network.Addr()),
		ordering.AtMost("addr", netip.MustParseAddr("10.0.0.255")),
	).Ordered(ordering.Asc("addr"))
	if err != nil {
		panic(err)
	}
	for s := range inside {
		fmt.Println(s.Addr)
	}
	// Output:
	// 10.0.0.9
	// 10.0.0.10
}

// A *big.Rat compares by its value, rounded to ten digits after the point.
func ExampleOptions_keysOfPointers() {
	type Share struct {
		ID   int      `json:"id"`
		Part *big.Rat `json:"part"`
	}
	shares, err := catalogue.NewCollection[Share](catalogue.Options{
		Keys: []ordering.KeyFunc{ordering.TypeKey(func(r big.Rat) ordering.Key {
			return ordering.Decimal(r.FloatString(10))
		})},
		Clones: []catalogue.CloneFunc{catalogue.CloneWith(func(r *big.Rat) *big.Rat { return new(big.Rat).Set(r) })},
	})
	if err != nil {
		panic(err)
	}
	for _, part := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 12), nil} {
		if _, err := shares.Insert(Share{Part: part}); err != nil {
			panic(err)
		}
	}
	small, err := shares.Where(ordering.Less("part", big.NewRat(1, 2))).Ordered(ordering.Asc("part"))
	if err != nil {
		panic(err)
	}
	for s := range small {
		fmt.Println(s.Part)
	}
	// Output:
	// 1/12
	// 1/3
}
