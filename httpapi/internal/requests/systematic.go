package requests

import (
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Creations returns requests that create some records of each collection, twice: those of the first time
// may refer to records that do not exist yet.
func (g *Generator) Creations() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		for i := range 12 * len(g.abouts) {
			about := g.abouts[i/6%len(g.abouts)]
			if len(about.Fields) == 0 || !about.Actions.Has(schema.Create) {
				continue
			}
			if !yield(Request{about.Key, "POST", g.path(about), http.Header{"Content-Type": {"application/json"}}, g.Object(about.Written())}) {
				return
			}
		}
	}
}

// Systematic returns the requests that follow from the descriptions and from the records that the
// Generator has learned: windows and orders of each collection, filters with values of records, and
// requests for single records. Those that write are the last of each collection.
func (g *Generator) Systematic() iter.Seq[Request] {
	return func(yield func(Request) bool) {
		for _, about := range g.abouts {
			for r := range g.of(about) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// of returns the requests of Systematic for one collection.
func (g *Generator) of(about schema.Description) iter.Seq[Request] {
	return func(yield func(Request) bool) {
		more := true
		add := func(method, target, body string) {
			r := Request{Collection: about.Key, Method: method, Target: target, Body: body}
			if method == "OPTIONS" {
				r.Collection = ""
			}
			if body != "" {
				r.Header = http.Header{"Content-Type": {"application/json"}}
			}
			more = more && yield(r)
		}
		path := g.path(about)
		order, _ := about.Params()
		add("OPTIONS", path, "")
		for _, query := range slices.Concat(windows(len(g.records[about.Key])), orders(order, g.orders(about)), g.filters(about)) {
			add("GET", path+"?"+query, "")
		}
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			for _, segment := range []string{"0", "-1", "01", "1x", "977", "99999999999999999999", "%20", "x"} {
				add(method, path+segment+"/", map[string]string{"PUT": g.Object(about.Written()), "PATCH": "{}"}[method])
			}
		}
		for range 5 {
			record := g.record(about)
			add("GET", record, "")
			add("OPTIONS", record, "")
		}
		for _, f := range about.Written() {
			for range 3 {
				for _, value := range []string{g.Value(f), "null", g.Broken(f), string(g.written(about, g.one(about.Key))[f.Name])} {
					if value != "" {
						add("PATCH", g.record(about), "{"+quote(f.Name)+":"+value+"}")
					}
				}
				if shown := g.one(about.Key); shown != nil {
					record, stored := g.path(about)+url.PathEscape(unquoted(shown[addressed(about).Name]))+"/", g.written(about, shown)
					add("PUT", record, encoded(stored))
					delete(stored, f.Name)
					add("PUT", record, encoded(stored))
					add("POST", path, encoded(stored))
				}
			}
		}
	}
}

func encoded(m members) string {
	text, _ := json.Marshal(m) // of valid JSON
	return string(text)
}

// windows returns the parameters of pages of n records, some of them past the end or so large
// that limit and offset overflow.
func windows(n int) (queries []string) {
	const largest = "9223372036854775807"
	last, end := strconv.Itoa(max(n-1, 0)), strconv.Itoa(n)
	for _, w := range [][2]string{{"1", "0"}, {"2", "1"}, {last, "0"}, {end, "0"}, {end, "1"}, {"1", last}, {"3", last}, {"1", end}, {"21", "1000"},
		{largest, "3"}, {"21", largest}, {largest, largest}} {
		queries = append(queries, "limit="+w[0]+"&offset="+w[1])
	}
	return queries
}

// orders returns parameters with orders by each name, alone and before another one.
func orders(parameter string, names []string) (queries []string) {
	for i, name := range names {
		other := names[(i+1)%len(names)]
		for _, order := range []string{name, "-" + name, name + ",-id", name + ",-" + other, "-" + name + "," + other} {
			queries = append(queries, "limit=7&"+parameter+"="+order)
		}
	}
	return queries
}

// stored returns at most n different texts of a member of records.
func (g *Generator) stored(key, name string, n int) (texts []string) {
	for _, i := range g.Perm(len(g.records[key])) {
		if text := strings.Trim(unquoted(g.records[key][i][name]), "[]"); text != "" && !slices.Contains(texts, text) && len(texts) < n {
			texts = append(texts, text)
		}
	}
	return texts
}

// filters returns the parameters of each filter with values of some records, and of pairs of filters.
func (g *Generator) filters(about schema.Description) (queries []string) {
	last := ""
	order, search := about.Params()
	for _, name := range about.Filters {
		f, lookup, _ := about.Parameter(name)
		var texts []string
		for range 4 {
			texts = append(texts, g.filtered(about, name))
		}
		if f.Refers != "" {
			texts = append(texts, "1", "977")
		}
		for _, text := range g.stored(about.Key, f.Name, 9) {
			texts = append(texts, g.oneOf(text, text, strings.ToUpper(text), strings.ToLower(text), g.part(text)))
		}
		switch lookup {
		case "isnull":
			texts = []string{"true", "false"}
		case "range", "in":
			for i, text := range texts {
				texts = append(texts, text+","+texts[(i+3)%len(texts)])
			}
		case "exact":
			last := texts[len(texts)-1]
			texts = append(texts, strings.ToUpper(last), strings.ToLower(last))
		case "gt", "gte", "lt", "lte":
		default:
			texts = append(texts, "É", "é", "_", "%")
		}
		for _, text := range texts {
			queries = append(queries, name+"="+url.QueryEscape(text))
		}
		last, name = name+"="+url.QueryEscape(texts[0]), last
		queries = append(queries, last+"&"+name, last+"&limit=1&offset=1", last+"&"+order+"=-id")
	}
	if len(about.Search) > 0 {
		for range 20 {
			queries = append(queries, search+"="+url.QueryEscape(g.search(about)))
		}
	}
	return queries
}
