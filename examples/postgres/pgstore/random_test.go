package pgstore_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// generator generates records and requests. The same seed yields the same ones.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 0))} }

func (g generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g generator, list []T) T { return list[g.IntN(len(list))] }

// texts are texts that collations and indexes may confuse or order differently.
var texts = []string{
	"", " ", "a", "A", "á", "a\u0301", "ä", "Ä", "aa", "ab", "b", "B", "z", "ß", "ss",
	"same", "same", "Same", "same ", "\t", "\n", "\u0001", "\u007f", "\u00a0", "\ufffd", "\uffff", "\U00010000", "😀",
	"'", `"`, `\`, `\\`, ";", "--", "/*", "$1", "t.id", "'; DROP TABLE events; --", "%s", "<b>&amp;</b>", "null", "NULL", "{}",
	strings.Repeat("x", 255), strings.Repeat("x", 256), strings.Repeat("x", 256) + "a", strings.Repeat("x", 256) + "b", strings.Repeat("x", 256) + "B",
	strings.Repeat("é", 256) + "a", strings.Repeat("é", 256) + "b", strings.Repeat("😀", 256) + "a", strings.Repeat("😀", 256) + "b",
}

// long returns a text that is too long for an index.
func (g generator) long() string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéäß😀"
	alphabet := []rune(letters)
	var b strings.Builder
	b.WriteString(strings.Repeat("x", 300*g.IntN(2)))
	for range 10_001 {
		b.WriteRune(pick(g, alphabet))
	}
	return b.String()
}

func (g generator) text() string {
	s := pick(g, texts)
	if g.oneIn(300) {
		s = g.long()
	}
	return quoted(s)
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot happen
	}
	return string(text)
}

// times are times with ties in different zones, and the first and last valid times.
var times = []string{
	"0001-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00-12:00", "0001-01-01T00:00:00.000001Z",
	"9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999-12:00", "9999-12-31T23:59:59+14:00",
	"2026-05-10T18:00:00+02:00", "2026-05-10T16:00:00Z", "2026-05-10T16:00:00+00:00", "2026-05-10T21:30:00+05:30", "2026-05-10T15:30:00-00:30",
	"2026-05-10T16:00:00.000001Z", "2026-05-10T16:00:00.000002Z", "2026-05-10T16:00:00.0000019Z", "2026-05-10T16:00:00.1Z",
	"1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00Z", "1582-10-10T00:00:00Z",
}

// values are JSON values of all kinds, including very large numbers.
var values = []string{
	"null", "null", "true", "false",
	"0", "-0", "0.0", "-0.0", "1", "1.0", "10e-1", "1e0", "2", "10", "-1", "-1.5", "0.1", "1e300", "-1e300", "1e-400", "1e301",
	"1e-401", "9007199254740992", "9007199254740993", "9007199254740992.5", "18446744073709551616",
	"1234567890123456789012345678901234567890", "1234567890123456789012345678901234567891", "0.1234567890123456789012345678901234567890",
	`""`, `"\u0000"`, `"a\u0000b"`, `"a\u0000"`, `"\u00e9"`, `"\ud83d\ude00"`, `"1"`, `"true"`,
	"[]", "[1]", "[1,2]", "[2]", "[null]", "[[]]", `["a"]`, `["a\u0000"]`, "[true,1,null]",
	"{}", `{"a":1}`, `{"a":1,"b":[{"c":null}]}`, `{"b":1}`, `{"a":"\u0000"}`,
}

func (g generator) value() string {
	if g.oneIn(3) {
		return g.text()
	}
	return pick(g, values)
}

// ids returns n distinct ids in random order.
func (g generator) ids(n int) []int {
	seen := map[int]bool{}
	for len(seen) < n {
		id := 1 + g.IntN(2*n+1)
		if g.oneIn(20) {
			id = math.MaxInt/2 - g.IntN(3)
		}
		seen[id] = true
	}
	list := make([]int, 0, n)
	for id := range seen {
		list = append(list, id)
	}
	slices.Sort(list) // the order of a map does not depend on the seed
	g.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// names are names of members of open records. Some have the same field, and some would
// change a statement that contained them.
var names = []string{
	"name", "Name", "title", "pageCount", "page_count", "price", "inPrint", "extra", "tags",
	"line1", "line_1", "aB", "a_b", "AB", "k", "\u212a", "\u0130", // the last two have unusual lower case
	"Id", "ID", "_id", "", "_", "__", "-", "-minus", "a,b", "a b", " ", "a\nb", `a"b`, "a'b", `a\b`, "a;b",
	"'; DROP TABLE events; --", `"; DROP TABLE events; --`, "/*", "t.", "t.id", "t.keys", "keys", "keys[1]", "record", "collections", "$1", "$2", "%s", "%[1]s",
	"select", "null", "naïve", "ключ", "名", "😀", strings.Repeat("n", 300),
}

func (g generator) record(about schema.Description, id int) string {
	if about.Fields == nil {
		return g.openRecord(id)
	}
	var members []string
	for _, f := range about.Fields {
		value := strconv.Itoa(id)
		if f.Name != "id" {
			value = g.member(f)
		}
		members = append(members, quoted(f.Name)+":"+value)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// member returns a value of a described field.
func (g generator) member(f schema.Field) string {
	if f.Nullable && g.oneIn(3) {
		return "null"
	}
	switch f.Kind {
	case schema.Integer, schema.Reference:
		return strconv.Itoa(1 + g.IntN(5))
	case schema.Timestamp:
		return quoted(pick(g, times))
	case schema.Boolean:
		return pick(g, []string{"true", "false"})
	case schema.References:
		return pick(g, listsOfIDs)
	case schema.Array:
		if f.Item.Kind == schema.Integer {
			return pick(g, listsOfIDs)
		}
		return pick(g, []string{"[]", `[""]`, `["a"]`, `["a","a"]`, `["a",""]`, `["A"]`, `["á"]`, `["b"]`, `["\"","\\","{","}",",","NULL","null"]`})
	case schema.JSON:
		return g.value()
	}
	return g.text()
}

var listsOfIDs = []string{"[]", "[1]", "[1,2]", "[2,1]", "[1,1]", "[1,2,3]", "[4611686018427387904]", "[2]"}

// openRecord returns a record with a few members of different fields and an id between them.
func (g generator) openRecord(id int) string {
	var members []string
	few := names[:14]
	if g.oneIn(3) {
		few = names
	}
	fields := map[string]bool{"id": true}
	for _, i := range g.Perm(len(few))[:g.IntN(8)] {
		field := ordering.Snake(few[i])
		if fields[field] {
			continue
		}
		fields[field] = true
		members = append(members, quoted(few[i])+":"+g.value())
	}
	if g.oneIn(500) {
		members = append(members, quoted(g.long())+":1")
	}
	at := g.IntN(len(members) + 1)
	members = append(members[:at], append([]string{`"id":` + strconv.Itoa(id)}, members[at:]...)...)
	return "{" + strings.Join(members, ",") + "}"
}

// collection returns an array of records.
func (g generator) collection(about schema.Description, size int) string {
	var list []string
	for _, id := range g.ids(size) {
		list = append(list, g.record(about, id))
	}
	return "[" + strings.Join(list, ",\n") + "]"
}

// testRequest is a request that can be sent several times.
type testRequest struct {
	method, path, query string
	header              map[string]string
	body                string
}

func (a testRequest) String() string {
	return fmt.Sprintf("%s %s?%s %v %.300q", a.method, a.path, a.query, a.header, a.body)
}

// request returns a request to a collection with count records, or a POST to a
// collection that accepts posts.
func (g generator) request(about schema.Description, count int) testRequest {
	kind := g.IntN(40)
	if kind >= 5 && kind <= 8 && !g.oneIn(5) {
		about = described(pick(g, []string{"events", "social-links"}))
	}
	a := testRequest{method: "GET", path: "/api/" + about.Segment + "/", query: g.query(about, count), header: map[string]string{}}
	switch kind {
	case 0, 1:
		a.method = "HEAD"
	case 2:
		a.method = "OPTIONS"
	case 3:
		a.method = pick(g, []string{"PUT", "PATCH", "DELETE", "TRACE", "get", ""})
	case 4:
		a.path = pick(g, []string{"/", "/api", "/api/", "/api/itemVariants/", "/api/nothing/", "/api/events", "/api/events/1/", "/api/events/'/", "/api//"})
	case 5, 6, 7, 8:
		a.method = "POST"
		a.header["Content-Type"] = "application/json"
		a.body = g.body(about)
		if g.oneIn(20) {
			a.header["Content-Type"] = pick(g, []string{"", "text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded"})
		}
	}
	if g.oneIn(8) {
		a.header["Accept"] = pick(g, []string{"", "*/*", "application/json", "application/json; indent=4", "text/html", "text/html, */*;q=0.1", "application/*", "nonsense"})
	}
	return a
}

// query returns parameters in random order, some of them twice.
func (g generator) query(about schema.Description, count int) string {
	var params []string
	add := func(name, value string) { params = append(params, name+"="+url.QueryEscape(value)) }
	for range 1 + g.IntN(5)/4 {
		if !g.oneIn(4) {
			add("ordering", g.ordering(about))
		}
		if !g.oneIn(3) {
			add("limit", g.bound(pick(g, []int{0, 1, 2, 5, 20, 21, 22, count, 1000})))
		}
		if !g.oneIn(3) {
			add("offset", g.bound(pick(g, []int{0, 1, count / 2, count/2 + 1, count - 2, count - 1, count, count + 1, g.IntN(count + 1), 2 * count})))
		}
		if g.oneIn(12) {
			add("format", pick(g, []string{"", "api", "json", "xml", "API"}))
		}
		if g.oneIn(20) {
			params = append(params, pick(g, []string{"", "&", "x=y", "%zz=1", "ordering", "limit;offset", "ordering=%ff", "ordering=name%00"}))
		}
	}
	g.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
	return strings.Join(params, "&")
}

// bound returns the text of a limit or an offset, usually a number.
func (g generator) bound(n int) string {
	if !g.oneIn(8) {
		return strconv.Itoa(n)
	}
	return pick(g, []string{"", "-1", "-0", "+3", " 7 ", "0x10", "1e3", "2.5", "abc", "1_0", "٣", "9223372036854775807", "9223372036854775808", "99999999999999999999999", "1;2"})
}

// ordering returns up to five terms.
func (g generator) ordering(about schema.Description) string {
	var terms []string
	for range g.IntN(6) {
		name := g.field(about)
		switch g.IntN(12) {
		case 0, 1, 2, 3:
			name = "-" + name
		case 4:
			name = " " + name + " "
		case 5:
			name = ordering.Camel(name)
		case 6:
			name = pick(g, []string{"", "-", "--", "+" + name, "--" + name, "- " + name, name + " desc", name + "'", strings.ToUpper(name), "t." + name, `"` + name + `"`})
		}
		terms = append(terms, name)
		if g.oneIn(8) {
			terms = append(terms, name) // repeated
		}
	}
	return strings.Join(terms, ",")
}

// field returns the name of a field, or sometimes another name.
func (g generator) field(about schema.Description) string {
	if g.oneIn(8) {
		return pick(g, []string{"id", "record", "keys", "count", "nope", "id;", "1", "random()", "(select 1)"})
	}
	if about.Fields == nil {
		return ordering.Snake(pick(g, names))
	}
	return ordering.Snake(pick(g, about.Fields).Name)
}

// body returns a body, valid in one of two cases.
func (g generator) body(about schema.Description) string {
	if g.oneIn(12) {
		return pick(g, []string{"", "{}", "[]", "null", "1", "{", `{"name":}`, "\xff", `{"name":"\ud800"}`, strings.Repeat("[", 300), "\ufeff{}"})
	}
	var members []string
	invalid := g.oneIn(2)
	for _, f := range about.Fields {
		value := g.posted(f)
		if invalid && g.oneIn(6) {
			value = g.value()
		}
		if invalid && g.oneIn(10) || !f.Required && g.oneIn(3) {
			continue
		}
		name := f.Name
		if g.oneIn(6) {
			name = ordering.Snake(name)
		}
		members = append(members, quoted(name)+":"+value)
	}
	if g.oneIn(8) {
		members = append(members, quoted(pick(g, names))+":"+g.value())
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// posted returns a value for a field, usually a valid one. References may be to missing
// records.
func (g generator) posted(f schema.Field) string {
	switch f.Kind {
	case schema.Text:
		if g.oneIn(100) {
			return quoted(g.long())
		}
		return pick(g, []string{`"A"`, `"a"`, `"Ä"`, `"same"`, `"'; DROP TABLE events; --"`})
	case schema.Slug:
		return pick(g, []string{`"a"`, `"A-b_1"`, `"same"`})
	case schema.URL:
		return pick(g, []string{`"https://house.example/"`, `"http://a.example/?a=1;b='2'--"`})
	case schema.Reference:
		return pick(g, []string{"1", "2", "3", `"4"`, "99", "0", "-1", "4611686018427387904", "9223372036854775807", "9223372036854775808"})
	case schema.References:
		return pick(g, []string{"[]", "[1]", "[1,2]", "[2,1,2]", `["3"]`, "[99]", "[4611686018427387904]", "[9223372036854775808]", "[1.5]", "[0]"})
	}
	return g.member(f)
}
