package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A filmModel is what a service with directors, genres and films should hold.
type filmModel struct {
	directors, genres []int
	films             []modelFilm
	last              map[string]int // highest id by collection
}

// A modelFilm has the fields of a film that the test writes.
type modelFilm struct {
	ID       int
	Title    string
	Slug     string
	Status   string
	Minutes  int
	Released *string
	Director int
	Genres   []int
}

// A change is the body of a request: a value for each field that is sent.
type change map[string]any

// TestModelOfWrites sends random requests that write, and compares the responses and the
// records with a model.
func TestModelOfWrites(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 14))
			h := serveFilms(t, newFilmHouse(t))
			m := &filmModel{last: map[string]int{}}
			for range 400 {
				m.step(t, rng, h)
				if t.Failed() {
					return
				}
			}
			m.compare(t, h)
			if len(m.films) == 0 || m.last["films"] < 20 {
				t.Errorf("%d films were posted, of which %d are left", m.last["films"], len(m.films))
			}
		})
	}
}

// step sends one request and checks its response.
func (m *filmModel) step(t *testing.T, rng *rand.Rand, h http.Handler) {
	id := rng.IntN(max(m.last["films"], 2) + 2)
	switch rng.IntN(12) {
	case 0:
		m.post(t, h, "directors", fmt.Sprintf(`{"name":"D","slug":"d%d"}`, m.last["directors"]), &m.directors)
	case 1:
		m.post(t, h, "genres", fmt.Sprintf(`{"name":"g%d"}`, m.last["genres"]), &m.genres)
	case 2:
		m.deleteDirector(t, h, rng.IntN(m.last["directors"]+2))
	case 3:
		m.deleteGenre(t, h, rng.IntN(m.last["genres"]+2))
	case 4:
		status, body := send(h, "DELETE", fmt.Sprintf("/api/films/%d/", id), "")
		want := 404
		if i := m.find(id); i >= 0 {
			want, m.films = 204, slices.Delete(m.films, i, i+1)
		}
		expect(t, "DELETE of a film", status, body, want, "")
	case 5, 6:
		m.query(t, rng, h)
	case 7, 8, 9:
		m.write(t, h, "POST", 0, m.change(rng, 60))
	case 10:
		m.write(t, h, "PUT", id, m.change(rng, 10))
	default:
		m.write(t, h, "PATCH", id, m.change(rng, 2))
	}
	if rng.IntN(10) == 0 {
		m.compare(t, h)
	}
}

func expect(t *testing.T, what string, status int, body string, want int, contains string) {
	t.Helper()
	if status != want || !strings.Contains(body, contains) {
		t.Errorf("%s: %d %s, want %d %s", what, status, body, want, contains)
	}
}

func (m *filmModel) post(t *testing.T, h http.Handler, collection, text string, ids *[]int) {
	status, body := send(h, "POST", "/api/"+collection+"/", text)
	m.last[collection]++
	*ids = append(*ids, m.last[collection])
	expect(t, "POST to "+collection, status, body, 201, fmt.Sprintf(`"id":%d,`, m.last[collection]))
}

func (m *filmModel) deleteDirector(t *testing.T, h http.Handler, id int) {
	status, body := send(h, "DELETE", fmt.Sprintf("/api/directors/%d/", id), "")
	i := slices.Index(m.directors, id)
	switch {
	case i < 0:
		expect(t, "DELETE of a director who does not exist", status, body, 404, "")
	case slices.ContainsFunc(m.films, func(f modelFilm) bool { return f.Director == id }):
		expect(t, "DELETE of a director with films", status, body, 409, "films")
	default:
		m.directors = slices.Delete(m.directors, i, i+1)
		expect(t, "DELETE of a director", status, body, 204, "")
	}
}

func (m *filmModel) deleteGenre(t *testing.T, h http.Handler, id int) {
	status, body := send(h, "DELETE", fmt.Sprintf("/api/genres/%d/", id), "")
	i := slices.Index(m.genres, id)
	if i < 0 {
		expect(t, "DELETE of a genre that does not exist", status, body, 404, "")
		return
	}
	m.genres = slices.Delete(m.genres, i, i+1)
	for i := range m.films {
		m.films[i].Genres = slices.DeleteFunc(slices.Clone(m.films[i].Genres), func(g int) bool { return g == id })
	}
	expect(t, "DELETE of a genre", status, body, 204, "")
}

// change returns a random change. Each field is absent with probability 1/present, and
// invalid now and then.
func (m *filmModel) change(rng *rand.Rand, present int) change {
	all := change{
		"title":    []any{"One", "two", "ÉTÉ", "", nil}[pick(rng, 3, 5)],
		"slug":     []string{fmt.Sprint("s", rng.IntN(40)), "not a slug"}[pick(rng, 1, 2)],
		"status":   []any{"announced", "released", "withdrawn", "bogus", nil}[pick(rng, 3, 5)],
		"minutes":  []any{0, 1, 2, "3", -1, "x", nil}[pick(rng, 4, 7)],
		"released": []any{"2024-05-10", nil, "1999-01-01", "2024-02-30"}[pick(rng, 3, 4)],
		"director": anyID(rng, m.directors),
		"genres":   []int{},
		"price":    "1.50",
	}
	for range rng.IntN(3) {
		all["genres"] = append(all["genres"].([]int), anyID(rng, m.genres))
	}
	for name := range all {
		if rng.IntN(present) == 0 {
			delete(all, name)
		}
	}
	return all
}

// anyID returns one of the ids, or sometimes another number.
func anyID(rng *rand.Rand, ids []int) int {
	if len(ids) == 0 || rng.IntN(15) == 0 {
		return 1 + rng.IntN(20)
	}
	return ids[rng.IntN(len(ids))]
}

// pick returns a number below valid, or sometimes one below all.
func pick(rng *rand.Rand, valid, all int) int {
	if rng.IntN(60) == 0 {
		return rng.IntN(all)
	}
	return rng.IntN(valid)
}

// write sends a POST, PUT or PATCH of a film.
func (m *filmModel) write(t *testing.T, h http.Handler, method string, id int, c change) {
	body, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	target, success := "/api/films/", 201
	f := modelFilm{Status: "announced", Genres: []int{}}
	if method != "POST" {
		target, success = fmt.Sprintf("/api/films/%d/", id), 200
		i := m.find(id)
		if i < 0 {
			status, text := send(h, method, target, string(body))
			expect(t, method+" of a film that does not exist", status, text, 404, "")
			return
		}
		f = m.films[i]
	}
	status, text := send(h, method, target, string(body))
	if invalid := m.apply(&f, c, method == "PATCH"); len(invalid) > 0 {
		var errs map[string][]string
		if err := json.Unmarshal([]byte(text), &errs); status != 400 || err != nil {
			t.Errorf("%s %s %s: %d %s, want 400 for %v", method, target, body, status, text, invalid)
		}
		var names []string
		for name := range errs {
			names = append(names, name)
		}
		slices.Sort(names)
		if diff := cmp.Diff(invalid, names); diff != "" {
			t.Errorf("%s %s %s: %s: invalid fields (-want +got):\n%s", method, target, body, text, diff)
		}
		return
	}
	if method == "POST" {
		m.last["films"]++
		f.ID = m.last["films"]
		m.films = append(m.films, f)
	} else {
		m.films[m.find(id)] = f
	}
	var got modelFilm
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != success {
		t.Errorf("%s %s %s: %d %s", method, target, body, status, text)
	}
	if diff := cmp.Diff(f, got); diff != "" {
		t.Errorf("%s %s %s (-want +got):\n%s", method, target, body, diff)
	}
}

// apply changes f and returns the sorted names of the invalid fields.
func (m *filmModel) apply(f *modelFilm, c change, partial bool) (invalid []string) {
	for _, name := range []string{"director", "genres", "minutes", "price", "released", "slug", "status", "title"} {
		value, sent := c[name]
		required := name != "genres" && name != "released" && name != "status"
		if !sent && required && !partial || sent && !m.set(f, name, value) {
			invalid = append(invalid, name)
		}
	}
	return invalid
}

// set sets a field of f and reports whether the value is valid.
func (m *filmModel) set(f *modelFilm, name string, value any) (valid bool) {
	text, isText := value.(string)
	number, isNumber := value.(int)
	switch name {
	case "title":
		f.Title = text
		return text != ""
	case "slug":
		f.Slug = text
		return text != "not a slug" && !slices.ContainsFunc(m.films, func(o modelFilm) bool { return o.Slug == text && o.ID != f.ID })
	case "status":
		f.Status = text
		return text == "announced" || text == "released" || text == "withdrawn"
	case "minutes":
		f.Minutes = number
		if text == "3" {
			f.Minutes = 3
		}
		return isNumber && number >= 0 || text == "3"
	case "released":
		f.Released = nil
		if isText {
			f.Released = &text
		}
		return text != "2024-02-30"
	case "director":
		f.Director = number
		return slices.Contains(m.directors, number)
	case "genres":
		f.Genres = slices.Clone(value.([]int))
		slices.Sort(f.Genres)
		f.Genres = slices.Compact(f.Genres)
		return !slices.ContainsFunc(f.Genres, func(id int) bool { return !slices.Contains(m.genres, id) })
	}
	return true
}

func (m *filmModel) find(id int) int {
	return slices.IndexFunc(m.films, func(f modelFilm) bool { return f.ID == id })
}

// query requests a page with random filters.
func (m *filmModel) query(t *testing.T, rng *rand.Rand, h http.Handler) {
	minutes, genre, status, title := rng.IntN(4), 1+rng.IntN(m.last["genres"]+1), []string{"announced", "released"}[rng.IntN(2)], []string{"O", "t", "été"}[rng.IntN(3)]
	filters := []struct {
		param string
		holds func(modelFilm) bool
	}{
		{fmt.Sprintf("minutes__gte=%d", minutes), func(f modelFilm) bool { return f.Minutes >= minutes }},
		{fmt.Sprintf("minutes__lt=%d", minutes), func(f modelFilm) bool { return f.Minutes < minutes }},
		{"status=" + status, func(f modelFilm) bool { return f.Status == status }},
		{"released__isnull=true", func(f modelFilm) bool { return f.Released == nil }},
		{"title__icontains=" + title, func(f modelFilm) bool { return strings.Contains(strings.ToUpper(f.Title), strings.ToUpper(title)) }},
		{"search=" + title, func(f modelFilm) bool {
			return strings.Contains(strings.ToUpper(f.Title), strings.ToUpper(title))
		}},
	}
	if slices.Contains(m.genres, genre) {
		filters = append(filters, struct {
			param string
			holds func(modelFilm) bool
		}{fmt.Sprintf("genres=%d", genre), func(f modelFilm) bool { return slices.Contains(f.Genres, genre) }})
	}
	target, want := "/api/films/?limit=1000", slices.Clone(m.films)
	for range 1 + rng.IntN(3) {
		f := filters[rng.IntN(len(filters))]
		target += "&" + f.param
		want = slices.DeleteFunc(want, func(film modelFilm) bool { return !f.holds(film) })
	}
	compareFilms(t, h, target, want)
}

// compare compares all records with those of the model.
func (m *filmModel) compare(t *testing.T, h http.Handler) {
	compareFilms(t, h, "/api/films/?limit=1000", m.films)
	for collection, want := range map[string][]int{"directors": m.directors, "genres": m.genres} {
		ids := []int{}
		for _, f := range readFilms(t, h, "/api/"+collection+"/?limit=1000") {
			ids = append(ids, f.ID)
		}
		if !slices.Equal(want, ids) {
			t.Errorf("%s: %v, want %v", collection, ids, want)
		}
	}
}

func compareFilms(t *testing.T, h http.Handler, target string, want []modelFilm) {
	t.Helper()
	got := readFilms(t, h, target)
	if len(want)+len(got) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", target, diff)
	}
}

// readFilms requests a page.
func readFilms(t *testing.T, h http.Handler, target string) []modelFilm {
	t.Helper()
	status, body := send(h, "GET", target, "")
	var page struct {
		Count   int
		Results []modelFilm
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil || status != 200 || page.Count != len(page.Results) {
		t.Fatalf("%s: %d %s: %v", target, status, body, err)
	}
	return page.Results
}

// TestNoLostPatch checks that concurrent PATCHes of different fields, and PUTs, are all in
// effect at the end, and that readers see whole records meanwhile.
func TestNoLostPatch(t *testing.T) {
	const rounds = 200
	h := recordedFilms(t)
	stop := make(chan struct{})
	var readers, writers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, target := range []string{"/api/films/2/", "/api/films/?limit=1&minutes__gte=0"} {
					if status, body := send(h, "GET", target, ""); status != 200 || !strings.Contains(body, `"createdAt":`) {
						t.Errorf("%s: %d %s", target, status, body)
					}
				}
			}
		})
	}
	patch := func(method, format string) {
		writers.Go(func() {
			for i := range rounds {
				body := fmt.Sprintf(format, i)
				if status, text := send(h, method, "/api/films/2/", body); status != 200 {
					t.Errorf("%s %s: %d %s", method, body, status, text)
				}
			}
		})
	}
	patch("PATCH", `{"synopsis":"s%d"}`)
	patch("PATCH", `{"rating":%d}`)
	patch("PUT", `{"title":"t%d","slug":"slug-1","minutes":1,"price":"1","director":41}`)
	writers.Wait()
	close(stop)
	readers.Wait()
	_, body := send(h, "GET", "/api/films/2/", "")
	for _, want := range []string{`"synopsis":"s199"`, `"rating":199.0`, `"title":"t199"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
}

// TestNoDanglingReference checks that a film is never stored with a director who was
// deleted at the same time.
func TestNoDanglingReference(t *testing.T) {
	h := serveFilms(t, newFilmHouse(t))
	for i := range 150 {
		if status, body := send(h, "POST", "/api/directors/", fmt.Sprintf(`{"name":"d","slug":"d%d"}`, i)); status != http.StatusCreated {
			t.Fatal(status, body)
		}
		id := i + 1
		var group sync.WaitGroup
		var posted, deleted int
		group.Go(func() {
			posted, _ = send(h, "POST", "/api/films/", fmt.Sprintf(`{"title":"t","slug":"f%d","minutes":1,"price":1,"director":%d}`, i, id))
		})
		group.Go(func() { deleted, _ = send(h, "DELETE", fmt.Sprintf("/api/directors/%d/", id), "") })
		group.Wait()
		switch {
		case posted == 201 && deleted == 409, posted == 400 && deleted == 204:
		default:
			t.Errorf("POST of a film: %d, DELETE of its director: %d", posted, deleted)
		}
	}
}

// A hexID is text like a UUID, but shorter.
type hexID [2]byte

func (id hexID) MarshalText() ([]byte, error) {
	const digits = "0123456789abcdef"
	return []byte{digits[id[0]&15], digits[id[1]&15]}, nil
}

func (id *hexID) UnmarshalText(text []byte) error {
	if len(text) != 2 {
		return errors.New("want two digits")
	}
	for i, c := range text {
		at := strings.IndexByte("0123456789abcdef", c)
		if at < 0 {
			return errors.New("want a digit")
		}
		id[i] = byte(at)
	}
	return nil
}

// A parity is even or odd in JSON.
type parity bool

func (p parity) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[parity]string{true: "even", false: "odd"}[p])
}

func (p *parity) UnmarshalJSON(text []byte) error {
	*p = string(text) == `"even"`
	if !*p && string(text) != `"odd"` {
		return errors.New("want even or odd")
	}
	return nil
}

type (
	measure struct {
		W    int       `json:"w"`
		Unit *string   `json:"unit"`
		At   [2]string `json:"at"`
	}

	address struct{ netip.Addr }

	narrow struct {
		ID     int                `json:"id"`
		Ref    hexID              `json:"ref"`
		IP     address            `json:"ip"`
		Parity parity             `json:"parity"`
		Size   measure            `json:"size"`
		Sizes  []measure          `json:"sizes"`
		Best   *measure           `json:"best"`
		Meta   map[string]string  `json:"meta"`
		Ranks  map[int8]uint8     `json:"ranks"`
		Nums   []int              `json:"nums"`
		Bytes  []byte             `json:"bytes"`
		Half   float32            `json:"half"`
		Small  int8               `json:"small"`
		Plain  int16              `json:"plain"` // without bounds in the description
		Pair   [2]int             `json:"pair"`
		Pairs  map[string][2]bool `json:"pairs"`
		In     int8               `json:"in" backlist:"refers=narrows"`
		To     []int16            `json:"to" backlist:"refers=narrows"`
	}
)

func (a address) Clone() address { return a }

// newNarrow returns a catalogue of narrow, with the ids 1, 200 and 70000.
func newNarrow(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	about, err := schema.DescriptionOf[narrow]("narrows")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range about.Fields {
		if f.Name == "plain" {
			about.Fields[i].Min, about.Fields[i].Max = nil, nil
		}
	}
	narrows := catalogue.Define[narrow]("narrows", catalogue.Options{Description: &about})
	c, err := catalogue.New(narrows)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []int{1, 200, 70_000} {
		if _, err := mustIn(narrows, c).Insert(narrow{ID: id, In: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A sealed record has a method UnmarshalJSON of its own.
type sealed struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Code string `json:"code"`
}

func (s *sealed) UnmarshalJSON(text []byte) error {
	type plain sealed
	if err := json.Unmarshal(text, (*plain)(s)); err != nil {
		return err
	}
	if s.Code == "bad" {
		return &schema.MemberError{Member: "code", Err: errors.New("is bad")}
	}
	if s.Name == s.Code {
		return errors.New("the name is the code")
	}
	return nil
}

// TestNarrowRecord checks the errors of a record type that refuses valid members.
func TestNarrowRecord(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[sealed]("seals", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := New(cat, Options{Authorizer: AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, request := range [][3]string{
		{"POST", "/api/seals/", `{"name":"a","code":"b"}`},
		{"POST", "/api/seals/", `{"name":"a","code":"bad"}`},
		{"POST", "/api/seals/", `{"name":"a","code":"a"}`},
		{"PATCH", "/api/seals/1/", `{"code":"bad"}`},
		{"PUT", "/api/seals/1/", `{"name":"b","code":"b"}`},
	} {
		_, body := send(h, request[0], request[1], request[2])
		got = append(got, body)
	}
	want := []string{
		`{"id":1,"name":"a","code":"b"}`,
		`{"code":["Enter a valid value."]}`,
		`{"nonFieldErrors":["Enter a valid value."]}`,
		`{"code":["Enter a valid value."]}`,
		`{"nonFieldErrors":["Enter a valid value."]}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
