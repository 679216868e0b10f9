package catalogue_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A search in a field of another collection does not allocate in proportion to its words
// and to the records of that collection.
func TestSearchAllocates(t *testing.T) {
	cat := ownTyped(t)
	directors := mustIn(catalogue.Define[ownDirector]("directors", ownOptions[ownDirector](t, "directors")), cat)
	films := mustIn(catalogue.Define[ownFilm]("films", ownOptions[ownFilm](t, "films")), cat)
	var words []string
	for i := range 100 {
		words = append(words, fmt.Sprint(i))
	}
	name := strings.Join(words, " ")
	must(t, directors.ReplaceAll(func(yield func(ownDirector) bool) {
		for i := 0; i < 2000 && yield(ownDirector{ID: i + 1, Name: name, Slug: fmt.Sprint("s", i)}); i++ {
		}
	}))
	for i := range 10 {
		_, err := films.Insert(ownFilm{ID: i + 1, Slug: fmt.Sprint("f", i), Price: "1.00", Status: "released", Director: 1 + i})
		must(t, err)
	}
	c, params := collectionOf(t, cat, "films"), url.Values{"search": {name}}
	search := func() {
		if count, _, err := listed(c.List(t.Context(), catalogue.Query{Filter: filterOf(t, c, params), Window: pagination.Window{Limit: 1}})); count != 10 || err != nil {
			t.Fatalf("%d records, error %v", count, err)
		}
	}
	search()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	search()
	runtime.ReadMemStats(&after)
	// 100 maps of 2,000 ids are some 8 MB.
	if size := after.TotalAlloc - before.TotalAlloc; size > 200_000 {
		t.Errorf("a search for %d words allocates %d bytes", len(words), size)
	}
}

// TestListFilters counts the records that filters and searches find. The ids of a filter of a
// list are a set.
func TestListFilters(t *testing.T) {
	cat := ownTyped(t)
	for key, body := range map[string]string{"genres": `{"name":"g%d"}`, "directors": `{"name":"d","slug":"d%d"}`} {
		for i := range 3 {
			_, err := collectionOf(t, cat, key).Create(t.Context(), fmt.Appendf(nil, body, i), schema.Record{})
			must(t, err)
		}
	}
	c := collectionOf(t, cat, "films")
	for i, genres := range []string{"[1]", "[2,3]", "[]", "[3]"} {
		body := fmt.Appendf(nil, `{"title":"t","slug":"s%d","minutes":1,"price":"1.00","director":1,"genres":%s}`, i, genres)
		_, err := c.Create(t.Context(), body, schema.Record{})
		must(t, err)
	}
	for _, row := range []struct {
		params url.Values
		want   int
		reason string
	}{
		{url.Values{"genres": {"1"}}, 1, "one"},
		{url.Values{"genres": {"2", "3", "2"}}, 2, "any of several"},
		{url.Values{"genres": {"1", "2", "3"}}, 3, "all, so that the list is not empty"},
		{url.Values{"search": {"T"}}, 4, "a title"},
		{url.Values{"search": {"d t"}}, 4, "a word in the title and one in the name of the director"},
		{url.Values{"search": {"t x"}}, 0, "a word that no field has"},
	} {
		count, _, err := listed(c.List(t.Context(), catalogue.Query{Filter: filterOf(t, c, row.params), Window: pagination.Window{Limit: 1}}))
		if count != row.want || err != nil {
			t.Errorf("%s: %d records, error %v, want %d", row.reason, count, err, row.want)
		}
	}
	list, err := c.List(t.Context(), catalogue.Query{Terms: terms("no_such,-id")})
	first := string(list.Records[0])
	if by := ordering.Format(list.Terms); err != nil || by != "-id" || !strings.HasPrefix(first, `{"id":4,`) {
		t.Errorf("by an unknown field and -id: by %q, %v, the first is %s", by, err, first)
	}
}

// shade is text that a program sorts without regard to case.
type shade string

func (s shade) OrderingKey() sortkey.Key { return sortkey.Text(strings.ToLower(string(s))) }

type paint struct {
	ID   int    `json:"id"`
	Name shade  `json:"name"`
	Code string `json:"code"`
}

// Filters compare values as orders do, and find text within text as it is written.
// The sign of a search field does not apply to the other fields.
func TestListFiltersCompareKeys(t *testing.T) {
	about := mustDescribe[paint](t, "paints")
	about.Filters, about.Search = []string{"name", "name__in", "name__gt", "name__startswith", "name__contains"}, []string{"^name", "code"}
	paints := catalogue.Define[paint]("paints", catalogue.Options{Description: &about})
	cat := mustCatalogue(t, paints)
	typed := mustIn(paints, cat)
	for _, p := range []paint{{1, "Red", "1"}, {2, "RED", "2"}, {3, "amber", "r"}} {
		_, err := typed.Insert(p)
		must(t, err)
	}
	for _, row := range []struct{ name, value, want, reason string }{
		{"name", "Red", "1 2", "the value"},
		{"name", "red", "1 2", "the value in another case"},
		{"name__gt", "AMBER", "1 2", "greater values"},
		{"name__startswith", "Re", "1", "the beginning of the text"},
		{"name__contains", "e", "1 3", "a part of the text"},
		{"name__in", "Red,Amber", "1 2 3", "two of the values"},
		{"search", "r", "1 2 3", "the beginning of a name or a part of a code"},
		{"search", "e", "", "a part of names only"},
	} {
		c := collectionOf(t, cat, "paints")
		list, err := c.List(t.Context(), catalogue.Query{Filter: filterOf(t, c, url.Values{row.name: {row.value}})})
		must(t, err)
		var ids []string
		for _, record := range list.Records {
			var p paint
			must(t, json.Unmarshal(record, &p))
			ids = append(ids, strconv.Itoa(p.ID))
		}
		if got := strings.Join(ids, " "); got != row.want {
			t.Errorf("%s: records %q, want %q", row.reason, got, row.want)
		}
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
