package linearizability_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// TestNoEventWithoutAuthor inserts authors and then events that refer to them, and
// deletes them in reverse order, while the catalogue is repeatedly saved and cloned.
// No copy may have an event without its author. The tests that use porcupine would
// detect such a copy, too, but they check far fewer copies.
func TestNoEventWithoutAuthor(t *testing.T) {
	cat := mustNew()
	authors, err := resources.Records("authors").In(cat)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Now().Add(share(t))
	var group sync.WaitGroup
	repeat := func(f func() error) {
		group.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				if err := f(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 3 {
		var pairs []pair
		repeat(func() (err error) {
			pairs, err = replacePairs(cat, authors, pairs)
			return err
		})
	}
	for range 2 {
		repeat(func() error { return checkSaved(cat) })
	}
	repeat(func() error { return checkCloned(cat) })
	group.Wait()
}

// A pair holds the ids of an author and of the event that refers to it.
type pair struct{ author, event int }

// replacePairs inserts a pair and deletes the oldest if there are more than four.
// It returns the remaining pairs.
func replacePairs(cat *catalogue.Catalogue, authors *catalogue.Collection[schema.Record], pairs []pair) (_ []pair, err error) {
	var p pair
	if p.author, err = authors.Insert(schema.Record{}); err != nil {
		return nil, err
	}
	if p.event, err = mustIn(resources.Events, cat).Insert(resources.Event{Authors: []int{p.author}}); err != nil {
		return nil, err
	}
	if pairs = append(pairs, p); len(pairs) <= 4 {
		return pairs, nil
	}
	if err = mustIn(resources.Events, cat).Delete(pairs[0].event); err == nil {
		err = authors.Delete(pairs[0].author)
	}
	return pairs[1:], err
}

// checkSaved checks that each event of a saved catalogue has its author.
func checkSaved(cat *catalogue.Catalogue) error {
	var data bytes.Buffer
	if err := cat.Save(&data); err != nil {
		return err
	}
	var saved struct {
		Authors []struct{ ID int }
		Events  []struct {
			ID      int
			Authors []int
		}
	}
	if err := json.Unmarshal(data.Bytes(), &saved); err != nil {
		return err
	}
	authors := map[int]bool{}
	for _, author := range saved.Authors {
		authors[author.ID] = true
	}
	for _, event := range saved.Events {
		if !authors[event.Authors[0]] {
			return fmt.Errorf("saved: event %d without its author %d", event.ID, event.Authors[0])
		}
	}
	return nil
}

// checkCloned checks that each event of a clone has its author.
func checkCloned(cat *catalogue.Catalogue) error {
	clone := cat.Clone()
	authors, err := resources.Records("authors").In(clone)
	if err != nil {
		return err
	}
	page, err := mustIn(resources.Events, clone).Page(pagination.Window{Limit: everyRow})
	for _, event := range page.Records {
		if _, err := authors.Get(event.Authors[0]); err != nil {
			return fmt.Errorf("cloned: event %d without its author: %w", event.ID, err)
		}
	}
	return err
}
