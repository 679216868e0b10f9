package main

import (
	"strings"

	"github.com/gobacklist/backlist/catalogue"
)

// fill adds books as Go values, and an author from JSON.
func fill(house *catalogue.Catalogue, books *catalogue.Collection[Book]) error {
	tales := "Tales of the coast"
	err := books.Batch(func(tx *catalogue.Tx[Book]) error {
		for _, b := range []Book{
			{Name: "Onda", Pages: 240, Cents: 1490, Subtitle: &tales, Tags: []string{"sea"}},
			{Name: "Atlante", Pages: 704, Cents: 3500, Tags: []string{"maps", "sea"}},
			{Name: "Brina", Pages: 96, Cents: 990},
		} {
			if _, err := tx.Insert(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return house.Load(strings.NewReader(`{"authors": [{"id": 1, "name": "Anna Serra"}]}`), catalogue.LoadOptions{})
}
