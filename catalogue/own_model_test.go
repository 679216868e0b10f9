package catalogue_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A modelFilm is a film of the model, with its price in cents and its premiere in
// minutes after the year 2020 began.
type modelFilm struct {
	id, minutes, cents, director int
	title, synopsis, status      string
	released                     string // or null if empty
	premiere                     int    // or null if negative
	published                    bool
	genres                       []int
}

// A modelFilter is a parameter and the films that it selects.
type modelFilter struct {
	name, value string
	selects     func(f modelFilm) bool
}

var modelTitles = []string{"night", "Night city", "city of NIGHT", "sea", "", "übersee", "ÜBER", "50%_off", "a_b"}

func randomModelFilm(rng *rand.Rand, id int) modelFilm {
	f := modelFilm{
		id: id, minutes: rng.IntN(20), cents: rng.IntN(3000) - 500, director: 1 + rng.IntN(4), premiere: rng.IntN(3000) - 300,
		title: modelTitles[rng.IntN(len(modelTitles))], synopsis: modelTitles[rng.IntN(len(modelTitles))],
		status: []string{"announced", "released", "withdrawn"}[rng.IntN(3)], published: rng.IntN(2) == 0,
	}
	if rng.IntN(3) > 0 {
		f.released = fmt.Sprintf("20%02d-05-1%d", rng.IntN(20), rng.IntN(10))
	}
	for g := 1; g <= 3; g++ {
		if rng.IntN(3) == 0 {
			f.genres = append(f.genres, g)
		}
	}
	return f
}

// premiereText returns minutes after the year 2020 began as a date-time with an offset.
func premiereText(minutes, offset int) string {
	local := minutes + 60*offset
	return fmt.Sprintf("2020-01-%02dT%02d:%02d:00+%02d:00", 2+local/1440, local%1440/60, local%60, offset)
}

// json returns the film in the form that is stored. Texts of the same number differ.
func (f modelFilm) json() string {
	price := fmt.Sprintf("%.2f", float64(f.cents)/100)
	if f.cents%10 == 0 && f.id%2 == 0 {
		price = strings.TrimSuffix(price, "0")
	}
	m := map[string]any{"id": f.id, "title": f.title, "slug": fmt.Sprint("s", f.id), "synopsis": f.synopsis, "released": nil, "premiereAt": nil,
		"minutes": f.minutes, "rating": nil, "price": price, "status": f.status, "published": f.published, "director": f.director,
		"genres": append([]int{}, f.genres...), "createdAt": "2020-01-01T00:00:00Z"}
	if f.released != "" {
		m["released"] = f.released
	}
	if f.premiere >= 0 {
		m["premiereAt"] = premiereText(f.premiere, f.id%3)
	}
	text, _ := json.Marshal(m)
	return string(text)
}

// compares returns a random comparison and its result for the order of two values.
func randomComparison(rng *rand.Rand) (suffix string, holds func(order int) bool) {
	switch rng.IntN(4) {
	case 0:
		return "__gt", func(order int) bool { return order > 0 }
	case 1:
		return "__gte", func(order int) bool { return order >= 0 }
	case 2:
		return "__lt", func(order int) bool { return order < 0 }
	}
	return "__lte", func(order int) bool { return order <= 0 }
}

func randomModelFilter(rng *rand.Rand, names map[int]string) modelFilter {
	word := []string{"night", "NIGHT", "city", "%", "_", "ü", "Ü", "anna"}[rng.IntN(8)]
	upper := strings.ToUpper
	switch rng.IntN(12) {
	case 0:
		n := rng.IntN(20)
		suffix, holds := randomComparison(rng)
		return modelFilter{"minutes" + suffix, strconv.Itoa(n), func(f modelFilm) bool { return holds(f.minutes - n) }}
	case 1:
		suffix, holds := randomComparison(rng)
		return modelFilter{"minutes" + suffix, "-1e30", func(modelFilm) bool { return holds(1) }}
	case 2:
		from, to := rng.IntN(20), rng.IntN(20)
		return modelFilter{"minutes__range", fmt.Sprint(from, ",", to), func(f modelFilm) bool { return from <= f.minutes && f.minutes <= to }}
	case 3:
		cents := 10 * (rng.IntN(300) - 50)
		suffix, holds := randomComparison(rng)
		return modelFilter{"price" + suffix, fmt.Sprintf("%.1f", float64(cents)/100), func(f modelFilm) bool { return holds(f.cents - cents) }}
	case 4:
		at := rng.IntN(2700)
		suffix, holds := randomComparison(rng)
		return modelFilter{"premiere_at" + suffix, premiereText(at, rng.IntN(3)), func(f modelFilm) bool { return f.premiere >= 0 && holds(f.premiere-at) }}
	case 5:
		null := rng.IntN(2) == 0
		return modelFilter{"released__isnull", fmt.Sprint(null), func(f modelFilm) bool { return (f.released == "") == null }}
	case 6:
		day := fmt.Sprintf("20%02d-05-15", rng.IntN(20))
		suffix, holds := randomComparison(rng)
		return modelFilter{"released" + suffix, day, func(f modelFilm) bool { return f.released != "" && holds(strings.Compare(f.released, day)) }}
	case 7:
		return modelFilter{"status__in", "released,announced", func(f modelFilm) bool { return f.status != "withdrawn" }}
	case 8:
		return modelFilter{"director", "2", func(f modelFilm) bool { return f.director == 2 }}
	case 9:
		g := 1 + rng.IntN(3)
		return modelFilter{"genres", strconv.Itoa(g), func(f modelFilm) bool { return slices.Contains(f.genres, g) }}
	case 10:
		switch rng.IntN(3) {
		case 0:
			return modelFilter{"title__contains", word, func(f modelFilm) bool { return strings.Contains(f.title, word) }}
		case 1:
			return modelFilter{"title__startswith", word, func(f modelFilm) bool { return strings.HasPrefix(f.title, word) }}
		}
		return modelFilter{"title__icontains", word, func(f modelFilm) bool { return strings.Contains(upper(f.title), upper(word)) }}
	}
	return modelFilter{"search", "c," + word, func(f modelFilm) bool {
		has := func(word string) bool {
			return strings.Contains(upper(f.title), word) || strings.Contains(upper(f.synopsis), word) || strings.Contains(upper(names[f.director]), word)
		}
		return has("C") && has(upper(word))
	}}
}

// TestPageWhereModel compares random filters with a naive evaluation over all films.
func TestPageWhereModel(t *testing.T) {
	lower := ordering.FieldKey("title", func(s string) sortkey.Key { return sortkey.Text(strings.ToLower(s)) })
	for _, row := range []struct {
		name string
		make func(opts catalogue.Options) catalogue.AnyDefinition
		keys []ordering.KeyFunc
	}{
		{"typed", func(o catalogue.Options) catalogue.AnyDefinition { return catalogue.Define[ownFilm]("films", o) }, nil},
		{"open", func(o catalogue.Options) catalogue.AnyDefinition {
			return catalogue.Define[schema.Record]("films", o)
		}, nil},
		{"typed, with a key function", func(o catalogue.Options) catalogue.AnyDefinition { return catalogue.Define[ownFilm]("films", o) }, []ordering.KeyFunc{lower}},
		{"open, with a key function", func(o catalogue.Options) catalogue.AnyDefinition {
			return catalogue.Define[schema.Record]("films", o)
		}, []ordering.KeyFunc{lower}},
	} {
		t.Run(row.name, func(t *testing.T) {
			opts := ownOptions[ownFilm](t, "films")
			opts.Keys = row.keys
			for _, field := range []string{"minutes", "price", "premiere_at", "released"} {
				for _, lookup := range []string{"", "__gt", "__gte", "__lt", "__lte"} {
					if !slices.Contains(opts.Description.Filters, field+lookup) {
						opts.Description.Filters = append(opts.Description.Filters, field+lookup)
					}
				}
			}
			house := ownHouse(t, catalogue.Define[ownDirector]("directors", catalogue.Options{}), catalogue.Define[ownGenre]("genres", catalogue.Options{}), row.make(opts))
			compareModel(t, house)
		})
	}
}

func compareModel(t *testing.T, house *catalogue.Catalogue) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := map[int]string{1: "Anna", 2: "bruno", 3: "ANNA C", 4: "c"}
	var films []modelFilm
	var texts []string
	for id := 1; id <= 300; id++ {
		films = append(films, randomModelFilm(rng, id))
		texts = append(texts, films[id-1].json())
	}
	directors, _ := json.Marshal([]ownDirector{{ID: 1, Name: names[1]}, {ID: 2, Name: names[2], Slug: "2"}, {ID: 3, Name: names[3], Slug: "3"}, {ID: 4, Name: names[4], Slug: "4"}})
	data := fmt.Sprintf(`{"directors":%s,"genres":[{"id":1,"name":"1"},{"id":2,"name":"2"},{"id":3,"name":"3"}],"films":[%s]}`, directors, strings.Join(texts, ","))
	if err := house.Load(strings.NewReader(data), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	c := ownCollection(t, house, "films")
	for range 1500 {
		params := url.Values{}
		var filters []modelFilter
		for range rng.IntN(4) {
			if f := randomModelFilter(rng, names); !params.Has(f.name) {
				filters = append(filters, f)
				params.Set(f.name, f.value)
			}
		}
		want := slices.DeleteFunc(slices.Clone(films), func(f modelFilm) bool {
			return slices.ContainsFunc(filters, func(m modelFilter) bool { return !m.selects(f) })
		})
		var terms []ordering.Term
		switch rng.IntN(3) {
		case 0:
			terms = ordering.Parse("price,no_such", nil)
			slices.SortStableFunc(want, func(a, b modelFilm) int { return cmp.Compare(a.cents, b.cents) })
		case 1:
			terms = ordering.Parse("-minutes", nil)
			slices.SortFunc(want, func(a, b modelFilm) int { return cmp.Or(cmp.Compare(b.minutes, a.minutes), cmp.Compare(b.id, a.id)) })
		}
		w := pagination.Window{Limit: 1 + rng.IntN(60), Offset: rng.IntN(30)}
		count, records, err := listed(c.List(t.Context(), catalogue.Query{Params: params, Window: w, Terms: terms}))
		if err != nil {
			t.Fatalf("%v: %v", params, err)
		}
		wantIDs, ids := []int{}, []int{}
		for _, f := range want[min(w.Offset, len(want)):min(w.Offset+w.Limit, len(want))] {
			wantIDs = append(wantIDs, f.id)
		}
		for _, r := range records {
			ids = append(ids, idIn(t, r))
		}
		if diff := gocmp.Diff(wantIDs, ids); count != len(want) || diff != "" {
			t.Fatalf("%v, order %v, %v: count %d, want %d, ids (-want +got):\n%s", params, terms, w, count, len(want), diff)
		}
	}
}
