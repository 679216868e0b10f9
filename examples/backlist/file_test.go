package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A served is the program with a file, without a port.
type served struct {
	t *testing.T
	p *program
}

// serveFile serves a file with a name and a text.
func serveFile(t *testing.T, name, text string, args ...string) served {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := tryFile(t, path, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func tryFile(t *testing.T, path string, args ...string) (served, error) {
	c, err := parse(append([]string{path}, args...), io.Discard)
	if err != nil {
		return served{}, err
	}
	p, err := newProgram(t.Context(), c, log.New(t.Output(), "", 0))
	return served{t, p}, err
}

// ask sends a request below /api/ and returns the status and the body.
func (s served) ask(method, path, body string) (int, string) {
	s.t.Helper()
	r := httptest.NewRequest(method, "/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.p.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// page returns a list.
func (s served) page(path string) page {
	s.t.Helper()
	code, body := s.ask("GET", path, "")
	var p page
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&p); code != 200 || err != nil {
		s.t.Fatalf("GET %s: %d %s", path, code, body)
	}
	return p
}

// bare reports whether an object is one record: it has neither a list of records nor only members that are
// records or can have some.
func bare(object map[string]any) bool {
	whole := true
	for _, value := range object {
		list, isList := value.([]any)
		_, isRecord := value.(map[string]any)
		if len(list) > 0 {
			if _, ok := list[0].(map[string]any); ok {
				return false
			}
		}
		whole = whole && (isRecord || isList && len(list) == 0)
	}
	return !whole
}

// expected returns the records of a file by the name of their collection, as package encoding/json
// reads them.
func expected(t *testing.T, path string) map[string][]map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values []any
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	d.UseNumber()
	for d.More() {
		var r any
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		values = append(values, r)
	}
	value := any(values)
	if len(values) == 1 {
		value = values[0]
	}
	name := strings.TrimSuffix(filepath.Base(path), ".json")
	object, ok := value.(map[string]any)
	if !ok || bare(object) {
		object = map[string]any{name: value}
	}
	all := map[string][]map[string]any{}
	for key, value := range object {
		switch value := value.(type) {
		case map[string]any:
			all[key] = append(all[key], value)
		case []any:
			for _, r := range value {
				if r, ok := r.(map[string]any); ok {
					all[key] = append(all[key], r)
				}
			}
		}
	}
	return all
}

// faultsOf returns what is wrong with the collections of a file: with their lists, records, filters,
// orders and searches.
func (s served) faultsOf(all map[string][]map[string]any) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for name, c := range s.p.start.All() {
		m := c.Description()
		records, at := all[name], url.PathEscape(m.Segment)+"/"
		list := s.page(at + "?limit=100000&ordering=id")
		if list.Count != len(records) {
			fault("%s: %d records, want %d", name, list.Count, len(records))
			continue
		}
		values := map[string][]any{}
		for i, r := range list.Results {
			if i < 3 {
				if code, body := s.ask("GET", at+url.PathEscape(fmt.Sprint(orID(r[m.Identity().Name], i)))+"/", ""); code != 200 {
					fault("%s: record %v: %d %s", name, r["id"], code, body)
				}
			}
			if !slices.ContainsFunc(records, func(want map[string]any) bool { return same(m, want, r) }) {
				fault("%s: record %v is not in the file", name, r)
			}
			for member, v := range r {
				values[member] = append(values[member], v)
			}
		}
		for member, all := range values {
			faults = append(faults, s.faultsOfField(at, name, member, all, len(records))...)
		}
	}
	return faults
}

// same reports whether a record is served as it is in the file, but for its id.
func same(m schema.Description, file, served map[string]any) bool {
	file, served = maps.Clone(file), maps.Clone(served)
	for name := range served {
		if name == "id" && file[name] == nil {
			delete(served, name)
			delete(file, name)
		} else if i := slices.IndexFunc(m.Fields, func(f schema.Field) bool { return f.Name == name }); i >= 0 && (m.Fields[i].Key || m.Fields[i].By != "") {
			file[name], served[name] = fmt.Sprint(file[name]), fmt.Sprint(served[name])
		}
	}
	return reflect.DeepEqual(file, served)
}

// number returns a number or a decimal in text, or NaN for other values.
func number(v any) float64 {
	text := fmt.Sprint(v)
	if ok := regexp.MustCompile(`^-?[0-9]+\.[0-9]+$`).MatchString(text); !ok && reflect.TypeOf(v) != reflect.TypeFor[json.Number]() {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

func orID(id any, i int) any {
	if id == nil {
		return i + 1
	}
	return id
}

// faultsOfField returns what is wrong with the filter by a member, its order, and the search for it.
func (s served) faultsOfField(at, collection, name string, values []any, total int) (faults []string) {
	fault := func(format string, args ...any) {
		faults = append(faults, collection+": "+name+": "+fmt.Sprintf(format, args...))
	}
	for _, v := range values {
		switch v.(type) {
		case map[string]any, []any, nil:
			return nil
		}
		if reflect.TypeOf(v) != reflect.TypeOf(values[0]) {
			return nil
		}
	}
	if slices.Contains([]string{"limit", "offset", "ordering", "search", "format"}, name) {
		return nil
	}
	text, want := fmt.Sprint(values[0]), 0
	for _, v := range values {
		if v == values[0] || number(v) == number(values[0]) {
			want++
		}
	}
	if strings.TrimSpace(text) != text {
		return nil // Django trims the values of filters
	}
	if got := s.page(at + "?" + url.Values{name: {text}}.Encode()).Count; got != want && text != "" {
		fault("%d records with %s, want %d", got, text, want)
	}
	sorted := s.page(at + "?limit=100000&" + url.Values{"ordering": {name}}.Encode()).Results
	for i := 1; i < len(values); i++ {
		a, b := sorted[i-1][name], sorted[i][name]
		if n := number(a); number(b) < n || n != n && fmt.Sprint(b) < fmt.Sprint(a) {
			fault("%v is before %v", a, b)
			break
		}
	}
	if words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,\t\n\u00a0", r) }); len(words) > 0 && name != "id" {
		if _, ok := values[0].(string); ok {
			if code, body := s.ask("GET", at+"?search="+url.QueryEscape(words[0]), ""); code != 200 {
				fault("search: %d %s", code, body)
			}
		}
	}
	return faults
}

// texts returns the files of a txtar archive.
func texts(t *testing.T, path string) (names, files []string) {
	t.Helper()
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range regexp.MustCompile(`(?m)^-- (.+) --\n`).Split(string(archive), -1) {
		if i > 0 {
			files = append(files, part)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^-- (.+) --$`).FindAllStringSubmatch(string(archive), -1) {
		names = append(names, m[1])
	}
	for i := range files[:len(files)-1] { // the last line is about the next file
		files[i] = files[i][:strings.LastIndexByte(strings.TrimSuffix(files[i], "\n"), '\n')+1]
	}
	return names, files
}

// TestShapes serves the files of testdata/files.txtar.
func TestShapes(t *testing.T) {
	names, files := texts(t, "testdata/files.txtar")
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(strings.Replace(files[i], "BOM", "\ufeff", 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := tryFile(t, path, "-max-limit", "-1")
			if err != nil {
				t.Fatal(err)
			}
			if faults := s.faultsOf(expected(t, path)); faults != nil {
				t.Errorf("%q", faults)
			}
			for _, args := range [][]string{{"-open"}, {"-pages", "numbers"}, {"-pages", "cursors"}, {"-framework", "3.18"}} {
				s, err := tryFile(t, path, args...)
				if err != nil {
					t.Fatal(err)
				}
				s.checkPages()
			}
		})
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
		s, err := tryFile(t, file, "-max-limit", "-1")
		if err != nil {
			t.Log(err)
			continue
		}
		faults := s.faultsOf(expected(t, file))
		t.Logf("%s: %d faults %.300s", filepath.Base(file), len(faults), cmp.Diff([]string(nil), faults))
		if faults == nil {
			good++
		}
	}
	t.Logf("%d of %d files are served without a fault", good, len(files))
}

// TestManyCollections serves files with many collections. What that allocates grows as
// their number.
func TestManyCollections(t *testing.T) {
	allocated := func(collections int) (bytes uint64) {
		var text strings.Builder
		for i := range collections {
			fmt.Fprintf(&text, `%s"a/%d":[{"id":1,"a/%d_id":1}]`, []string{"{", ","}[min(i, 1)], i, i/2)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		serveFile(t, "many.json", text.String()+"}")
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(100), allocated(800)
	t.Logf("%d and %d bytes", few, many)
	if many > 12*few { // 64 × if each were compared with each
		t.Errorf("8 × as many collections allocate %d bytes, %.1f × as many", many, float64(many)/float64(few))
	}
}

// TestFileErrors serves files that are not valid. Each error says where, and what to do.
func TestFileErrors(t *testing.T) {
	bomb := packed(t, "["+strings.Repeat(" ", 128<<20)+"]")
	for _, row := range []struct{ reason, text, want string }{
		{"empty", "", `the file is empty: want collections such as {"posts": []}`},
		{"white space", " \n", "the file is empty"},
		{"null", "null", "line 1, column 1: no records: want collections"},
		{"number", "5", "no records: want collections"},
		{"no members", "{}", "no records: want collections"},
		{"list of lists", "[[1],[2]]", "no records: want collections"},
		{"list of texts", `["a"]`, "no records: want collections"},
		{"a comma too many", "{\"posts\":[\n{\"id\":1,}]}", "line 2, column 9: unexpected character '}'"},
		{"a comment", "// posts\n{}", "line 1, column 1: unexpected character '/'"},
		{"single quotes", "{'posts':[]}", "texts in double quotes"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "invalid UTF-8"},
		{"cut", `{"posts":[{"id":1}`, "line 1, column 19: unexpected end"},
		{"something after the text", `{"posts":[]} x`, "line 1, column 14"},
		{"a line of JSON lines", "{\"a\":1}\n{\"a\":}\n", "line 2, column 6"},
		{"a record of JSON lines", "{\"a\":1}\n\n  {\"id\":[]}\n", "line 3, column 3: f: the id is []: want a number or a text, or no id"},
		{"something else among records", "{\"posts\":[{\"id\":1},\n 5]}", `line 2, column 2: posts: want an object such as {"title": "a"}, as the first one is`},
		{"the same id", "{\"posts\":[{\"id\":1},\n{\"id\":1}]}", "line 2, column 1: posts: the id 1 is that of the record in line 1, too"},
		{"a text beside its number", "{\"posts\":[{\"id\":1},\n{\"id\":\"1\"}]}", `line 2, column 1: posts: the id "1" is that of the record in line 1, too: change one of them`},
		{"a number beside its text", "{\"posts\":[{\"id\":\"1\"},\n{\"id\":1}]}", `line 2, column 1: posts: the id 1 is that of the record in line 1, too`},
		{"an empty id", `{"posts":[{"id":""}]}`, `posts: the id is "": want a number or a text, or no id`},
		{"an object as id", `{"posts":[{"id":{"$oid":"5"}}]}`, `the id is {"$oid":"5"}: want a number`},
		{"no id is left", `[{"id":9223372036854775807},{"a":1}]`, "line 1, column 29: f: no id is left"},
		{"a repeated name", "[{\"a\":1},\n {\"a\":1,\"a\":2}]", `line 2, column 2: f: member "a": is repeated: correct`},
		{"a repeated name inside", `[{"a":{"b":1,"b":2}}]`, `member "a": name "b" is repeated in an object`},
		{"an unpaired surrogate", `[{"a":"\ud800"}]`, `member "a": unpaired surrogate`},
		{"two names of one field", "[{\"a\":1},\n{\"unitPrice\":1,\"unit_price\":2}]", `line 2, column 1: f: "unitPrice" and "unit_price" are one field, unit_price: rename one of them`},
		{"a repeated collection", "{\"posts\":[{}],\n\"posts\":[]}", `line 2, column 9: the collection "posts" is there twice`},
		{"two collections with one path", `{"a/b":[{}],"a-b":[]}`, `the collection "a-b" has the path of "a/b": rename one of them`},
		{"a collection without a name", `{"":[{}]}`, `the collection "" has no path: rename it`},
		{"deep", `[{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}]`, "line 1, column 2: f: the record is nested deeper than the limit of 200: flatten it"},
		{"too much in gzip", bomb, "gzip unpacks it to more than"},
		{"cut gzip", packed(t, smallFile)[:30], "unexpected EOF: pack it again"},
	} {
		path := filepath.Join(t.TempDir(), "f.json")
		if err := os.WriteFile(path, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := tryFile(t, path)
		if err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error\n%v, want\n%s", row.reason, err, row.want)
		}
	}
	for path, want := range map[string]string{t.TempDir(): "is a directory: want a JSON file", "no-such.json": "no such file"} {
		if _, err := tryFile(t, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

func wanted(want, file string) string {
	if want == "" {
		return file
	}
	return want
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const smallFile = `{"posts":[{"id":1,"title":"a","authorId":2}],"authors":[{"id":2,"name":"b"}]}`

// TestSavedShape saves files: what was served is in the form that the file had.
func TestSavedShape(t *testing.T) {
	for _, row := range []struct{ reason, file, want string }{ // want is "" if it is the file
		{"collections", smallFile + "\n", ""},
		{"indented", "{\n  \"posts\": [\n    {\n      \"id\": 1\n    }\n  ]\n}\n", ""},
		{"indented by a tab", "[\n\t{\n\t\t\"id\": 1\n\t}\n]\n", ""},
		{"an object", `{"profile":{"name":"a"},"posts":[]}` + "\n", ""},
		{"an object with an id", `{"profile":{"name":"a","id":7},"posts":[]}` + "\n", ""},
		{"one record", `{"name":"a","n":1.50}` + "\n", ""},
		{"a list", `[{"id":"b","n":1e5},{"id":"c"}]` + "\n", ""},
		{"no records", "[]\n", ""},
		{"members that are not served", `{"version":[1,2],"posts":[],"v":null}` + "\n", ""},
		{"ids that become texts", `{"posts":[{"id":-1,"authorId":0},{"id":"a"},{"id":1.0}],"authors":[{"id":0}]}` + "\n",
			`{"posts":[{"id":-1,"authorId":0},{"id":1.0},{"id":"a"}],"authors":[{"id":0}]}` + "\n"},
		{"records without ids", `[{"a":1},{"id":3}]` + "\n", `[{"id":3},{"id":4,"a":1}]` + "\n"},
		{"JSON lines", "{\"id\":1}\n{\"id\":2,\"a\":[1]}\n", ""},
		{"a byte order mark", "\ufeff{\"posts\":[{\"id\":1}]}\n", ""},
		{"gzip", packed(t, smallFile+"\n"), ""},
	} {
		s := serveFile(t, "f.json", row.file, "-save")
		if err := s.p.saveFile(s.p.save, s.p.start); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		saved, err := os.ReadFile(s.p.file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted(row.want, row.file), string(saved)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

// TestMutatedFiles serves files in which bytes have been changed: all of what package encoding/json
// reads is served, or nothing. What is served can be saved and served again.
func TestMutatedFiles(t *testing.T) {
	_, files := texts(t, "testdata/files.txtar")
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	n, good := 150, 0
	if os.Getenv("BACKLIST_LONG") != "" && !testing.Short() {
		n = 3_000
	}
	path := filepath.Join(t.TempDir(), "f.json")
	for range n {
		text := mutated(rng, files[rng.IntN(len(files))])
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := tryFile(t, path, "-max-limit", "-1", "-save")
		if err != nil {
			if !strings.HasPrefix(err.Error(), path+": ") {
				t.Fatalf("%q: %v", text, err)
			}
			continue
		}
		if good++; good%20 == 1 {
			s.checkPages()
		}
		before := s.counts()
		for name, records := range expected(t, path) {
			if before[name] != len(records) {
				t.Fatalf("%q: %d records of %s, want %d", text, before[name], name, len(records))
			}
		}
		if err := s.p.saveFile(s.p.save, s.p.start); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := tryFile(t, path, "-max-limit", "-1")
		if err != nil {
			t.Fatalf("%q: saved: %v", text, err)
		}
		if diff := cmp.Diff(before, again.counts()); diff != "" {
			t.Fatalf("%q: saved: %s", text, diff)
		}
	}
	t.Logf("%d of %d files are served", good, n)
}

// mutated returns a text in which some parts have been replaced, removed, repeated or exchanged.
func mutated(rng *rand.Rand, text string) string {
	tokens := regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[0-9.]+|[a-z]+|[\s\S]`).FindAllString(text, -1)
	values := slices.DeleteFunc(rand.Perm(len(tokens)), func(i int) bool { return strings.Contains("{}[]:, \n", tokens[i]) })
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

// counts returns the number of records by the name of their collection, all of which are served.
func (s served) counts() map[string]int {
	all := map[string]int{}
	for name, c := range s.p.start.All() {
		m := c.Description()
		p := s.page(m.Segment + "/")
		for _, f := range m.Fields {
			s.page(m.Segment + "/?" + url.Values{"ordering": {f.Name}}.Encode())
		}
		if all[name] = p.Count; len(p.Results) != p.Count {
			s.t.Fatalf("%s: %d records, want %d", name, len(p.Results), p.Count)
		}
	}
	return all
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
		s := serveFile(t, "f.json", "["+strings.Join(records, ",")+"]")
		want := fmt.Sprintf("http://x/api/f/ has %d record%s: id integer, a %s.\n", len(records), strings.Repeat("s", min(1, len(records)-1)), row.want)
		if got := s.p.read.Found("http://x/api/"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %swant %s", row.reason, got, want)
		}
	}
}

// TestFileRequests reads, filters and writes the collections of a file.
func TestFileRequests(t *testing.T) {
	const file = `{"posts":[{"id":1,"title":"a","authorId":2,"editor_id":null,"views":3,"price":"9.50","at":"2024-05-10T18:00:00+02:00","address":{"city":"Bonn"},"zip":"01234"},
{"id":2,"title":"b","authorId":2,"editor_id":5,"views":20,"price":"12.00","at":"2024-05-10T17:00:00Z","address":{"city":"Aachen"},"zip":"5"}],
"authors":[{"id":2,"name":"Ann"},{"id":5,"name":"Bob"}],"editors":[{"id":5}],
"cards":[{"id":0,"n":1},{"id":-1},{"id":1.0}],"moves":[{"cardId":-1}],"profile":{"name":"me"},"tags":[{"id":"x y"}]}`
	s := serveFile(t, "db.json", file, "-open")
	for _, row := range []struct {
		reason, request, body string
		code                  int
		want                  string // a part of the body
	}{
		{"root", "GET ", "", 200, `"posts":"http://example.com/api/posts/"`},
		{"a list", "GET posts/?limit=1", "", 200, `{"count":2,"next":"http://example.com/api/posts/?limit=1&offset=1","previous":null,"results":[{"id":1,`},
		{"a record", "GET posts/2/", "", 200, `"title":"b"`},
		{"one object", "GET profile/1/", "", 200, `{"id":1,"name":"me"}`},
		{"the id 0", "GET cards/0/", "", 200, `{"id":"0","n":1}`},
		{"an id with a point", "GET cards/1.0/", "", 200, `{"id":"1.0"}`},
		{"a key with a blank", "GET tags/x%20y/", "", 200, `{"id":"x y"}`},
		{"a negative id", "GET cards/-1/", "", 200, `{"id":"-1"}`},
		{"a reference to ids that are texts", "GET moves/", "", 200, `"cardId":"-1"`},
		{"no record", "GET posts/3/", "", 404, ""},
		{"filter by a number", "GET posts/?views__gte=4", "", 200, `{"count":1,`},
		{"by a decimal", "GET posts/?price__lt=10", "", 200, `{"count":1,`},
		{"by a time", "GET posts/?at=2024-05-10T16:00:00Z", "", 200, `{"count":1,`},
		{"by a text of digits", "GET posts/?zip=01234", "", 200, `{"count":1,`},
		{"by the name in JSON", "GET posts/?authorId=2", "", 200, `{"count":2,`},
		{"by null", "GET posts/?editor_id__isnull=true", "", 200, `{"count":1,`},
		{"by a member of an object", "GET posts/?address__city=Bonn", "", 200, `{"count":1,`},
		{"order by one", "GET posts/?ordering=address__city", "", 200, `"results":[{"id":2`},
		{"order by a number, not as text", "GET posts/?ordering=-views", "", 200, `"results":[{"id":2`},
		{"search", "GET posts/?search=bonn", "", 200, `{"count":1,`},
		{"a post", "POST posts/", `{"title":5,"views":"many","price":"cheap","at":"soon","new":{"a_b":[1]}}`, 201,
			`{"id":3,"title":5,"views":"many","price":"cheap","at":"soon","new":{"a_b":[1]}}`},
		{"an empty one", "POST posts/", "", 201, `{"id":4}`},
		{"its own id", "POST posts/", `{"title":"c","id":9}`, 201, `{"id":9,"title":"c"}`},
		{"an id that is taken", "POST posts/", `{"id":9}`, 400, `{"id":["Another record has this id."]}`},
		{"an id of another kind", "POST posts/", `{"id":"a"}`, 400, `{"id":["The ids of this collection are positive integers."]}`},
		{"a text with blanks", "POST posts/", `{"title":" c ","id":12}`, 201, `{"id":12,"title":" c "}`},
		{"a filter finds it", "GET posts/?title=%20c%20", "", 200, `{"count":1,`},
		{"and so does a list", "GET posts/?title__in=x,%20c%20", "", 200, `{"count":1,`},
		{"its deletion", "DELETE posts/12/", "", 204, ""},
		{"a reference", "POST posts/", `{"authorId":5}`, 201, `{"id":13,"authorId":5}`},
		{"a reference to no record", "POST posts/", `{"authorId":6}`, 400, `{"authorId":["Invalid pk 6 - object does not exist."]}`},
		{"a reference of another kind", "POST posts/", `{"authorId":"2"}`, 400, `{"authorId":["Invalid pk \"2\" - object does not exist."]}`},
		{"a key", "POST cards/", `{"id":7}`, 201, `{"id":"7"}`},
		{"the next key", "POST cards/", `{}`, 201, `{"id":"`},
		{"a key that is taken", "POST cards/", `{"id":"0"}`, 400, "Another record"},
		{"a key with a slash", "POST tags/", `{"id":"a/b"}`, 400, "without a slash"},
		{"a reference to a key", "POST moves/", `{"cardId":"7"}`, 201, `{"id":2,"cardId":"7"}`},
		{"a reference to no key", "POST moves/", `{"cardId":"8"}`, 400, "does not exist"},
		{"a list", "POST posts/", `[1]`, 400, "Expected an object"},
		{"no JSON", "POST posts/", `{"a":`, 400, "JSON parse error"},
		{"a repeated member", "POST posts/", `{"a":1,"a":2}`, 400, `{"a":["is repeated"]}`},
		{"a PATCH", "PATCH posts/9/", `{"views":[1],"id":9}`, 200, `{"id":9,"title":"c","views":[1]}`},
		{"a PATCH of the id", "PATCH posts/9/", `{"id":10}`, 400, "never changes"},
		{"a PATCH of a reference", "PATCH posts/9/", `{"authorId":1}`, 400, "does not exist"},
		{"a PUT replaces", "PUT posts/9/", `{"a":1}`, 200, `{"id":9,"a":1}`},
		{"a PUT of a key", "PUT cards/0/", `{"m":1}`, 200, `{"m":1,"id":"0"}`},
		{"a PUT of no record", "PUT cards/12/", `{"m":1}`, 404, ""},
		{"an author of posts", "DELETE authors/2/", "", 409, "record 1 of posts refers to it in the field authorId"},
		{"a card of moves", "DELETE cards/-1/", "", 409, "of moves refers to it"},
		{"a post", "DELETE posts/9/", "", 204, ""},
		{"its id is not assigned again", "POST posts/", `{}`, 201, `{"id":14}`},
	} {
		method, path, _ := strings.Cut(row.request, " ")
		if code, body := s.ask(method, path, row.body); code != row.code || !strings.Contains(body, row.want) {
			t.Errorf("%s: %s %s: %d %s, want %d %s", row.reason, row.request, row.body, code, body, row.code, row.want)
		}
	}
	for path, want := range map[string]string{"/": `"Location":["api/"]`, "/openapi.json": "authorId__in", "/v1/": "Not found", "/api/posts/": "<!doctype html>"} {
		r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
		r.Header.Set("Accept", "text/html")
		s.p.ServeHTTP(w, r)
		if header, _ := json.Marshal(w.Header()); !strings.Contains(string(header)+w.Body.String(), want) {
			t.Errorf("GET %s: %v %.200s, want %s", path, w.Header(), w.Body, want)
		}
	}
}

// TestFileIsSaved checks that the program writes the records back when it ends, and says what it
// serves.
func TestFileIsSaved(t *testing.T) {
	for _, args := range [][]string{{"-open", "-save"}, {"-save", "-open"}, {"--save", "--open"}} {
		path := filepath.Join(t.TempDir(), "cards.json")
		if err := os.WriteFile(path, []byte(`[{"id":0},{"id":1}]`), 0o640); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var stdout, stderr output
		done := make(chan int)
		go func() {
			done <- run(ctx, append([]string{"-addr", "127.0.0.1:0", path}, args...), &stdout, &stderr)
		}()
		for !strings.Contains(stdout.String(), "permitted") && stderr.Len() == 0 {
			time.Sleep(time.Millisecond)
		}
		base := regexp.MustCompile("http://[0-9.:]+").FindString(stdout.String())
		want := fmt.Sprintf("serving %s/api/\n%[1]s/api/cards/ has 2 records: id text.\nThe kinds of fields are guesses: writes may send others. All writes are permitted.\n", base)
		if diff := cmp.Diff(want, stdout.String()); diff != "" {
			t.Errorf("-want +got:\n%s%s", diff, stderr.String())
		}
		ask(t, "POST "+base+"/api/cards/", `{"name":"<é>"}`)
		stop()
		code := <-done
		saved, err := os.ReadFile(path)
		about, _ := os.Stat(path)
		if want := `[{"id":0},{"id":1},{"name":"<é>","id":"2"}]` + "\n"; code != 0 || err != nil || string(saved) != want || about.Mode() != 0o640 {
			t.Errorf("%q: exit code %d, %v, %s %v, want %s", args, code, err, saved, about.Mode(), want)
		}
	}
}

// TestFileWithFaults checks that faults apply to the collections of a file.
func TestFileWithFaults(t *testing.T) {
	s := serveFile(t, "f.json", smallFile, "-fail", "GET /api/posts/ 503", "-fail", "GET /api/authors/ missing-row")
	code, _ := s.ask("GET", "posts/", "")
	if p := s.page("authors/"); code != 503 || len(p.Results) != 0 {
		t.Errorf("posts: %d; authors: %v", code, p.Results)
	}
}

// TestCancelledWrites checks that a write whose context is done stores nothing.
func TestCancelledWrites(t *testing.T) {
	s := serveFile(t, "f.json", smallFile)
	posts, err := s.p.start.Collection("posts")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	table := newTable(posts, s.p.start)
	_, err = table.Create(ctx, []byte("{}"), schema.Record{})
	_, other := table.Update(ctx, "1", catalogue.Edit{Body: []byte("{}")})
	if !errors.Is(err, context.Canceled) || !errors.Is(other, context.Canceled) || posts.Count() != 1 {
		t.Errorf("%v, %v, %d posts", err, other, posts.Count())
	}
}

// TestFileWithoutWrites checks that writes are refused by default, or need the token.
func TestFileWithoutWrites(t *testing.T) {
	for want, args := range map[int][]string{403: nil, 401: {"-token", "s3cret"}, 201: {"-open"}} {
		if code, body := serveFile(t, "f.json", smallFile, args...).ask("POST", "posts/", "{}"); code != want {
			t.Errorf("%v: %d %s, want %d", args, code, body, want)
		}
	}
}

// checkPages reads the first pages of all collections as JSON and as browsers do, and a page for
// each order.
func (s served) checkPages() {
	s.t.Helper()
	paths := []string{"/api/", "/openapi.json"}
	for _, c := range s.p.start.All() {
		m := c.Description()
		path := "/api/" + m.Segment + "/"
		paths = append(paths, path, path+"?search=a")
		for _, f := range m.Fields {
			paths = append(paths, path+"?"+url.Values{"ordering": {"-" + f.Name}}.Encode())
		}
		if _, body := s.ask("GET", m.Segment+"/", ""); strings.Contains(body, `"id":1,`) {
			paths = append(paths, path+"1/")
		}
	}
	for _, path := range paths {
		for _, accept := range []string{"application/json", "text/html"} {
			r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
			r.Header.Set("Accept", accept)
			if s.p.ServeHTTP(w, r); w.Code != 200 {
				s.t.Errorf("GET %s: %d %.300s", path, w.Code, w.Body)
			}
		}
	}
}
