package catalogue_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A recordType has the functions that the model needs for one type of record.
type recordType[T any] struct {
	fields  []string // names of the fields, for orderings
	random  func(rng *rand.Rand) T
	invalid func(rng *rand.Rand) (T, bool) // a record without JSON; false if T has none
	id      func(*T) *int
	values  func(*T) map[string]value
	encode  func(*T) string
	parse   func(text string) (T, error)
	equal   func(a, b *T) bool
	names   func(records []*T) []string // what Fields must return
}

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

func invalidProduct(rng *rand.Rand) (product, bool) {
	p := randomProduct(rng)
	switch rng.IntN(6) {
	case 0:
		p.Price = math.NaN()
	case 1:
		p.Price = math.Inf(1)
	case 2:
		p.Name = "a\xff"
	case 3:
		p.Words = []string{"a", "\xc3"}
	case 4:
		p.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	case 5:
		p.Extra = []any{make(chan int)}
	}
	return p, true
}

func productValues(p *product) map[string]value {
	v := map[string]value{
		"name":         textOf(p.Name),
		"stock_level":  intOf(int64(p.Stock)),
		"live":         boolOf(p.Live),
		"price":        floatOf(p.Price),
		"published_at": instantOf(p.At),
		"extra":        jsonOf(wireOf(p.Extra)),
	}
	if p.Note != nil {
		v["note"] = textOf(*p.Note)
	}
	if p.Rank != nil {
		v["rank"] = intOf(int64(*p.Rank))
	}
	if p.Tags != nil {
		list := value{kind: isList}
		for _, tag := range p.Tags {
			list.list = append(list.list, intOf(int64(tag)))
		}
		v["tags"] = list
	}
	if p.Words != nil {
		list := value{kind: isList}
		for _, word := range p.Words {
			list.list = append(list.list, textOf(word))
		}
		v["words"] = list
	}
	return v
}

// instantOf returns the number of nanoseconds between the year 1 and t, which may
// overflow an int64.
func instantOf(t time.Time) value {
	start := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	nanos := big.NewInt(t.Unix() - start.Unix())
	nanos.Mul(nanos, big.NewInt(1_000_000_000))
	nanos.Add(nanos, big.NewInt(int64(t.Nanosecond())))
	return value{kind: isNumber, num: new(big.Rat).SetInt(nanos)}
}

func equalProducts(a, b *product) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Stock == b.Stock && a.Live == b.Live && a.Price == b.Price &&
		math.Signbit(a.Price) == math.Signbit(b.Price) && samePtr(a.Note, b.Note) && samePtr(a.Rank, b.Rank) &&
		a.At.Equal(b.At) && a.At.Format(time.RFC3339) == b.At.Format(time.RFC3339) &&
		(a.Tags == nil) == (b.Tags == nil) && slices.Equal(a.Tags, b.Tags) &&
		(a.Words == nil) == (b.Words == nil) && slices.Equal(a.Words, b.Words) && reflect.DeepEqual(a.Extra, b.Extra)
}

func samePtr[V comparable](a, b *V) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

var productType = recordType[product]{
	fields:  productFields,
	random:  randomProduct,
	invalid: invalidProduct,
	id:      func(p *product) *int { return &p.ID },
	values:  productValues,
	encode:  func(p *product) string { return wireOf(p) },
	parse: func(text string) (p product, err error) {
		err = json.Unmarshal([]byte(text), &p)
		return p, err
	},
	equal: equalProducts,
	names: func([]*product) []string { return productFields },
}

// openMembers are the members of open records, and openFields their names in orderings.
// Few records have the member seldomSet, so that the field comes and goes.
var (
	openMembers = []string{"name", "publishedOn", "listPrice", "x", "seldomSet"}
	openFields  = map[string]string{
		"name": "name", "publishedOn": "published_on", "listPrice": "list_price", "x": "x", "seldomSet": "seldom_set",
	}
)

// openValues are JSON values as the service writes them. Many of them are equal.
var openValues = []string{
	`true`, `false`, `0`, `-0`, `1`, `1.0`, `10e-1`, `100E-2`, `1e400`, `1E+400`, `-1e400`, `1e-400`, `0.1`, `0.10`,
	`123456789012345678901234567890`, `12345678901234567890123456789.5`, `-5`, `9007199254740993`, `9007199254740992`,
	`9007199254740992.0`, `""`, `"a"`, `"a\u0000"`, `"a\u0000b"`, `"ab"`, `"é"`, `"10"`, `"<b>&"`, `"\u2028"`, `[]`, `[1]`, `[1.0]`,
	`[1,2]`, `[10e-1,2]`, `["a"]`, `["a",""]`, `[null]`, `[[]]`, `[[1],0]`, `[true]`, `[{}]`, `{}`, `{"a":1}`,
	`{"a":1.0}`, `{"a":10}`, `{"b":[]}`, `null`,
}

func randomOpen(rng *rand.Rand) schema.Record {
	var members []string
	for _, m := range openMembers {
		if rng.IntN(5) == 0 || m == "seldomSet" && rng.IntN(40) > 0 {
			continue
		}
		members = append(members, fmt.Sprintf("%q:%s", m, pick(rng, openValues...)))
	}
	return mustRecord("{" + strings.Join(members, ",") + "}")
}

func mustRecord(text string) schema.Record {
	r, err := schema.ParseRecord([]byte(text))
	if err != nil {
		panic(err)
	}
	return r
}

func openNames(records []*schema.Record) []string {
	names := []string{"id"}
	for _, r := range records {
		for member := range r.All() {
			if name := openFields[member]; name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

var openType = recordType[schema.Record]{
	fields:  []string{"id", "name", "published_on", "list_price", "x", "seldom_set"},
	random:  randomOpen,
	invalid: func(*rand.Rand) (r schema.Record, ok bool) { return r, false },
	id:      func(r *schema.Record) *int { return &r.ID },
	values: func(r *schema.Record) map[string]value {
		values := map[string]value{}
		for member, text := range r.All() {
			if member != "id" {
				values[openFields[member]] = jsonOf(text)
			}
		}
		return values
	},
	encode: func(r *schema.Record) string { return r.String() },
	parse:  func(text string) (schema.Record, error) { return schema.ParseRecord([]byte(text)) },
	equal:  func(a, b *schema.Record) bool { return a.String() == b.String() },
	names:  openNames,
}

// products returns a collection of n random products.
func products(t testing.TB, n int, opts catalogue.Options) *catalogue.Collection[product] {
	t.Helper()
	c, err := catalogue.NewCollection[product](opts)
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	for range n {
		if _, err := c.Insert(randomProduct(rng)); err != nil {
			t.Fatal(err)
		}
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

// orderings returns all orderings of one to n of the fields, in both directions.
func orderings(fields []string, n int) [][]ordering.Term {
	all := [][]ordering.Term{nil}
	for from := 0; n > 0; n-- {
		to := len(all)
		for _, head := range all[from:to] {
			for _, f := range fields {
				if slices.ContainsFunc(head, func(t ordering.Term) bool { return t.Field == f }) {
					continue
				}
				all = append(all, append(slices.Clip(head), ordering.Asc(f)), append(slices.Clip(head), ordering.Desc(f)))
			}
		}
		from = to
	}
	return all[1:]
}
