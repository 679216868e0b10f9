package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// walks is the number of random collections that TestRandomWalks walks through.
var walks = flag.Int("walks", 300, "random collections to walk through")

// A stop is a record with fields of each order, nulls, and a hidden field.
type stop struct {
	ID     int        `json:"id"`
	Rank   *int       `json:"rank"`
	Price  string     `json:"price" backlist:"decimal=8.2,default=0"`
	Ratio  *float64   `json:"ratio"`
	Name   *string    `json:"name" backlist:"untrimmed"`
	Owner  string     `json:"owner" backlist:"fold"`
	Buyer  nickname   `json:"buyer"`
	Last   backward   `json:"last"`
	Kind   string     `json:"kind" backlist:"choices=note|news|review,default=note"`
	Open   *bool      `json:"open"`
	At     *time.Time `json:"at"`
	Day    *string    `json:"day" backlist:"date"`
	Team   *string    `json:"team" backlist:"refers=teams"`
	Next   *int       `json:"next" backlist:"refers=stops"`
	Secret int        `json:"secret" backlist:"hidden"`
}

// A nickname compares without regard to case.
type nickname string

func (n nickname) OrderingKey() sortkey.Key { return sortkey.Fold(string(n)) }

// A backward number compares in the other direction.
type backward int

func (b backward) OrderingKey() int64 { return -int64(b) }

type team struct {
	Code string `json:"code" backlist:"key"`
	Size *int   `json:"size"`
}

// A railway is a set of collections that pages by cursors are read from.
type railway struct {
	testing.TB
	rng   *rand.Rand
	cat   *catalogue.Catalogue
	stops *catalogue.Collection[stop]
	teams *catalogue.Collection[team]
	get   func(target string) (status int, body string)
}

func newRailway(t testing.TB, seed uint64) *railway {
	l := &railway{TB: t, rng: rand.New(rand.NewPCG(seed, 50))}
	stops := catalogue.Define[stop]("stops", catalogue.Options{Description: &schema.Description{
		Ordering: []ordering.Term{ordering.Desc("kind"), ordering.Asc("secret")},
		Filters:  []string{"kind__in", "rank__gte", "team", "open"}, Search: []string{"owner"},
	}})
	teams := catalogue.Define[team]("teams", catalogue.Options{})
	l.cat = mustCatalogue(t, stops, teams)
	l.stops, _ = stops.In(l.cat)
	l.teams, _ = teams.In(l.cat)
	for i, code := range []string{"01", "1", "a", "B", "Ω"} {
		_, err := l.teams.Insert(team{code, pick(l.rng, nil, new(i), new(1))})
		must(t, err)
	}
	h := mustHandler(t, l.cat, Options{Authorizer: AllowAll, Pages: pagination.Cursors{Size: "size", Limits: pagination.Limits{Max: 2000}}})
	l.get = func(target string) (int, string) {
		got := get(h, target)
		return got.Status, got.Body
	}
	return l
}

func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// record returns a record with few different values.
func (l *railway) record() stop {
	r := l.rng
	long := strings.Repeat("é", 600)
	at := time.Date(2026, 11, 27, 12, 0, 0, 123456789, time.FixedZone("", 3600))
	return stop{
		Rank: pick(r, nil, nil, new(-1), new(0), new(7)), Price: pick(r, "9.50", "10.00", "10", "-1.00"),
		Ratio: pick(r, nil, new(0.5), new(1e21), new(1e-7)),
		Name:  pick(r, nil, new("None"), new(""), new("a\x00"), new("a"), new(long), new(long+"1"), new(long[:1024]), new("&=+%")),
		Owner: pick(r, "Ann", "ANN", "bob", "Bob", "ß"), Buyer: pick[nickname](r, "x", "X", "y"), Last: pick[backward](r, 1, 2, 3),
		Kind: pick(r, "note", "news", "review"), Open: pick(r, nil, new(true), new(false)),
		At: pick(r, nil, new(at), new(at.Add(1)), new(at.UTC()), new(at.Add(time.Millisecond)), new(at.Truncate(time.Second))), Day: pick(r, nil, new("2000-01-02"), new("0999-12-31")),
		Team: pick(r, nil, new("01"), new("1"), new("a"), new("B"), new("Ω")), Next: pick(r, nil, new(1), new(2)),
		Secret: r.IntN(3) + 7_000_000,
	}
}

// query returns the parameters of a list, without those of a page, and what they stand for.
func (l *railway) query() (params url.Values, q catalogue.Query) {
	r, params := l.rng, url.Values{}
	var order []string
	for range r.IntN(4) {
		order = append(order, pick(r, "", "-")+pick(r, "id", "rank", "price", "ratio", "name", "owner", "buyer", "last", "kind", "open", "at", "day", "team", "next"))
	}
	if order != nil {
		params.Set("ordering", strings.Join(order, ","))
	}
	switch r.IntN(8) {
	case 0:
		params.Set("kind__in", "note,news")
	case 1:
		params.Set("kind__in", "note")
	case 2:
		params.Set("search", "n")
	case 3:
		params.Set("rank__gte", "0")
	case 4:
		params.Set("team", "1")
		params.Set("open", "true")
	}
	about := collectionOf(l, l.cat, "stops").Description()
	filter, err := about.Filter(l.Context(), func(name string) []string { return params[name] }, schema.Checks{Find: collectionOf(l, l.cat, "stops").Find})
	must(l, err)
	return params, catalogue.Query{Filter: filter, Terms: ordering.Parse(params.Get("ordering"), nil)}
}

// ids returns the ids of all records that a query selects, in its order.
func (l *railway) ids(q catalogue.Query) (ids []int) {
	list, err := collectionOf(l, l.cat, "stops").List(l.Context(), q)
	must(l, err)
	for _, record := range list.Records {
		r, _ := schema.ParseRecord(record)
		ids = append(ids, r.ID)
	}
	return ids
}

// A leaf is a page of a railway.
type leaf struct {
	Next, Previous string
	Results        []struct{ ID int }
}

func (p leaf) ids() (ids []int) {
	for _, r := range p.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

func (l *railway) page(target string) (p leaf) {
	l.Helper()
	status, body := l.get(strings.TrimPrefix(target, "http://host.example"))
	if err := json.Unmarshal([]byte(body), &p); err != nil || status != 200 {
		l.Fatalf("%s: %d %.200s", target, status, body)
	}
	return p
}

// Walks through random collections, in random orders and of random sizes, read each record once in
// both directions, and the page before a page is the one that a client has seen.
func TestRandomWalks(t *testing.T) {
	l := newRailway(t, 1)
	for n := range *walks {
		if n%100 == 99 {
			l = newRailway(t, uint64(n))
		}
		records := make([]stop, l.rng.IntN(30))
		for i := range records {
			records[i] = l.record()
		}
		must(t, l.stops.ReplaceAll(slices.Values(records)))
		for range 2 {
			params, q := l.query()
			size := 1 + l.rng.IntN(7)
			params.Set("size", strconv.Itoa(size))
			l.walk("/api/stops/?"+params.Encode(), size, l.ids(q))
			if t.Failed() {
				t.Fatalf("collection %d", n)
			}
		}
	}
}

// walk walks through the ids of a list, on pages of a size, and back.
func (l *railway) walk(target string, size int, want []int) {
	l.Helper()
	same := func(what, target string, got, want []int) {
		l.Helper()
		if !slices.Equal(got, want) {
			l.Errorf("%s %s: ids %v, want %v", what, target, got, want)
		}
	}
	start, last := 0, target
	for at := target; at != "" && start <= len(want) && !l.Failed(); start += size {
		p := l.page(at)
		same("next", at, p.ids(), want[start:min(start+size, len(want))])
		if (p.Next == "") != (start+size >= len(want)) || (p.Previous == "") != (start == 0) {
			l.Errorf("%s at %d of %d: next %q, previous %q", at, start, len(want), p.Next, p.Previous)
		}
		if p.Previous != "" {
			before := l.page(p.Previous)
			same("previous", p.Previous, before.ids(), want[max(start-size, 0):start])
			same("next of previous", before.Next, l.page(before.Next).ids(), want[start:min(start+size, len(want))])
		}
		last, at = at, p.Next
	}
	end := len(want)
	if end > 0 {
		end -= len(l.page(last).Results)
	}
	for at := l.page(last).Previous; at != "" && !l.Failed(); end -= size {
		p := l.page(at)
		same("back", at, p.ids(), want[max(end-size, 0):max(end, 0)])
		if (p.Previous == "") != (end <= size) || p.Next == "" {
			l.Errorf("back %s at %d: next %q, previous %q", at, end, p.Next, p.Previous)
		}
		at = p.Previous
	}
	if end > 0 && !l.Failed() {
		l.Errorf("%s: the walk back ends at %d", target, end)
	}
}

// Walks beside a writer read each record that stays once, unless a link counts equal values.
func TestWalksBesideWrites(t *testing.T) {
	l := newRailway(t, 2)
	exact := 0
	for n := range *walks {
		records := make([]stop, 5+l.rng.IntN(40))
		for i := range records {
			records[i] = l.record()
		}
		must(t, l.stops.ReplaceAll(slices.Values(records)))
		params, q := l.query()
		params.Set("size", strconv.Itoa(1+l.rng.IntN(7)))
		all, counts := l.ids(q), false
		var stay, got []int // each third record stays
		for _, id := range all {
			if id%3 == 0 {
				stay = append(stay, id)
			}
		}
		back := n%2 == 1
		target := "/api/stops/?" + params.Encode()
		if back {
			target += "&cursor=cj0x" // r=1
			slices.Reverse(stay)
		}
		for pages := 0; target != ""; pages++ {
			p := l.page(target)
			seen := p.ids()
			if target = p.Next; back {
				slices.Reverse(seen)
				target = p.Previous
			}
			got = append(got, slices.DeleteFunc(seen, func(id int) bool { return id%3 != 0 || !slices.Contains(all, id) })...)
			u, _ := url.Parse(target)
			at, _ := pagination.Requested(pagination.Cursors{}, pagination.ParseQuery(u.RawQuery), 0)
			counts = counts || at.Offset > 0
			for range l.rng.IntN(6) {
				if pages < 40 { // otherwise the walk may not end
					l.write(all)
				}
			}
		}
		if !counts {
			if exact++; strings.Contains(params.Get("ordering"), "name") { // a shortened text may repeat those that begin as it does
				once := map[int]bool{}
				got = slices.DeleteFunc(got, func(id int) bool { repeated := once[id]; once[id] = true; return repeated })
			}
			equal(t, fmt.Sprintf("collection %d: %s: records that stay", n, params.Encode()), stay, got)
		}
	}
	if exact < *walks/4 {
		t.Errorf("%d of %d walks have links without offsets, want a quarter", exact, *walks)
	}
}

// write inserts, changes or deletes a record. Some of those with the ids stay.
func (l *railway) write(ids []int) {
	id := 0 // a new one
	if len(ids) > 0 && l.rng.IntN(3) > 0 {
		if id = pick(l.rng, ids...); id%3 == 0 {
			return
		}
	}
	if id > 0 && l.rng.IntN(2) == 0 {
		_ = l.stops.Delete(id) // it may be gone
		return
	}
	r := l.record()
	r.ID = id
	_, err := l.stops.Upsert(r)
	must(l, err)
}

// Walks through more equal values than a cursor of the framework counts, through records with keys,
// and through open records.
func TestWalksOfOtherRecords(t *testing.T) {
	l := newRailway(t, 4)
	records := make([]stop, 2300)
	for i := range records {
		records[i] = stop{Kind: "news", Rank: new(i / 1200)}
	}
	must(t, l.stops.ReplaceAll(slices.Values(records)))
	for _, order := range []string{"", "kind", "-kind", "rank", "-rank,price", "name"} {
		q := catalogue.Query{Terms: ordering.Parse(order, nil)}
		l.walk("/api/stops/?size=130&ordering="+order, 130, l.ids(q))
		l.walk("/api/stops/?size=1001&ordering="+order, 1001, l.ids(q))
	}

	type row struct {
		Code string  `json:"code" backlist:"key"`
		ID   int     `json:"number"`
		Name *string `json:"name" backlist:"untrimmed"`
		Team *string `json:"team" backlist:"refers=rows"`
	}
	rows := catalogue.Define[row]("rows", catalogue.Options{})
	open := catalogue.Define[schema.Record]("boxes", catalogue.Options{Description: &schema.Description{Fields: []schema.Field{
		{Name: "code", Kind: schema.Text}, {Name: "number", Kind: schema.Integer}, {Name: "name", Kind: schema.Text},
	}}})
	cat := mustCatalogue(t, rows, open)
	h := mustHandler(t, cat, Options{Pages: pagination.Cursors{Size: "size"}})
	var data []string
	for i := range 60 {
		name := pick(l.rng, "null", `"None"`, `"a"`, "5", `"`+strings.Repeat("é", 600)+`"`)
		if name == "5" {
			name = `"5"`
		}
		data = append(data, fmt.Sprintf(`{"code":%q,"number":%d,"name":%s,"team":%s}`, pick(l.rng, "a", "Ω", strings.Repeat("x", 400))+strconv.Itoa(i), i+1, name, pick(l.rng, "null", `"k"`)))
	}
	data = append(data, `{"code":"k","number":61,"name":null,"team":null}`)
	must(t, cat.Load(strings.NewReader(`{"rows":[`+strings.Join(data, ",")+`]}`), catalogue.LoadOptions{}))
	for i := range data {
		data[i] = fmt.Sprintf(`{"id":%d,`, i+1) + data[i][1:]
		if i%10 == 0 { // which no description describes
			data[i] = strings.Replace(data[i], `"name":`, `"name":7,"other":`, 1)
		}
	}
	must(t, collectionOf(t, cat, "boxes").Load(strings.NewReader("["+strings.Join(data, ",")+"]"), catalogue.LoadOptions{}))
	l.get = func(target string) (int, string) {
		got := get(h, target)
		return got.Status, strings.NewReplacer(`"id":`, `"i":`, `"number":`, `"id":`).Replace(got.Body)
	}
	for _, key := range []string{"rows", "boxes"} {
		for _, order := range []string{"", "code", "-code", "name", "-name", "name,-code", "team", "-team,name", "number", "-number"} {
			if key == "boxes" && strings.Contains(order, "team") {
				continue
			}
			list, err := collectionOf(t, cat, key).List(t.Context(), catalogue.Query{Terms: ordering.Parse(order, nil)})
			must(t, err)
			var want []int
			for _, record := range list.Records {
				r, _ := schema.ParseKeyed(record)
				number, _ := r.Get("number")
				n, _ := strconv.Atoi(number)
				want = append(want, n)
			}
			for _, size := range []int{1, 7} {
				l.walk(fmt.Sprintf("/api/%s/?size=%d&ordering=%s", key, size, order), size, want)
			}
		}
	}
}

// A token is of one list, and shows no hidden value.
func TestTokensInCursors(t *testing.T) {
	l := newRailway(t, 5)
	for range 20 {
		r := l.record()
		r.Kind, r.Rank = "news", nil
		_, err := l.stops.Insert(r)
		must(t, err)
	}
	token := func(h *Handler, query string) string { // of the page before the second
		second := pagination.Link("", pagination.Cursors{}, pagination.ParseQuery(query), pagination.Place{Window: pagination.Window{Limit: 1, Offset: 2}})
		var p leaf
		must(t, json.Unmarshal([]byte(get(h, "/api/stops/"+second).Body), &p))
		u, err := url.Parse(p.Previous)
		must(t, err)
		return u.Query().Get("cursor")
	}
	handler := func(opts Options) *Handler {
		opts.Pages = pagination.Cursors{Size: "size"}
		return mustHandler(t, l.cat, opts)
	}
	own, other, keyed, again := handler(Options{}), handler(Options{}), handler(Options{ETagKey: "a"}), handler(Options{ETagKey: "a"})
	const byRank, byKind, hidden = "size=2&ordering=rank", "size=2&ordering=kind", "size=2&kind__in=news"
	for _, row := range []struct {
		reason      string
		from        *Handler
		given       string
		to          *Handler
		path, asked string
		want        int
	}{
		{"the same list", own, byRank, own, "stops", byRank, 200},
		{"another size", own, byRank, own, "stops", "size=5&ordering=rank", 200},
		{"another handler", own, byRank, other, "stops", byRank, 200},
		{"another order", own, byRank, own, "stops", byKind, 404},
		{"the reverse order", own, byRank, own, "stops", "ordering=-rank", 404},
		{"another filter", own, byRank, own, "stops", byRank + "&kind__in=news", 404},
		{"a search", own, byRank, own, "stops", byRank + "&search=n", 404},
		{"another value", own, byRank + "&kind__in=news", own, "stops", byRank + "&kind__in=news,note", 404},
		{"another collection", own, byRank, own, "teams", byRank, 404},
		{"a hidden field", own, hidden, own, "stops", hidden, 200},
		{"a hidden field, another handler", own, hidden, other, "stops", hidden, 404},
		{"a hidden field, the same key", keyed, hidden, again, "stops", hidden, 200},
		{"a hidden field, another key", keyed, hidden, own, "stops", hidden, 404},
	} {
		cursor := token(row.from, row.given)
		if !strings.HasPrefix(cursor, "p") {
			t.Fatalf("%s: the cursor is %q, want a token", row.reason, cursor)
		}
		if got := get(row.to, "/api/"+row.path+"/?"+row.asked+"&cursor="+url.QueryEscape(cursor)); got.Status != row.want {
			t.Errorf("%s: %d %.100s, want %d", row.reason, got.Status, got.Body, row.want)
		}
		for _, altered := range []string{cursor[:1], cursor[:5], cursor[:len(cursor)-4], "n" + cursor, cursor[:30] + cursor[31:], cursor + "é"} {
			if got := get(row.from, "/api/stops/?"+row.given+"&cursor="+url.QueryEscape(altered)); got.Status != 404 || !strings.Contains(got.Body, `"Invalid cursor"`) {
				t.Errorf("%s, altered to %q: %d %.100s", row.reason, altered, got.Status, got.Body)
			}
		}
	}
	q := catalogue.Query{Place: &pagination.Place{Window: pagination.Window{Limit: 1}}}
	list, err := collectionOf(t, l.cat, "stops").List(t.Context(), q)
	must(t, err)
	r, err := l.stops.Where().First()
	must(t, err)
	secret, _ := sortkey.Int(int64(r.Secret)).AppendBinary(nil)
	for what, row := range map[string]struct {
		token string
		want  bool
	}{"that of List": {list.Token(0), true}, "that of a link": {token(own, hidden)[1:], false}} {
		raw, err := base64.RawURLEncoding.DecodeString(row.token)
		must(t, err)
		nested, _ := base64.RawURLEncoding.DecodeString(string(raw[min(16, len(raw)):]))
		if got := bytes.Contains(raw, secret) || bytes.Contains(nested, secret); got != row.want {
			t.Errorf("%s: shows the hidden value: %t", what, got)
		}
	}
}

// A page by cursor makes no more allocations than one whose records were tested, and none for
// each record that it does not have.
func TestCursorAllocations(t *testing.T) {
	h := mustHandler(t, newRecordedPages(t), Options{})
	for target, most := range map[string]float64{ // some more than there are, for the race detector, and at most those of tests by gt
		"/api/stories/":                                     46,
		"/api/stories/?cursor=cD0yMDI0LTA3LTI2":             84,
		"/api/stories/?cursor=cj0xJnA9MjAyNC0wNy0yNg==":     68,
		"/api/entries/?ordering=rank":                       32,
		"/api/entries/?ordering=rank&cursor=cD0x":           46,
		"/api/entries/?ordering=rank&kind=news&cursor=cD0x": 68,
		"/api/entries/?ordering=kind&cursor=bz0xMA==":       68,
		"/api/entries/?ordering=name&search=e":              72,
	} {
		r, w := call{target: target}.request(), newDiscard()
		if got := testing.AllocsPerRun(100, func() { clear(w.header); h.ServeHTTP(w, r) }); got > most {
			t.Errorf("%s: %v allocations, want at most %v", target, got, most)
		}
	}
}
