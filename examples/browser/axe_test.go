package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
	theatre "github.com/gobacklist/backlist/examples/films/collections"
	rota "github.com/gobacklist/backlist/examples/rota/collections"
	shop "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/pagination"
)

// axe opens all details of the page, runs axe-core, and checks that the page violates no rule.
// It does nothing if BACKLIST_AXE is not set.
func (p *tab) axe(name string) {
	p.t.Helper()
	if os.Getenv("BACKLIST_AXE") == "" {
		return
	}
	source, err := os.ReadFile(os.Getenv("BACKLIST_AXE"))
	if err != nil {
		p.t.Fatal(err)
	}
	eval(p, chromedp.Evaluate[string](`document.querySelectorAll("details").forEach(d => d.open = true), ""`))
	eval(p, chromedp.Evaluate[string](string(source)+`;""`))
	const script = `axe.run({rules: {'target-size': {enabled: true}}}).then(r => r.violations.map(v => v.id + ": " + v.nodes.length + " such as " + v.nodes[0].html))`
	for _, violation := range eval(p, chromedp.Evaluate[[]string](script, chromedp.EvalAwaitPromise)) {
		p.t.Errorf("%s: %s: %s", p.name, name, violation)
	}
}

// TestAxe runs axe-core on all kinds of pages, wide and light, and narrow and dark. BACKLIST_AXE is the
// path of axe.min.js, of the npm package axe-core.
func TestAxe(t *testing.T) {
	if os.Getenv("BACKLIST_AXE") == "" {
		t.Skip("BACKLIST_AXE does not name axe.min.js")
	}
	browser := launch(t)
	root := serveFilms(t, films(t))
	pages := 0
	for _, width := range []int64{1280, 320} {
		p := open(t, browser, fmt.Sprintf("axe-%d", width), width, width == 320)
		p.visit(root)
		p.signIn("s3cret")
		for _, path := range []string{"", "films/?limit=7", manyFilters, "films/?year__gte=x", "films/?offset=900", "films/?search=zzz", "films/1/",
			"films/1/?_method=PATCH", "films/1/?_method=DELETE", "films/?_method=POST", "directors/1/", "none/"} {
			p.visit(root + path)
			p.axe(path)
			pages++
		}
		p.click(".session button")
		p.do(chromedp.Click(chromedp.CSS(".session summary")))
		p.axe("sign-in")
		pages++
	}
	t.Logf("%d pages", pages)
}

type (
	label struct {
		ID   int    `json:"id"`
		Slug string `json:"slug" backlist:"unique"`
		Name string `json:"name" backlist:"unique"`
	}
	labelled struct {
		ID     int      `json:"id"`
		Labels []string `json:"labels" backlist:"refers=labels.name"`
		Size   size     `json:"size"`
		Parts  []size   `json:"parts"`
	}
	size struct {
		Width int    `json:"width"`
		Unit  string `json:"unit"`
	}
)

// TestAxeNames runs axe-core on pages with names that are links and names that are none in one cell,
// and with objects.
func TestAxeNames(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[label]("labels", catalogue.Options{Description: &schema.Description{Lookup: "slug"}}),
		catalogue.Define[labelled]("records", catalogue.Options{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	const records = `{"labels":[{"id":1,"slug":"a","name":"Ochre"}],"records":[{"id":1,"labels":["Ochre","a name that no label has","Ochre"],
		"size":{"width":7,"unit":"cm"},"parts":[{"width":1,"unit":"cm"},{"width":2,"unit":"cm"}]}]}`
	if err := cat.Load(strings.NewReader(records), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	p := open(t, launch(t), "axe-names", 390, false)
	root := serve(t, cat)
	for _, path := range []string{"records/", "records/1/", "records/1/?_method=PATCH", "records/?_method=POST"} {
		p.visit(root + path)
		p.axe(path)
	}
	p = open(t, launch(t), "parts", 320, false)
	p.visit(root + "records/1/?_method=PATCH")
	p.check("form")
	p.fill(map[string]string{"parts[1]width": "5", "parts[2]width": "3", "parts[2]unit": "mm"})
	p.do(chromedp.Click(chromedp.CSS("[name='_remove.parts[0]']")))
	p.click("[name=_again][value=parts]")
	if got := p.texts(".group .group > legend"); !slices.Equal(got, []string{"1", "1", "2", "New"}) || p.value("parts[2]width") != "3" {
		t.Errorf("the objects are %q", got)
	}
	p.wantFocus("parts[3]width")
	p.check("again")
	p.axe("again")
	p.click(".buttons button")
	p.wantText(".done", "Labelled 1 has been changed.")
}

// stopsScript returns the number of elements that Tab focuses before the first row of a table.
const stopsScript = `(row => !row ? 0 : [...document.querySelectorAll("a[href], summary, [tabindex], input, select, textarea, button")]
	.filter(e => e.type !== "hidden" && e.tabIndex >= 0 && e.checkVisibility({contentVisibilityAuto: true}) && row.compareDocumentPosition(e) & 2).length)(document.querySelector("tbody tr"))`

// TestAxeCollections runs axe-core on all kinds of pages of the films, the shop, the rota, the shelf, a JSON file,
// and the house in each style of pages. A page has at most 35 kB, and 25 tab stops before its first row. Shifts have 112
// filters.
func TestAxeCollections(t *testing.T) {
	if os.Getenv("BACKLIST_AXE") == "" {
		t.Skip("BACKLIST_AXE does not name axe.min.js")
	}
	browser := launch(t)
	loaded := func(cat *catalogue.Catalogue, err error) func(file string) *catalogue.Catalogue {
		return func(file string) *catalogue.Catalogue {
			if err == nil {
				err = cat.LoadFile(file, catalogue.LoadOptions{})
			}
			if err != nil {
				t.Fatal(err)
			}
			return cat
		}
	}
	const posts = `{"id":%d,"title":"Post","views":7,"draft":true,"tags":["a","b"],"author":{"name":"Ana","age":7},"at":"2024-05-10T18:00:00Z","note":null}`
	var all []string
	for i := range 60 {
		all = append(all, fmt.Sprintf(posts, i+1))
	}
	file, err := infer.Read(strings.NewReader(`{"posts":[`+strings.Join(all, ",")+`],"comments":[{"id":1,"post":1,"body":"x"}]}`), infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	house := []string{"books/", "events/", "authors/", "labels/"}
	for _, service := range []struct {
		name    string
		cat     *catalogue.Catalogue // nil for that of a program
		pages   pagination.Style
		lists   []string
		sorting string
	}{
		{"films", loaded(theatre.New())("../films/records.json"), nil, []string{"films/", "directors/", "screenings/"}, ""},
		{"shop", loaded(shop.New(nil))("../shop/records.json"), nil, []string{"products/", "orders/", "customers/", "categories/", "currencies/", "coupons/"}, ""},
		{"rota", loaded(rota.New(nil))("../rota/testdata/dataset.json"), nil, []string{"shifts/", "workers/", "tags/", "teams/"}, "?limit=5&offset=25"},
		{"shelf", nil, nil, []string{"books/", "authors/", "reviews/", "tags/", "shelves-by-number/"}, "?limit=5&offset=5"},
		{"file", file.Catalogue, nil, []string{"posts/", "comments/"}, "?limit=5&offset=25"},
		{"limits", sampleHouse(t), nil, house, "?limit=7&offset=7"},
		{"numbers", sampleHouse(t), pagination.Numbers{Limits: pagination.Limits{Default: 7}}, house, "?page=2"},
		{"cursors", sampleHouse(t), pagination.Cursors{Limits: pagination.Limits{Default: 7}}, house, "?ordering=-id"},
	} {
		var root string
		if service.cat == nil {
			root = startExample(t, service.name, "-open")
		} else {
			root = serveWith(t, service.cat, httpapi.Options{Authorizer: httpapi.AllowAll, Pages: service.pages}, browse.Options{Scheme: "Bearer"})
		}
		for _, width := range []int64{320, 1280} {
			p := open(t, browser, fmt.Sprintf("%s-%d", service.name, width), width, width == 320)
			look := func(path string) {
				p.visit(path)
				if stops := eval(p, chromedp.Evaluate[int](stopsScript)); stops > 25 && !strings.Contains(path, "_field") { // without an open form
					t.Errorf("%s: %s has %d tab stops before the first row", service.name, path, stops)
				}
				if size := sizeOf(t, path); size > 35_000 {
					t.Errorf("%s: %s has %d bytes", service.name, path, size)
				}
				if wide := eval(p, chromedp.Evaluate[[]string](widthScript)); len(wide) > 0 {
					t.Errorf("%s: %s, %d pixels: %q", service.name, path, width, wide)
				}
				p.axe(strings.TrimPrefix(path, root))
			}
			look(root)
			look(root + "none/")
			for i, list := range service.lists {
				paths := []string{list, list + service.sorting, list + "?_method=POST"}
				if i == 0 { // kinds of pages that do not depend on the collection
					paths = append(paths, list+"?lmit=1", list+"?_field=x&_lookup=exact&_value=1", list+"?offset=900", list+"?cursor=x", list+"?id__gte=x")
				}
				for _, path := range slices.Compact(paths) {
					look(root + path)
				}
				p.visit(root + list)
				if record := eval(p, chromedp.Evaluate[string](`(document.querySelector("tbody .name a") || {href: ""}).href`)); record != "" {
					for _, query := range []string{"", "?_method=PATCH", "?_method=DELETE"} {
						look(record + query)
					}
				}
			}
		}
	}
}

// sizeOf returns the size of a page in bytes. It leaves the page in the directory BACKLIST_PAGES, if that is set, so that
// CI can validate its HTML.
func sizeOf(t *testing.T, address string) int {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if directory := os.Getenv("BACKLIST_PAGES"); directory != "" {
		if err := os.WriteFile(filepath.Join(directory, url.QueryEscape(address)+".html"), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return len(body)
}
