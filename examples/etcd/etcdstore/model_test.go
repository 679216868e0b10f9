package etcdstore_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// TestModel sends random requests to three nodes alternately and to the handler of a
// catalogue in memory, and compares the responses. The environment variable
// BACKLIST_ETCD_SEED repeats a run, and BACKLIST_ETCD_REQUESTS sets the number of
// requests instead of 4,000. With -short, there are at most 1,000.
func TestModel(t *testing.T) {
	seed := setting(t, "BACKLIST_ETCD_SEED", uint64(time.Now().UnixNano()))
	requests := setting(t, "BACKLIST_ETCD_REQUESTS", 4000)
	if testing.Short() {
		requests = min(requests, 1000)
	}
	t.Logf("BACKLIST_ETCD_SEED=%d", seed)

	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
	cat, err := newFilms()
	if err != nil {
		t.Fatal(err)
	}
	model, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	g, statuses := newGenerator(seed), map[string]int{}
	for i := range int(requests) {
		a := g.request()
		want, got := a.send(model), a.send(n.handlers[i%3])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("request %d of seed %d, to node %d: %v (-want +got):\n%s", i, seed, i%3+1, a, diff)
		}
		if a.method == "POST" && want.Status == http.StatusCreated {
			g.created[a.collection]++
		}
		statuses[a.method+" "+strconv.Itoa(want.Status)]++
		if i%100 == 99 {
			n.compareWith(t, cat)
		}
	}
	t.Log(statuses)
	for _, answer := range []string{"POST 201", "POST 400", "PATCH 200", "PATCH 400", "PUT 200", "PUT 400", "DELETE 204", "DELETE 409", "GET 200", "GET 400", "GET 404"} {
		if statuses[answer] == 0 && requests >= 4000 { // fewer may lack a rare one
			t.Errorf("no %s among %d requests", answer, requests)
		}
	}
	n.compareWith(t, cat)
}

// compareWith compares the records and highest ids of all nodes, and of a new one, with
// those of a catalogue.
func (n *nodes) compareWith(t *testing.T, cat *catalogue.Catalogue) {
	t.Helper()
	if diff := cmp.Diff(saveCatalogue(t, cat), n.compare(t)); diff != "" {
		t.Errorf("records (-memory +nodes):\n%.3000s", diff)
	}
}

// setting returns the number in an environment variable, or a default.
func setting(t *testing.T, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// A generator generates requests to the collections of films. The same seed yields the same
// ones, if the responses are the same.
type generator struct {
	*rand.Rand
	created map[string]int // number of records, by collection
}

func newGenerator(seed uint64) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 0)), map[string]int{}}
}

func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// testRequest is a request that can be sent several times.
type testRequest struct{ method, collection, target, body, contentType string }

type answer struct {
	Status int
	Header http.Header
	Body   string
}

func (a testRequest) send(h http.Handler) answer {
	w := send(h, a.method, a.target, a.body, "Content-Type", a.contentType)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// request returns a request. Most are valid.
func (g *generator) request() testRequest {
	a := testRequest{contentType: "application/json", collection: g.pick("directors", "genres", "genres", "films", "films", "films", "films")}
	a.target = "/api/" + a.collection + "/"
	if g.oneIn(60) {
		a.contentType = g.pick("text/plain", "application/json; charset=latin-1", "")
	}
	switch kind := g.IntN(100); {
	case kind < 25:
		a.method, a.body = "POST", g.body(a.collection, false)
		return a
	case kind < 30:
		a.method = g.pick("HEAD", "OPTIONS", "PUT", "DELETE", "TRACE")
	case kind < 55:
		a.method = "GET"
		a.target += "?" + g.page(a.collection)
		return a
	case kind < 63:
		a.method = "GET"
	case kind < 79:
		a.method, a.body = "PATCH", g.body(a.collection, true)
	case kind < 93:
		a.method, a.body = "PUT", g.body(a.collection, false)
	case kind < 98:
		a.method = "DELETE"
	default:
		a.method = g.pick("HEAD", "OPTIONS", "POST")
	}
	if a.method != "HEAD" || g.oneIn(2) {
		a.target += g.id(a.collection) + "/"
	}
	if g.oneIn(10) {
		a.target += "?" + g.filter(a.collection)
	}
	return a
}

// id returns the id of a record, which may not exist.
func (g *generator) id(collection string) string {
	last := g.created[collection]
	if g.oneIn(40) {
		return g.pick("0", "01", "x", "9223372036854775807", "9223372036854775808", fmt.Sprint(last+1))
	}
	return fmt.Sprint(1 + max(0, last-1-g.IntN(25))) // the last ones
}

// body returns a body, with some of the members if partial is set.
func (g *generator) body(collection string, partial bool) string {
	if g.oneIn(30) {
		return g.pick("", "{}", "[]", "null", "{", "\xff", `{"name":}`, `{"name":"\ud800"}`)
	}
	var members []string
	for _, m := range g.members(collection) {
		if value := m.value(); !partial && !g.oneIn(25) || partial && g.oneIn(3) {
			members = append(members, fmt.Sprintf("%q:%s", m.name, value))
		}
	}
	if g.oneIn(10) {
		members = append(members, g.pick(`"id":7`, `"created_at":null`, `"nothing":1`))
	}
	g.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// member is a member of a body.
type member struct {
	name  string
	value func() string // JSON
}

func (g *generator) members(collection string) []member {
	of := func(values ...string) func() string { return func() string { return g.pick(values...) } }
	reference := func(key string) func() string {
		return func() string { return g.pick(g.id(key), `"`+g.id(key)+`"`) }
	}
	text := of(`"Night"`, `"night city"`, `"Übersee"`, `"50%_off"`, `" a "`, `"b"`, `"<&>"`, `"Anna"`, `"anna rossi"`, `"ANNA"`, `""`, "null")
	unique := func() string {
		if g.oneIn(6) {
			return g.pick(`"a"`, `"A"`, `"b"`, `"c"`)
		}
		return fmt.Sprintf(`"s-%d"`, g.IntN(1000))
	}
	switch collection {
	case "directors":
		return []member{{"name", text}, {"slug", unique}, {"born", of(`"1950-02-28"`, `"1950-02-28"`, `"1999-12-31"`, "null", "null", "null", `"1950-02-30"`)}, {"website", of(`""`, `""`, `"https://b.example/"`, `"https://a.example/"`, `"a"`)}}
	case "genres":
		return []member{{"name", unique}, {"position", of("0", "1", "-3", `"2"`, "7", "8", "2147483648")}}
	}
	return []member{
		{"title", of(`"Night"`, `"night city"`, `"Übersee"`, `"50%_off"`, `" a "`)}, {"slug", unique}, {"synopsis", of(`""`, `"sea"`, `"a\tb"`)},
		{"released", of("null", `"2001-05-06"`, `"1999-12-31"`)}, {"premiereAt", of("null", `"2020-01-01T10:00:00+02:00"`, `"2020-01-01T08:00:00Z"`)},
		{"minutes", of("0", "90", "120", `"7"`)}, {"rating", of("null", "1.5", "1e2")}, {"price", of(`"1.50"`, "2", `"-0.5"`)},
		{"status", of(`"announced"`, `"released"`, `"withdrawn"`)}, {"published", of("true", "false")},
		{"director", reference("directors")}, {"genres", func() string { return g.list("genres") }},
	}
}

// list returns a list of references, possibly with repetitions.
func (g *generator) list(key string) string {
	var ids []string
	for range g.IntN(4) {
		if id := g.id(key); id != "x" && id != "01" {
			ids = append(ids, id)
		}
	}
	return "[" + strings.Join(ids, ",") + "]"
}

// page returns the query of a page.
func (g *generator) page(collection string) string {
	params := []string{}
	if g.oneIn(2) {
		params = append(params, "limit="+g.pick("1", "5", "1000", "0", "x"), "offset="+g.pick("0", "1", "7", "-1", "1000000"))
	}
	if g.oneIn(2) {
		params = append(params, "ordering="+g.pick("id", "-id", "title,-minutes", "-price,slug", "name", "-position,name", "premiere_at", "nothing", "-genres", "created_at"))
	}
	for range g.IntN(3) {
		params = append(params, g.filter(collection))
	}
	return strings.Join(params, "&")
}

// filter returns a parameter that selects records.
func (g *generator) filter(collection string) string {
	if collection != "films" {
		return "search=" + g.pick("n", "night", "s-1", "A", "%25", "%00")
	}
	return g.pick(
		"status=released", "status__in=announced,withdrawn", "status=x", "published=true", "published=x",
		"director="+url.QueryEscape(g.id("directors")), "director__in="+g.id("directors")+","+g.id("directors"), "genres="+g.id("genres"),
		"minutes__gte=90", "minutes__range=1,100", "minutes=x", "released__isnull=true", "released__gte=2000-01-01",
		"price__lte=1.5", "title__icontains=N", "title__startswith=n", "premiere_at__gte=2020-01-01T08:00:00Z", "search=night", "search=sea+n", "search=%22")
}

func saveCatalogue(t *testing.T, cat *catalogue.Catalogue) string {
	t.Helper()
	var b bytes.Buffer
	if err := cat.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
