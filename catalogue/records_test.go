package catalogue_test

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

func pick[V any](rng *rand.Rand, of ...V) V { return of[rng.IntN(len(of))] }

func ptr[V any](v V) *V { return &v }

func mustRecord(text string) schema.Record {
	return mustHave(schema.ParseRecord([]byte(text)))
}

// terms returns the terms of an ordering such as "-name,id". Unlike [ordering.Parse] it
// keeps repeated fields.
func terms(text string) []ordering.Term {
	var list []ordering.Term
	for name := range strings.SplitSeq(text, ",") {
		if name == "" {
			continue
		}
		field, desc := strings.CutPrefix(name, "-")
		list = append(list, ordering.Term{Field: field, Desc: desc})
	}
	return list
}

// walked returns the records of a collection, page by page, one on each.
func walked[T any](c *catalogue.Collection[T], by []ordering.Term) (all []T) {
	for token := ""; ; {
		records, next, err := c.Where().PageAfter(token, 1, by...)
		all = append(all, records...)
		if token = next; token == "" || err != nil {
			return mustHave(all, err)
		}
	}
}

// listOf returns all records of a collection in an ordering.
func listOf[T any](c *catalogue.Collection[T], by []ordering.Term) []T {
	return slices.Collect(mustHave(c.Where().All(by...)))
}
