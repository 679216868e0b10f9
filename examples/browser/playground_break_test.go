package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// breaks presses the first n buttons of the "break it" panel, the first of which the page presses when it
// opens, and checks what its clients print.
func (p *tab) breaks(n int) {
	p.t.Helper()
	total := `10 of 10 films, no error`
	for _, c := range []struct{ fault, careless, careful string }{
		{"wrong next", "8 of 10 films, no error", "next is null at 8 of 10: tries again\n" + total},
		{"503", "TypeError: .*", "status 503: tries again\n" + total},
		{"cut", "SyntaxError: .*", ".*JSON.*: tries again\n" + total},
		{"delay", "Error: it still waits, and you would too", "signal timed out: tries again\n" + total},
	}[:n] {
		button := fmt.Sprintf("[data-fault=%q]", c.fault)
		if c.fault != "wrong next" {
			p.do(chromedp.Click(chromedp.CSS(button)))
		}
		script[bool](p, `while (!document.querySelector('`+button+`[aria-pressed="true"]:enabled')) await new Promise(r => setTimeout(r, 20)); return true`)
		for client, want := range map[string]string{
			"careless": c.careless + "\n✗",
			"careful":  c.careful + "\n✓",
		} {
			pattern := regexp.MustCompile("^" + client + " reads…\n" + want + ` after \d+\.\d s$`)
			if got := p.text("#" + client); !pattern.MatchString(got) {
				p.t.Errorf("%s: %s printed %q, want %s", c.fault, client, got, pattern)
			}
		}
	}
}

// testFirstVisit opens a record on a slow host that serves 404.html for it.
func testFirstVisit(t *testing.T, p *tab, files map[string][]byte) {
	host, _ := newCopyHost(t, files)
	server := httptest.NewServer(http.StripPrefix("/demo/v1/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "backlist.wasm.gz" {
			data := files[r.URL.Path]
			for part := range 4 {
				_, _ = w.Write(data[part*len(data)/4 : (part+1)*len(data)/4]) // the browser is gone if it fails
				w.(http.Flusher).Flush()
				time.Sleep(200 * time.Millisecond)
			}
			return
		}
		host.ServeHTTP(w, r)
	})))
	t.Cleanup(server.Close)
	root := server.URL + "/demo/v1/" // a folder whose path looks like that of a page
	p.visit(root + "v1/films/7/?x=1#top")
	script[bool](p, `while (!/^Downloading the program, once: [123]\.\d of [23]\.\d MB\.$/.test(document.querySelector("#status").innerText))
		await new Promise(r => setTimeout(r, 5)); return true`)
	p.screenshot("progress")
	p.do(chromedp.WaitVisible(chromedp.CSS("nav")))
	p.wantText("h1", "Cléo from 5 to 7")
	p.wantAddress("/demo/v1/v1/films/7/?x=1#top")
	p.check("record")
	p.click(`nav[aria-label="Breadcrumb"] li:first-child a`)
	p.ready()
	p.wantAddress("/demo/v1/")
	if got := p.text("#status"); !strings.HasPrefix(got, "Running in this browser") {
		t.Errorf("status = %q", got)
	}
	p.checkRequests(root)
}
