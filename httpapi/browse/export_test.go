package browse

import (
	"context"
	"encoding/csv"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

type part struct {
	ID     int            `json:"id"`
	Owner  string         `json:"owner"`
	Name   string         `json:"name"`
	Price  string         `json:"price" backlist:"decimal=8.2"`
	Size   map[string]int `json:"size"`
	Tags   []string       `json:"tags"`
	Note   *string        `json:"note"`
	Secret string         `json:"secret" backlist:"hidden"`
}

const fourParts = `{"parts":[
	{"id":1,"owner":"a","name":"=1+1","price":"-1.50","size":{"x":1},"tags":["a","b"],"note":null,"secret":"S"},
	{"id":2,"owner":"b","name":"two\nlines, \"quoted\"","price":"2.00","size":{},"tags":[],"note":"","secret":"S"},
	{"id":3,"owner":"a","name":"@sum","price":"3.00","size":{},"tags":[],"note":"-","secret":"S"},
	{"id":4,"owner":"a","name":"Bolt","price":"4.00","size":{},"tags":[],"note":"x","secret":"S"}]}`

// firstTwo lists the records of a collection with the ids 1 and 2.
type firstTwo struct{ catalogue.AnyCollection }

func (c firstTwo) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	q.Filter.Tests = append(slices.Clip(q.Filter.Tests), schema.Test{Field: "id", Lookup: "lt", Values: []string{"3"}})
	return c.AnyCollection.List(ctx, q)
}

// A list can be exported: all its records in their order, of those that the visitor may see, and
// without hidden fields, whatever the style of its pages is.
func TestExport(t *testing.T) {
	const head = "id,owner,name,price,size,tags,note\n"
	rows := map[int]string{
		1: `1,a,'=1+1,-1.50,"{""x"":1}","[""a"",""b""]",` + "\n",
		2: "2,b,\"two\nlines, \"\"quoted\"\"\",2.00,{},[],\n",
		3: "3,a,'@sum,3.00,{},[],'-\n",
		4: "4,a,Bolt,4.00,{},[],x\n",
	}
	cat, err := catalogue.New(catalogue.Define[part]("parts", catalogue.Options{Description: &schema.Description{Filters: []string{"owner", "price__gte"}, Search: []string{"name"}}}))
	must(t, err)
	must(t, cat.Load(strings.NewReader(fourParts), catalogue.LoadOptions{}))
	parts, err := cat.Collection("parts")
	must(t, err)
	own := func(context.Context) (url.Values, error) { return url.Values{"owner": {"a"}}, nil }
	serve := func(c httpapi.Collection, opts httpapi.Options) http.Handler {
		h, err := httpapi.NewHandler([]httpapi.Collection{c}, opts)
		must(t, err)
		return browsing(t, h, Options{Scheme: "Bearer"})
	}
	for _, test := range []struct {
		reason string
		h      http.Handler
		query  string
		want   []int
	}{
		{"all", serve(parts, httpapi.Options{}), "", []int{1, 2, 3, 4}},
		{"more than a page", serve(parts, httpapi.Options{Pages: pagination.Limits{Default: 1, Max: 2}}), "&limit=1&offset=2", []int{1, 2, 3, 4}},
		{"numbers of pages", serve(parts, httpapi.Options{Pages: pagination.Numbers{}}), "&page=7", []int{1, 2, 3, 4}},
		{"cursors", serve(parts, httpapi.Options{Pages: pagination.Cursors{}}), "&ordering=-id", []int{4, 3, 2, 1}},
		{"an order and a filter", serve(parts, httpapi.Options{}), "&ordering=-price&price__gte=2", []int{4, 3, 2}},
		{"a search", serve(parts, httpapi.Options{}), "&search=two", []int{2}},
		{"none", serve(parts, httpapi.Options{}), "&search=nothing", nil},
		{"those of a user", serve(httpapi.Restrict(parts, own), httpapi.Options{}), "&ordering=-id", []int{4, 3, 1}},
		{"a collection that lists some of another", serve(firstTwo{parts}, httpapi.Options{}), "&ordering=-id", []int{2, 1}},
	} {
		want := head
		for _, id := range test.want {
			want += rows[id]
		}
		got := do(test.h, request("GET", "/api/parts/?_export=csv"+test.query, "", "Accept", "*/*"))
		equal(t, test.reason, want, got.body)
		if got.status != 200 || got.header.Get("Content-Type") != "text/csv; charset=utf-8" || got.header.Get("Content-Disposition") != "attachment; filename=parts.csv" || got.header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: %d %v", test.reason, got.status, got.header)
		}
		if link := get(test.h, "/api/parts/?_columns=id").links()["CSV"]; link != "?_columns=id&_export=csv" {
			t.Errorf("%s: the link is %q", test.reason, link)
		}
	}
	for columns, want := range map[string]string{
		"&_columns=":                        "id\n4\n",
		"&_columns=name,price":              "id,name,price\n4,Bolt,4.00\n",
		"&_columns=price&_columns=id,name,": "id,name,price\n4,Bolt,4.00\n",
		"&_columns=secret,unknown,note":     "id,note\n4,x\n",
	} {
		equal(t, columns, want, get(serve(parts, httpapi.Options{}), "/api/parts/?_export=csv&search=bolt"+columns).body)
	}
	for _, test := range []struct {
		reason, target string
		h              http.Handler
		status         int
		text           string
	}{
		{"a filter that is not valid", "/api/parts/?_export=csv&price__gte=x", serve(parts, httpapi.Options{}), 400, "Enter a number."},
		{"a visitor who may not read", "/api/parts/?_export=csv", serve(parts, httpapi.Options{AuthorizeReads: true, Authorizer: httpapi.Bearer("x")}), 401, "credentials were not provided"},
		{"a record", "/api/parts/1/?_export=csv", serve(parts, httpapi.Options{}), 200, "Price -1.50"},
		{"the root", "/api/?_export=csv", serve(parts, httpapi.Options{}), 200, "1 collection"},
		{"another format", "/api/parts/?_export=xlsx", serve(parts, httpapi.Options{}), 200, "4 records"},
		{"a handler without lists", "/api/books/?_export=csv", around(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"detail":"x"}`)) }), 200, `"detail": "x"`},
	} {
		if got := get(test.h, test.target); got.status != test.status || !strings.Contains(got.text, test.text) {
			t.Errorf("%s: %d %s", test.reason, got.status, got.text)
		}
	}
	if got := do(serve(parts, httpapi.Options{}), request("HEAD", "/api/parts/?_export=csv", "")); got.status != 200 || got.body != "" || got.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("HEAD: %d %v %s", got.status, got.header, got.body)
	}
}

// Each member of an open record has a column. A spreadsheet shows what a record says and runs
// nothing.
func TestExportOfOpenRecords(t *testing.T) {
	var records []string
	want := [][]string{{"id", "a", "'=b", "c;'=d"}}
	for _, row := range [][4]string{ // the members of a record and its line
		{`"a":"=1","=b":0,"c;=d":0`, "'=1", "0", "0"},
		{`"=b":"＝1","c;=d":-1e5`, "", "'＝1", "-1e5"},
		{`"a":"\t=1","=b":true`, "'\t'=1", "true", ""},
		{`"a":"\r1"`, "'\r1", "", ""},
		{`"a":"+39 011"`, "'+39 011", "", ""},
		{`"a":"-12.50","=b":"-12.5;-1"`, "-12.50", "'-12.5;'-1", ""},
		{`"a":"a=1","=b":"1-1;1","c;=d":"a@b"`, "a=1", "1-1;1", "a@b"},
		{`"a":"x;=1;y;@z;;＋1","=b":";","c;=d":""`, "x;'=1;y;'@z;;'＋1", ";", ""},
		{`"a":"\ufeff=1","=b":"\u200b+1","c;=d":"\u2060\u200b-1"`, "\ufeff'=1", "\u200b'+1", "\u2060\u200b'-1"},
		{`"a":"x;\u200b=1","=b":"\u200bx=1","c;=d":"é\ufeff=1"`, "x;\u200b'=1", "\u200bx=1", "é\ufeff=1"},
		{`"a":"x\n=1","=b":"x\t-1","c;=d":"x\r\n@1"`, "x\n'=1", "x\t'-1", "x\r\n'@1"},
		{`"a":["=1","x;=1;"],"=b":{";=a":1},"c;=d":["-1"]`, `["=1","x;'=1;"]`, `{";'=a":1}`, `["-1"]`},
	} {
		id := fmt.Sprint(len(records) + 1)
		records = append(records, `{"id":`+id+","+row[0]+"}")
		want = append(want, append([]string{id}, row[1:]...))
	}
	h := newHandlers(t, load(t, `{"books":[`+strings.Join(records, ",")+`]}`), httpapi.Options{}).browse
	got, err := csv.NewReader(strings.NewReader(get(h, "/api/books/?_export=csv").body)).ReadAll()
	must(t, err)
	for _, line := range want {
		for i := range line {
			line[i] = strings.ReplaceAll(line[i], "\r\n", "\n") // as the reader does
		}
	}
	equal(t, "the file", want, got)
	var many []string
	for i := range maxMembers + 1 {
		many = append(many, fmt.Sprintf(`{"id":%d,"m%d":1}`, i+1, i))
	}
	h = newHandlers(t, load(t, `{"books":[`+strings.Join(many, ",")+`]}`), httpapi.Options{}).browse
	if got := get(h, "/api/books/?_export=csv"); got.status != 200 || strings.Count(got.body, ",") != (maxMembers-1)*(maxMembers+2) {
		t.Errorf("%d, %d commas", got.status, strings.Count(got.body, ","))
	}
}

// sample is a part of which only the name is described.
type sample part

// readers counts the reads of a collection that is not a [catalogue.AnyCollection].
type readers struct {
	catalogue.AnyCollection
	read *int
}

func (c readers) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	list, err := c.AnyCollection.List(ctx, q)
	*c.read += len(list.Records)
	return list, err
}

func (c readers) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	*c.read++
	return c.AnyCollection.Get(ctx, segment, filter)
}

func (c readers) Count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) ([]int, error) {
	*c.read++
	return c.Counts(ctx, filter, groups)
}

// A recounted counts the records that are read one by one.
type recounted struct {
	wire.Operations
	read *int
}

func (c recounted) Admit(w http.ResponseWriter, r *http.Request, use func(wire.Selection) error) bool {
	return c.Operations.Admit(w, r, func(s wire.Selection) error { return use(recountedSelection{s, c.read}) })
}

type recountedSelection struct {
	wire.Selection
	read *int
}

func (s recountedSelection) All() (iter.Seq2[[]byte, error], bool) {
	records, described := s.Selection.All()
	return func(yield func([]byte, error) bool) {
		for text, err := range records {
			if *s.read++; !yield(text, err) {
				return
			}
		}
	}, described
}

// A GET of an export reads each record once if the description has all members, and otherwise twice.
// A HEAD reads none.
func TestExportReads(t *testing.T) {
	named := &schema.Description{Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "name", Kind: schema.Text}}}
	cat, err := catalogue.New(catalogue.Define[part]("parts", catalogue.Options{}), catalogue.Define[sample]("samples", catalogue.Options{Description: named}),
		catalogue.Define[schema.Record]("described", catalogue.Options{Description: named}), catalogue.Define[schema.Record]("open", catalogue.Options{}))
	must(t, err)
	list := strings.TrimSuffix(strings.TrimPrefix(fourParts, `{"parts":`), "}")
	must(t, cat.Load(strings.NewReader(fmt.Sprintf(`{"parts":%[1]s,"samples":%[1]s,"described":%[1]s,"open":%[1]s}`, list)), catalogue.LoadOptions{}))
	read := 0
	of := func(key string) catalogue.AnyCollection {
		c, err := cat.Collection(key)
		must(t, err)
		return c
	}
	all := func(context.Context) (url.Values, error) { return nil, nil }
	for reason, test := range map[string]struct {
		c       httpapi.Collection
		members int // columns
		reads   int // of four records
	}{
		"structs":                       {of("parts"), 7, 4},
		"structs with rows of a user":   {httpapi.Restrict(of("parts"), all), 7, 4},
		"structs with undescribed ones": {of("samples"), 8, 8},
		"open records with a description, which may have others": {of("described"), 8, 8},
		"open records":                {of("open"), 8, 8},
		"a collection of the program": {readers{of("parts"), &read}, 7, 4},
	} {
		h, err := httpapi.NewHandler([]httpapi.Collection{test.c}, httpapi.Options{})
		must(t, err)
		counted := wrapped{h, func(w http.ResponseWriter, r *http.Request) {
			page := wire.PageOf(r.Context())
			h.ServeHTTP(w, r.WithContext(wire.WithPage(r.Context(), func(w http.ResponseWriter, r *http.Request, ask wire.Operations) {
				if reason != "a collection of the program" {
					ask = recounted{ask, &read}
				}
				page(w, r, ask)
			})))
		}}
		for method, want := range map[string]int{"GET": test.reads, "HEAD": 0} {
			read = 0
			got := do(browsing(t, counted, Options{}), request(method, "/api/"+test.c.Description().Segment+"/?_export=csv", ""))
			head, _, _ := strings.Cut(got.body, "\n")
			if members := strings.Count(head, ",") + 1; got.status != 200 || read != want || method == "GET" && members != test.members {
				t.Errorf("%s: %s: %d, %d members, %d records are read, want %d and %d", reason, method, got.status, members, read, test.members, want)
			}
		}
	}
}

// An export sends records while it reads them: it never holds more than a few. It ends with its
// client, and a file that is not complete does not look like one.
func TestExportStreams(t *testing.T) {
	h := newHandlers(t, load(t, books(20_000)), httpapi.Options{}).browse
	sent := &chunks{counter: counter{header: http.Header{}}, fail: -1}
	h.ServeHTTP(sent, request("GET", "/api/books/?_export=csv", ""))
	if sent.status != 200 || sent.bytes < 100_000 || sent.longest > 64<<10 {
		t.Errorf("%d, %d bytes, at most %d at once", sent.status, sent.bytes, sent.longest)
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("the response is complete")
		}
	}()
	h.ServeHTTP(&chunks{counter: counter{header: http.Header{}}, fail: 2}, request("GET", "/api/books/?_export=csv", ""))
}

// chunks is a ResponseWriter that knows the longest part of the body, and fails after some.
type chunks struct {
	counter
	longest, fail int
}

func (c *chunks) Write(body []byte) (int, error) {
	if c.fail--; c.fail == 0 {
		return 0, http.ErrHandlerTimeout
	}
	c.longest = max(c.longest, len(body))
	return c.counter.Write(body)
}
