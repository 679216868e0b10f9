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

// launch starts a browser with an empty profile, and no wish to talk to anybody.
func launch(t *testing.T) context.Context {
	t.Helper()
	program := find(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], // headless, with an empty profile
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // as root, and in containers, there is none
		chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-features", "Translate,BackForwardCache"), // going back is a load like any other
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
	t.Cleanup(func() { _ = chromedp.Cancel(browser) }) // waits until it is gone
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
		t.Fatal("BACKLIST_BROWSER is set, and there is no Chromium")
	}
	t.Skip("there is no Chromium to test with")
	return ""
}

// house is the sample, where everybody may post.
func house(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	var made bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&made); err != nil {
		t.Fatal(err)
	}
	all := catalogue.New()
	if err := all.Load(&made); err != nil {
		t.Fatal(err)
	}
	return all
}

// serve gives the URL of the root.
func serve(t *testing.T, all *catalogue.Catalogue) string {
	t.Helper()
	handler, err := httpapi.New(all, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(browse.New(handler, browse.Options{}))
	t.Cleanup(server.Close)
	return server.URL + "/api/"
}

// tab is a page of the browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	name string // of its pictures

	mu       sync.Mutex
	requests []string
	faults   []string // dialogs, exceptions, console
}

func open(t *testing.T, browser context.Context, name string, width int64, dark bool) *tab {
	t.Helper()
	ctx, shut := chromedp.NewContext(browser)
	t.Cleanup(shut)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute) // only so that a failure does not hang
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
		p.faults = append(p.faults, "dialog: "+e.Message)
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, fmt.Sprint("exception: ", e.ExceptionDetails.Text))
	case *runtime.EventConsoleAPICalled:
		p.faults = append(p.faults, fmt.Sprintf("console: %v", e.Args))
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// ask runs an action that has a result.
func ask[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	result, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatal(err)
	}
	return result
}

// visit goes to a URL and waits for its page.
func (p *tab) visit(url string) { p.t.Helper(); p.do(chromedp.Navigate(url)) }

// click follows a link, or sends a form, and waits for the page behind it.
func (p *tab) click(selector string) {
	p.t.Helper()
	if _, err := chromedp.RunResponse(p.ctx, chromedp.Click(chromedp.CSS(selector))); err != nil {
		p.t.Fatalf("click %s: %v", selector, err)
	}
}

// texts are those of all elements that match.
func (p *tab) texts(selector string) []string {
	p.t.Helper()
	return ask(p, chromedp.Evaluate[[]string](fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.innerText.trim())`, selector)))
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	all := p.texts(selector)
	if len(all) != 1 {
		p.t.Fatalf("%d of %s, want one", len(all), selector)
	}
	return all[0]
}

// address is path, query and fragment of the page.
func (p *tab) address() string {
	p.t.Helper()
	u, err := url.Parse(ask(p, chromedp.Location()))
	if err != nil {
		p.t.Fatal(err)
	}
	u.Scheme, u.Host = "", ""
	return u.String()
}

func (p *tab) wantText(selector, want string) {
	p.t.Helper()
	if got := p.text(selector); got != want {
		p.t.Errorf("%s is %q, want %q", selector, got, want)
	}
}

func (p *tab) wantAddress(want string) {
	p.t.Helper()
	if got := p.address(); got != want {
		p.t.Errorf("at %s, want %s", got, want)
	}
}

// look checks what every page must be, and takes its picture.
func (p *tab) look(step string) {
	p.t.Helper()
	p.snap(step)
	for _, fault := range ask(p, chromedp.Evaluate[[]string](contrastScript)) {
		p.t.Errorf("%s: %s", step, fault)
	}
	if wide := ask(p, chromedp.Evaluate[[]string](widthScript)); len(wide) > 0 {
		p.t.Errorf("%s scrolls sideways for %q", step, wide)
	}
	if unlabelled := p.texts(unlabelled); len(unlabelled) > 0 {
		p.t.Errorf("%s has links or buttons without a name: %q", step, unlabelled)
	}
}

const unlabelled = `a:empty, button:empty, summary:empty, img:not([alt])`

func (p *tab) snap(step string) {
	p.t.Helper()
	dir := os.Getenv("BACKLIST_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture := ask(p, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, p.name+"-"+step+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// quiet checks that nothing ran, and nobody else was asked for anything.
func (p *tab) quiet(root string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.faults) > 0 {
		p.t.Errorf("the page ran something: %q", p.faults)
	}
	for _, request := range p.requests {
		if !strings.HasPrefix(request, strings.TrimSuffix(root, "api/")) {
			p.t.Errorf("the page asked for %s", request)
		}
	}
}
