package browser

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// startExample builds a command in examples and runs it until the test ends. It returns the URL of its
// root.
func startExample(t *testing.T, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./examples/"+name)
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program := exec.Command(path, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	stdout, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "serving "))
}

// fetchScript sends requests from a page, and returns what the page may read of each
// response, in one line.
const fetchScript = `(async root => {
  const event = {name: "A", slug: "a", startDate: "2026-05-10T18:00:00Z", endDate: "2026-05-10T20:00:00Z"}
  const read = async (method, path, headers, body) => {
    try {
      const answer = await fetch(root + path, {method, headers, body: body && JSON.stringify(body), credentials: "include"})
      const names = ["Allow", "ETag", "Retry-After", "WWW-Authenticate"].filter(name => answer.headers.has(name))
      return [method, answer.status, (await answer.text()).length > 0, ...names].join(" ")
    } catch (error) { return [method, error.name].join(" ") }
  }
  const json = {"Content-Type": "application/json"}
  return [
    await read("GET", "events/"),
    await read("GET", "events", {"If-None-Match": '"x"'}),
    await read("GET", "books/"),
    await read("POST", "events/", json, event),
    await read("POST", "events/", {...json, Authorization: "Bearer s3cret"}, event),
    await read("PUT", "events/", {...json, "If-Match": '"x"'}, event),
    await read("PATCH", "labels/", json, {}),
    await read("DELETE", "labels/", {"X-Own": "1"}),
    await read("OPTIONS", "labels/", {"X-Own": "1"}),
  ].join("\n")
})(%q)`

// TestCORS sends requests from pages of two origins, one of which is permitted.
func TestCORS(t *testing.T) {
	browser := launch(t)
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Page</title>")
	})
	permitted, other := httptest.NewServer(page), httptest.NewServer(page)
	t.Cleanup(permitted.Close)
	t.Cleanup(other.Close)
	root := startExample(t, "backlist", "-token", "s3cret", "-cors", permitted.URL, "-fail", "/api/books/ rate-limit 5s")
	tests := []struct {
		reason, page string
		want         []string
	}{
		{"permitted", permitted.URL, []string{
			"GET 200 true Allow ETag",
			"GET 200 true Allow ETag", // after a redirect
			"GET 429 true Retry-After",
			"POST 401 true Allow WWW-Authenticate",
			"POST 201 true Allow",
			"PUT 405 true Allow",
			"PATCH 405 true Allow",
			"DELETE 405 true Allow",
			"OPTIONS 200 true Allow",
		}},
		{"another origin", other.URL, []string{
			"GET TypeError", "GET TypeError", "GET TypeError", "POST TypeError", "POST TypeError",
			"PUT TypeError", "PATCH TypeError", "DELETE TypeError", "OPTIONS TypeError",
		}},
	}
	for _, tt := range tests {
		p := open(t, browser, "cors", 800, false)
		p.do(chromedp.Navigate(tt.page))
		got := eval(p, chromedp.Evaluate[string](fmt.Sprintf(fetchScript, root), chromedp.EvalAwaitPromise))
		if want := strings.Join(tt.want, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.reason, got, want)
		}
	}
}
