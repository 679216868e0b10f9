package browser

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestWalk(t *testing.T) {
	browser := launch(t)
	for _, width := range []int64{1280, 390} {
		for _, dark := range []bool{false, true} {
			name := fmt.Sprintf("%d-%s", width, map[bool]string{false: "light", true: "dark"}[dark])
			t.Run(name, func(t *testing.T) { walk(t, browser, name, width, dark) })
		}
	}
}

// walk follows links between the pages of a catalogue and posts an event.
func walk(t *testing.T, browser context.Context, name string, width int64, dark bool) {
	cat := sampleHouse(t)
	root := serve(t, cat)
	p := open(t, browser, name, width, dark)

	p.visit(root)
	p.wantText("h1", "Catalogue")
	if got := len(p.texts(".entries a")); got != 39 {
		t.Errorf("the root has %d collections, want 39", got)
	}
	p.check("1-root")

	p.click(`.entries a[href*="events/"]`)
	p.wantText("h1", "Events")
	p.wantText("h1 + .lead", "Records 1–21 of 300")
	p.wantText(`[aria-sort="ascending"]`, "Start date\n▲")
	p.check("2-events")

	p.click(`a[rel="next"]`)
	p.wantText("h1 + .lead", "Records 22–42 of 300")
	p.wantAddress("/api/events/?limit=21&offset=21")

	p.click(`th a[title="name"]`)
	p.wantAddress("/api/events/?limit=21&ordering=name")
	p.click(`th a[title="name"]`)
	p.wantAddress("/api/events/?limit=21&ordering=-name")
	p.wantText(`[aria-sort="descending"]`, "Name\n▼")
	names := p.texts("tbody th")
	if len(names) != 21 || !sort.SliceIsSorted(names, func(i, j int) bool { return names[i] > names[j] }) {
		t.Errorf("names are not in descending order: %q", names)
	}
	p.check("3-name-descending")

	p.do(chromedp.NavigateBack())
	p.wantText(`[aria-sort="ascending"]`, "Name\n▲")

	p.click(".head .main")
	p.wantText("h1", "Add event")
	p.check("4-form")
	p.fill(map[string]string{"name": "Night of the small presses", "slug": "no blanks, please", "startDate": "2026-05-10T18:00",
		"endDate": "2026-05-10T20:00", "authors": "1, 999999", "description": "<p>Bring <b>books</b>.</p>"})
	p.click(`.form button`)
	p.wantText("h1", "Not stored")
	wrong := eval(p, chromedp.Evaluate[[]string](`[...document.querySelectorAll("[aria-invalid]")].map(e => e.name)`))
	if want := []string{"slug", "authors"}; !slices.Equal(wrong, want) {
		t.Errorf("invalid fields = %q, want %q", wrong, want)
	}
	if got := p.value("name"); got != "Night of the small presses" {
		t.Errorf("name after an invalid post = %q", got)
	}
	p.check("4-invalid-form")

	p.fill(map[string]string{"slug": "small-presses", "authors": "1, 2"})
	p.click(`.form button`)
	p.wantText("h1 + .lead", "Records 1–21 of 301")
	p.wantAddress("/api/events/?limit=21&ordering=name")
	p.wantText(".done", "Night of the small presses has been added.")
	p.visit(root + "events/?ordering=-id&limit=1&_columns=start_date,end_date")
	if got := p.texts("td.time"); !slices.Equal(got, []string{"10 May 2026, 18:00 UTC", "10 May 2026, 20:00 UTC"}) {
		t.Errorf("times = %q", got)
	}
	p.check("5-posted")

	p.visit(root + "magazines/")
	p.wantText("h1", "404 Not Found")
	p.check("6-not-found")
	p.click(`main a`)
	p.wantText("h1", "Catalogue")

	p.visit(root + "labels/?ordering=feature_authors")
	p.check("7-labels")
	p.visit(root + "events/?_columns=description&ordering=-id")
	p.check("8-long-text")
	p.visit(root + "books/?offset=9000")
	p.check("9-beyond")

	p.visit(root + "books/?limit=2")
	p.click(".more a")
	p.wantAddress("/api/books/?format=json&limit=2")
	if got := eval(p, chromedp.Evaluate[string]("document.contentType")); got != "application/json" {
		t.Errorf("content type of JSON = %s", got)
	}
	p.checkRequests(root)
	if err := cat.Check(); err != nil {
		t.Error(err)
	}
}

// fill clears fields and types texts into them. Dates and options are chosen.
func (p *tab) fill(fields map[string]string) {
	p.t.Helper()
	for name, text := range fields {
		field := fmt.Sprintf(`form [name=%q]`, name)
		typed := eval(p, chromedp.Evaluate[bool](fmt.Sprintf(`(e => {
			e.value = /date/.test(e.type) || e.tagName === "SELECT" ? %q : ""
			return e.value === "" })(document.querySelector(%q))`, text, field)))
		if typed {
			p.do(chromedp.SendKeys(chromedp.CSS(field), text))
		}
	}
}

func (p *tab) value(name string) string {
	p.t.Helper()
	return eval(p, chromedp.Value(chromedp.CSS(fmt.Sprintf(`form [name=%q]`, name))))
}

// focus is the result of focusScript.
type focus struct {
	Name   string `json:"name"`
	Body   bool   `json:"body"`
	Ring   bool   `json:"ring"`
	InView bool   `json:"inView"`
}

// TestKeyboard moves through pages with the Tab key: every control must get the focus, in the
// order of the page, with a visible ring.
func TestKeyboard(t *testing.T) {
	browser := launch(t)
	p := open(t, browser, "keyboard", 1280, false)
	for _, url := range []string{
		serve(t, sampleHouse(t)) + "social-links/?limit=2&ordering=-id",
		serveFilms(t, films(t)) + "films/?limit=1&year__gte=1960&genre__in=crime",
		serveFilms(t, films(t)) + "films/1/",
	} {
		p.visit(url)
		want := eval(p, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a[href], summary, [tabindex], input, select, textarea, button")]
			.filter(e => e.type !== "hidden" && e.checkVisibility({contentVisibilityAuto: true}) && e.getClientRects().length)
			.map(e => e.id || e.innerText.trim().split("\n")[0] || e.className)`))
		var got []string
		for range len(want) {
			p.do(chromedp.KeyEvent(kb.Tab))
			focus := eval(p, chromedp.Evaluate[focus](focusScript))
			if focus.Body || !focus.Ring || !focus.InView {
				t.Errorf("focus on %q: on body = %t, ring = %t, in view = %t", focus.Name, focus.Body, focus.Ring, focus.InView)
			}
			got = append(got, focus.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: Tab focuses\n%s\nwant\n%s", url, strings.Join(got, " | "), strings.Join(want, " | "))
		}
		p.screenshot("focus")
	}
}
