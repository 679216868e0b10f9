package catalogue_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// An edition is a record with a field for each way in which values compare.
type edition struct {
	ID       int             `json:"id"`
	Pages    int             `json:"pages"`
	Floor    int8            `json:"floor"`
	Barcode  uint64          `json:"barcode"`
	Weight   float64         `json:"weight"`
	InPrint  bool            `json:"inPrint"`
	Title    string          `json:"title"`
	Status   status          `json:"status"`
	Subtitle *string         `json:"subtitle"`
	Volume   *int            `json:"volume"`
	Printed  time.Time       `json:"printedAt"`
	Released schema.DateTime `json:"releasedAt"`
	Sold     moment          `json:"soldAt"`
	Topics   []string        `json:"topics"`
	Format   format          `json:"format"`
	Cover    *format         `json:"cover"`
	Grade    grade           `json:"grade"`
	Author   string          `json:"author"` // compares without case; see editionKeys
	Price    string          `json:"price"`  // compares as a decimal
}

type (
	// A status is text of a named type.
	status string
	// A moment is a struct that embeds a time.
	moment struct{ time.Time }
	// A format compares by its area.
	format struct {
		Width  int8 `json:"width"`
		Height int8 `json:"height"`
	}
	// A grade compares as a number if it is one of two words. The empty one is null.
	grade string
)

func (f format) OrderingKey() int64 { return int64(f.Width) * int64(f.Height) }

func (g grade) OrderingKey() ordering.Key {
	switch g {
	case "":
		return ordering.Null()
	case "good":
		return ordering.Int(1)
	case "fair":
		return ordering.Int(2)
	}
	return ordering.Text(string(g))
}

// editionKeys returns the key functions of a collection of editions.
func editionKeys() []ordering.KeyFunc {
	return []ordering.KeyFunc{
		ordering.FieldKey("author", func(s string) ordering.Key { return ordering.Text(strings.ToLower(s)) }),
		ordering.FieldKey("price", ordering.Decimal),
	}
}

// The values of editions. There are few, so that many records are equal in a field.
var (
	titles = []string{"", "a", "A", "ab", "abc", "a\x00", "a\x00b", "b", "é", "éa", "日", "日本", "\U0010ffff", "\U0010ffff\U0010ffff"}
	prices = []string{"12.00", "12", "1.2e1", "0012.5", "+12.50", " 12 ", "-0.5", "-0", "00", "1e400", "7", "free", "n/a", "", ".5", "12.", "1,5"}
	states = []status{"", "draft", "released", "out of print"}
	grades = []grade{"", "good", "fair", "poor", "bad"}
	people = []string{"Anna", "anna", "ANNA", "Anna B", "Émile", "émile", "Bruno", "İda", ""}
	stocks = []float64{0, math.Copysign(0, -1), 0.1, 0.5, 1, -1.5, 1 << 53, 1<<53 + 2, 1e300, 5e-324}
	codes  = []uint64{0, 1, 7, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64 - 1, math.MaxUint64}
	topics = [][]string{nil, {}, {"a"}, {"a", "b"}, {"a", ""}, {"b"}, {""}, {"a\x00"}}
)

func randomEdition(rng *rand.Rand) edition {
	e := edition{
		Pages:   randomInt(rng),
		Floor:   pick[int8](rng, -128, -1, 0, 1, 2, 127),
		Barcode: pick(rng, codes...),
		Weight:  pick(rng, stocks...),
		InPrint: rng.IntN(2) == 0,
		Title:   pick(rng, titles...),
		Status:  pick(rng, states...),
		Printed: randomTime(rng), Released: schema.At(randomTime(rng)), Sold: moment{randomTime(rng)},
		Topics: slices.Clone(pick(rng, topics...)),
		Format: randomFormat(rng),
		Grade:  pick(rng, grades...),
		Author: pick(rng, people...),
		Price:  pick(rng, prices...),
	}
	if rng.IntN(3) > 0 {
		e.Subtitle = ptr(pick(rng, titles...))
	}
	if rng.IntN(3) > 0 {
		e.Volume = ptr(rng.IntN(5))
	}
	if rng.IntN(3) > 0 {
		e.Cover = ptr(randomFormat(rng))
	}
	return e
}

func randomFormat(rng *rand.Rand) format {
	return format{int8(rng.IntN(4)), int8(rng.IntN(4) - 1)}
}

// editionValues returns the values by which an edition compares.
func editionValues(e *edition) map[string]value {
	return map[string]value{
		"pages":       intOf(int64(e.Pages)),
		"floor":       intOf(int64(e.Floor)),
		"barcode":     uintOf(e.Barcode),
		"weight":      floatOf(e.Weight),
		"in_print":    boolOf(e.InPrint),
		"title":       textOf(e.Title),
		"status":      textOf(string(e.Status)),
		"subtitle":    orNull(e.Subtitle, textOf),
		"volume":      orNull(e.Volume, func(n int) value { return intOf(int64(n)) }),
		"printed_at":  instantOf(e.Printed),
		"released_at": intOf(e.Released.UnixMicro()),
		"sold_at":     instantOf(e.Sold.Time),
		"topics":      textsOf(e.Topics),
		"format":      areaOf(e.Format),
		"cover":       orNull(e.Cover, areaOf),
		"grade":       gradeOf(e.Grade),
		"author":      textOf(strings.ToLower(e.Author)),
		"price":       decimalOf(e.Price),
	}
}

func orNull[V any](p *V, of func(V) value) value {
	if p == nil {
		return null()
	}
	return of(*p)
}

func uintOf(u uint64) value {
	return value{kind: isNumber, num: new(big.Rat).SetInt(new(big.Int).SetUint64(u))}
}

func textsOf(list []string) value {
	if list == nil {
		return null()
	}
	v := value{kind: isList}
	for _, s := range list {
		v.list = append(v.list, textOf(s))
	}
	return v
}

func areaOf(f format) value { return intOf(int64(f.Width) * int64(f.Height)) }

func gradeOf(g grade) value {
	if g == "" {
		return null()
	}
	if n := slices.Index([]grade{"good", "fair"}, g); n >= 0 {
		return intOf(int64(n + 1))
	}
	return textOf(string(g))
}

var decimalForm = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// decimalOf returns the number that a text contains, or the text if it contains none.
func decimalOf(s string) value {
	digits := strings.TrimSpace(s)
	if !decimalForm.MatchString(digits) {
		return textOf(s)
	}
	num, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic("not a number: " + s)
	}
	return value{kind: isNumber, num: num}
}

func equalEditions(a, b *edition) bool {
	return a.ID == b.ID && a.Pages == b.Pages && a.Floor == b.Floor && a.Barcode == b.Barcode &&
		math.Float64bits(a.Weight) == math.Float64bits(b.Weight) && a.InPrint == b.InPrint && a.Title == b.Title &&
		a.Status == b.Status && samePtr(a.Subtitle, b.Subtitle) && samePtr(a.Volume, b.Volume) &&
		sameTime(a.Printed, b.Printed) && sameTime(a.Released.Time, b.Released.Time) && sameTime(a.Sold.Time, b.Sold.Time) &&
		(a.Topics == nil) == (b.Topics == nil) && slices.Equal(a.Topics, b.Topics) && a.Format == b.Format &&
		samePtr(a.Cover, b.Cover) && a.Grade == b.Grade && a.Author == b.Author && a.Price == b.Price
}

// sameTime reports whether two times are the same instant with the same offset.
func sameTime(a, b time.Time) bool {
	_, x := a.Zone()
	_, y := b.Zone()
	return a.Equal(b) && x == y
}

var editionFields = []string{
	"id", "pages", "floor", "barcode", "weight", "in_print", "title", "status", "subtitle", "volume", "printed_at",
	"released_at", "sold_at", "topics", "format", "cover", "grade", "author", "price",
}

var editionType = recordType[edition]{
	fields: editionFields,
	random: randomEdition,
	id:     func(e *edition) *int { return &e.ID },
	values: editionValues,
	encode: func(e *edition) string { return wireOf(e) },
	parse: func(text string) (e edition, err error) {
		err = json.Unmarshal([]byte(text), &e)
		return e, err
	},
	equal: equalEditions,
	names: func([]*edition) []string { return editionFields },
}
