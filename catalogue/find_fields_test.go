package catalogue_test

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

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
