package browser

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// copyHost is a host of static files without headers of its own.
type copyHost struct {
	t *testing.T

	mu    sync.Mutex
	files map[string][]byte
}

// newCopyHost serves files below /demo/ and returns the URL of the start page.
func newCopyHost(t *testing.T, files map[string][]byte) (h *copyHost, root string) {
	h = &copyHost{t: t, files: files}
	server := httptest.NewServer(http.StripPrefix("/demo/", h))
	t.Cleanup(server.Close)
	return h, server.URL + "/demo/"
}

func (h *copyHost) set(files map[string][]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files = files
}

func (h *copyHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := r.URL.Path
	if name == "" {
		name = "./"
		w.Header().Set("Content-Type", "text/html")
	} else {
		w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	}
	data, ok := h.files[name]
	if missing := h.files["404.html"]; !ok && missing != nil && strings.HasPrefix(name, "v1/") {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(missing)
		return
	}
	if !ok {
		h.t.Errorf("the host was asked for %s", r.RequestURI)
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data) // the browser is gone if it fails
}

// cacheNames is a script that returns the names of the caches.
const cacheNames = `return (await caches.keys()).sort()`

// update is a script that makes the browser look for a new version, and waits until it is
// installed or has failed.
const update = `const r = await (await navigator.serviceWorker.getRegistration()).update(), w = r.installing
	while (w && !["activated", "redundant"].includes(w.state)) await new Promise(r => setTimeout(r, 20))
	return w ? w.state : "none"`

// testUpdate installs the playground from a host whose files change.
func testUpdate(t *testing.T, p *tab, files map[string][]byte) {
	host, root := newCopyHost(t, files)
	p.visit(root)
	p.ready()
	before := script[[]string](p, cacheNames)
	event := `{"name":"x","slug":"kept","startDate":"2026-05-10T18:00Z","endDate":"2026-05-10T18:00Z"}`
	if got := p.send(root+"api/events/", "POST", event, nil); got.Status != 201 {
		t.Fatalf("POST: %d %s", got.Status, got.Body)
	}
	if got := p.send(root+"api/", "GET", "", nil); !strings.Contains(got.Body, `"`+root+`api/events/`) {
		t.Errorf("links do not point into %s: %s", root, got.Body)
	}

	next := maps.Clone(files)
	next["page.css"] = append(slices.Clone(files["page.css"]), "h1 { color: #008000; }\n"...)
	next["sw.js"] = bytes.Replace(files["sw.js"], []byte(integrity(files["page.css"])), []byte(integrity(next["page.css"])), 1)
	next["sw.js"] = bytes.Replace(next["sw.js"], []byte("\nconst version = \""), []byte("\nconst version = \"new "), 1)

	half := maps.Clone(next)
	half["page.css"] = files["page.css"]
	host.set(half)
	if state := script[string](p, update); state != "redundant" {
		t.Errorf("with half of the new files, the new worker is %s", state)
	}
	p.visit(root)
	p.ready()
	p.wantStored(root, "kept")

	host.set(next)
	if state := script[string](p, update); state != "activated" {
		t.Errorf("with all new files, the new worker is %s", state)
	}
	p.waitText("#status", "A new version of the playground is running. Reload this page to use it.")
	p.wantStored(root, "kept")
	p.visit(root)
	p.ready()
	if color := script[string](p, `return getComputedStyle(document.querySelector("h1")).color`); color != "rgb(0, 128, 0)" {
		t.Errorf("the new page has the old style: %s", color)
	}
	after := script[[]string](p, cacheNames)
	if len(before) != 2 || len(after) != 2 || slices.Contains(after, before[0]) || after[1] != before[1] { // files and records
		t.Errorf("caches = %q, and before the update %q", after, before)
	}

	postFromElsewhere(t, p, root)
	p.framed() // without a worker, a page that is loading asks the host
	p.do(chromedp.Click(chromedp.CSS("#remove")))
	p.waitText("#status", "The playground and its records are removed from this browser. Reload this page to install it again.")
	if left := script[[]string](p, cacheNames); len(left) > 0 {
		t.Errorf("caches after the removal: %q", left)
	}
	p.visit(root)
	p.ready()
	p.wantText("#status", "Running in this browser, with 300 events.")
	p.checkRequests(root)
}

// postFromElsewhere submits a form on a page of another origin to the playground, which
// refuses it.
func postFromElsewhere(t *testing.T, p *tab, root string) {
	const form = `<!doctype html><title>Elsewhere</title><form method="post" action="%sv1/directors/"><input name="name" value="x"><button>Send</button></form>`
	_, elsewhere := newCopyHost(t, map[string][]byte{"./": fmt.Appendf(nil, form, root), "favicon.ico": nil})
	other := open(t, p.ctx, "elsewhere", 1280, false)
	other.visit(elsewhere)
	other.click("button")
	other.wantText("h1", "403 Forbidden")
	if got := p.send(root+"v1/directors/", "GET", "", nil); !strings.HasPrefix(got.Body, `{"count":6,`) {
		t.Errorf("the form was accepted: %s", got.Body)
	}
}

func integrity(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// testWithoutWorkers opens the start page where there are no service workers, and where
// their registration fails.
func testWithoutWorkers(t *testing.T, p *tab, files map[string][]byte) {
	_, root := newCopyHost(t, files)
	for script, want := range map[string]string{
		`delete Navigator.prototype.serviceWorker`: "this browser has no service workers",
		`Object.defineProperty(window, "isSecureContext", {value: false}); delete Navigator.prototype.serviceWorker`: "service workers need https",
		`ServiceWorkerContainer.prototype.register = () => Promise.reject(new Error("disabled here"))`:               "disabled here",
	} {
		added, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		if err != nil {
			t.Fatal(err)
		}
		p.visit(root)
		if got := p.text("#status.fault"); !strings.Contains(got, want) {
			t.Errorf("status = %q, want one with %q", got, want)
		}
		if len(p.texts("#try:not([hidden])")) > 0 {
			t.Error("links are offered")
		}
		p.screenshot(want[:4])
		if _, err := chromedp.Call(p.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(added)); err != nil {
			t.Fatal(err)
		}
	}
}
