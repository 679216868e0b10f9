package collections

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/progress"
)

// Generate replaces the records by n films, a director for each hundred of them, and a
// screening of each tenth. They are the same each time. It shows its progress on output if that
// is a terminal.
func Generate(cat *catalogue.Catalogue, n int, output io.Writer) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // of a million, a fifth of the work is garbage collection otherwise
	m := maker{rand.New(rand.NewPCG(1, 2)), n, (n + 99) / 100}
	return errors.Join(
		fill(cat, directors, m.directors, m.director, output),
		fill(cat, films, m.films, m.film, output),
		fill(cat, screenings, (n+9)/10, m.screening, output),
	)
}

// fill replaces the records of a collection by n new ones.
func fill[T any](cat *catalogue.Catalogue, d catalogue.Definition[T], n int, record func(id int) T, output io.Writer) error {
	c, err := d.In(cat)
	if err != nil {
		return err
	}
	shown := progress.Start(output, fmt.Sprintf("generating %d %s", n, d.Key()), int64(n))
	defer func() { shown.Stop() }()
	return c.ReplaceAll(func(yield func(T) bool) {
		for id := 1; id <= n && yield(record(id)); id++ {
			shown.Add(1)
		}
		shown.Stop()
		shown = progress.Start(output, "sorting "+d.Key(), 0)
	})
}

// A maker makes records up.
type maker struct {
	*rand.Rand
	films, directors int
}

func (m maker) director(id int) Director {
	first := [...]string{"Agnès", "Akira", "Alice", "Andrei", "Billy", "Buster", "Carl", "Chantal", "Claire", "Dorothy", "Elaine", "Ernst", "Federico",
		"Fritz", "Germaine", "Ida", "Ingmar", "Jacques", "Jane", "Jean", "Kenji", "Larissa", "Lotte", "Luis", "Maya", "Orson", "Ousmane", "Satyajit", "Yasujiro"}
	last := [...]string{"Akerman", "Arzner", "Bergman", "Clair", "Deren", "Dreyer", "Fellini", "Guy", "Keaton", "Kurosawa", "Lang", "Lubitsch", "Lupino",
		"May", "Mizoguchi", "Murnau", "Ozu", "Ray", "Reiniger", "Renoir", "Sembène", "Shepitko", "Tarkovsky", "Tati", "Varda", "Vigo", "Welles", "Wilder"}
	name := first[id%len(first)] + " " + last[id%len(last)] // all pairs, since the lengths have no common factor
	if again := id / (len(first) * len(last)); again > 0 {
		name = fmt.Sprintf("%s %d", name, again+1)
	}
	born := time.Date(1880, 1, 1+m.IntN(100*365), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	return Director{ID: id, Name: name, Born: &born}
}

func (m maker) film(id int) Film {
	quality := [...]string{"Blue", "Broken", "Burning", "Distant", "Empty", "First", "Frozen", "Golden", "Hidden", "Last", "Long", "Lost", "Quiet", "Red", "Secret", "Silent", "Wild"}
	thing := [...]string{"Bridge", "City", "Door", "Garden", "Harbour", "Island", "Letter", "Light", "Mirror", "Mountain", "Night", "River", "Road", "Summer", "Train", "Voyage", "Winter"}
	genre := [...]string{"comedy", "crime", "drama", "science fiction", "thriller"}
	return Film{
		ID:       id,
		Name:     "The " + quality[m.IntN(len(quality))] + " " + thing[m.IntN(len(thing))],
		Year:     1920 + m.IntN(106),
		Minutes:  60 + m.IntN(121),
		Genre:    genre[m.IntN(len(genre))],
		Director: 1 + m.IntN(m.directors),
	}
}

func (m maker) screening(id int) Screening {
	day := time.Date(2026, 10, 1+m.IntN(365), 0, 0, 0, 0, time.UTC)
	return Screening{
		ID:       id,
		Film:     1 + m.IntN(m.films),
		StartsAt: schema.At(day.Add(time.Duration(14+m.IntN(9)) * time.Hour)),
		Price:    fmt.Sprintf("%d.%d0", 6+m.IntN(9), 5*m.IntN(2)),
		SoldOut:  m.IntN(20) == 0,
	}
}
