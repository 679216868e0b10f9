package catalogue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/txtar"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// saved returns the text that Save writes.
func saved(t testing.TB, cat *catalogue.Catalogue) string {
	t.Helper()
	var b bytes.Buffer
	must(t, cat.Save(&b))
	return b.String()
}

// split returns the texts of the records of a saved catalogue, by key.
func split(t testing.TB, text string) map[string][]string {
	t.Helper()
	var set map[string][]json.RawMessage
	must(t, json.Unmarshal([]byte(text), &set))
	out := map[string][]string{}
	for key, records := range set {
		for _, r := range records {
			out[key] = append(out[key], string(r))
		}
	}
	return out
}

// keys are the keys of the service's 39 collections, in the order of its document.
var keys = strings.Fields(`attribute-types attributes authors collaborators direct-sales books bookshop-sales carts
	commissions compensations collaborator-invoices contributions credit-notes crowdfundings direct-debit-payments
	credit-note-lines restockings direct-debits events expenses inventories items itemVariants labels products projects
	proposals reshipments services shipments social-links tieins vouchers variants wires publishers suppliers news faqs`)

// TestSaveKeepsBytes checks that records keep the bytes of the reference server when they
// are loaded, saved and loaded again.
func TestSaveKeepsBytes(t *testing.T) {
	raw := mustHave(os.ReadFile("testdata/dataset.json"))
	// The service escapes these two separators and the file does not.
	want := split(t, strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`).Replace(string(raw)))
	cat := dataset(t)
	first := saved(t, cat)
	equal(t, "saved", want, split(t, first))
	again := mustNew()
	must(t, again.Load(iotest.OneByteReader(strings.NewReader(first)), catalogue.LoadOptions{}))
	equal(t, "second save", first, saved(t, again))
	must(t, faultOf(again))
	ctx := context.Background()
	for key, records := range want {
		c := collectionOf(t, again, key)
		count, got, err := listed(c.List(ctx, catalogue.Query{Window: whole, Terms: terms("id")}))
		if err != nil || count != len(records) {
			t.Errorf("%s: count %d, %v, want %d", key, count, err, len(records))
		}
		for i := range got {
			if string(got[i]) != records[i] {
				t.Errorf("%s: at %d %s, want %s", key, i, got[i], records[i])
			}
		}
	}
}

const (
	goodEvent = `{"id":1,"name":"n","slug":"s","summary":"","description":"","location":"","startDate":"2024-05-10T18:00:00+02:00",` +
		`"endDate":"2024-05-10T20:00:00+02:00","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]}`
	goodLink = `{"id":1,"title":"t","url":"u","logo":null,"type":"x","author":1}`
)

// small returns a catalogue with a few records.
func small(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	cat := mustNew()
	checkAtEnd(t, cat)
	text := `{"events":[` + goodEvent + `],"social-links":[` + goodLink + `],"books":[{"id":4,"x":1},{"x":[2],"id":9}],"faqs":[{"id":7}]}`
	must(t, cat.Load(strings.NewReader(text), catalogue.LoadOptions{}))
	return cat
}

// TestLoadLeavesAbsentCollections checks that Load replaces the collections in a file and
// no others.
func TestLoadLeavesAbsentCollections(t *testing.T) {
	cat := small(t)
	want := split(t, saved(t, cat))
	want["books"], want["news"] = []string{`{"id":2}`}, []string{`{"z":1e300,"id":3,"a":"<é>"}`}
	delete(want, "faqs")
	text := " \r\n\t{ \"books\" : [ {\"id\" : 2 } ], \"faqs\":[],\"news\":[{\"z\":1e300,\"id\":3,\"a\":\"\\u003c\\u00e9>\"}]}\n"
	must(t, cat.Load(iotest.DataErrReader(strings.NewReader(text)), catalogue.LoadOptions{}))
	equal(t, "the result", want, split(t, saved(t, cat)))
	before := saved(t, cat)
	if err := cat.Load(strings.NewReader("{}"), catalogue.LoadOptions{}); err != nil {
		t.Errorf("an object without members: %v", err)
	}
	equal(t, "an object without members", before, saved(t, cat))
}

// replaceMember returns record with old replaced by text. It panics if record does not
// contain old.
func replaceMember(record, old, text string) string {
	if !strings.Contains(record, old) {
		panic(old)
	}
	return strings.Replace(record, old, text, 1)
}

// TestLoadRefuses loads the texts in testdata/load.txtar, and some that no file should have.
func TestLoadRefuses(t *testing.T) {
	texts := []txtar.Text{
		{Name: "empty", Data: ""},
		{Name: "white space", Data: " \n"},
		{Name: "two byte order marks", Data: "\ufeff\ufeff{}"},
		{Name: "byte order mark inside", Data: "{\ufeff}"},
		{Name: "bytes that are not UTF-8", Data: "{\"books\":[{\"id\":1,\"a\":\"\xff\"}]}"},
		{Name: "control character", Data: "{\"books\":[{\"id\":1,\"a\":\"\n\"}]}"},
		{Name: "deep nesting", Data: `{"books":[{"id":1,"a":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}]}`},
	}
	for _, row := range append(texts, txtar.Read(t, "load.txtar")...) {
		text, want, _ := strings.Cut(row.Data, "\nwant ")
		cat := small(t)
		before := saved(t, cat)
		err := cat.Load(strings.NewReader(text), catalogue.LoadOptions{})
		if !errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: error\n%v, want ErrInvalidData and\n%s", row.Name, err, want)
		}
		var bad *catalogue.RecordError
		if isRecord := strings.Contains(want, "(line 2)"); isRecord && (!errors.As(err, &bad) || bad.Index != 1) {
			t.Errorf("%s: error %v, want a RecordError with index 1", row.Name, err)
		}
		equal(t, row.Name+": the catalogue", before, saved(t, cat))
	}
}

// TestLoadAssignsIDs loads records without an id: they get one in the order of the file, after all
// others.
func TestLoadAssignsIDs(t *testing.T) {
	type small struct {
		ID   int8   `json:"id"`
		Name string `json:"name"`
	}
	about := &schema.Description{Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}, {Name: "name", Kind: schema.Text}}}
	for _, row := range []struct{ reason, text, want string }{
		{"no ids", `[{"name":"a"},{"name":"b"}]`, `{"id":1,"name":"a"},{"id":2,"name":"b"}`},
		{"others before", `[{"id":3,"name":"a"},{"name":"b"}]`, `{"id":3,"name":"a"},{"id":4,"name":"b"}`},
		{"others after", `[{"name":"a"},{"id":1,"name":"b"},{"name":"c"},{"id":5,"name":"d"}]`,
			`{"id":1,"name":"b"},{"id":5,"name":"d"},{"id":6,"name":"a"},{"id":7,"name":"c"}`},
		{"a byte order mark", "\ufeff[{\"name\":\"a\"}]", `{"id":1,"name":"a"}`},
		{"an id that was used", `{"$lastId":9,"results":[{"name":"a"}]}`, `{"id":10,"name":"a"}`},
		{"an id that was used, after the records", `{"results":[{"name":"a"},{"id":2,"name":"b"}],"$lastId":9}`, `{"id":2,"name":"b"},{"id":10,"name":"a"}`},
	} {
		for kind, d := range map[string]catalogue.AnyDefinition{
			"structs":      catalogue.Define[small]("films", catalogue.Options{}),
			"open records": catalogue.Define[schema.Record]("films", catalogue.Options{Description: about}),
		} {
			cat := mustCatalogue(t, d)
			films, _ := cat.Collection("films")
			for _, all := range []bool{false, true} {
				must(t, films.Load(strings.NewReader(row.text), catalogue.LoadOptions{Validate: all, References: all}))
				_, list, err := listed(films.List(t.Context(), catalogue.Query{Window: whole}))
				must(t, err)
				equal(t, kind+": "+row.reason, row.want, string(bytes.Join(list, []byte(","))))
			}
			must(t, cat.Check())
		}
	}
	c := mustCollection[small](t, catalogue.Options{})
	err := c.Load(strings.NewReader(`[{"id":127},{"name":"a"}]`), catalogue.LoadOptions{})
	if !errors.Is(err, catalogue.ErrInvalidID) || !strings.Contains(err.Error(), "no id is left after 127") {
		t.Errorf("after the largest id: %v", err)
	}
}

// TestLoadForms checks that Load of a collection accepts an array of records or a saved
// response with results.
func TestLoadForms(t *testing.T) {
	for _, row := range []struct {
		reason, text string
		want         []string // nil if refused
	}{
		{"array", `[{"id":2,"a":1},{"id":1}]`, []string{`{"id":1}`, `{"id":2,"a":1}`}},
		{"empty array", ` [ ] `, []string{}},
		{"response", `{"count":99,"next":"x","previous":null,"results":[{"id":5}]}`, []string{`{"id":5}`}},
		{"other members are ignored", `{"zzz":{"results":[]},"results":[{"id":5}],"count":"x"}`, []string{`{"id":5}`}},
		{"response without results", `{"count":0}`, nil},
		{"null results", `{"results":null}`, nil},
		{"object as results", `{"results":{}}`, nil},
		{"an error document", `{"detail":"Not found."}`, nil},
		{"a number", `5`, nil},
		{"null", `null`, nil},
		{"empty", ``, nil},
		{"trailing data", `[] []`, nil},
		{"trailing data", `{"results":[]}]`, nil},
		{"invalid JSON after the results", `{"results":[{"id":5}],"count":}`, nil},
	} {
		cat := small(t)
		want := split(t, saved(t, cat))
		err := mustIn(resources.Records("books"), cat).Load(strings.NewReader(row.text), catalogue.LoadOptions{})
		if row.want == nil && !errors.Is(err, catalogue.ErrInvalidData) || row.want != nil && err != nil {
			t.Errorf("%s: error %v", row.reason, err)
		}
		if row.want != nil {
			want["books"] = row.want
		}
		if len(want["books"]) == 0 {
			delete(want, "books")
		}
		equal(t, row.reason, want, split(t, saved(t, cat)))
	}
	if err := small(t).Load(strings.NewReader(`{"no-such":[]}`), catalogue.LoadOptions{}); !errors.Is(err, catalogue.ErrUnknownCollection) || !strings.Contains(err.Error(), "no-such") {
		t.Errorf("unknown collection: %v", err)
	}
}

// smallFile is the file that some tests truncate and change at every byte.
const smallFile = `{"books":[{"id":1,"a":"é\n","b":[1.5,null]},{"id":2}],"social-links":[` + goodLink + `]}`

// TestLoadBytesChanged checks that a file that ends at any byte, or in which any one byte is
// replaced, removed or repeated, is loaded completely or not at all.
func TestLoadBytesChanged(t *testing.T) {
	base := small(t)
	before := saved(t, base)
	step := 1
	if raceEnabled { // there is only one goroutine
		step = 8
	}
	for i := 0; i < len(smallFile); i += step {
		head, tail := smallFile[:i], smallFile[i+1:]
		checkLoad(t, base, before, []byte(head))
		for _, b := range []string{"", smallFile[i:i+1] + smallFile[i:i+1], "\xff", `"`, `\`, "{", "]", ",", "0", " "} {
			checkLoad(t, base, before, []byte(head+b+tail))
		}
	}
}

// TestLoadReaderFails checks that Load returns the error of its reader, whatever was read
// before, and that nothing changes.
func TestLoadReaderFails(t *testing.T) {
	cat := small(t)
	before := saved(t, cat)
	for i := range len(smallFile) + 1 {
		r := io.MultiReader(strings.NewReader(smallFile[:i]), iotest.ErrReader(errOwn))
		if err := cat.Load(r, catalogue.LoadOptions{}); !errors.Is(err, errOwn) {
			t.Errorf("reader that fails after %d bytes: %v, want %v", i, err, errOwn)
		}
	}
	if err := mustIn(resources.Records("books"), cat).Load(iotest.ErrReader(errOwn), catalogue.LoadOptions{}); !errors.Is(err, errOwn) {
		t.Errorf("Load of a collection: %v", err)
	}
	equal(t, "what is stored afterwards", before, saved(t, cat))
}

// A fullWriter accepts room bytes and then returns err.
type fullWriter struct {
	room int
	err  error
}

func (w *fullWriter) Write(p []byte) (int, error) {
	if len(p) > w.room {
		n := w.room
		w.room = 0
		return n, w.err
	}
	w.room -= len(p)
	return len(p), nil
}

// TestSaveWriterFails checks that Save returns the error of its writer, after any byte.
func TestSaveWriterFails(t *testing.T) {
	cat := small(t)
	text := saved(t, cat)
	for room := range len(text) {
		if err := cat.Save(&fullWriter{room, errOwn}); !errors.Is(err, errOwn) {
			t.Errorf("room for %d of %d bytes: %v", room, len(text), err)
		}
	}
	if err := cat.Save(&fullWriter{len(text), errOwn}); err != nil {
		t.Errorf("room for all: %v", err)
	}
	if err := cat.Save(&fullWriter{len(text) / 2, nil}); err == nil {
		t.Error("Save returned no error for a short write")
	}
	if saved(t, cat) != text {
		t.Error("Save changed the catalogue")
	}
}

// checkLoad loads data into a clone of base, whose saved text is before. If that fails, the
// clone must not change. Otherwise its saved text must load and be saved as the same text.
func checkLoad(t *testing.T, base *catalogue.Catalogue, before string, data []byte) {
	t.Helper()
	cat := base.Clone()
	if err := caught(func() error { return cat.Load(bytes.NewReader(data), catalogue.LoadOptions{}) }); err != nil {
		if !errors.Is(err, catalogue.ErrInvalidData) {
			t.Errorf("%q: error %v, want ErrInvalidData", data, err)
		}
		var syntax *schema.SyntaxError
		if isJSON := json.Valid(data) && utf8.Valid(data); errors.As(err, &syntax) == isJSON {
			t.Errorf("%q: error %v, but it is JSON: %t", data, err, isJSON)
		}
		if saved(t, cat) != before {
			t.Errorf("%q was loaded in part: %s", data, saved(t, cat))
		}
		if err := faultOf(cat); err != nil {
			t.Errorf("%q: %v", data, err)
		}
		return
	}
	if !json.Valid(data) {
		t.Errorf("%q was loaded, but it is not JSON", data)
	}
	first := saved(t, cat)
	again := mustNew()
	if err := again.Load(strings.NewReader(first), catalogue.LoadOptions{}); err != nil {
		t.Fatalf("Load of the saved text: %v\n%s", err, first)
	}
	if second := saved(t, again); second != first {
		t.Errorf("second Save wrote\n%s\nwant\n%s", second, first)
	}
	books := mustIn(resources.Records("books"), cat)
	for _, name := range catalogue.FieldNames(books) {
		if page, err := books.Page(whole, ordering.Desc(name)); err != nil || len(page.Records) != books.Count() {
			t.Errorf("page by %q: %d records, %v, want %d", name, len(page.Records), err, books.Count())
		}
	}
	if err := errors.Join(faultOf(cat), faultOf(again)); err != nil {
		t.Error(err)
	}
}

// FuzzLoad loads arbitrary data.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		smallFile, `{}`, `{"books":[]}`, `{"books":[{"id":1}]}`, `{"books":[{"id":1,"a":[1e300,{"b":"\u003c"}]},{"a":null,"id":3}]}`,
		`{"events":[` + goodEvent + `]}`, `{"social-links":[` + goodLink + `],"books":[{"id":0}]}`, `[{"id":1}]`, `null`, ``,
		`{"books":[{"id":1,"_id":2,"line1":1,"line_1":2,"":3}]}`, "{\"books\":[{\"id\":1,\"\\u0000\":\"\xff\"}]}",
		`{"books":[{"id":1},{"id":1}]}`, `{"books":[],"books":[]}`, `{"$lastIds":{"books":3,"labels":1},"books":[{"id":2},{"id":1}]}`, `{"books":[{"id":9223372036854775807}]}`,
	} {
		f.Add([]byte(seed))
	}
	base := small(f)
	before := saved(f, base)
	f.Fuzz(func(t *testing.T, data []byte) { checkLoad(t, base, before, data) })
}
