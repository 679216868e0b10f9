package infer_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
)

// TestShapes serves the files of testdata/files.txtar, which have the shapes of those that people serve.
func TestShapes(t *testing.T) {
	for _, file := range txtar.Read(t, "files.txtar") {
		t.Run(file.Name, func(t *testing.T) {
			text := strings.Replace(file.Data, "BOM", "\ufeff", 1)
			s := serve(t, text)
			if faults := s.faultsOf(expected(t, text)); faults != nil {
				t.Errorf("%q", faults)
			}
			if again := serve(t, s.written()); again.written() != s.written() {
				t.Errorf("it is written as %s, and that as %s", s.written(), again.written())
			}
			s.write()
		})
	}
}

// write inserts, changes and deletes a record of each collection, after which it has its records again.
func (s served) write() {
	s.t.Helper()
	for _, c := range s.file.Catalogue.All() {
		about, count := c.Description(), c.Count()
		path := url.PathEscape(about.Segment) + "/"
		code, body := s.ask("POST", path, `{"never seen": [{"a": null}], "n": 1.50}`)
		var r map[string]any
		must(s.t, json.Unmarshal([]byte(body), &r))
		own := path + url.PathEscape(fmt.Sprint(r[about.Identity().Name])) + "/"
		if code != 201 || !strings.Contains(body, `"never seen":[{"a":null}]`) || c.Count() != count+1 {
			s.t.Errorf("POST %s: %d %s", path, code, body)
		}
		if code, body := s.ask("PATCH", own, `{"n": "x"}`); code != 200 || !strings.Contains(body, `"n":"x"`) {
			s.t.Errorf("PATCH %s: %d %s", own, code, body)
		}
		if code, body := s.ask("DELETE", own, ""); code != 204 || c.Count() != count {
			s.t.Errorf("DELETE %s: %d %s", own, code, body)
		}
	}
}

// TestPublicFiles serves the files of the directory that the variable names, such as those that
// users of json-server have.
func TestPublicFiles(t *testing.T) {
	dir := os.Getenv("BACKLIST_FILES")
	if dir == "" {
		t.Skip("BACKLIST_FILES is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	good := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		s, err := try(t, string(text), infer.Options{Name: "f"})
		if err != nil {
			t.Log(err)
			continue
		}
		faults := s.faultsOf(expected(t, string(text)))
		t.Logf("%s: %d faults %.300s", filepath.Base(file), len(faults), cmp.Diff([]string(nil), faults))
		if faults == nil {
			good++
		}
	}
	t.Logf("%d of %d files are served without a fault", good, len(files))
}

// TestWork reads files of two sizes. What that allocates grows as their length, with many collections, with
// many that refer to one, and with many members of objects.
func TestWork(t *testing.T) {
	list := func(n int, form string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, form, i, i/2)
		}
		return b.String()
	}
	for _, row := range []struct {
		reason string
		text   func(n int) string
		n      int
	}{
		{"collections", func(n int) string { return `{"b":[]` + list(n, `,"a/%d":[{"id":1,"a/%d_id":1}]`) + "}" }, 100},
		{"collections that refer to one", func(n int) string { return `{"a":[{"id":1}]` + list(n, `,"c%d":[{"a_id":1,"n":%d}]`) + "}" }, 40},
		{"members of objects", func(n int) string {
			return `[{"z":1` + list(n, `,"o%d":{"a":%d,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6}`) + "}]"
		}, 20},
	} {
		allocated := func(n int) (bytes uint64) {
			var before, after runtime.MemStats
			text := row.text(n)
			runtime.ReadMemStats(&before)
			serve(t, text)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		few, many := allocated(row.n), allocated(8*row.n)
		t.Logf("%s: %d and %d bytes", row.reason, few, many)
		if many > 16*few { // 64 × if each were compared with each
			t.Errorf("%s: 8 × as many allocate %d bytes, %.1f × as many", row.reason, many, float64(many)/float64(few))
		}
	}
}

// FuzzRead reads texts: all records that package encoding/json reads are served, or the error says where the
// text is wrong. What is written can be read again.
func FuzzRead(f *testing.F) {
	files := txtar.Read(f, "files.txtar")
	rng := rand.New(rand.NewPCG(64, 0))
	for _, file := range files {
		f.Add(file.Data)
		for range 4 {
			f.Add(mutated(rng, file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := try(t, text, infer.Options{Name: "f"})
		if err != nil {
			if !regexp.MustCompile(`^line \d+, column \d+: |: record \d+: |^the text is empty|gunzip`).MatchString(err.Error()) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		counts := s.counts()
		if strings.HasPrefix(text, "\x1f\x8b") {
			return
		}
		for name, records := range expected(t, text) {
			if n := counts[name]; n != len(records) && !(len(records) == 1 && n == len(records[0])) { // its members are records
				t.Fatalf("%q: %d records of %s, want %d", text, n, name, len(records))
			}
		}
		again, err := try(t, s.written(), infer.Options{Name: "f"})
		if err != nil {
			t.Fatalf("%q: written: %v", text, err)
		}
		if diff := cmp.Diff(counts, again.counts()); diff != "" {
			t.Fatalf("%q: written: %s", text, diff)
		}
	})
}

// mutated returns a text in which some parts have been replaced, removed, repeated or exchanged.
func mutated(rng *rand.Rand, text string) string {
	tokens := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9.]+|[a-z]+|[\s\S]`).FindAllString(text, -1)
	values := slices.DeleteFunc(rng.Perm(len(tokens)), func(i int) bool { return strings.Contains("{}[]:, \n", tokens[i]) })
	for range 1 + rng.IntN(4) {
		i, j := values[rng.IntN(len(values))], values[rng.IntN(len(values))]
		kind := 2 + rng.IntN(3)
		if rng.IntN(8) == 0 {
			i, j, kind = rng.IntN(len(tokens)), rng.IntN(len(tokens)), rng.IntN(6)
		}
		switch kind {
		case 0:
			tokens[i] = ""
		case 1:
			tokens[i] += tokens[i]
		case 2:
			tokens[i] = tokens[j]
		case 3:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		case 4:
			more := []string{`"id"`, `"_id"`, "null", "[]", "{}", "1", "-0", "1e300", `""`, `"a__b"`, `"ID"`, `"\u0000"`, `"\ud800"`, "\xff", "true", `"userId"`, `"\u2028"`}
			tokens[i] = more[rng.IntN(len(more))]
		case 5:
			tokens = append(tokens[:min(i, j)], tokens[max(i, j):]...)
			return strings.Join(tokens, "")
		}
	}
	return strings.Join(tokens, "")
}

// TestGuesses checks what the program says that it has found.
func TestGuesses(t *testing.T) {
	for _, row := range []struct{ reason, values, want string }{
		{"integers", "1, -2, 123456789012345678901234567890", "integer"},
		{"floats", "1.5, 2", "float"},
		{"booleans", "true, false", "boolean"},
		{"decimals", `"1.50", "-12.5"`, "decimal"},
		{"a decimal without a point", `"1.50", "12"`, "text"},
		{"digits", `"01234", "5"`, "text"},
		{"dates", `"2024-02-29", "1999-12-31"`, "date"},
		{"a day that does not exist", `"2024-02-30"`, "text"},
		{"date-times", `"2024-02-29T12:00:00Z", "2024-02-29T12:00:00.5+02:00"`, "date-time"},
		{"a date-time without an offset", `"2024-02-29T12:00:00"`, "text"},
		{"URLs", `"https://a.example/b?c", "http://d.example"`, "URL"},
		{"a text among URLs", `"https://a.example", "b"`, "text"},
		{"texts", `"a", ""`, "text"},
		{"nulls", "1, null", "integer or null"},
		{"an absent member", "1, ", "integer or null"},
		{"only nulls", "null", "null or null"},
		{"lists", `[1], []`, "list"},
		{"objects", `{"b": 1}, {}`, "object"},
		{"numbers and texts", `1, "n/a"`, "text, mixed"},
		{"numbers and booleans", "1, true", "mixed"},
		{"texts and lists", `"a", ["a"]`, "mixed"},
	} {
		var records []string
		for value := range strings.SplitSeq(row.values, ", ") {
			if value != "" {
				value = `"a":` + value
			}
			records = append(records, "{"+value+"}")
		}
		s := serve(t, "["+strings.Join(records, ",")+"]")
		want := fmt.Sprintf("http://x/api/f/ has %d record%s: id integer, a %s.\n", len(records), strings.Repeat("s", min(1, len(records)-1)), row.want)
		if got := s.file.Found("http://x/api/"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %swant %s", row.reason, got, want)
		}
	}
}
