package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

type director struct {
	ID   int     `json:"id"`
	Name string  `json:"name" backlist:"unique"`
	Born *string `json:"born" backlist:"date"`
}

type film struct {
	ID       int             `json:"id"`
	Title    string          `json:"title"`
	Email    string          `json:"email" backlist:"blank"`
	Year     int             `json:"year" backlist:"min=1888"`
	Price    string          `json:"price" backlist:"decimal=5.2"`
	Genre    string          `json:"genre" backlist:"choices=comedy|crime|drama"`
	Colour   bool            `json:"colour"`
	Released *string         `json:"released" backlist:"date"`
	ShownAt  schema.DateTime `json:"shownAt"`
	Site     string          `json:"site" backlist:"url,blank"`
	Director int             `json:"director" backlist:"refers=directors"`
	Actors   []int           `json:"actors" backlist:"refers=directors"`
}

// films returns a catalogue of 60 films, which have many filters, by 4 directors.
func films(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Search: []string{"name"}}}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Filters: []string{"title__icontains", "title__startswith", "title__in", "year__gte", "year__lte", "price__gte", "price__lte", "genre", "genre__in", "colour",
				"released__gte", "released__lte", "released__isnull", "shown_at__gte", "shown_at__lt", "director", "actors"},
			Search: []string{"title", "director__name"},
		}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %02d","email":"","year":%d,"price":"9.50","genre":%q,"colour":%t,"released":null,
			"shownAt":"2026-10-30T21:00:00+01:00","site":"","director":%d,"actors":[1,3]}`, i+1, i+1, 1950+i, []string{"comedy", "crime", "drama"}[i%3], i%2 == 0, i%4+1))
	}
	records := `{"directors":[{"id":1,"name":"Agnès Varda","born":"1928-05-30"},{"id":2,"name":"Akira Kurosawa","born":null},
		{"id":3,"name":"Alfred Hitchcock","born":null},{"id":4,"name":"Fritz Lang","born":null}],"films":[` + strings.Join(all, ",") + `]}`
	if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return cat
}

// serveFilms serves the films with sign-in, and returns the URL of the root.
func serveFilms(t *testing.T, cat *catalogue.Catalogue) string {
	t.Helper()
	handler, err := httpapi.New(cat, httpapi.Options{Root: "/v1/", Authorizer: httpapi.Bearer("s3cret"), ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	pages, err := browse.New(handler, browse.Options{Title: "Films", Scheme: "Bearer"})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "", pages); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/v1/"
}

// signIn signs in with the form of a page.
func (p *tab) signIn(token string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(".session summary")), chromedp.SendKeys(chromedp.CSS("#token"), token))
	p.click(".session form button")
}

// manyFilters are all filters of films.
const manyFilters = "films/?title__icontains=film&title__startswith=Film&title__in=Film+01,Film+13,Film+25&year__gte=1950&year__lte=1990&price__gte=1&price__lte=10&genre__in=comedy,drama" +
	"&colour=true&released__isnull=true&shown_at__gte=2026-01-01T00:00:00Z&shown_at__lt=2027-01-01T00:00:00Z&director=1&actors=3&search=film+varda&ordering=-year&unknown=1"

// TestTableIsInView measures where the tables begin.
func TestTableIsInView(t *testing.T) {
	browser := launch(t)
	root := serveFilms(t, films(t))
	for _, view := range []struct {
		width   int64
		highest float64
	}{{1280, 420}, {390, 560}} {
		p := open(t, browser, fmt.Sprintf("view-%d", view.width), view.width, false)
		for i, path := range []string{"films/", "films/?genre__in=crime&year__gte=1960", manyFilters, "directors/", "films/1/", "films/1/?_list=limit%3D1", "directors/1/"} {
			p.visit(root + path)
			y := eval(p, chromedp.Evaluate[float64](`document.querySelector("section.table").getBoundingClientRect().top`))
			t.Logf("%d pixels, %.40s: the table begins at %.0f", view.width, path, y)
			highest := view.highest
			if path == manyFilters {
				highest += 180 // none of 17 filters is cut off
			}
			if y > highest {
				t.Errorf("%d pixels, %s: the table begins at %.0f, want at most %.0f", view.width, path, y, highest)
			}
			p.check(fmt.Sprint(i))
		}
		if chips := len(p.texts(".chips")); chips != 0 {
			t.Errorf("a record has %d lists of filters", chips)
		}
	}
}

// TestFilters uses facets, chips and the form with the mouse and the keyboard.
func TestFilters(t *testing.T) {
	p := open(t, launch(t), "filters", 1280, false)
	root := serveFilms(t, films(t))
	p.visit(root + "films/?ordering=-id&limit=5&offset=5")
	if got, want := p.texts(".facets dt"), []string{"Genre", "Colour"}; !slices.Equal(got, want) {
		t.Errorf("facets = %q, want %q", got, want)
	}
	p.click(`.facets a[href*="crime"]`)
	p.wantAddress("/v1/films/?genre__in=crime&limit=5&ordering=-id")
	p.wantText("h1 + .lead", "Records 1–5 of 20")
	p.wantText(`.facets [aria-current]`, "crime 20")
	p.click(`.facets a[href*="drama"]`)
	p.wantText("h1 + .lead", "Records 1–5 of 40")
	p.do(chromedp.Focus(chromedp.CSS(".filters .panel summary")), chromedp.KeyEvent(kb.Enter))
	p.check("panel")
	// add fills in the row that adds a filter.
	add := func(field, lookup, value string) {
		p.fill(map[string]string{"_field": field, "_lookup": lookup, "_value": value})
		p.press(kb.Enter)
	}
	add("director", "exact", "Akira Kurosawa")
	if got, want := p.texts(".chips li"), []string{"Genre one of crime, drama ×", "Director: Akira Kurosawa ×", "Clear"}; !slices.Equal(got, want) {
		t.Errorf("chips = %q, want %q", got, want)
	}
	p.wantText("h1 + .lead", "Records 1–5 of 10")
	p.do(chromedp.Click(chromedp.CSS(".filters .panel summary")))
	add("year", "exact", "1960")
	p.wantText("#fault-filter", "Year can be compared with “≥”, “≤”.")
	p.check("fault")
	p.axe("fault")
	add("year", "gte", "soon")
	p.wantText("#fault-filter", "Enter a number.")
	add("year", "gte", "1960")
	p.wantAddress("/v1/films/?director=2&genre__in=crime%2Cdrama&limit=5&ordering=-id&year__gte=1960")
	if open := p.texts(".panel[open]"); len(open) != 0 {
		t.Error("the panel is open after the form was sent")
	}
	for range 2 { // each click removes one filter
		p.click(".chips li:first-child a")
	}
	p.wantAddress("/v1/films/?director=2&limit=5&ordering=-id")
	p.click(".chips .clear")
	p.wantAddress("/v1/films/?limit=5&ordering=-id")
	p.checkRequests(strings.TrimSuffix(root, "v1/"))
}

// press sends a key and waits for the next page.
func (p *tab) press(key string) {
	p.t.Helper()
	if _, err := chromedp.RunResponse(p.ctx, chromedp.KeyEvent(key)); err != nil {
		p.t.Fatal(err)
	}
}

// TestSignIn signs in, creates, changes and deletes a film, and signs out.
func TestSignIn(t *testing.T) {
	cat := films(t)
	p := open(t, launch(t), "sign-in", 390, true)
	root := serveFilms(t, cat)
	p.visit(root + "films/?ordering=-year&limit=5")
	p.signIn("guess")
	p.wantText(".session .message", "The service does not accept this token.")
	p.check("refused")
	p.do(chromedp.SendKeys(chromedp.CSS("#token"), "s3cret")) // the form is still open
	p.click(".session form button")
	p.wantAddress("/v1/films/?limit=5&ordering=-year")
	if got := eval(p, chromedp.Evaluate[string]("document.cookie")); got != "" {
		t.Errorf("scripts can read the cookie %q", got)
	}

	p.click(".head .main")
	p.wantText("h1", "Add film")
	if got, want := p.texts("#field-director option"), []string{"Choose…", "Agnès Varda", "Akira Kurosawa", "Alfred Hitchcock", "Fritz Lang"}; !slices.Equal(got, want) {
		t.Errorf("directors = %q, want %q", got, want)
	}
	p.fill(map[string]string{"title": "Sabotage", "email": "a@b.example", "year": "1936", "price": "1.25", "genre": "crime", "shownAt": "2026-05-10T18:00", "director": "3"})
	p.check("form")
	p.click(".form button")
	p.wantAddress("/v1/films/?limit=5&ordering=-year")
	p.wantText(".done", "Sabotage has been added.")
	p.check("added")
	link := eval(p, chromedp.Evaluate[string](`document.querySelector(".done a").href`))
	p.do(chromedp.Reload())
	if done := p.texts(".done"); len(done) > 0 {
		t.Errorf("after a reload, the page says again %q", done)
	}
	p.visit(link)
	p.wantText("h1", "Sabotage")
	p.visit(root + "films/?ordering=year&limit=5")
	p.click("tbody tr:first-child th a")
	p.wantText("h1", "Sabotage")

	// Nothing is changed by a form that is sent as it is.
	before, _ := cat.Collection("films")
	was, err := before.Get(t.Context(), "61", schema.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	p.click(".head .main")
	p.click(".form button")
	p.wantText(".done", "Sabotage has been changed.")
	if now, err := before.Get(t.Context(), "61", schema.Filter{}); err != nil || string(now) != string(was) {
		t.Errorf("a form that was sent as it was has changed %s to %s: %v", was, now, err)
	}
	p.click(".head .main")
	eval(p, chromedp.Evaluate[string](`[...document.querySelector("#field-actors").options].forEach(o => o.selected = o.value !== "3"), ""`))
	p.fill(map[string]string{"shownAt": "2026-05-11T19:30"})
	p.click(".form button")
	if got, want := p.texts("tbody tr:nth-last-child(2) a"), []string{"Agnès Varda", "Akira Kurosawa", "Fritz Lang"}; !slices.Equal(got, want) {
		t.Errorf("actors = %q, want %q", got, want)
	}
	p.wantText("time", "11 May 2026, 19:30 UTC")
	p.check("changed")

	p.click(".head .bad")
	p.wantText("h1", "Delete Sabotage?")
	p.check("delete")
	p.click(".ask button")
	p.wantAddress("/v1/films/?limit=5&ordering=year")
	p.wantText(".done", "Sabotage has been deleted.")

	p.visit(root + "directors/3/?_method=DELETE")
	if got := p.text(".effect"); !strings.HasPrefix(got, "Prevent the deletion: 15 films (Film 03, ") || !strings.HasSuffix(got, " and 5 more)") {
		t.Errorf("a director with films: %s", got)
	}
	p.check("delete")
	p.axe("delete")
	p.visit(root + "directors/3/")
	if got := p.texts(".refer li > :is(a, :last-child)"); !slices.Equal(got, []string{"Films 15", "all 15\nFilms", "Films, actors 60", "all 60\nFilms, actors"}) {
		t.Errorf("the director is referred to by %q", got)
	}
	p.click(".refer span a")
	p.wantText("h1", "Film 03")
	p.visit(root)
	p.click(".session button")
	p.visit(root + "films/1/")
	if texts := p.texts(".head .button"); len(texts) != 0 {
		t.Errorf("signed out, the page has the buttons %q", texts)
	}
	p.checkRequests(strings.TrimSuffix(root, "v1/"))
}

// TestConflict changes a film in two tabs.
func TestConflict(t *testing.T) {
	browser := launch(t)
	root := serveFilms(t, films(t))
	first, second := open(t, browser, "first", 1280, false), open(t, browser, "second", 1280, false)
	first.visit(root + "films/1/")
	first.signIn("s3cret")
	for _, p := range []*tab{first, second} {
		p.visit(root + "films/1/")
		p.click(".head .main")
	}
	first.fill(map[string]string{"title": "Rope", "year": "1948"})
	first.click(".form button")
	first.wantText("h1", "Rope")
	second.fill(map[string]string{"title": "Ropes"})
	second.click(".form button")
	second.wantText("h1", "Not stored")
	second.wantText("#fault-title", "It has been changed in the meantime: Rope")
	if title, year := second.value("title"), second.value("year"); title != "Ropes" || year != "1948" {
		t.Errorf("the form has the title %s and the year %s, want Ropes and 1948", title, year)
	}
	second.check("conflict")
	second.click(".form button")
	second.wantText("h1", "Ropes")
}

// TestReference changes a reference to one of many records with the form.
func TestReference(t *testing.T) {
	cat := films(t)
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf(`{"id":%d,"name":"Director %d","born":null}`, i+1, i+1))
	}
	if err := cat.Load(strings.NewReader(`{"directors":[`+strings.Join(all, ",")+`]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	p := open(t, launch(t), "reference", 390, false)
	root := serveFilms(t, cat)
	p.visit(root + "films/2/")
	p.signIn("s3cret")
	p.click(".head .main")
	p.wantText("#hint-director", "ID of a record from Directors.")
	p.wantText("#field-director ~ .named", "Director 2")
	p.check("form")
	p.fill(map[string]string{"title": "Typed", "_find.director": "Director 5"})
	p.click("[name='_find.director'] + button")
	p.wantText(".found legend", "Found for “Director 5”")
	if got := p.texts(".found label"); len(got) != 15 || got[0] != "Director 5\n5" || p.value("title") != "Typed" {
		t.Errorf("found %q, the title is %s", got, p.value("title"))
	}
	p.check("found")
	p.axe("found")
	p.wantFocus("director")
	p.do(chromedp.Click(chromedp.CSS(".found [value='57']")))
	p.click(".buttons button")
	if got := p.texts("tbody a[href$='directors/57/']"); !slices.Equal(got, []string{"Director 57"}) {
		t.Errorf("the director is %q", got)
	}
	p.checkRequests(strings.TrimSuffix(root, "v1/"))
}
