// Package requests makes up requests to collections, valid and broken, for tests. They follow from
// the descriptions of the collections and from the records in the responses.
package requests

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Request is a request for a collection. It can be sent several times.
type Request struct {
	Collection string // key of the collection of the records in a response, or ""
	Method     string
	Target     string
	Header     http.Header // may be nil
	Body       string
}

// A Generator makes up requests. Equal seeds and responses make equal requests.
type Generator struct {
	Maker
	root    string
	abouts  []schema.Description
	records map[string][]members // that responses have shown, by key
}

type members = map[string]json.RawMessage

// New returns a Generator of requests to the collections below a root, such as "/api/".
func New(seed uint64, root string, abouts []schema.Description) *Generator {
	g := &Generator{newMaker(seed), root, abouts, map[string][]members{}}
	g.Refer = g.refer
	return g
}

// Learn makes requests refer to the records in a response of the collection with a key, and
// change them. The last ones are kept. Without a key it does nothing.
func (g *Generator) Learn(key string, body []byte) {
	if key == "" {
		return
	}
	for _, r := range Records(body) {
		list := append(g.records[key], r)
		g.records[key] = list[max(0, len(list)-60):]
	}
}

// Records returns the records in a response: those of a page, or the only one.
func Records(body []byte) []members {
	var page struct{ Results []members }
	var one members
	var all []members // without pages
	switch {
	case json.Unmarshal(body, &all) == nil && all != nil:
		return all
	case json.Unmarshal(body, &page) == nil && page.Results != nil:
		return page.Results
	case json.Unmarshal(body, &one) == nil && one["detail"] == nil && one["results"] == nil:
		return []members{one}
	}
	return nil
}

// Request returns a request of any method, whose body or parameters are valid, odd or broken.
func (g *Generator) Request() Request {
	about := g.abouts[g.IntN(len(g.abouts))]
	list := g.path(about)
	r := Request{Collection: about.Key, Method: "GET", Target: list}
	switch n := g.IntN(100); {
	case n < 4:
		r.Collection, r.Method = "", g.oneOf("OPTIONS", "TRACE", "get", "PUT", "DELETE")
	case n < 6:
		r.Collection, r.Target = "", g.oneOf("/", g.root, strings.TrimSuffix(list, "/"), list+"'/", list+"0/", list+"-1/", list+"1/1/", g.root+"nothing/")
	case n < 40:
		r.Target += "?" + g.Query(about)
		r.Method = g.oneOf("GET", "GET", "GET", "GET", "HEAD")
	case n < 55:
		r.Target = g.record(about)
		r.Method = g.oneOf("GET", "GET", "HEAD")
	case n < 60:
		r.Target = g.record(about) + "?" + g.Query(about)
	case n < 72:
		r.Method, r.Body = "POST", g.body(about, false)
	case n < 80:
		r.Method, r.Target, r.Body = "PUT", g.record(about), g.body(about, false)
	case n < 92:
		r.Method, r.Target, r.Body = "PATCH", g.record(about), g.body(about, true)
	default:
		r.Method, r.Target = "DELETE", g.record(about)
	}
	if r.Body != "" {
		r.Header = http.Header{"Content-Type": {"application/json"}}
	}
	return r
}

func (g *Generator) path(about schema.Description) string { return g.root + about.Segment + "/" }

// one returns a record of a collection, which may have been deleted, or nil.
func (g *Generator) one(key string) members {
	list := g.records[key]
	if len(list) == 0 {
		return nil
	}
	return list[g.IntN(len(list))]
}

// record returns the path of a record of the collection or, sometimes, of none.
func (g *Generator) record(about schema.Description) string {
	segment := unquoted(g.one(about.Key)[addressed(about).Name])
	switch {
	case segment == "" || g.IntN(20) == 0:
		segment = g.oneOf("1", "977", "x", "9223372036854775808")
	case g.IntN(10) == 0:
		segment = g.oneOf(" "+segment, segment+" ", segment+"x", "0"+segment, strings.ToUpper(segment), "\t\u00a0"+segment)
	}
	return g.path(about) + url.PathEscape(segment) + "/"
}

// Segment returns the segment of the path of a record, decoded.
func Segment(about schema.Description, record []byte) string {
	var r members
	if json.Unmarshal(record, &r) != nil {
		return ""
	}
	return unquoted(r[addressed(about).Name])
}

// addressed returns the field by which paths address records.
func addressed(about schema.Description) schema.Field {
	for _, f := range about.Fields {
		if about.Lookup != "" && ordering.Snake(f.Name) == about.Lookup {
			return f
		}
	}
	return about.Identity()
}

// refer returns what a field can refer to, as JSON.
func (g *Generator) refer(f schema.Field) string {
	name := f.By
	for _, about := range g.abouts {
		if about.Key == f.Refers && name == "" {
			name = about.Identity().Name
		}
	}
	if g.IntN(12) == 0 {
		return "977"
	}
	return cmp.Or(string(g.one(f.Refers)[ordering.Camel(name)]), "1")
}

// unquoted returns the text of a value, or its JSON if it is no text.
func unquoted(value json.RawMessage) (text string) {
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// body returns the body of a request for a record: new values or those of stored records, whole or
// damaged.
func (g *Generator) body(about schema.Description, partial bool) (body string) {
	fields := about.Written()
	if partial && len(fields) > 0 {
		fields = g.some(fields)
	}
	stored := g.one(about.Key)
	switch n := g.IntN(8); {
	case stored != nil && (n < 4 || fields == nil):
		body = g.mixed(about, stored, partial)
	case n < 6:
		body = g.Object(fields)
	default:
		body = g.Body(fields, partial)
	}
	if g.IntN(40) == 0 {
		at := g.IntN(len(body) + 1)
		body = body[:at] + g.oddity() + body[at:]
	}
	return body
}

// mixed returns a stored record in which some members have the values of another one, new values or
// none. If it is partial, it has few members.
func (g *Generator) mixed(about schema.Description, stored members, partial bool) string {
	stored, other, fields := g.written(about, stored), g.written(about, g.one(about.Key)), about.Written()
	mixed := maps.Clone(stored)
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		f := schema.Field{Kind: schema.JSON}
		if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name }); i >= 0 {
			f = fields[i]
		}
		switch text := unquoted(stored[name]); g.IntN(12) {
		case 0:
			delete(mixed, name)
		case 1, 2, 3:
			mixed[name] = json.RawMessage(cmp.Or(string(other[name]), string(stored[name])))
		case 4, 5:
			mixed[name] = json.RawMessage(cmp.Or(g.Value(f), "null"))
		case 6:
			if stored[name][0] == '"' {
				mixed[name] = json.RawMessage(quote(g.oneOf(text+g.word(), g.word(), strings.ToUpper(text), g.part(text))))
			}
		}
		if partial && g.IntN(len(stored)) > 3 {
			delete(mixed, name)
		}
	}
	for _, f := range fields {
		if f.Hidden && g.IntN(2) == 0 {
			mixed[f.Name] = json.RawMessage(cmp.Or(g.Value(f), "null"))
		}
	}
	return encoded(mixed)
}

// written returns a record with its members as in bodies: those that have other names there are under
// these, with a new value if an object or a list of objects is shown. It does not change the record.
func (g *Generator) written(about schema.Description, record members) members {
	record = maps.Clone(record)
	for i, f := range about.Written() {
		name := about.Fields[i].Name
		value, ok := record[name]
		if !ok || f.Name == name {
			continue
		}
		if f.Refers != "" && bytes.ContainsRune(value, '{') {
			value = json.RawMessage(cmp.Or(g.Value(f), "null"))
		}
		delete(record, name)
		record[f.Name] = value
	}
	return record
}

// Assigned returns an object with the value of a field that a program could assign in the collection
// with a key, or with none.
func (g *Generator) Assigned(key string) string {
	at := slices.IndexFunc(g.abouts, func(about schema.Description) bool { return about.Key == key })
	if at < 0 || len(g.abouts[at].Fields) == 0 {
		return "{}"
	}
	f := g.some(g.abouts[at].Fields)[0]
	if value := g.Value(f); value != "" && !f.IsID() && !f.Computed {
		return "{" + quote(f.Name) + ":" + value + "}"
	}
	return "{}"
}

// some returns at most five of the fields.
func (g *Generator) some(fields []schema.Field) []schema.Field {
	fields = slices.Clone(fields)
	g.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return fields[:1+g.IntN(min(5, len(fields)))]
}

func (g *Generator) word() string {
	return g.oneOf("a", "É", "é", "Ea", "x1", "ß", "it", "_", "%", "Z", "ı", "😀", "long")
}

// part returns a part of a text.
func (g *Generator) part(text string) string {
	runes := []rune(text)
	from := g.IntN(len(runes) + 1)
	return string(runes[from : from+g.IntN(len(runes)-from+1)])
}

// Query returns parameters of a list in any order, some of them twice.
func (g *Generator) Query(about schema.Description) string {
	var params []string
	order, search := about.Params()
	add := func(name, value string) { params = append(params, name+"="+url.QueryEscape(value)) }
	for range g.IntN(3) {
		if len(about.Filters) > 0 {
			name := about.Filters[g.IntN(len(about.Filters))]
			add(name, g.filtered(about, name))
		}
	}
	if len(about.Search) > 0 && g.IntN(3) == 0 {
		add(search, g.search(about))
	}
	if g.IntN(2) == 0 {
		add(order, g.ordering(about))
	}
	if g.IntN(2) == 0 {
		add("limit", g.oneOf("1", "2", "3", "5", "21", "50", "1000", g.number()))
	}
	if g.IntN(2) == 0 {
		add("offset", g.oneOf("0", "1", "2", "7", "20", "21", "30", "9223372036854775807", g.number()))
	}
	if g.IntN(4) == 0 {
		add("page", g.oneOf("1", "2", "3", "last", g.number()))
	}
	if g.IntN(30) == 0 {
		params = append(params, g.oneOf("format=json", "format=xml", "", "&", "%zz=1", order, "limit;offset", order+"=%ff", "cursor=x", search+"=%00"))
	}
	g.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
	return strings.Join(params, "&")
}

// number returns the text of a number that is rare in a query, or of none.
func (g *Generator) number() string {
	return g.oneOf(strconv.Itoa(g.IntN(100)), "", "-1", "+3", " 7 ", "0x10", "1e3", "2.5", "x", "٣", "99999999999999999999")
}

// filtered returns a value of a filter, usually one that a record has, or a part of it.
func (g *Generator) filtered(about schema.Description, name string) string {
	f, lookup, _ := about.Parameter(name)
	one := func() string {
		stored := unquoted(g.one(about.Key)[f.Name])
		if f.Refers == "" && f.Item == nil && stored != "" && g.IntN(3) > 0 {
			return g.oneOf(stored, stored, g.part(stored), strings.ToUpper(stored))
		}
		return strings.Trim(unquoted(json.RawMessage(g.oneOf(g.Value(f), g.Value(f), g.Broken(f), quote(g.word())))), "[]")
	}
	if (lookup == "range" || lookup == "in") && g.IntN(4) > 0 {
		return one() + "," + one()
	}
	return one()
}

// search returns words, most of them in texts of a record.
func (g *Generator) search(about schema.Description) string {
	var words []string
	stored := g.one(about.Key)
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		words = append(words, strings.Fields(unquoted(stored[name]))...)
	}
	list := []string{g.word()}
	for range g.IntN(3) {
		if len(words) > 0 {
			list = append(list, g.part(words[g.IntN(len(words))]))
		}
	}
	return strings.Join(list[g.IntN(len(list)):], g.oneOf(" ", " ", ",", "  , "))
}

// orders returns the names of fields to order by.
func (g *Generator) orders(about schema.Description) []string {
	names := append([]string{"id"}, about.Sortable...)
	for _, f := range about.Fields {
		names = append(names, ordering.Snake(f.Name))
	}
	if about.Fields == nil {
		for _, name := range slices.Sorted(maps.Keys(g.one(about.Key))) {
			names = append(names, ordering.Snake(name))
		}
	}
	return names
}

// ordering returns up to four terms.
func (g *Generator) ordering(about schema.Description) string {
	names := g.orders(about)
	var terms []string
	for range g.IntN(5) {
		name := names[g.IntN(len(names))]
		if g.IntN(12) == 0 {
			name = g.oneOf("", "nothing", ordering.Camel(name), " "+name, "-"+name, name+"'", strings.ToUpper(name), "id; --")
		}
		terms = append(terms, g.oneOf("", "-")+name)
	}
	return strings.Join(terms, ",")
}
