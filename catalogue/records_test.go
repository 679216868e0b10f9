package catalogue_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A product is a record with fields of many types.
type product struct {
	ID    int       `json:"id"`
	Name  string    `json:"name"`
	Stock int       `json:"stockLevel"`
	Live  bool      `json:"live"`
	Note  *string   `json:"note"`
	Rank  *int      `json:"rank"`
	Price float64   `json:"price"`
	At    time.Time `json:"publishedAt"`
	Tags  []int     `json:"tags"`
	Words []string  `json:"words"`
	Extra any       `json:"extra"`
}

var productFields = []string{
	"id", "name", "stock_level", "live", "note", "rank", "price", "published_at", "tags", "words", "extra",
}

func pick[V any](rng *rand.Rand, of ...V) V { return of[rng.IntN(len(of))] }

func ptr[V any](v V) *V { return &v }

func randomText(rng *rand.Rand) string {
	return pick(rng, "", "a", "a", "a\x00", "a\x00b", "ab", "b", "B", "<b>&", "é", "日本", "\U0010ffff", "a\x01", "\u2028")
}

func randomInt(rng *rand.Rand) int {
	return pick(rng, 0, 0, 1, 1, -1, 2, 10, math.MaxInt, math.MinInt, math.MaxInt-1, 256, -256)
}

// randomTime returns one of few times. Some are the same instant with different offsets,
// and some differ by less than a microsecond.
func randomTime(rng *rand.Rand) time.Time {
	t := pick(rng, time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9998, 12, 31, 0, 0, 0, 0, time.UTC))
	t = t.Add(pick(rng, 0, 0, 1, 999, time.Microsecond, time.Second))
	if t.Year() > 1 {
		t = t.In(time.FixedZone("", pick(rng, 0, 7200, -18000)))
	}
	return t
}

func randomAny(rng *rand.Rand) any {
	switch rng.IntN(12) {
	case 0, 1:
		return nil
	case 2:
		return rng.IntN(2) == 0
	case 3, 4:
		return pick(rng, 0.0, 1.0, -1.5, 1e300)
	case 5:
		return rng.IntN(3)
	case 6, 7:
		return randomText(rng)
	case 8:
		return []any{}
	case 9:
		return []any{1.0, pick[any](rng, "a", nil, true, 2.0)}
	case 10:
		return map[string]any{}
	}
	return map[string]any{"a": pick[any](rng, 1.0, "x", []any{nil}), "b": nil}
}

func productID(p *product) *int { return &p.ID }

func randomProduct(rng *rand.Rand) product {
	p := product{
		Name:  randomText(rng),
		Stock: randomInt(rng),
		Live:  rng.IntN(2) == 0,
		Price: pick(rng, 0, math.Copysign(0, -1), 1.5, -1.5, 1e300, 5e-324, math.MaxFloat64, -math.MaxFloat64),
		At:    randomTime(rng),
		Extra: randomAny(rng),
	}
	if rng.IntN(3) > 0 {
		p.Note = ptr(randomText(rng))
	}
	if rng.IntN(3) > 0 {
		p.Rank = ptr(randomInt(rng))
	}
	if rng.IntN(4) > 0 {
		p.Tags = []int{}
		for range rng.IntN(3) {
			p.Tags = append(p.Tags, rng.IntN(3)-1)
		}
	}
	if rng.IntN(4) > 0 {
		p.Words = []string{}
		for range rng.IntN(3) {
			p.Words = append(p.Words, pick(rng, "", "a", "a\x00", "ab"))
		}
	}
	return p
}

func mustRecord(text string) schema.Record {
	r, err := schema.ParseRecord([]byte(text))
	if err != nil {
		panic(err)
	}
	return r
}

func products(t testing.TB, n int, opts catalogue.Options) *catalogue.Collection[product] {
	t.Helper()
	c := mustCollection[product](t, opts)
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	for range n {
		_, err := c.Insert(randomProduct(rng))
		must(t, err)
	}
	return c
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
