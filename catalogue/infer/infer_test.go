package infer_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// A served is a file whose collections are served.
type served struct {
	t    testing.TB
	file *infer.File
	http.Handler
}

// serve serves a text, whose collection is named f if it is the whole text.
func serve(t testing.TB, text string) served {
	t.Helper()
	s, err := try(t, text, infer.Options{Name: "f"})
	if err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return s
}

// try serves a text, unless it is refused.
func try(t testing.TB, text string, opts infer.Options) (served, error) {
	t.Helper()
	file, err := infer.Read(strings.NewReader(text), opts)
	if err != nil {
		return served{}, err
	}
	h, err := httpapi.New(file.Catalogue, httpapi.Options{Authorizer: httpapi.AllowAll, Pages: pagination.Limits{Max: -1}, ETags: true})
	must(t, err)
	return served{t, file, h}, nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ask sends a request below /api/ and returns the status and the body.
func (s served) ask(method, path, body string) (int, string) {
	s.t.Helper()
	r := httptest.NewRequest(method, "/api/"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A page is a page of records.
type page struct {
	Count   int
	Results []map[string]any
}

// page returns a list.
func (s served) page(path string) (p page) {
	s.t.Helper()
	code, body := s.ask("GET", path, "")
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&p); code != 200 || err != nil {
		s.t.Fatalf("GET %s: %d %.300s", path, code, body)
	}
	return p
}

// written returns the text that is written.
func (s served) written() string {
	s.t.Helper()
	var b strings.Builder
	must(s.t, s.file.Write(&b, s.file.Catalogue))
	return b.String()
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

// expected returns the records of a text by the name of their collection, as package encoding/json reads
// them. It knows no objects of records.
func expected(t testing.TB, text string) map[string][]map[string]any {
	t.Helper()
	var values []any
	d := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	d.UseNumber()
	for d.More() {
		var r any
		must(t, d.Decode(&r))
		values = append(values, r)
	}
	value := any(values)
	if len(values) == 1 {
		value = values[0]
	}
	object, ok := value.(map[string]any)
	if !ok || bare(object) {
		object = map[string]any{"f": value}
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
	for name, c := range s.file.Catalogue.All() {
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

// counts returns the number of records by the name of their collection, all of which are served.
func (s served) counts() map[string]int {
	all := map[string]int{}
	for name, c := range s.file.Catalogue.All() {
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

// ids returns the JSON of the ids of a list, in its order.
func (s served) ids(path string) string {
	s.t.Helper()
	code, body := s.ask("GET", path, "")
	var list struct{ Results []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &list); code != 200 || err != nil {
		s.t.Fatalf("GET %s: %d %s", path, code, body)
	}
	segment, _, _ := strings.Cut(path, "/")
	var ids []string
	for _, c := range s.file.Catalogue.All() {
		if about := c.Description(); about.Segment == segment {
			for _, text := range list.Results {
				r, err := schema.ParseKeyed(text)
				must(s.t, err)
				id, _ := r.Get(about.Identity().Name)
				ids = append(ids, id)
			}
		}
	}
	return strings.Join(ids, " ")
}
