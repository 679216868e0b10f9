package house

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// manyFilms is the number of films at /many/, which are made when they are requested for the first time.
const manyFilms = 100_000

type manyFilm struct {
	ID      int    `json:"id"`
	Name    string `json:"name"`
	Year    int    `json:"year"`
	Genre   string `json:"genre" backlist:"choices=comedy|crime|drama|science fiction|thriller"`
	Minutes int    `json:"minutes"`
}

// newMany returns a handler of the films, which are the same each time. Nobody may write.
func (h *Handler) newMany() (http.Handler, error) {
	about, err := schema.DescriptionOf[manyFilm]("films")
	if err != nil {
		return nil, err
	}
	about.Filters = []string{"genre", "year__gte", "year__lte", "minutes__gte"}
	about.Search = []string{"name"}
	var indexes [][]ordering.Term
	for _, name := range []string{"year", "genre"} {
		indexes = append(indexes, []ordering.Term{ordering.Asc(name)})
	}
	cat, err := catalogue.New(catalogue.Define[schema.Record](about.Key, catalogue.Options{Description: &about, Indexes: indexes}))
	if err != nil {
		return nil, err
	}
	if err := cat.Load(bytes.NewReader(films(manyFilms)), catalogue.LoadOptions{}); err != nil {
		return nil, err
	}
	return h.pages("/many/", "Many films", cat, nil)
}

// films returns the JSON of n films.
func films(n int) []byte {
	quality := [...]string{"Blue", "Broken", "Burning", "Distant", "Empty", "First", "Frozen", "Golden", "Hidden", "Last", "Long", "Lost", "Quiet", "Red", "Secret", "Silent", "Wild"}
	thing := [...]string{"Bridge", "City", "Door", "Garden", "Harbour", "Island", "Letter", "Light", "Mirror", "Mountain", "Night", "River", "Road", "Summer", "Train", "Voyage", "Winter", "Year", "Zoo"}
	genre := [...]string{"comedy", "crime", "drama", "science fiction", "thriller"}
	text := []byte(`{"films":[`)
	for id := 1; id <= n; id++ {
		x := uint32(id) * 2654435761 // spreads
		text = fmt.Appendf(text, `{"id":%d,"name":"The %s %s of %s","year":%d,"genre":"%s","minutes":%d},`, id, quality[x>>8%17], thing[x>>12%19],
			thing[x>>20%19], 1920+x>>7%106, genre[x>>16%5], 60+x>>10%121)
	}
	return append(text[:len(text)-1], "]}"...)
}
