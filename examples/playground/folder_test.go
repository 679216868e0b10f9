package main

import (
	"bytes"
	"encoding/json"
	"html"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testFolder(t *testing.T, wasm, runtime string) folder {
	t.Helper()
	files, err := newFolder([]byte(wasm), []byte(runtime))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestWorker checks that the worker names all other files, and that it changes if one does.
func TestWorker(t *testing.T) {
	files := testFolder(t, "program", "runtime()")
	worker := string(files["sw.js"])
	if !strings.HasPrefix(worker, "runtime()\n") {
		t.Errorf("the worker begins with %.20q", worker)
	}
	constant := regexp.MustCompile(`(?m)^const files = (\{.+?\})`).FindStringSubmatch(worker)
	var hashes map[string]string
	if constant == nil || json.Unmarshal([]byte(constant[1]), &hashes) != nil {
		t.Fatalf("files = %q", constant)
	}
	want := make(map[string]string)
	for name, data := range files {
		switch name {
		case "sw.js", "404.html": // the host serves this
		case "index.html":
			want["./"] = integrity(data)
		case "backlist.wasm.gz":
			want[name] = integrity(data) + " " + integrity([]byte("program"))
		default:
			want[name] = integrity(data)
		}
	}
	if diff := cmp.Diff(want, hashes); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(worker, "\nconst policy = "+`"`+contentPolicy+`"`) {
		t.Error("the worker has another policy")
	}
	if again := testFolder(t, "program", "runtime()"); !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("the same program results in other files")
	}
	if other := testFolder(t, "other", "runtime()"); bytes.Equal(other["sw.js"], files["sw.js"]) {
		t.Error("another program results in the same worker")
	}
}

// TestStatic checks that the files need nothing that the policy forbids or that another
// host has, and that they do not depend on their path.
func TestStatic(t *testing.T) {
	forbidden := map[string]*regexp.Regexp{
		"a style attribute or element, or an inline script": regexp.MustCompile(`(?i)<style|\sstyle=|<script>|\son[a-z]+=|javascript:`),
		"an absolute path": regexp.MustCompile(`(?:src|href|action)="/`),
		"another host":     regexp.MustCompile(`https?://[^ "<]+`),
	}
	entries, err := fs.Glob(static, "static/*")
	if err != nil || len(entries) < 5 {
		t.Fatal(entries, err)
	}
	for _, name := range entries {
		data, err := static.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "static/404.html" { // TestMissing checks the hash of its script
			data = bytes.Replace(data, []byte("<script>"), nil, 1)
		}
		for what, pattern := range forbidden {
			for _, found := range pattern.FindAllString(string(data), -1) {
				switch found { // a link, an example, and the name of a vocabulary
				case "https://github.com/gobacklist/backlist", "http://127.0.0.1.", "http://www.w3.org/2000/svg":
				default:
					t.Errorf("%s has %s: %s", name, what, found)
				}
			}
		}
	}
	page, err := static.ReadFile("static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]+)"`).FindSubmatch(page)
	if policy == nil || html.UnescapeString(string(policy[1])) != pagePolicy {
		t.Errorf("policy of the page = %s, want %s", policy, pagePolicy)
	}
}

// TestMissing checks that the policy of 404.html permits its script, and that it names no other
// file without the folder, since it is served at all paths.
func TestMissing(t *testing.T) {
	page := string(testFolder(t, "program", "runtime()")["404.html"])
	script := regexp.MustCompile(`(?s)<script>(.*)</script>`).FindStringSubmatch(page)
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]+)"`).FindStringSubmatch(page)
	if script == nil || policy == nil {
		t.Fatal(page)
	}
	want := strings.Replace(pagePolicy, "script-src 'self'", "script-src '"+integrity([]byte(script[1]))+"' 'self'", 1)
	if got := html.UnescapeString(policy[1]); got != want {
		t.Errorf("policy %s, want %s", got, want)
	}
	for _, link := range regexp.MustCompile(`(?:src|href)[=:] ?[^ ,>]+`).FindAllString(page, -1) {
		if link != `href="./"` && !strings.HasPrefix(link, "src: folder") && !strings.HasPrefix(link, "href: folder") {
			t.Errorf("404.html has %s", link)
		}
	}
}

// TestSources checks that the start page shows the files of Go as they are.
func TestSources(t *testing.T) {
	page := string(testFolder(t, "program", "runtime()")["index.html"])
	shown := regexp.MustCompile(`(?s)<pre class="code"[^>]*>([^<]+)</pre>`).FindAllStringSubmatch(page, -1)
	var got, want []string
	for _, source := range shown {
		got = append(got, html.UnescapeString(source[1]))
	}
	for _, name := range []string{"internal/walk/walk_test.go", "internal/house/films.go"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, string(data))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPage checks that ids are unique, that controls have labels, and that the script uses
// elements that exist.
func TestPage(t *testing.T) {
	page, err := static.ReadFile("static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for _, id := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(string(page), -1) {
		count[id[1]]++
	}
	for id, n := range count {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, control := range regexp.MustCompile(`<(?:select|input|textarea) id="([^"]+)"`).FindAllStringSubmatch(string(page), -1) {
		if !bytes.Contains(page, []byte(`<label for="`+control[1]+`">`)) {
			t.Errorf("%s has no label", control[1])
		}
	}
	var script []byte
	for _, name := range []string{"load", "page", "break"} {
		data, err := static.ReadFile("static/" + name + ".js")
		if err != nil {
			t.Fatal(err)
		}
		script = append(script, data...)
	}
	for _, used := range regexp.MustCompile(`byID\("([^"]+)"\)`).FindAllStringSubmatch(string(script), -1) {
		if count[used[1]] == 0 {
			t.Errorf("the script uses the element %s, which does not exist", used[1])
		}
	}
}

func TestWrite(t *testing.T) {
	files := testFolder(t, "program", "runtime()")
	dir := filepath.Join(t.TempDir(), "site", "demo")
	for range 2 { // the second time it replaces them
		if err := files.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	written := make(folder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if written[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.EqualFunc(files, written, bytes.Equal) {
		t.Errorf("written files are %q, want %q", slices.Sorted(maps.Keys(written)), slices.Sorted(maps.Keys(files)))
	}
	if err := files.write(filepath.Join(dir, "index.html")); err == nil {
		t.Error("write to a file succeeded")
	}
}
