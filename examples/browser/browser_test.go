package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/resources/sample"
)

// launch starts a browser with an empty profile and without background requests.
func launch(t *testing.T) context.Context {
	t.Helper()
	program := find(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], // headless, with an empty profile
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // it is not available to root and in containers
		chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", "Translate,BackForwardCache"), // going back loads the page again
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("lang", "en-US"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	browser, quit := chromedp.NewContext(allocator)
	t.Cleanup(quit)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	t.Cleanup(func() { _ = chromedp.Cancel(browser) }) // waits until it has ended
	return browser
}

func find(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	if os.Getenv("BACKLIST_BROWSER") != "" {
		t.Fatal("BACKLIST_BROWSER is set, but Chromium is not installed")
	}
	t.Skip("Chromium is not installed")
	return ""
}

// sampleHouse returns a catalogue with made-up records.
func sampleHouse(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	var records bytes.Buffer
	if err := sample.Write(&records, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	cat := mustNew()
	if err := cat.Load(&records, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	return cat
}

// serve serves a catalogue that permits all posts and returns the URL of its root.
func serve(t *testing.T, cat *catalogue.Catalogue) string {
	t.Helper()
	return serveWith(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll}, browse.Options{})
}

// serveWith is serve with options of the handler and of the pages.
func serveWith(t *testing.T, cat *catalogue.Catalogue, opts httpapi.Options, about browse.Options) string {
	t.Helper()
	handler, err := httpapi.New(cat, opts)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := browse.New(handler, about)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	return server.URL + "/api/"
}

// tab is a tab of the browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	name string // prefix of its pictures

	mu       sync.Mutex
	requests []string // URLs
	scripts  []string // dialogs, exceptions and console calls of scripts
}

func open(t *testing.T, browser context.Context, name string, width int64, dark bool) *tab {
	t.Helper()
	ctx, shut := chromedp.NewContext(browser)
	t.Cleanup(shut)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute) // ends the test if the browser hangs
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, name: name}
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.EmulateViewport(width, 900))
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	scheme := map[bool]string{false: "light", true: "dark"}[dark]
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		p.scripts = append(p.scripts, "dialog: "+e.Message)
	case *runtime.EventExceptionThrown:
		p.scripts = append(p.scripts, fmt.Sprint("exception: ", e.ExceptionDetails.Text))
	case *runtime.EventConsoleAPICalled:
		p.scripts = append(p.scripts, fmt.Sprintf("console: %v", e.Args))
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval runs an action and returns its result.
func eval[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	result, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// visit loads a URL.
func (p *tab) visit(url string) { p.t.Helper(); p.do(chromedp.Navigate(url)) }

// click clicks a link or a button and waits for the next page.
func (p *tab) click(selector string) {
	p.t.Helper()
	if _, err := chromedp.RunResponse(p.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		p.t.Fatalf("click %s: %v", selector, err)
	}
}

// texts returns the texts of all elements that match the selector.
func (p *tab) texts(selector string) []string {
	p.t.Helper()
	return eval(p, chromedp.Evaluate[[]string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.innerText.trim())`, selector)))
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	all := p.texts(selector)
	if len(all) != 1 {
		p.t.Fatalf("%d elements match %s, want 1", len(all), selector)
	}
	return all[0]
}

// address returns the path, query and fragment of the page.
func (p *tab) address() string {
	p.t.Helper()
	u, err := url.Parse(eval(p, chromedp.Location()))
	if err != nil {
		p.t.Fatal(err)
	}
	u.Scheme, u.Host = "", ""
	return u.String()
}

func (p *tab) wantText(selector, want string) {
	p.t.Helper()
	if got := p.text(selector); got != want {
		p.t.Errorf("text of %s = %q, want %q", selector, got, want)
	}
}

// wantFocus checks that the page shows the input with the focus, of which it has the name.
func (p *tab) wantFocus(name string) {
	p.t.Helper()
	const at = `(e => { const box = e.getBoundingClientRect(); return e.name + " " + (box.top >= 0 && box.bottom <= innerHeight) })(document.activeElement)`
	if got := eval(p, chromedp.Evaluate[string](at)); got != name+" true" {
		p.t.Errorf("the focus is on %s, want %s true", got, name)
	}
}

func (p *tab) wantAddress(want string) {
	p.t.Helper()
	if got := p.address(); got != want {
		p.t.Errorf("address = %s, want %s", got, want)
	}
}

// check checks contrast, width and labels of a page and takes a screenshot.
func (p *tab) check(step string) {
	p.t.Helper()
	p.screenshot(step)
	for _, fault := range eval(p, chromedp.Evaluate[[]string](contrastScript)) {
		p.t.Errorf("%s: %s", step, fault)
	}
	if wide := eval(p, chromedp.Evaluate[[]string](widthScript)); len(wide) > 0 {
		p.t.Errorf("%s: out of view: %q", step, wide)
	}
	if unlabelled := p.texts(unlabelled); len(unlabelled) > 0 {
		p.t.Errorf("%s has links or buttons without a name: %q", step, unlabelled)
	}
}

const unlabelled = `a:empty, button:empty, summary:empty, img:not([alt])`

// screenshot stores an image of the page if BACKLIST_SCREENSHOTS is set.
func (p *tab) screenshot(step string) {
	p.t.Helper()
	dir := os.Getenv("BACKLIST_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture := eval(p, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, p.name+"-"+step+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// checkRequests checks that no script ran and that all requests went to the service.
func (p *tab) checkRequests(root string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.scripts) > 0 {
		p.t.Errorf("scripts ran: %q", p.scripts)
	}
	for _, request := range p.requests {
		// Chromium's own controls, such as that of a date, have images with data URLs.
		if !strings.HasPrefix(request, strings.TrimSuffix(root, "api/")) && !strings.HasPrefix(request, "data:image/svg+xml;") {
			p.t.Errorf("the page requested %s", request)
		}
	}
}
