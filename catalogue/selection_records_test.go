package catalogue_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
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

func (g grade) OrderingKey() sortkey.Key {
	switch g {
	case "":
		return sortkey.Null()
	case "good":
		return sortkey.Int(1)
	case "fair":
		return sortkey.Int(2)
	}
	return sortkey.Text(string(g))
}

// editionKeys returns the key functions of a collection of editions.
func editionKeys() []ordering.KeyFunc {
	return []ordering.KeyFunc{
		ordering.FieldKey("author", func(s string) sortkey.Key { return sortkey.Text(strings.ToLower(s)) }),
		ordering.FieldKey("price", sortkey.Decimal),
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

// integer returns an integer, and its value as one of several Go types.
func integer(rng *rand.Rand, n int64) (value, any) {
	forms := []any{n, int(n)}
	if int64(int8(n)) == n {
		forms = append(forms, int8(n))
	}
	if n >= 0 {
		forms = append(forms, uint64(n), uint(n))
	}
	return intOf(n), pick(rng, forms...)
}

func drawInteger(rng *rand.Rand) (value, any) {
	if rng.IntN(10) == 0 {
		u := pick(rng, codes...)
		return uintOf(u), u
	}
	return integer(rng, int64(pick(rng, randomInt(rng), rng.IntN(256)-128, rng.IntN(8))))
}

// drawID returns ids of records, of later ones, and numbers that are no ids.
func drawID(rng *rand.Rand) (value, any) {
	if rng.IntN(8) == 0 {
		return drawInteger(rng)
	}
	return integer(rng, int64(rng.IntN(pick(rng, 10, 100, 1000))))
}

func drawFloat(rng *rand.Rand) (value, any) {
	switch rng.IntN(8) {
	case 0:
		return drawInteger(rng)
	case 1:
		huge, _ := new(big.Rat).SetString("1e400") // stands for infinity
		if rng.IntN(2) == 0 {
			return value{kind: isNumber, num: huge}, math.Inf(1)
		}
		return value{kind: isNumber, num: huge.Neg(huge)}, math.Inf(-1)
	case 2:
		return integer(rng, 1<<53+rng.Int64N(3)) // not all are a float64
	}
	f := pick(rng, stocks...)
	return floatOf(f), f
}

func drawTitle(rng *rand.Rand) (value, any) {
	s := pick(rng, titles...) + pick(rng, "", "", "", "", "", "\xff", "\x00")
	return textOf(s), pick[any](rng, s, s, &s, status(s))
}

func drawTime(rng *rand.Rand) (time.Time, any) { t := randomTime(rng); return t, t }

// editionFinds draws conditions on the fields of editions.
var editionFinds = []findField{
	{"id", drawID, nil, []any{"1", 1.5, nil}},
	{"pages", drawInteger, nil, []any{"1", 1.5, true, nil, (*int)(nil), json.Number("1")}},
	{"floor", drawInteger, nil, []any{"1", 1.5, nil}},
	{"barcode", drawInteger, nil, []any{"1", float64(7), nil}},
	{"weight", drawFloat, nil, []any{"1", math.NaN(), false, nil}},
	{"in_print", func(rng *rand.Rand) (value, any) { b := rng.IntN(2) == 0; return boolOf(b), b }, nil, []any{1, "true", nil}},
	{"title", drawTitle, textOf, []any{1, nil, time.Time{}, []string{"a"}}},
	{"status", func(rng *rand.Rand) (value, any) {
		s := pick(rng, states...)
		return textOf(string(s)), pick[any](rng, s, string(s))
	}, textOf, []any{1, nil}},
	{"subtitle", drawTitle, textOf, []any{1, nil, (*string)(nil)}},
	{"volume", func(rng *rand.Rand) (value, any) {
		n := rng.IntN(6) - 1
		v, arg := integer(rng, int64(n))
		return v, pick[any](rng, arg, &n)
	}, nil, []any{"1", (*int)(nil), 0.5}},
	{"printed_at", func(rng *rand.Rand) (value, any) { t, arg := drawTime(rng); return instantOf(t), arg }, nil, []any{"2024-05-10T18:00:00Z", 0, nil}},
	{"released_at", func(rng *rand.Rand) (value, any) {
		t := randomTime(rng)
		return intOf(t.UnixMicro()), pick[any](rng, t, schema.At(t))
	}, nil, []any{"2024-05-10T18:00:00Z", 0, nil}},
	{"sold_at", func(rng *rand.Rand) (value, any) {
		t := randomTime(rng)
		return instantOf(t), pick[any](rng, t, moment{t})
	}, nil, []any{"2024-05-10T18:00:00Z", 0, nil}},
	{"topics", func(rng *rand.Rand) (value, any) { l := pick(rng, topics...); return textsOf(l), l }, nil, []any{"a", []int{1}, nil}},
	{"format", drawFormat, nil, []any{6, nil, [2]int8{1, 2}}},
	{"cover", func(rng *rand.Rand) (value, any) {
		f := randomFormat(rng)
		return areaOf(f), pick[any](rng, f, &f)
	}, nil, []any{6, nil, (*format)(nil)}},
	{"grade", func(rng *rand.Rand) (value, any) { g := pick(rng, grades...); return gradeOf(g), g }, nil, []any{"good", 1, nil}},
	{"author", func(rng *rand.Rand) (value, any) {
		s := pick(rng, people...)
		return textOf(strings.ToLower(s)), s
	}, func(text string) value { return textOf(strings.ToLower(text)) }, []any{status("Anna"), 1, nil}},
	{"price", func(rng *rand.Rand) (value, any) { s := pick(rng, prices...); return decimalOf(s), s }, decimalOf, []any{12, 12.5, nil}},
}

func drawFormat(rng *rand.Rand) (value, any) { f := randomFormat(rng); return areaOf(f), f }

// openFinds draws conditions on the fields of open records.
var openFinds = []findField{
	{"id", drawID, nil, []any{"1", 1.5, nil}},
	{"name", drawJSON, textOf, wrongInOpen},
	{"published_on", drawJSON, textOf, wrongInOpen},
	{"list_price", func(rng *rand.Rand) (value, any) { v, arg := drawJSON(rng); return priceIn(v), arg }, decimalOf, wrongInOpen},
	{"x", drawJSON, textOf, wrongInOpen},
	{"seldom_set", drawJSON, textOf, wrongInOpen},
}

var wrongInOpen = []any{nil, time.Time{}, &time.Time{}, math.NaN(), json.RawMessage("null"), make(chan int)}

// priceIn returns a value of a field that compares text as decimals.
func priceIn(v value) value {
	if v.kind == isText {
		return decimalOf(v.text)
	}
	return v
}

// drawJSON returns a JSON value, and its value as one of several Go types.
func drawJSON(rng *rand.Rand) (value, any) {
	text := pick(rng, pick(rng, openValues...), pick(rng, openTexts...))
	v, forms := jsonOf(text), []any{json.RawMessage(text)}
	switch v.kind {
	case isBool:
		forms = []any{text == "true"}
	case isNumber:
		forms = append(forms, json.Number(text))
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			if exact, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64)); exact.Cmp(v.num) == 0 {
				forms = append(forms, f)
			}
		}
		if v.num.IsInt() && v.num.Num().IsInt64() {
			_, form := integer(rng, v.num.Num().Int64())
			forms = append(forms, form)
		}
	case isText:
		forms = []any{v.text, v.text, status(v.text)}
	case isList, isObject:
		var decoded any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&decoded); err != nil {
			panic(err)
		}
		forms = append(forms, decoded)
	}
	return v, pick(rng, slices.Clip(forms)...)
}

// openTexts are JSON texts that compare as decimals in the field list_price.
var openTexts = []string{`"12.00"`, `"12"`, `"012.0"`, `"-0.5"`, `"7"`, `"free"`, `"a"`, `""`, `"ab"`, `12`, `7.0`, `-0.5`}

// openKeys returns the key functions of a collection of open records.
func openKeys() []ordering.KeyFunc {
	return []ordering.KeyFunc{ordering.FieldKey("list_price", sortkey.Decimal)}
}

// findOpen is the type of open records for conditions. A record can have two members for
// the field published_on: the one whose name is its camelCase form counts.
var findOpen = func() recordType[schema.Record] {
	typ := openType
	typ.random = randomFindOpen
	typ.values = findOpenValues
	typ.names = func(records []*schema.Record) []string {
		names := []string{"id"}
		for _, r := range records {
			for member := range r.All() {
				name := openFields[member]
				if member == "published_on" {
					name = member
				}
				if name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	return typ
}()

func randomFindOpen(rng *rand.Rand) schema.Record {
	var members []string
	for _, m := range []string{"published_on", "name", "publishedOn", "listPrice", "x", "seldomSet"} {
		if rng.IntN(4) == 0 || m == "seldomSet" && rng.IntN(40) > 0 || m == "published_on" && rng.IntN(4) > 0 {
			continue
		}
		members = append(members, fmt.Sprintf("%q:%s", m, pick(rng, pick(rng, openValues...), pick(rng, openTexts...))))
	}
	rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return mustRecord("{" + strings.Join(members, ",") + "}")
}

func findOpenValues(r *schema.Record) map[string]value {
	values := map[string]value{}
	for member, text := range r.All() {
		if field := openFields[member]; field != "" {
			values[field] = jsonOf(text)
		}
	}
	if text, ok := r.Get("published_on"); ok {
		if _, found := values["published_on"]; !found {
			values["published_on"] = jsonOf(text)
		}
	}
	if v, ok := values["list_price"]; ok {
		values["list_price"] = priceIn(v)
	}
	return values
}
