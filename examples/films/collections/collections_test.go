package collections

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// TestGenerate checks that generated records are those that a request for them expects: they
// are valid, refer to each other, and are the same in each run.
func TestGenerate(t *testing.T) {
	var saved [2]bytes.Buffer
	for i := range saved {
		cat, err := New()
		if err != nil {
			t.Fatal(err)
		}
		if err := Generate(cat, 2001, nil); err != nil {
			t.Fatal(err)
		}
		if err := cat.Save(&saved[i]); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]int{"directors": 21, "films": 2001, "screenings": 201} {
			c, err := cat.Collection(key)
			if err != nil || c.Count() != want {
				t.Fatalf("%d %s, want %d; %v", c.Count(), key, want, err)
			}
			d := c.Description()
			all, err := c.List(t.Context(), catalogue.Query{})
			if err != nil || len(all.Records) != want {
				t.Fatalf("%d %s are listed; %v", len(all.Records), key, err)
			}
			for _, record := range all.Records {
				if _, err := d.Validate(t.Context(), record, schema.Checks{Find: c.Find}); err != nil {
					t.Fatalf("%s: %s: %v", key, record, err)
				}
			}
		}
	}
	if !bytes.Equal(saved[0].Bytes(), saved[1].Bytes()) {
		t.Error("two runs generate different records")
	}
}

// TestIndexes checks that an index answers the page of the README, its facets, and each order of all
// films and of a genre, so that nothing is sorted for the first request.
func TestIndexes(t *testing.T) {
	cat, err := New()
	if err != nil {
		t.Fatal(err)
	}
	if err := Generate(cat, 2000, nil); err != nil {
		t.Fatal(err)
	}
	c, err := films.In(cat)
	if err != nil {
		t.Fatal(err)
	}
	crime := ordering.OneOf("genre", "crime")
	type view struct {
		films catalogue.Selection[Film]
		order string
	}
	views := []view{{c.Where(crime, ordering.AtLeast("year", 1930)), "-year"}}
	for _, column := range []string{"id", "name", "year", "minutes", "genre", "director"} {
		views = append(views, view{c.Where(crime), column})
	}
	for _, view := range views {
		way, err := view.films.Explain(ordering.Parse(view.order, nil)...)
		if err != nil || !strings.HasSuffix(way, ", in order") || strings.Contains(way, "filtered") {
			t.Errorf("by %s: %s, %v; want an index that has the order", view.order, way, err)
		}
	}
}

// TestDirectorNames checks that a director for each of a hundred thousand has a name of its
// own, as the collection requires.
func TestDirectorNames(t *testing.T) {
	m, names := maker{Rand: rand.New(rand.NewPCG(1, 2))}, make(map[string]bool)
	for id := range 100_000 {
		names[m.director(id+1).Name] = true
	}
	if len(names) != 100_000 {
		t.Errorf("%d names, want 100000", len(names))
	}
}
