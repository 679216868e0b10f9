package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

const benchLimit = 21

// A benchRow is a function to measure. Its argument is a random number.
type benchRow struct {
	name string
	f    func(i int) error
}

func runRows(b *testing.B, rows []benchRow) {
	for _, row := range rows {
		b.Run(row.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for b.Loop() {
				must(b, row.f(int(r.Uint32()>>1)))
			}
		})
	}
}

// benchHouse returns a catalogue with n events of about 700 bytes of JSON each, and the events. There
// are indexes by id, start_date and name. Neither dates nor names are in the order of the ids.
func benchHouse(tb testing.TB, n int, opts ...catalogue.Options) (*catalogue.Catalogue, []resources.Event) {
	tb.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	words := strings.Fields("reading signing evening workshop presentation dialogue festival breakfast lecture translation")
	events := make([]resources.Event, n)
	for i := range events {
		start := time.Date(2026, 5, 10, 18, 0, 0, 0, time.FixedZone("", 7200)).Add(time.Duration(r.IntN(1<<20)) * time.Minute)
		events[i] = resources.Event{
			ID:          i + 1,
			Name:        fmt.Sprintf("%s %s %d", words[r.IntN(len(words))], words[r.IntN(len(words))], r.IntN(n)),
			Slug:        words[r.IntN(len(words))],
			Summary:     "An evening with the author and the translator",
			Description: "<p>" + strings.Repeat("The author reads from the new book. ", 8) + "</p>",
			Location:    "Literaturhaus",
			StartDate:   schema.At(start),
			EndDate:     schema.At(start.Add(2 * time.Hour)),
			Poster:      "https://cdn.example.org/media/poster/5e3c1d96.jpg",
			PosterWebp:  "https://cdn.example.org/media/poster/5e3c1d96.webp",
			Labels:      []int{1 + r.IntN(20)},
			Authors:     []int{1 + r.IntN(50), 51 + r.IntN(50)},
		}
	}
	defined := resources.Events
	for _, o := range opts {
		defined = catalogue.Define[resources.Event]("events", o)
	}
	cat, err := resources.New(defined)
	must(tb, err)
	must(tb, mustIn(resources.Events, cat).ReplaceAll(slices.Values(events)))
	for _, term := range terms("start_date,name") {
		_, err := mustIn(resources.Events, cat).Where().View(pagination.Window{Limit: 1}, term)
		must(tb, err)
	}
	return cat, events
}

// BenchmarkPage reads pages as views, as copies, and as JSON. A page at one place stays in the
// processor's cache; those at random places mostly do not.
func BenchmarkPage(b *testing.B) {
	const n = 100_000
	cat, _ := benchHouse(b, n)
	events, encoded := mustIn(resources.Events, cat), collectionOf(b, cat, "events")
	var rows []benchRow
	for _, order := range []string{"", "-name", "location,-start_date,name"} {
		by := terms(order)
		for _, places := range []int{1, n - benchLimit} {
			row := func(kind string, read func(pagination.Window) error) {
				rows = append(rows, benchRow{fmt.Sprintf("%s/by=%s/places=%d", kind, order, places), func(i int) error {
					return read(pagination.Window{Limit: benchLimit, Offset: i % places})
				}})
			}
			row("view", func(w pagination.Window) error { return second(events.Where().View(w, by...)) })
			row("copies", func(w pagination.Window) error { return second(events.Page(w, by...)) })
			row("encoded", func(w pagination.Window) error {
				return second(encoded.List(b.Context(), catalogue.Query{Window: w, Terms: by}))
			})
		}
	}
	runRows(b, rows)
}

// A parcel is a small record. Four of them have the same Number, a tenth the same Depot.
type parcel struct {
	ID     int    `json:"id"`
	Code   string `json:"code" backlist:"unique"`
	Number int    `json:"number"`
	Depot  int    `json:"depot"`
	Weight int    `json:"weight"`
	Name   string `json:"name"`
}

// parcelsOf returns a collection of n parcels with indexes, of which readers have made all arrays.
func parcelsOf(b *testing.B, n int) *catalogue.Collection[parcel] {
	b.Helper()
	c := mustCollection[parcel](b, catalogue.Options{
		Indexes: [][]ordering.Term{terms("number"), terms("name"), terms("weight"), terms("depot,weight")},
	})
	r := rand.New(rand.NewPCG(3, 8))
	numbers := r.Perm(n)
	must(b, c.ReplaceAll(func(yield func(parcel) bool) {
		for i, number := range numbers {
			name := fmt.Sprintf("%03d %d", r.IntN(1000), i)
			if !yield(parcel{Code: fmt.Sprint("c", i), Number: number / 4, Depot: i % 10, Weight: r.IntN(n), Name: name}) {
				return
			}
		}
	}))
	for range 10 {
		for at := 0; at < n; at += 64 {
			for _, term := range terms("id,code,number,name,weight") {
				must(b, second(c.Where().View(pagination.Window{Offset: at, Limit: 1}, term)))
			}
			must(b, second(c.Where(ordering.Equal("depot", at/64%10), ordering.AtLeast("weight", at)).Count()))
		}
	}
	return c
}

// BenchmarkFind finds pages and counts them.
func BenchmarkFind(b *testing.B) {
	const n = 100_000
	c := parcelsOf(b, n)
	view := func(order string, where ...ordering.Condition) error {
		return second(c.Where(where...).View(pagination.Window{Limit: benchLimit}, terms(order)...))
	}
	count := func(where ...ordering.Condition) error { return second(c.Where(where...).Count()) }
	tokens := []string{""} // after each hundredth record by number
	for token, err := "", error(nil); len(tokens) < n/100; tokens = append(tokens, token) {
		_, token, err = c.Where().PageAfter(token, 100, terms("number")...)
		must(b, err)
	}
	runRows(b, []benchRow{
		{"page after a token", func(i int) error {
			_, _, err := c.Where().PageAfter(tokens[i%len(tokens)], benchLimit, terms("number")...)
			return err
		}},
		{"value", func(i int) error { return view("number", ordering.Equal("number", i%(n/4))) }},
		{"value and range", func(i int) error {
			return view("weight", ordering.Equal("depot", i%10), ordering.AtLeast("weight", i%n))
		}},
		{"in of two", func(i int) error { return view("weight", ordering.OneOf("depot", i%10, (i+3)%10)) }},
		{"prefix", func(i int) error { return view("name", ordering.Prefix("name", fmt.Sprintf("%03d", i%1000))) }},
		{"range in another order", func(int) error { return view("name", ordering.AtLeast("weight", n/2)) }}, // reads all
		{"count of value", func(i int) error { return count(ordering.Equal("number", i%(n/4))) }},
		{"count of value and range", func(i int) error {
			return count(ordering.Equal("depot", i%10), ordering.Between("weight", i%n, i%n+n/10))
		}},
	})
}

// BenchmarkWrite writes single records, and reads after writes. The records grow with each row, so
// compare at the same -benchtime=20000x. BenchmarkWrite of the engine compares with trees alone.
func BenchmarkWrite(b *testing.B) {
	const n = 100_000
	c := parcelsOf(b, n)
	fresh, token := 0, ""
	weigh := func(i int) error { return c.Update(1+i%n, func(p *parcel) error { p.Weight = i % n; return nil }) }
	runRows(b, []benchRow{
		{"update one index", weigh},
		{"update no index", func(i int) error { return c.Update(1+i%n, func(*parcel) error { return nil }) }},
		{"update by text", func(i int) error {
			return c.By("code").Update(fmt.Sprint("c", i%n), func(p *parcel) error { p.Weight++; return nil })
		}},
		{"insert", func(i int) error {
			fresh++
			return second(c.Insert(parcel{Code: fmt.Sprint("n", fresh), Number: i % n, Weight: i % n, Name: fmt.Sprint(i)}))
		}},
		{"delete and insert", func(i int) error {
			p, err := c.Get(1 + i%n)
			must(b, err, c.Delete(p.ID))
			return second(c.Insert(p))
		}},
		{"get", func(i int) error { return second(c.Get(1 + i%n)) }},
		{"get by text", func(i int) error { return second(c.By("code").Get(fmt.Sprint("c", i%n))) }},
		{"update and page", func(i int) error {
			must(b, weigh(i))
			return second(c.Page(pagination.Window{Offset: i % n, Limit: benchLimit}, ordering.Asc("weight")))
		}},
		{"update and position", func(i int) error {
			must(b, weigh(i))
			return second(c.Where().Position(1+i/2%n, ordering.Asc("weight")))
		}},
		{"update and page after", func(i int) (err error) {
			must(b, weigh(i))
			_, token, err = c.Where().PageAfter(token, benchLimit, ordering.Asc("weight"))
			return err
		}},
	})
}

// BenchmarkViewDuringWrites reports how long a view of a page takes alone and beside as many updates
// as a writer can do.
func BenchmarkViewDuringWrites(b *testing.B) {
	const n = 100_000
	c := parcelsOf(b, n)
	for _, writers := range []int{0, 1} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			var stop atomic.Bool
			var writing sync.WaitGroup
			for range writers {
				writing.Go(func() {
					for i := 0; !stop.Load(); i++ {
						_ = c.Update(1+i%n, func(p *parcel) error { p.Number = i % (n / 4); return nil })
					}
				})
			}
			took, places := []time.Duration(nil), rand.New(rand.NewPCG(2, 2))
			for b.Loop() {
				start := time.Now()
				w := pagination.Window{Limit: benchLimit, Offset: places.IntN(n - benchLimit)}
				must(b, second(c.Where().View(w, ordering.Asc("number"))))
				took = append(took, time.Since(start))
			}
			stop.Store(true)
			writing.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
}

// A token has a key of text, unlike a film, which has an id, and a ticket, which has a UUID.
type token struct {
	ID   string `json:"id" backlist:"key"`
	Name string `json:"name"`
}

// A keyReader gets and updates the records of a collection by their keys.
type keyReader struct{ get, update func(text string) }

// keyReaderOf returns one of records with texts as keys.
func keyReaderOf[T any](tb testing.TB, texts []string, record func(text string) T) keyReader {
	tb.Helper()
	records := mustCollection[T](tb, catalogue.Options{})
	must(tb, records.ReplaceAll(func(yield func(T) bool) {
		for _, text := range texts {
			if !yield(record(text)) {
				return
			}
		}
	}))
	by := records.By("id")
	return keyReader{
		get:    func(text string) { must(tb, second(by.Get(text))) },
		update: func(text string) { must(tb, by.Update(text, func(*T) error { return nil })) },
	}
}

// BenchmarkByKey gets and updates records by their keys. The rows get and update of BenchmarkWrite do so
// by ids.
func BenchmarkByKey(b *testing.B) {
	texts := make([]string, 100_000)
	for i := range texts {
		texts[i] = layout.NewUUID()
	}
	row := func(name string, f func(text string)) benchRow {
		return benchRow{name, func(i int) error { f(texts[i%len(texts)]); return nil }}
	}
	text := keyReaderOf(b, texts, func(text string) token { return token{text, text} })
	uuid := keyReaderOf(b, texts, func(text string) ticket { return ticket{text, text} })
	runRows(b, []benchRow{
		row("get text", text.get), row("get uuid", uuid.get), row("update text", text.update), row("update uuid", uuid.update),
	})
}

// BenchmarkLoadFile loads 20,000 records, with and without a look at their validity.
func BenchmarkLoadFile(b *testing.B) {
	cat, _ := benchHouse(b, 20_000)
	path := filepath.Join(b.TempDir(), "events.json")
	must(b, cat.SaveFile(path))
	runRows(b, []benchRow{
		{"plain", func(int) error { return cat.LoadFile(path, catalogue.LoadOptions{}) }},
		{"validated", func(int) error { return cat.LoadFile(path, catalogue.LoadOptions{Validate: true}) }},
	})
}

// BenchmarkRequests filters, searches and orders 100,000 records as requests do, in fields of their own
// and across references to as many others.
func BenchmarkRequests(b *testing.B) {
	cat := newRelations(b, false)
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	list := func(key string, record func(id int) string) {
		var all []string
		for id := 1; id <= n; id++ {
			all = append(all, fmt.Sprintf(`{"id":%d,%s}`, id, record(id)))
		}
		must(b, cat.Load(strings.NewReader(`{"`+key+`":[`+strings.Join(all, ",")+`]}`), catalogue.LoadOptions{}))
	}
	list("customers", func(id int) string {
		uuid := fmt.Sprintf("00000000-0000-0000-0000-%012d", id)
		return fmt.Sprintf(`"email":"c%d@shop.example","uuid":"%s","name":"Customer number %d","born":null`, id, uuid, r.IntN(n))
	})
	list("categories", func(id int) string {
		return fmt.Sprintf(`"code":"c%d","name":"Category number %d","parent":null`, id, r.IntN(n))
	})
	list("orders", func(int) string {
		return fmt.Sprintf(`"customer":"c%d@shop.example","product":null,"category":%d,"watchers":[],"note":"Order number %d"`,
			1+r.IntN(n), 1+r.IntN(n), r.IntN(n))
	})
	c := collectionOf(b, cat, "orders")
	for _, query := range []string{
		"note__icontains=r+77", "note__icontains=żebra", "search=zebra", "search=number+zebra",
		"category__name__icontains=r+77", "customer__name__icontains=r+77", "customer__name__icontains=um",
		"ordering=note", "ordering=category__name", "ordering=customer__name",
	} {
		b.Run(query, func(b *testing.B) {
			params, err := url.ParseQuery(query)
			must(b, err)
			q := catalogue.Query{
				Filter: filterOf(b, c, params), Terms: terms(params.Get("ordering")), Window: pagination.Window{Limit: benchLimit},
			}
			b.ReportAllocs()
			for b.Loop() {
				must(b, second(c.List(b.Context(), q)))
			}
		})
	}
}

// A person of BenchmarkSearch has a name of 24 letters and a text of 85.
type person struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Note string `json:"note"`
}

// spelled returns n letters of random syllables.
func spelled(r *rand.Rand, n int) string {
	syllables := strings.Fields("an ber cor dan el fra go hu in jo ka lu mar ne o pe qui ros si ta ul vi we xa yo za")
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	return b.String()[:n]
}

// BenchmarkSearch searches 1,000,000 records for words, in turn in the texts of the records that stand
// beside the index and record by record, as filters with a function do. Each search is for other words.
// The times are the medians of a search.
func BenchmarkSearch(b *testing.B) {
	const n = 1_000_000
	cat, err := catalogue.New(catalogue.Define[person]("people", catalogue.Options{}))
	must(b, err)
	people := mustIn(catalogue.Define[person]("people", catalogue.Options{}), cat)
	r := rand.New(rand.NewPCG(1, 2))
	must(b, people.ReplaceAll(func(yield func(person) bool) {
		for id := 1; id <= n && yield(person{id, spelled(r, 24), spelled(r, 85)}); id++ {
		}
	}))
	c := collectionOf(b, cat, "people")
	byName := []ordering.Term{ordering.Asc("name")}
	for _, row := range []struct {
		name    string
		fields  []string
		letters []int // of each word
		terms   []ordering.Term
	}{
		{"four letters of 24", []string{"name"}, []int{4}, nil},
		{"two letters of 24", []string{"name"}, []int{2}, nil},
		{"four letters of 24 by name", []string{"name"}, []int{4}, byName},
		{"two letters of 24 by name", []string{"name"}, []int{2}, byName},
		{"two words of 24", []string{"name"}, []int{4, 3}, nil},
		{"four letters of 85", []string{"note"}, []int{4}, nil},
		{"four letters of 24 and 85", []string{"name", "note"}, []int{4}, nil},
	} {
		b.Run(row.name, func(b *testing.B) {
			search := func(words []string, each func(t schema.Test) schema.Test) time.Duration {
				q := catalogue.Query{Window: pagination.Window{Limit: benchLimit}, Terms: row.terms}
				for _, word := range words {
					var tests []schema.Test
					for _, field := range row.fields {
						tests = append(tests, each(schema.Test{Field: field, Lookup: "icontains", Values: []string{word}}))
					}
					q.Filter.Search = append(q.Filter.Search, tests)
				}
				begin := time.Now()
				must(b, second(c.List(b.Context(), q)))
				return time.Since(begin)
			}
			inTexts := func(t schema.Test) schema.Test { return t }
			oneByOne := func(t schema.Test) schema.Test { t.Match = t.MatchesText; return t }
			var texts, records []time.Duration
			for i := range 3 {
				search([]string{fmt.Sprint("none", i)}, inTexts)
			}
			for b.Loop() {
				var words []string
				for _, letters := range row.letters {
					words = append(words, spelled(r, letters))
				}
				texts, records = append(texts, search(words, inTexts)), append(records, search(words, oneByOne))
			}
			slices.Sort(texts)
			slices.Sort(records)
			now, before := texts[len(texts)/2], records[len(records)/2]
			b.ReportMetric(float64(now.Microseconds())/1e3, "texts-ms")
			b.ReportMetric(float64(before.Microseconds())/1e3, "records-ms")
			b.ReportMetric(float64(before)/float64(now), "×")
		})
	}
}
