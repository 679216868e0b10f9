package readme

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

func followEvents(ctx context.Context, house *catalogue.Catalogue) error {
	start := house.Events().Snapshot()
	for e := range start.All() {
		fmt.Println(e.ID, e.Name)
	}
	for ch, err := range house.Events().Changes(ctx, start.Revision()) { // waits for more
		if err != nil {
			return err // ctx's, or catalogue.ErrHistory: begin again
		}
		fmt.Println(ch.Kind, ch.ID, ch.Record().Name)
	}
	return nil
}

func Example_feed() {
	house, err := catalogue.NewWith(catalogue.Define[resources.Event]("events", catalogue.Options{History: 10_000}))
	if err != nil {
		log.Fatal(err)
	}

	start := resources.At(time.Date(2026, 5, 10, 18, 0, 0, 0, time.UTC))
	if _, err := house.Events().Insert(resources.Event{Name: "Reading", StartDate: start, EndDate: start}); err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(errors.Is(followEvents(ctx, house), context.Canceled))
	// Output:
	// 1 Reading
	// true
}
