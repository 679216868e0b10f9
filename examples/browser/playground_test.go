package browser

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"
)

// TestPlayground tests examples/playground. It builds the program of the service worker,
// which takes a minute if the standard library has not been compiled for WebAssembly.
func TestPlayground(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds for WebAssembly")
	}
	browser := launch(t) // before the build, to skip without Chromium
	root, stop := startPlayground(t)
	files := download(t, root)
	size := 0
	files["404.html"] = fetch(t, root+"404.html")
	for name, data := range files {
		size += compressed(t, name, data)
	}
	t.Logf("%d bytes, compressed", size)
	if size > 3_200_000 {
		t.Errorf("the files have %d bytes, want at most 3,200,000", size)
	}

	p := open(t, browser, "playground", 1280, false)
	start := time.Now()
	p.visit(root)
	p.ready()
	t.Logf("first answer after %v", time.Since(start))
	p.click(`a[href="api/"]`)
	t.Logf("first page after %v", time.Since(start))
	p.wantText("h1", "Catalogue")
	p.visit(root)
	p.ready()
	stopWorkers(p)
	t.Logf("a new worker answers after %.0f ms", script[float64](p, `const began = performance.now(); await fetch("v1/films/"); return performance.now() - began`))
	p.visit(root) // pages of the handler permit no scripts
	p.ready()
	compareWithServer(t, p, root)
	p.films(root)
	p.posts(root)
	p.makes(root)
	p.pastes(root)
	stop() // from now on the browser is offline
	p.restarts(root)
	p.checkRequests(root)
	faults := 4 // all, and then one for the look of the panel
	for _, width := range []int64{1280, 390} {
		for _, dark := range []bool{false, true} {
			view := open(t, browser, fmt.Sprintf("playground-%d-%t", width, dark), width, dark)
			view.looks(root, faults)
			faults = 1
		}
	}
	t.Run("first visit", func(t *testing.T) { testFirstVisit(t, open(t, browser, "playground-first", 390, false), files) })
	t.Run("update", func(t *testing.T) { testUpdate(t, open(t, browser, "playground-update", 1280, false), files) })
	t.Run("without workers", func(t *testing.T) { testWithoutWorkers(t, open(t, browser, "playground-without", 1280, false), files) })
}

// startPlayground builds and starts the program, and returns the URL of the start page and
// a function that stops the program.
func startPlayground(t *testing.T) (root string, stop func()) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "playground")
	build := exec.Command("go", "build", "-o", program, "./examples/playground")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "-addr", "127.0.0.1:0")
	cmd.Dir, cmd.Stderr = "../..", os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it fails if the program has failed
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	line, _ := bufio.NewReader(out).ReadString('\n')
	root, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		t.Fatalf("the program printed %q", line)
	}
	return root, stop
}

// download returns the files of the folder: the worker and those that it names.
func download(t *testing.T, root string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"sw.js": fetch(t, root+"sw.js")}
	constant := regexp.MustCompile(`(?m)^const files = (\{.+?\})`).FindSubmatch(files["sw.js"])
	var hashes map[string]string
	if constant == nil || json.Unmarshal(constant[1], &hashes) != nil || len(hashes) < 5 {
		t.Fatalf("the worker names these files: %s", constant)
	}
	for name := range hashes {
		files[name] = fetch(t, root+strings.TrimPrefix(name, "./"))
	}
	return files
}

func fetch(t *testing.T, url string) []byte {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if policy := resp.Header.Get("Content-Security-Policy"); err != nil || resp.StatusCode != 200 || !strings.Contains(policy, "script-src 'self' 'wasm-unsafe-eval';") {
		t.Fatalf("%s: %v, %s, Content-Security-Policy %q", url, err, resp.Status, policy)
	}
	return data
}

// compressed returns the number of bytes of a file that a host compresses.
func compressed(t *testing.T, name string, data []byte) int {
	if strings.HasSuffix(name, ".gz") {
		return len(data)
	}
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// ready waits until the start page offers its links.
func (p *tab) ready() { p.t.Helper(); p.do(chromedp.WaitVisible(chromedp.CSS("#try"))) }

// script runs an asynchronous function and returns its result.
func script[T any](p *tab, body string) T {
	p.t.Helper()
	return eval(p, chromedp.Evaluate[T]("(async () => {"+body+"})()", chromedp.EvalAwaitPromise))
}

// waitText waits until an element has a text.
func (p *tab) waitText(selector, want string) {
	p.t.Helper()
	script[bool](p, fmt.Sprintf(`while (document.querySelector(%q).innerText !== %q) await new Promise(r => setTimeout(r, 20)); return true`, selector, want))
}

// films sends the requests for films that the README names, and writes.
func (p *tab) films(root string) {
	p.t.Helper()
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string // part of the body
	}{
		{"GET", "v1/films/?minutes__gte=90&search=lights", "", 200, `{"count":1,`},
		{"GET", "v1/films/7/", "", 200, `"minutes":90,`},
		{"PATCH", "v1/films/7/", `{"minutes":91}`, 200, `"minutes":91,`},
		{"PUT", "v1/films/7/", `{"name":"Cléo"}`, 400, `{"minutes":["This field is required."],`},
		{"DELETE", "v1/directors/1/", "", 409, `{"detail":`},
		{"DELETE", "v1/films/10/", "", 204, ``},
		{"GET", "v1/films/10/", "", 404, `{"detail":"Not found."}`},
		{"POST", "v1/films/", "{\xff", 400, `{"detail":`},
	} {
		got := p.send(root+c.path, c.method, c.body, nil)
		if got.Status != c.status || !strings.Contains(got.Body, c.want) {
			p.t.Errorf("%s %s: %d %.200s, want %d with %s", c.method, c.path, got.Status, got.Body, c.status, c.want)
		}
	}
}

// posts adds an event with the form of a page.
func (p *tab) posts(root string) {
	p.t.Helper()
	p.visit(root + "api/events/")
	p.click(".head .main")
	p.fill(map[string]string{"name": "An evening offline", "slug": "offline", "startDate": "2026-05-10T18:00", "endDate": "2026-05-10T20:00"})
	p.click(`.form button`)
	p.wantText(".done", "An evening offline has been added.")
}

// framed waits until the frame of the start page shows films.
func (p *tab) framed() {
	p.t.Helper()
	script[bool](p, `while (!document.querySelector("#films").contentDocument?.querySelector("tbody tr")) await new Promise(r => setTimeout(r, 20)); return true`)
	if got := p.text("#made"); !strings.HasPrefix(got, "The worker has 100,000") {
		p.t.Error(got)
	}
}

// makes reads a page of the many films in its frame.
func (p *tab) makes(root string) {
	p.t.Helper()
	p.visit(root)
	p.ready()
	p.framed()
	p.screenshot("many")
	if got := script[string](p, `return document.querySelector("#films").contentDocument.querySelector(".head").innerText`); !regexp.MustCompile(`of 100,000\s+in \d`).MatchString(got) {
		p.t.Errorf("the frame has %q, want a number of films and a time", got)
	}
}

// pastes makes services of JSON, of which the last stays after the worker has been stopped.
func (p *tab) pastes(root string) {
	p.t.Helper()
	for _, c := range []struct{ json, found, own string }{
		{"", "/yours/posts/ has 2 records", `"count": 2,`}, // the example of the page
		{`{"posts": [{"id": 1},`, "line 1", ""},
		{`{"<b>": [{"id": 1, "name": "<img src=x>"}]}`, "<b>", `"name": "<img src=x>"`},
	} {
		p.visit(root)
		p.ready()
		if c.json != "" {
			p.fill(map[string]string{"json": c.json})
		}
		p.do(chromedp.Click(chromedp.CSS("#paste button")))
		script[bool](p, `while (!document.querySelector("#status.fault") && !document.querySelector("#found").innerText || !document.querySelector("#found.fault") && !document.querySelector("#own").innerText) await new Promise(r => setTimeout(r, 20)); return true`)
		if found, own := p.text("#found"), p.text("#own"); !strings.Contains(found, c.found) || !strings.Contains(own, c.own) || (own == "") != (c.own == "") {
			p.t.Errorf("%s: %q, and then %q", c.json, found, own)
		}
		p.check("pasted")
	}
	p.framed()
	stopWorkers(p)
	p.click("#served a")
	if got := p.text("tbody tr"); !strings.Contains(got, "<img src=x>") {
		p.t.Errorf("the record is %q", got)
	}
}

// wantStored checks that the newest event has a slug.
func (p *tab) wantStored(root, slug string) {
	p.t.Helper()
	if got := p.send(root+"api/events/?ordering=-id&limit=1", "GET", "", nil); !strings.Contains(got.Body, `"slug":"`+slug+`"`) {
		p.t.Errorf("the newest event is %s, want one with the slug %s", got.Body, slug)
	}
}

// stopWorkers stops all service workers, as the browser does when they are idle.
func stopWorkers(p *tab) {
	p.t.Helper()
	for _, cmd := range []cdp.Command[cdp.Empty, cdp.Empty]{serviceworker.Enable, serviceworker.StopAllWorkers} {
		if _, err := chromedp.Call(p.ctx, cmd, cdp.Empty{}); err != nil {
			p.t.Fatal(err)
		}
	}
}

// restarts uses the playground after its worker has been stopped and without a server.
func (p *tab) restarts(root string) {
	p.t.Helper()
	stopWorkers(p)
	p.visit(root + "api/labels/") // the first request of the new worker
	p.wantText("h1", "Labels")
	p.visit(root)
	stopWorkers(p)
	const together = `const all = await Promise.all(Array.from({length: 20}, (_, i) => fetch("api/events/?limit=1&offset=" + i))); return all.map(r => r.status)`
	if got := script[[]int](p, together); len(got) != 20 || slices.Max(got) != 200 {
		p.t.Errorf("20 requests at once: %v", got)
	}
	p.wantStored(root, "offline")
	p.visit(root)
	p.ready()
	p.framed()
	p.t.Log(p.text("#made"))
	p.wantText("#status", "Running in this browser, with 303 events.")
	event := `{"name":"x","slug":"second","startDate":"2026-05-10T18:00Z","endDate":"2026-05-10T18:00Z"}`
	if got := p.send(root+"api/events/", "POST", event, nil); got.Status != 201 {
		p.t.Errorf("POST without a server: %d %s", got.Status, got.Body)
	}
	p.do(chromedp.Click(chromedp.CSS("#reset")))
	p.waitText("#status", "The sample records are restored.")
	if got := p.send(root+"api/events/?limit=1", "GET", "", nil); !strings.HasPrefix(got.Body, `{"count":300,`) {
		p.t.Errorf("after the reset: %s", got.Body)
	}
}

// looks checks the start page, one of its answers, and a page.
func (p *tab) looks(root string, faults int) {
	p.t.Helper()
	p.visit(root)
	p.ready()
	p.framed()
	p.do(chromedp.Click(chromedp.CSS("#request button")), chromedp.WaitVisible(chromedp.CSS("#answer")))
	p.wantText("#line", "HTTP 200 OK")
	p.check("start")
	p.breaks(faults)
	p.check("broken")
	p.axe("broken")
	p.visit(root + "v1/films/")
	p.check("films")
	p.click(`nav[aria-label="Breadcrumb"] li:first-child a`)
	p.wantText("h1", "Backlist playground")
}
