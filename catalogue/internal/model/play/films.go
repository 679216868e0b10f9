package play

import (
	"math"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Film has a field for each way in which values compare.
type Film struct {
	ID         int              `json:"id"`
	Title      string           `json:"title"`
	Tagline    *string          `json:"tagline"`
	Year       int              `json:"year"`
	Reels      int8             `json:"reels"`
	Barcode    uint64           `json:"barcode"`
	Rating     *float64         `json:"rating"`
	Color      bool             `json:"color"`
	Genre      genre            `json:"genre"`
	PremiereAt time.Time        `json:"premiereAt"`
	ReleasedAt *schema.DateTime `json:"releasedAt"`
	Tags       []string         `json:"tags"`
	Format     format           `json:"format"`
	Poster     *format          `json:"poster"`
	Credits    map[string]int   `json:"credits"`
	Director   string           `json:"director" backlist:"fold"`
	Price      string           `json:"price" backlist:"decimal=20.2"`
}

type (
	genre string
	// A format compares by its area.
	format struct {
		Width  int64 `json:"width"`
		Height int   `json:"height"`
	}
)

// OrderingKey returns the area.
func (f format) OrderingKey() int64 { return f.Width * int64(f.Height) }

const (
	texts  = `"" "a" "A" "ab" "abc" "a\u0000" "a\u0000b" "b" "é" "éa" "日" "日本" "\U0010ffff"`
	prices = `"12.00" "12" "1.2e1" "0012.5" "+12.50" "-0.5" "-0" "00" "1e400" "7" "free" "" ".5" "12." "1,5"`
	sizes  = `{"width":0,"height":3} {"width":2,"height":3} {"width":3,"height":2} {"width":1,"height":6}
		{"width":-1,"height":2}`
	times = `"2024-05-10T18:00:00Z" "2024-05-10T20:00:00+02:00" "2024-05-10T18:00:00.000001Z"
		"1969-12-31T23:59:59Z" "2024-11-01T00:00:00Z"`
)

func values(text string) []string {
	return strings.Fields(strings.ReplaceAll(text, `\U0010ffff`, "\U0010ffff"))
}

// sides returns the fields of a format.
func sides(of string) []model.Field {
	return []model.Field{
		{Name: of + "__width", Member: "width", Like: "0", Values: values("-1 0 1 2 3")},
		{Name: of + "__height", Member: "height", Like: "0", Values: values("2 3 6 7")},
	}
}

// Films returns the model of a collection of films.
func Films() *model.Config {
	names := `"Anna" "anna" "ANNA" "Anna-B" "Émile" "émile" "Bruno" ""`
	return &model.Config{Invalid: true, Fields: []model.Field{
		{Name: "title", Member: "title", Zero: `""`, Like: `""`, Values: values(texts)},
		{Name: "tagline", Member: "tagline", Zero: "null", Like: `""`, Values: values("null " + texts)},
		{Name: "year", Member: "year", Zero: "0", Like: "0",
			Values: values("1939 1948 1958 1958 1960 -7 0 9223372036854775807")},
		{Name: "reels", Member: "reels", Zero: "0", Like: "0", Values: values("-128 -1 0 1 2 127")},
		{Name: "barcode", Member: "barcode", Zero: "0", Like: "0",
			Values: values("0 1 7 9223372036854775807 9223372036854775808 18446744073709551615")},
		{Name: "rating", Member: "rating", Zero: "null", Like: "0",
			Values: values("null 0 -0 0.1 0.5 1 -1.5 7.25 9007199254740992 1e+300 5e-324")},
		{Name: "color", Member: "color", Zero: "false", Like: "true", Values: values("true false")},
		{Name: "genre", Member: "genre", Zero: `""`, Like: `""`, Values: values(`"" "drama" "comedy" "drama-2"`)},
		{Name: "premiere_at", Member: "premiereAt", Zero: `"0001-01-01T00:00:00Z"`, Like: values(times)[0],
			Values: values(times), By: model.Instant},
		{Name: "released_at", Member: "releasedAt", Zero: `null`, Like: values(times)[0],
			Values: values("null " + times), By: model.Instant},
		{Name: "tags", Member: "tags", Zero: "null", Like: "[]",
			Values: values(`null [] ["a"] ["a","b"] ["a",""] ["b"] [""]`)},
		{Name: "format", Member: "format", Zero: `{"width":0,"height":0}`, Like: values(sizes)[0],
			Values: values(sizes), By: model.Area, Inside: sides("format")},
		{Name: "poster", Member: "poster", Zero: "null", Like: values(sizes)[0],
			Values: values("null " + sizes), By: model.Area, Inside: sides("poster")},
		{Name: "credits", Member: "credits", Zero: "null", Like: "{}", Values: values(`null {} {"a":1} {"a":10} {"b":0}`)},
		{Name: "director", Member: "director", Zero: `""`, Like: `""`, Values: values(names), By: model.Lower},
		{Name: "price", Member: "price", Zero: `""`, Values: values(prices), By: model.Decimal},
	}}
}

// Invalidate makes the film one that JSON cannot represent.
func (f *Film) Invalidate() {
	nan := math.NaN()
	f.Rating = &nan
}

// OpenFilms returns the model of a collection of open records.
func OpenFilms() *model.Config {
	any := values(`null true false 0 -0 1 1.0 10e-1 -2.5 9007199254740993 1e300
		[] [1] [1,2] ["a"] [[]] {} {"a":1} {"a":1.0} {"a":"b","c":{"d":2}} ` + texts)
	return &model.Config{Open: true, Fields: []model.Field{
		{Name: "title", Member: "title", Values: any},
		{Name: "released_on", Member: "releasedOn", Values: any},
		{Name: "x", Member: "x", Values: any, Inside: []model.Field{
			{Name: "x__a", Member: "a", Values: values(`1 1.0 "b" null 2`)},
			{Name: "x__c", Member: "c", Values: values(`{"d":2} null`)},
		}},
		{Name: "price", Member: "price", Values: append(values(prices), any...), By: model.Decimal},
	}}
}
