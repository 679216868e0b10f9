package pgstore_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// asked is a request that can be sent several times.
type asked struct {
	method, path, query string
	header              map[string]string
	body                string
}

func (a asked) String() string {
	return fmt.Sprintf("%s %s?%s %v %.300q", a.method, a.path, a.query, a.header, a.body)
}

// request returns a request to a collection with count records, or a POST to a
// collection that accepts posts.
func (g generator) request(about schema.Description, count int) asked {
	kind := g.IntN(40)
	if kind >= 5 && kind <= 8 && !g.oneIn(5) {
		about = described(pick(g, []string{"events", "social-links"}))
	}
	a := asked{method: "GET", path: "/api/" + about.Segment + "/", query: g.query(about, count), header: map[string]string{}}
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
