package catalogue_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

func ExampleCollection_Since() {
	books, err := catalogue.NewCollection[Book](catalogue.Options{Name: "books", History: 3})
	if err != nil {
		panic(err)
	}
	books.Insert(Book{Name: "Emma", Pages: 474})
	books.Insert(Book{Name: "Dune", Pages: 412})

	start := books.Snapshot() // start with the current records
	fmt.Println(start.Count(), "books")
	books.Batch(func(tx *catalogue.Tx[Book]) error {
		tx.Update(1, func(b *Book) error { b.Pages = 480; return nil })
		tx.Update(1, func(b *Book) error { b.Name = "Emma, revised"; return nil })
		return tx.Delete(2)
	})
	changes, now, err := books.Since(start.Revision()) // continue with the changes since
	for _, ch := range changes {
		fmt.Println(ch.Kind, ch.ID, ch.Record().Name, ch.Last)
	}
	fmt.Println(now-start.Revision(), err)

	books.Insert(Book{Name: "Solaris"})
	books.Insert(Book{Name: "Ulysses"})
	_, _, err = books.Since(start.Revision()) // four changes ago; three are kept
	fmt.Println(errors.Is(err, catalogue.ErrHistoryTrimmed), err)
	// Output:
	// 2 books
	// updated 1 Emma, revised false
	// deleted 2  true
	// 1 <nil>
	// true books: history has been trimmed: want changes after revision 2, only those after 3 are kept
}

// Changes can keep a copy of a collection up to date, such as a cache or a search index.
func ExampleCollection_Changes() {
	house, err := catalogue.NewWith(catalogue.Define[schema.Label]("labels", catalogue.Options{History: 1000}))
	if err != nil {
		panic(err)
	}
	labels := house.Labels()
	labels.Insert(schema.Label{Name: "Blue"})

	ctx, stop := context.WithCancel(context.Background())
	show := func(names map[int]string) { // prints the labels once there are two
		if len(names) == 2 {
			fmt.Println(names)
			stop()
		}
	}
	done := make(chan error)
	go func() {
		for {
			names := map[int]string{}
			start := labels.Snapshot()
			for l := range start.All() {
				names[l.ID] = l.Name
			}
			show(names)
			for ch, err := range labels.Changes(ctx, start.Revision()) {
				if errors.Is(err, catalogue.ErrHistoryTrimmed) {
					break // fell behind: start again with a snapshot
				} else if err != nil {
					done <- err
					return
				}
				if names[ch.ID] = ch.Record().Name; ch.Kind == catalogue.Deleted {
					delete(names, ch.ID)
				}
				if ch.Last {
					show(names)
				}
			}
		}
	}()
	labels.Insert(schema.Label{Name: "Red"})
	fmt.Println(<-done)
	// Output:
	// map[1:Blue 2:Red]
	// context canceled
}

func ExampleChange_JSON() {
	carts, err := catalogue.NewCollection[schema.Record](catalogue.Options{Name: "carts", History: 10})
	if err != nil {
		panic(err)
	}
	cart, _ := schema.ParseRecord([]byte(`{"total": 12.50}`))
	id, _ := carts.Insert(cart)
	carts.Delete(id)

	changes, _, _ := carts.Since(0)
	for _, ch := range changes { // for example, as server-sent events
		data, _ := ch.JSON()
		fmt.Printf("id: %d\nevent: %v %d\ndata: %s\n", ch.Revision, ch.Kind, ch.ID, data)
	}
	// Output:
	// id: 1
	// event: inserted 1
	// data: {"id":1,"total":12.50}
	// id: 2
	// event: deleted 1
	// data: null
}
