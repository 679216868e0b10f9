package pgstore_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// asked is a request that can be made twice.
type asked struct {
	method, path, query string
	header              map[string]string
	body                string
}

func (a asked) String() string {
	return fmt.Sprintf("%s %s?%s %v %.300q", a.method, a.path, a.query, a.header, a.body)
}

// request is one of a collection that has so many records, or a POST to one that
// takes any.
func (d dice) request(about resources.Description, count int) asked {
	kind := d.IntN(40)
	if kind >= 5 && kind <= 8 && !d.oneIn(5) {
		about, _ = resources.Lookup(pick(d, []string{"events", "social-links"}))
	}
	a := asked{method: "GET", path: "/api/" + about.Segment + "/", query: d.query(about, count), header: map[string]string{}}
	switch kind {
	case 0, 1:
		a.method = "HEAD"
	case 2:
		a.method = "OPTIONS"
	case 3:
		a.method = pick(d, []string{"PUT", "PATCH", "DELETE", "TRACE", "get", ""})
	case 4:
		a.path = pick(d, []string{"/", "/api", "/api/", "/api/itemVariants/", "/api/nothing/", "/api/events", "/api/events/1/", "/api/events/'/", "/api//"})
	case 5, 6, 7, 8:
		a.method = "POST"
		a.header["Content-Type"] = "application/json"
		a.body = d.body(about)
		if d.oneIn(20) {
			a.header["Content-Type"] = pick(d, []string{"", "text/plain", "application/json; charset=utf-16", "application/x-www-form-urlencoded"})
		}
	}
	if d.oneIn(8) {
		a.header["Accept"] = pick(d, []string{"", "*/*", "application/json", "application/json; indent=4", "text/html", "text/html, */*;q=0.1", "application/*", "nonsense"})
	}
	return a
}

// query has its parameters in any order, some twice.
func (d dice) query(about resources.Description, count int) string {
	var params []string
	add := func(name, value string) { params = append(params, name+"="+url.QueryEscape(value)) }
	for range 1 + d.IntN(5)/4 {
		if !d.oneIn(4) {
			add("ordering", d.ordering(about))
		}
		if !d.oneIn(3) {
			add("limit", d.bound(pick(d, []int{0, 1, 2, 5, 20, 21, 22, count, 1000})))
		}
		if !d.oneIn(3) {
			add("offset", d.bound(pick(d, []int{0, 1, count / 2, count/2 + 1, count - 2, count - 1, count, count + 1, d.IntN(count + 1), 2 * count})))
		}
		if d.oneIn(12) {
			add("format", pick(d, []string{"", "api", "json", "xml", "API"}))
		}
		if d.oneIn(20) {
			params = append(params, pick(d, []string{"", "&", "x=y", "%zz=1", "ordering", "limit;offset", "ordering=%ff", "ordering=name%00"}))
		}
	}
	d.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
	return strings.Join(params, "&")
}

// bound is the text of a limit or offset: most often a number.
func (d dice) bound(n int) string {
	if !d.oneIn(8) {
		return strconv.Itoa(n)
	}
	return pick(d, []string{"", "-1", "-0", "+3", " 7 ", "0x10", "1e3", "2.5", "abc", "1_0", "٣", "9223372036854775807", "9223372036854775808", "99999999999999999999999", "1;2"})
}

// ordering has up to five terms.
func (d dice) ordering(about resources.Description) string {
	var terms []string
	for range d.IntN(6) {
		name := d.field(about)
		switch d.IntN(12) {
		case 0, 1, 2, 3:
			name = "-" + name
		case 4:
			name = " " + name + " "
		case 5:
			name = ordering.Camel(name)
		case 6:
			name = pick(d, []string{"", "-", "--", "+" + name, "--" + name, "- " + name, name + " desc", name + "'", strings.ToUpper(name), "t." + name, `"` + name + `"`})
		}
		terms = append(terms, name)
		if d.oneIn(8) {
			terms = append(terms, name) // a second mention
		}
	}
	return strings.Join(terms, ",")
}

// field is the name of one, or of what is none.
func (d dice) field(about resources.Description) string {
	if d.oneIn(8) {
		return pick(d, []string{"id", "record", "keys", "count", "nope", "id;", "1", "random()", "(select 1)"})
	}
	if about.Fields == nil {
		return ordering.Snake(pick(d, names))
	}
	return ordering.Snake(pick(d, about.Fields).Name)
}

// body is what is posted: good in one of two.
func (d dice) body(about resources.Description) string {
	if d.oneIn(12) {
		return pick(d, []string{"", "{}", "[]", "null", "1", "{", `{"name":}`, "\xff", `{"name":"\ud800"}`, strings.Repeat("[", 300), "\ufeff{}"})
	}
	var members []string
	bad := d.oneIn(2)
	for _, f := range about.Fields {
		value := d.posted(f)
		if bad && d.oneIn(6) {
			value = d.value()
		}
		if bad && d.oneIn(10) || !f.Required && d.oneIn(3) {
			continue
		}
		name := f.Name
		if d.oneIn(6) {
			name = ordering.Snake(name)
		}
		members = append(members, quoted(name)+":"+value)
	}
	if d.oneIn(8) {
		members = append(members, quoted(pick(d, names))+":"+d.value())
	}
	d.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// posted is most often a value that the field takes. What is referred to is there
// or is not.
func (d dice) posted(f resources.Field) string {
	switch f.Kind {
	case resources.Text:
		if d.oneIn(100) {
			return quoted(d.long())
		}
		return pick(d, []string{`"A"`, `"a"`, `"Ä"`, `"same"`, `"'; DROP TABLE events; --"`})
	case resources.Slug:
		return pick(d, []string{`"a"`, `"A-b_1"`, `"same"`})
	case resources.URL:
		return pick(d, []string{`"https://house.example/"`, `"http://a.example/?a=1;b='2'--"`})
	case resources.Reference:
		return pick(d, []string{"1", "2", "3", `"4"`, "99", "0", "-1", "4611686018427387904", "9223372036854775807", "9223372036854775808"})
	case resources.References:
		return pick(d, []string{"[]", "[1]", "[1,2]", "[2,1,2]", `["3"]`, "[99]", "[4611686018427387904]", "[9223372036854775808]", "[1.5]", "[0]"})
	}
	return d.member(f)
}
