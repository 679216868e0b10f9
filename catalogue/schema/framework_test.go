package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// The rows are differences that the releases of Django REST framework, Django and Python document,
// as are those of TestVectors318 of package httpapi.
func TestFramework(t *testing.T) {
	d := Description{
		Key: "orders", Segment: "orders", Name: "back order",
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "gift", Kind: Boolean, Nullable: true},
			{Name: "mail", Kind: Email},
			{Name: "day", Kind: Date},
			{Name: "at", Kind: Timestamp},
			{Name: "lines", Kind: Array, Item: &Field{Kind: Object, Fields: []Field{{Name: "sku", Kind: Text, Required: true}}}},
			{Name: "shop", Kind: Text, Required: true},
			{Name: "code", Kind: Text, Required: true, Nullable: true},
			{Name: "note", Kind: Text, Nullable: true, Required: true},
			{Name: "memo", Kind: Text, Blank: true, Required: true},
			{Name: "big", Kind: Integer},
			{Name: "small", Kind: Integer, Min: "-2147483648", Max: "2147483647"},
			{Name: "sizes", Kind: Array, Item: &Field{Kind: Integer}},
			{Name: "page", Kind: URL},
			{Name: "rate", Kind: Float},
		},
		Unique: [][]string{{"shop", "code"}, {"shop", "memo"}},
	}
	const rest = `,"shop":"a","code":"b","note":"n","memo":"m"}`
	summer := time.FixedZone("", 7200)
	for _, test := range []struct {
		reason, body   string
		zone           *time.Location
		want14, want18 string // a part of the record or of the errors
	}{
		{"boolean in other letters", `{"gift":"yEs"` + rest, nil, "Must be a valid boolean.", `"gift":true`},
		{"null in other letters", `{"gift":"nULL"` + rest, nil, "Must be a valid boolean.", `"gift":null`},
		{"space around a boolean", `{"gift":"yes "` + rest, nil, "Must be a valid boolean.", "Must be a valid boolean."},
		{"domain that ends in a number", `{"mail":"a@b.123"` + rest, nil, `"mail":"a@b.123"`, "Enter a valid email address."},
		{"domain that ends in a letter", `{"mail":"a@b.12c"` + rest, nil, `"mail":"a@b.12c"`, `"mail":"a@b.12c"`},
		{"date without hyphens", `{"day":"20240510"` + rest, nil, "wrong format", `"day":"2024-05-10"`},
		{"date as before", `{"day":"2024-5-1\n"` + rest, nil, `"day":"2024-05-01"`, `"day":"2024-05-01"`},
		{"last week of a year of 53", `{"day":"2020-W53-7"` + rest, nil, "wrong format", `"day":"2021-01-03"`},
		{"week 53 of a year of 52", `{"day":"2021-W53-1"` + rest, nil, "wrong format", "wrong format"},
		{"week of the year 0", `{"day":"0000-W01-1"` + rest, nil, "wrong format", "wrong format"},
		{"week that ends after the year 9999", `{"day":"9999-W52-7"` + rest, nil, "wrong format", "wrong format"},
		{"half of the hyphens", `{"day":"2024W19-5"` + rest, nil, "wrong format", "wrong format"},
		{"date with a time", `{"day":"20240510T00"` + rest, nil, "wrong format", "wrong format"},
		{"offset that is kept", `{"at":"2024-05-10x1800+02:00"` + rest, nil, "wrong format", `"at":"2024-05-10T18:00:00+02:00"`},
		{"offset that is converted", `{"at":"2024-05-10T18:00Z"` + rest, summer, `18:00:00Z"`, `"at":"2024-05-10T20:00:00+02:00"`},
		{"offset with seconds that is kept", `{"at":"2024-05-10T18:00:00+02:00:40"` + rest, nil, "wrong format", `"at":"2024-05-10T18:00:20+02:01"`},
		{"date alone, with a zone", `{"at":"2024-W19"` + rest, summer, "wrong format", `"at":"2024-05-06T00:00:00+02:00"`},
		{"date alone, without a zone", `{"at":"2024-05-10"` + rest, nil, "wrong format", "no UTC offset"},
		{"digits of weeks and hours", `{"at":"2024W1951800Z"` + rest, nil, "wrong format", `"at":"2024-05-06T18:00:00Z"`},
		{"separator of two bytes", `{"at":"2024-05-10é18Z"` + rest, nil, "wrong format", `"at":"2024-05-10T18:00:00Z"`},
		{"separator without a time", `{"at":"2024-05-10T"` + rest, summer, "wrong format", "wrong format"},
		{"fraction of seven digits", `{"at":"20240510T180000.1234567Z"` + rest, nil, "wrong format", `18:00:00.123456Z"`},
		{"fraction without a point", `{"at":"20240510T18000025Z"` + rest, nil, "wrong format", `18:00:00.250000Z"`},
		{"fraction of an hour", `{"at":"2024-05-10T18.5Z"` + rest, nil, "wrong format", "wrong format"},
		{"end of the day", `{"at":"2024-12-31T24:00Z"` + rest, nil, "wrong format", `"at":"2025-01-01T00:00:00Z"`},
		{"after the end of the day", `{"at":"2024-12-31T24:00:01Z"` + rest, nil, "wrong format", "wrong format"},
		{"end of the last day", `{"at":"9999-12-31T24:00Z"` + rest, nil, "wrong format", "wrong format"},
		{"offset of a day", `{"at":"2024-05-10T18+24:00"` + rest, nil, "wrong format", "wrong format"},
		{"character before an offset", `{"at":"2024-05-10T18:00:000+02:00"` + rest, nil, "wrong format", `18:00:00+02:00"`},
		{"point before an offset", `{"at":"2024-05-10T18:00:00.Z"` + rest, nil, "wrong format", "wrong format"},
		{"64 bits", `{"big":"x"` + rest, nil, "A valid integer is required.", "A valid biginteger is required."},
		{"32 bits", `{"small":"x"` + rest, nil, "A valid integer is required.", "A valid integer is required."},
		{"64 bits in a list", `{"sizes":["x"]` + rest, nil, "A valid integer is required.", "A valid integer is required."},
		{"port of one digit", `{"page":"http://a.example:8"` + rest, nil, "Enter a valid URL.", `"page":"http://a.example:8"`},
		{"port of no digit", `{"page":"http://a.example:"` + rest, nil, "Enter a valid URL.", "Enter a valid URL."},
		{"integer beyond a float64", `{"rate":1` + strings.Repeat("0", 400) + rest, nil, "A valid number is required.", "Integer value too large to convert to float"},
		{"number beyond a float64", `{"rate":1e400` + rest, nil, "A valid number is required.", "A valid number is required."},
		{"good object before a wrong one", `{"lines":[{"sku":"a"},{}]` + rest, nil,
			`{"lines":[{},{"sku":["This field is required."]}]}`, `{"lines":{"1":{"sku":["This field is required."]}}}`},
		{"unique and nullable", `{"shop":"a","note":"n","memo":"m"}`, nil, `{"code":["This field is required."]}`, `"code":null`},
		{"unique and blank", `{"shop":"a","note":"n","code":"b"}`, nil, `{"memo":["This field is required."]}`, `"memo":""`},
		{"unique alone, or nullable alone", `{}`, nil,
			`{"shop":["This field is required."],"code":["This field is required."],"note":["This field is required."],"memo":["This field is required."]}`,
			`{"shop":["This field is required."],"note":["This field is required."]}`},
	} {
		for _, version := range []struct {
			as   Framework
			want string
		}{{Framework{}, test.want14}, {DRF318(test.zone), test.want18}} {
			ctx := WithFramework(context.Background(), version.as)
			record, err := d.Validate(ctx, []byte(test.body), Checks{})
			if got := response(t, record, err); !strings.Contains(got, version.want) {
				t.Errorf("%s: %s is %s, want %s", test.reason, test.body, got, version.want)
			}
		}
	}
	current, err := ParseRecord([]byte(`{"id":1,"shop":"a","code":"b","note":"n"}`))
	must(t, err)
	changed, err := d.ValidateUpdate(WithFramework(context.Background(), DRF318(nil)), current, []byte(`{"shop":"a","note":"n"}`), false, Checks{})
	if got := response(t, changed, err); !strings.Contains(got, `"code":null`) {
		t.Errorf("a PUT without a member of a unique set is %s, want null", got)
	}
	if f, _ := d.snakeField("code"); !f.Required {
		t.Error("Describe has modified the description")
	}
}

// TestFrameworkFilter has what filters and searches accept.
func TestFrameworkFilter(t *testing.T) {
	d := Description{
		Fields: []Field{
			{Name: "title", Kind: Text}, {Name: "day", Kind: Date}, {Name: "at", Kind: Timestamp},
			{Name: "shop", Kind: Reference, Refers: "shops"}, {Name: "tags", Kind: References, Refers: "tags"},
		},
		Filters: []string{"day", "at", "shop", "tags"},
		Search:  []string{"title"},
	}
	for _, test := range []struct {
		reason, query  string
		want14, want18 string // the values, or the errors
	}{
		{"month", "day=Jan 1, 2000", `{"day":["Enter a valid date."]}`, "2000-01-01"},
		{"month in full, after the day", "day=29 february 2024", `{"day":["Enter a valid date."]}`, "2024-02-29"},
		{"day that the month does not have", "day=Feb 30 2024", `{"day":["Enter a valid date."]}`, `{"day":["Enter a valid date."]}`},
		{"year 0", "day=Jan 1 0000", `{"day":["Enter a valid date."]}`, `{"day":["Enter a valid date."]}`},
		{"basic form of a date", "day=20240510", `{"day":["Enter a valid date."]}`, `{"day":["Enter a valid date."]}`},
		{"basic form of a date-time", "at=20240510T18", `{"at":["Enter a valid date/time."]}`, "2024-05-10T18:00:00Z"},
		{"null in a reference", "shop=%00", `{"shop":["Select a valid choice. That choice is not one of the available choices."]}`,
			`{"shop":["Null characters are not allowed."]}`},
		{"null after a wrong id", "tags=x&tags=%00", `{"tags":["“x” is not a valid value."]}`, `{"tags":["“x” is not a valid value."]}`},
		{"null before a wrong id", "tags=%00&tags=x", `{"tags":["“` + "\x00" + `” is not a valid value."]}`, `{"tags":["Null characters are not allowed."]}`},
		{"null in a search", "search=a%00", "a", `["Null characters are not allowed."]`},
		{"null in a search and a wrong date", "search=%00&day=x", `{"day":["Enter a valid date."]}`, `{"day":["Enter a valid date."]}`},
		{"phrase", `search="a b" c`, `"a|b"|c`, "a b|c"},
		{"lone quote", `search='`, "'", ""},
		{"escaped quote", `search="a \" b"`, `"a|\"|b"`, `a " b`},
		{"quotes in a word", `search=it's a"b c"`, `it's|a"b|c"`, `it's|a"b c"`},
		{"commas around a phrase", `search=,"a b",c`, `"a|b"|c`, `"a b"|c`},
		{"quote that is not closed", `search="a b`, `"a|b`, `"a|b`},
		{"repeated words", `search=a "a" 'a'`, `a|"a"|'a'`, "a"},
	} {
		params, err := url.ParseQuery(strings.ReplaceAll(test.query, " ", "+"))
		must(t, err)
		for as, want := range map[Framework]string{{}: test.want14, DRF318(nil): test.want18} {
			filter, err := d.Filter(WithFramework(context.Background(), as), valuesIn(params), Checks{})
			got := response(t, Record{}, err)
			if err == nil {
				var values []string
				for _, test := range filter.Tests {
					values = append(values, test.Values...)
				}
				for _, tests := range filter.Search {
					values = append(values, tests[0].Values...)
				}
				got = strings.Join(values, "|")
			}
			equal(t, fmt.Sprintf("%s: %s", test.reason, test.query), want, strings.ReplaceAll(got, `\u0000`, "\x00"))
		}
	}
}

func TestFrameworkNotFound(t *testing.T) {
	plain := Description{Name: "film role"}
	slug := Description{Name: "film", Lookup: "slug", Fields: []Field{{Name: "slug", Kind: Slug, Unique: true}}}
	uuid := Description{Name: "film", Lookup: "uuid", Fields: []Field{{Name: "uuid", Kind: UUID, Unique: true}}}
	for _, test := range []struct {
		reason  string
		d       Description
		segment string
		as      Framework
		want    string
	}{
		{"3.14", plain, "9", Framework{}, "Not found."},
		{"id of no record", plain, "-1", DRF318(nil), "No FilmRole matches the given query."},
		{"too large", plain, "99999999999999999999", DRF318(nil), "No FilmRole matches the given query."},
		{"no id", plain, "1.5", DRF318(nil), "Not found."},
		{"slug", slug, "nope", DRF318(nil), "No Film matches the given query."},
		{"slug with null", slug, "a\x00b", DRF318(nil), "Not found."},
		{"UUID", uuid, "a918ba60-3500-b707-b641-97e4370a09ce", DRF318(nil), "No Film matches the given query."},
		{"no UUID", uuid, "nope", DRF318(nil), "Not found."},
	} {
		equal(t, test.reason, test.want, test.as.NotFound(test.d, test.segment))
	}
}

// dataset returns the records of the reference server by collection, with their bytes.
func dataset(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("testdata/dataset.json")
	must(t, err)
	var set map[string][]json.RawMessage
	must(t, json.Unmarshal(data, &set))
	return set
}

// own returns the descriptions of the collections of drf-own.md, section 0.
func own() map[string]Description {
	return map[string]Description{
		"directors": {Key: "directors", Segment: "directors", Name: "director", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "born", Kind: Date, Nullable: true, Default: "null"},
			{Name: "website", Kind: URL, Blank: true, Default: `""`},
		}, Search: []string{"^name", "=slug"}},
		"genres": {Key: "genres", Segment: "genres", Name: "genre", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true, Unique: true},
			{Name: "position", Kind: Integer, Min: "-2147483648", Max: "2147483647", Default: "0"},
		}},
		"films": {Key: "films", Segment: "films", Name: "film", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "title", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: Text, Blank: true, Default: `""`},
			{Name: "released", Kind: Date, Nullable: true, Default: "null"},
			{Name: "premiereAt", Kind: Timestamp, Nullable: true, Default: "null"},
			{Name: "minutes", Kind: Integer, Required: true, Min: "0", Max: "2147483647"},
			{Name: "rating", Kind: Float, Nullable: true, Default: "null"},
			{Name: "price", Kind: Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: Choice, Choices: []string{"announced", "released", "withdrawn"}, Default: `"announced"`},
			{Name: "published", Kind: Boolean, Default: "false"},
			{Name: "director", Kind: Reference, Required: true, Refers: "directors"},
			{Name: "genres", Kind: References, Refers: "genres", Default: "[]"},
			{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
		}, Filters: []string{
			"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull",
			"price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte",
		}, Search: []string{"title", "synopsis", "director__name"}},
	}
}

// response returns the JSON of a record, or of the errors of its fields.
func response(t testing.TB, record Record, err error) string {
	t.Helper()
	var errs FieldErrors
	if !errors.As(err, &errs) {
		must(t, err)
		return record.String()
	}
	text, err := errs.MarshalJSON()
	must(t, err)
	return string(text)
}

// only returns a description with one of its fields.
func only(t testing.TB, d Description, field string) Description {
	t.Helper()
	for _, f := range d.Fields {
		if f.Name == field {
			d.Fields = []Field{f}
			return d
		}
	}
	t.Fatalf("no field %q", field)
	return d
}
