package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A parcel is a small record. Four of them have the same Number, a tenth the same Depot.
type parcel struct {
	ID     int    `json:"id"`
	Number int    `json:"number"`
	Depot  int    `json:"depot"`
	Weight int    `json:"weight"`
	Name   string `json:"name"`
}

// parcelsOf returns a collection of n parcels with the indexes of the benchmarks, of which
// readers have made all arrays.
func parcelsOf(tb testing.TB, n int) *catalogue.Collection[parcel] {
	tb.Helper()
	c := mustCollection[parcel](tb, catalogue.Options{Indexes: [][]ordering.Term{
		{ordering.Asc("number")}, {ordering.Asc("name")}, {ordering.Asc("depot")}, {ordering.Asc("depot"), ordering.Asc("weight")},
	}})
	r := rand.New(rand.NewPCG(3, 8))
	err := c.Batch(func(tx *catalogue.Tx[parcel]) error {
		for i, number := range r.Perm(n) {
			if _, err := tx.Insert(parcel{Number: number / 4, Depot: i % 10, Weight: r.IntN(n), Name: fmt.Sprintf("%03d %d", r.IntN(1000), i)}); err != nil {
				return err
			}
		}
		return nil
	})
	must(tb, err)
	warm(tb, c, n)
	return c
}

// warm reads pages and searches everywhere, until all arrays are made.
func warm(tb testing.TB, c *catalogue.Collection[parcel], n int) {
	for range 10 {
		for at := 0; at < n; at += 64 {
			for _, term := range []string{"id", "number", "name", "depot"} {
				_, err := c.Where().View(pagination.Window{Offset: at, Limit: 1}, ordering.Asc(term))
				must(tb, err)
			}
			for _, where := range [][]ordering.Condition{
				{ordering.Equal("number", at/4)},
				{ordering.Equal("depot", at%10)},
				{ordering.Equal("depot", at/64%10), ordering.AtLeast("weight", at)},
				{ordering.Prefix("name", fmt.Sprintf("%03d", at/64%1000))},
			} {
				_, err := c.Where(where...).Count()
				must(tb, err)
			}
		}
	}
}

// BenchmarkFind finds pages and counts them, at random places. It reports how many times longer
// that takes than the view without conditions, in turns.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		c := parcelsOf(b, n)
		w := pagination.Window{Limit: benchLimit}
		view := func(w pagination.Window, terms []ordering.Term, where ...ordering.Condition) error {
			_, err := c.Where(where...).View(w, terms...)
			return err
		}
		count := func(where ...ordering.Condition) error {
			_, err := c.Where(where...).Count()
			return err
		}
		number, weight := []ordering.Term{ordering.Asc("number")}, []ordering.Term{ordering.Asc("weight")}
		name := []ordering.Term{ordering.Asc("name")}
		tokens := []string{""} // after each hundredth record by number
		for token, err := "", error(nil); len(tokens) < n/100; tokens = append(tokens, token) {
			if _, token, err = c.Where().PageAfter(token, 100, number...); err != nil {
				b.Fatal(err)
			}
		}
		unfiltered := func(i int) error {
			return view(pagination.Window{Offset: i % (n - benchLimit), Limit: benchLimit}, number)
		}
		for _, row := range []struct {
			name string
			f    func(i int) error
		}{
			{"page", func(i int) error {
				_, err := c.Where().Page(pagination.Window{Offset: i % (n - benchLimit), Limit: benchLimit}, number...)
				return err
			}},
			{"page after a token", func(i int) error {
				_, _, err := c.Where().PageAfter(tokens[i%len(tokens)], benchLimit, number...)
				return err
			}},
			{"value", func(i int) error { return view(w, number, ordering.Equal("number", i%(n/4))) }},
			{"value and range", func(i int) error {
				return view(w, weight, ordering.Equal("depot", i%10), ordering.AtLeast("weight", i%n))
			}},
			{"in of two", func(i int) error {
				at := pagination.Window{Offset: i % (n / 10), Limit: benchLimit}
				return view(at, weight, ordering.OneOf("depot", i%10, (i+3)%10))
			}},
			{"prefix", func(i int) error {
				return view(w, name, ordering.Prefix("name", fmt.Sprintf("%03d", i%1000)))
			}},
			{"range in another order", func(int) error { return view(w, name, ordering.AtLeast("weight", n/2)) }}, // reads all
			{"count of value", func(i int) error { return count(ordering.Equal("number", i%(n/4))) }},
			{"count of value and range", func(i int) error {
				return count(ordering.Equal("depot", i%10), ordering.Between("weight", i%n, i%n+n/10))
			}},
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, row.name), func(b *testing.B) {
				r, turn := rand.New(rand.NewPCG(1, 1)), 64
				if row.name == "range in another order" {
					turn = 1
				}
				take := func(f func(i int) error) time.Duration {
					start := time.Now()
					for range turn {
						must(b, f(int(r.Uint32()>>1)))
					}
					return time.Since(start)
				}
				var units, times []time.Duration
				b.ReportAllocs()
				for b.Loop() {
					units, times = append(units, take(unfiltered)), append(times, take(row.f))
				}
				slices.Sort(units)
				slices.Sort(times)
				one, some := units[len(units)/4], times[len(times)/4] // few are preempted
				b.ReportMetric(float64(one)/float64(turn), "ns/unfiltered")
				b.ReportMetric(float64(some)/float64(turn), "ns/query")
				b.ReportMetric(float64(some)/float64(one), "ratio")
			})
		}
	}
}

// BenchmarkCollector reports which share of the time of the processors the garbage collector takes
// beside a million records. An operation is an update of a record and nine pages of copies.
func BenchmarkCollector(b *testing.B) {
	const n = 1_000_000
	c := parcelsOf(b, n)
	r := rand.New(rand.NewPCG(6, 6))
	number := []ordering.Term{ordering.Asc("number")}
	used := func() (collector, all float64) {
		s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/gc/mark/idle:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"}}
		metrics.Read(s)
		collector = s[0].Value.Float64() - s[1].Value.Float64() // idle processors mark, too
		return collector, collector + s[2].Value.Float64()
	}
	collector, all := used()
	for b.Loop() {
		must(b, c.Update(1+r.IntN(n), func(p *parcel) error { p.Number = r.IntN(n / 4); return nil }))
		for range 9 {
			_, err := c.Where().Page(pagination.Window{Limit: benchLimit, Offset: r.IntN(n - benchLimit)}, number...)
			must(b, err)
		}
	}
	after, total := used()
	b.ReportMetric((after-collector)/max(total-all, 1e-9), "collector")
}

// BenchmarkViewDuringWrites reports how long a view of a page takes alone, beside a thousand updates
// or inserts a second, and beside as many updates as a writer can do, after readers have made all
// arrays.
func BenchmarkViewDuringWrites(b *testing.B) {
	const n = 100_000
	c := parcelsOf(b, n)
	r := rand.New(rand.NewPCG(5, 5))
	update := func() error {
		return c.Update(1+r.IntN(n), func(p *parcel) error { p.Number = r.IntN(n / 4); return nil })
	}
	for _, row := range []struct {
		name  string
		write func() error
		pause time.Duration // between two writes
	}{
		{"alone", nil, 0},
		{"updates", update, time.Millisecond},
		{"unpaced updates", update, 0},
		{"inserts", func() error { _, err := c.Insert(parcel{Number: r.IntN(n / 4)}); return err }, time.Millisecond},
	} {
		b.Run(row.name, func(b *testing.B) {
			warm(b, c, n)
			var stop atomic.Bool
			var writer sync.WaitGroup
			if row.write != nil {
				writer.Go(func() {
					for !stop.Load() {
						if err := row.write(); err != nil {
							b.Error(err)
							return
						}
						time.Sleep(row.pause)
					}
				})
			}
			took, places := make([]time.Duration, b.N), rand.New(rand.NewPCG(2, 2))
			number := []ordering.Term{ordering.Asc("number")}
			b.ResetTimer()
			for i := range took {
				w := pagination.Window{Limit: benchLimit, Offset: places.IntN(n - benchLimit)}
				start := time.Now()
				_, err := c.Where().View(w, number...)
				must(b, err)
				took[i] = time.Since(start)
			}
			b.StopTimer()
			stop.Store(true)
			writer.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
}

// BenchmarkReadView reads the records of a page, and finds them, in pages at random offsets.
func BenchmarkReadView(b *testing.B) {
	const n = 10_000
	c := parcelsOf(b, n)
	number := []ordering.Term{ordering.Asc("number")}
	for _, row := range []struct {
		name string
		read func(catalogue.View[parcel]) int
	}{
		{"find", func(v catalogue.View[parcel]) int { return v.Count() }},
		{"find and At", func(v catalogue.View[parcel]) (sum int) {
			for i := range v.Len() {
				sum += v.At(i).ID
			}
			return sum
		}},
		{"find and All", func(v catalogue.View[parcel]) (sum int) {
			for _, p := range v.All() {
				sum += p.ID
			}
			return sum
		}},
	} {
		b.Run(row.name, func(b *testing.B) {
			offsets := rand.New(rand.NewPCG(4, 4)).Perm(n - benchLimit)
			for i := 0; b.Loop(); i++ {
				v, err := c.Where().View(pagination.Window{Offset: offsets[i%len(offsets)], Limit: benchLimit}, number...)
				if err != nil || row.read(v) == 0 {
					b.Fatal(err)
				}
			}
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
	defined := catalogue.Define[T]("records", catalogue.Options{})
	records := mustIn(defined, mustCatalogue(tb, defined))
	fresh := make([]T, len(texts))
	for i, text := range texts {
		fresh[i] = record(text)
	}
	must(tb, records.ReplaceAll(slices.Values(fresh)))
	by := records.By("id")
	return keyReader{
		get:    func(text string) { _, err := by.Get(text); must(tb, err) },
		update: func(text string) { must(tb, by.Update(text, func(*T) error { return nil })) },
	}
}

// BenchmarkByKey reports how many times longer a Get and an Update of a record by its key take
// than by an id, at random places. An operation is a thousand of each.
func BenchmarkByKey(b *testing.B) {
	const n = 100_000
	texts := make([]string, n)
	for i := range texts {
		texts[i] = layout.NewUUID()
	}
	c := mustCollection[film](b, catalogue.Options{})
	for _, text := range texts {
		_, err := c.Insert(film{Name: text})
		must(b, err)
	}
	get := func(id int) { _, err := c.Get(id); must(b, err) }
	update := func(id int) { must(b, c.Update(id, func(*film) error { return nil })) }
	text := keyReaderOf(b, texts, func(text string) token { return token{text, text} })
	uuid := keyReaderOf(b, texts, func(text string) ticket { return ticket{text, text} })
	for _, row := range []struct {
		name  string
		byID  func(id int)
		byKey func(text string)
	}{
		{"get text", get, text.get},
		{"get uuid", get, uuid.get},
		{"update text", update, text.update},
		{"update uuid", update, uuid.update},
	} {
		b.Run(row.name, func(b *testing.B) {
			byID, byKey := make([]time.Duration, b.N), make([]time.Duration, b.N)
			r, places := rand.New(rand.NewPCG(1, 1)), make([]int, 1000)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				for j := range places {
					places[j] = r.IntN(n)
				}
				start := time.Now()
				for _, at := range places {
					row.byID(1 + at)
				}
				middle := time.Now()
				for _, at := range places {
					row.byKey(texts[at])
				}
				byID[i], byKey[i] = middle.Sub(start), time.Since(middle)
			}
			slices.Sort(byID)
			slices.Sort(byKey)
			of, key := float64(byID[b.N/4]), float64(byKey[b.N/4]) // few are preempted
			b.ReportMetric(of/1000, "ns/id")
			b.ReportMetric(key/1000, "ns/key")
			b.ReportMetric(key/of, "ratio")
		})
	}
}

// BenchmarkSearch searches all records of a collection for a word in three fields of text, which
// few or no records have. The unit of the rows is a record.
func BenchmarkSearch(b *testing.B) {
	type article struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		Author  string `json:"author"`
		Summary string `json:"summary"`
	}
	const n = 20_000
	articles := catalogue.Define[article]("articles", catalogue.Options{Description: &schema.Description{
		Search: []string{"title", "author", "summary"}, Filters: []string{"summary__icontains"},
	}})
	cat := mustCatalogue(b, articles)
	must(b, mustIn(articles, cat).ReplaceAll(func(yield func(article) bool) {
		for i := range n {
			a := article{Title: fmt.Sprintf("The Story of Number %d", i), Author: fmt.Sprintf("Jane Doe %d", i%1000),
				Summary: "A long summary of what happens in the book, with some words more than the title has."}
			if !yield(a) {
				return
			}
		}
	}))
	c := collectionOf(b, cat, "articles")
	for _, row := range []struct{ name, parameter, text string }{
		{"one word", "search", "zebra"},
		{"two words", "search", "number zebra"},
		{"one field", "summary__icontains", "zebra"},
		{"not ASCII", "search", "żebra"},
	} {
		b.Run(row.name, func(b *testing.B) {
			filter := filterOf(b, c, url.Values{row.parameter: {row.text}})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.List(b.Context(), catalogue.Query{Filter: filter, Window: pagination.Window{Limit: 10}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
		})
	}
}
