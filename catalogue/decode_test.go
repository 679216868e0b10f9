package catalogue

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A level encodes and decodes itself.
type level int

func (l level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "level %d", l), nil }

func (l *level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "level %d", l)
	return err
}

type embedded struct {
	Title string `json:"title"`
	Inner *int   `json:"inner"`
}

// A mixed record has a field of each kind that loads distinguish.
type mixed struct {
	Tags []string `json:"tags"`
	embedded
	ID     int                 `json:"id"`
	Status caption             `json:"status"`
	Ready  *bool               `json:"ready"`
	Due    *schema.DateTime    `json:"due"`
	Made   schema.DateTime     `json:"made"`
	Seen   time.Time           `json:"seen"`
	Level  level               `json:"level"`
	Levels []level             `json:"levels"`
	Ratio  float64             `json:"ratio"`
	Small  int8                `json:"small"`
	Digits json.Number         `json:"digits"`
	Raw    json.RawMessage     `json:"raw"`
	Counts map[string]int      `json:"counts"`
	Any    any                 `json:"any"`
	Nested struct{ A, B *int } `json:"nested"`
	Far    **string            `json:"far"`
	Lists  [][]int             `json:"lists"`
	Note   *string             `json:"note"`
	Bytes  []byte              `json:"bytes"`
	Loud   upper               `json:"loud"`
}

type caption string

// An upper has a method Clone that changes it.
type upper string

func (u upper) Clone() upper { return upper(strings.ToUpper(string(u))) }

const (
	fullEvent = `{"id":1,"name":"n","slug":"s","summary":"a \"b\"\n\\ é","description":"<p>\u0026</p>","location":"",` +
		`"startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00.250000Z","published":true,"poster":"",` +
		`"posterWebp":"","labels":[],"authors":[3,1,2]}`
	fullLink  = `{"id":1,"title":"t","url":"u","logo":null,"type":"x","author":1}`
	fullLabel = `{"id":1,"name":"n","enabled":true,"catchLines":["a","\t"],"users":[1],"logoFooter":null,` +
		`"globalMessage":{"a":[1.50,"\u00e9"]}}`
	fullMixed = `{"tags":["a","é"],"title":"t","inner":5,"id":7,"status":"open","ready":true,"due":"2024-05-10T18:00:00-09:30",` +
		`"made":"2024-05-10T18:00:00Z","seen":"2024-05-10T18:00:00.123456789+02:00","level":"level 3","levels":["level 1"],` +
		`"ratio":1.5e1,"small":-8,"digits":1.50,"raw":{"b":"\u00e9", "a":1},"counts":{"x":1},"any":[1,{"y":null}],` +
		`"nested":{"A":1,"b":2},"far":"x","lists":[[1],[]],"note":"n","bytes":"aGk=","loud":"x"}`
)

// TestReadCommon checks that readCommon reads records in the usual forms.
func TestReadCommon(t *testing.T) {
	for _, row := range []struct{ reason, record string }{
		{"as saved", fullEvent},
		{"white space", strings.NewReplacer(`":`, `": `, `,`, " ,\n\t", `[`, "[ ", `]`, "\r]", `}`, " }").Replace(fullEvent)},
		{"zero as an integer other than the id", strings.Replace(fullEvent, `[3,1,2]`, `[0,-0,-7]`, 1)},
		{"every escape without a code point", strings.Replace(fullEvent, `"location":""`, `"location":"\"\\\/\b\f\n\r\t"`, 1)},
	} {
		in := scan(row.record)
		var record event
		if !typeOf[event](t, true).readCommon(in, asRecord(&record)) || in.At() != len(row.record) {
			t.Errorf("%s: not read: %q", row.reason, row.record[in.At():])
		}
	}
	for _, record := range []string{fullLink, strings.Replace(fullLink, `null`, `"\u00e9"`, 1)} {
		if !typeOf[socialLink](t, true).readCommon(scan(record), asRecord(new(socialLink))) {
			t.Errorf("%s: not read", record)
		}
	}
	for _, record := range []string{fullMixed, `{"id":1}`, `{"tags":["a,b","c"],"id":1,"ratio":-0.5,"small":-0,"far":"x"}`, `{"tags":null,"inner":null,"id":1,"counts":null,"any":null,"far":null,"lists":null,"note":"\u00e9"}`} {
		if !typeOf[mixed](t, false).readCommon(scan(record), asRecord(new(mixed))) {
			t.Errorf("%s: not read", record)
		}
	}
}

// TestReadCommonRefuses checks that readCommon leaves invalid and unusual records to
// decodeLoaded.
func TestReadCommonRefuses(t *testing.T) {
	for _, row := range []struct{ reason, record string }{
		{"another order than that of the struct", `{"title":"t","tags":["a"],"id":1}`},
		{"no id", `{"title":"t"}`},
		{"id 0", `{"id":0}`},
		{"repeated member", `{"title":"t","title":"t","id":1}`},
		{"unknown member", `{"id":1,"titles":"t"}`},
		{"name in another case", `{"id":1,"Title":"t"}`},
		{"text as a json.Number", `{"id":1,"digits":"x"}`},
		{"null for a number", `{"id":1,"small":null}`},
		{"repeated name inside a value", `{"id":1,"raw":{"a":1,"a":2}}`},
		{"lone surrogate", `{"id":1,"title":"\ud800"}`},
		{"leading zero", `{"id":01}`},
		{"plus sign", `{"id":+1}`},
		{"trailing comma", `{"id":1,}`},
		{"fraction without digits", `{"id":1,"ratio":1.}`},
		{"fraction that is hexadecimal", `{"id":1,"ratio":1.0x1}`},
		{"number without digits before the point", `{"id":1,"ratio":.5}`},
		{"number beyond a float64", `{"id":1,"ratio":1e999}`},
		{"list that ends in a comma", `{"tags":["a",],"id":1}`},
		{"list of another kind", `{"tags":["a",1],"id":1}`},
		{"null for a date-time", `{"id":1,"made":null}`},
		{"null for a time", `{"id":1,"seen":null}`},
	} {
		if typeOf[mixed](t, false).readCommon(scan(row.record), asRecord(new(mixed))) {
			t.Errorf("%s: read: %s", row.reason, row.record)
		}
	}
	for _, strict := range []string{strings.Replace(fullEvent, `"labels":[]`, `"labels":null`, 1), `{"id":1}`} {
		if typeOf[event](t, true).readCommon(scan(strict), asRecord(new(event))) {
			t.Errorf("strict load: it reads %s", strict)
		}
	}
}

// TestTrusted checks that only records of types without methods are loaded without a check
// and a copy.
func TestTrusted(t *testing.T) {
	type loud struct {
		ID   int              `json:"id"`
		Loud map[string]upper `json:"loud"`
	}
	for _, row := range []struct {
		typ  *layout
		want bool
	}{
		{typeOf[event](t, true), true},
		{typeOf[label](t, true), true},
		{typeOf[socialLink](t, true), true},
		{typeOf[mixed](t, false), false},
		{typeOf[loud](t, false), false},
	} {
		if row.typ.trusted != row.want {
			t.Errorf("%v is trusted: %v", row.typ.reflect, row.typ.trusted)
		}
	}
}

// typeOf returns the layout of the records of a collection.
func typeOf[T any](tb testing.TB, strict bool) *layout {
	tb.Helper()
	table := tableOf[T]()
	about, err := table.description("books")
	if err != nil {
		tb.Fatal(err)
	}
	l, err := newLayout(table, options{Name: "books"}, about.Fields)
	if err == nil {
		err = l.describe(&about, strict)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func scan(text string) *jsontext.Scanner {
	in := jsontext.Scan([]byte(text), jsontext.MaxTextDepth)
	return &in
}

func asRecord[T any](r *T) *record { return (*record)(unsafe.Pointer(r)) }

// readerComparison returns a function that compares both ways to read a record, for four types.
// If readCommon reads data, decodeLoaded must read the same record from it.
func readerComparison(tb testing.TB) func(t *testing.T, data []byte) {
	events, labels := typeOf[event](tb, true), typeOf[label](tb, true)
	links, books := typeOf[socialLink](tb, true), typeOf[mixed](tb, false)
	return func(t *testing.T, data []byte) {
		compareReaders[event](t, events, data)
		compareReaders[label](t, labels, data)
		compareReaders[socialLink](t, links, data)
		compareReaders[mixed](t, books, data)
	}
}

func compareReaders[T any](t *testing.T, s *layout, data []byte) {
	in := scan(string(data))
	got, want := new(T), new(T)
	if !s.readCommon(in, asRecord(got)) {
		return
	}
	if err := s.decodeLoaded(asRecord(want), data[:in.At()], false); err != nil {
		t.Fatalf("%T: readCommon reads %s, decodeLoaded refuses it: %v", got, data, err)
	}
	if err := s.check(asRecord(want)); (err == nil) != (s.check(asRecord(got)) == nil) || s.trusted && err != nil {
		t.Fatalf("%T: %s: trusted %v, but check returned %v", got, data, s.trusted, err)
	}
	if copyTo(s.copier, want, want); !s.trusted {
		copyTo(s.copier, got, got)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%T: %s (-want +got):\n%s", got, data, cmp.Diff(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got)))
	}
}

// TestReadCommonMatches replaces every byte of some records by other text.
func TestReadCommonMatches(t *testing.T) {
	compare := readerComparison(t)
	for _, record := range []string{fullEvent, fullLink, fullLabel, fullMixed} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for i := 0; i < len(record); i += step {
			head, tail := record[:i], record[i+1:]
			for _, b := range []string{"", record[i:i+1] + record[i:i+1], "\xff", "é", "\x00", `"`, `\`, `\u00e9`, `\ud800`, "{", "]", ",", ":", "0", "-", ".", "1e2", "null", " ", "null,"} {
				compare(t, []byte(head+b+tail))
			}
		}
	}
}

// FuzzReadCommon is TestReadCommonMatches for arbitrary data.
func FuzzReadCommon(f *testing.F) {
	for _, record := range []string{
		fullEvent, fullLink, fullLabel, fullMixed, `{"id":1}`, `{}`, `{"id":1,"tags":[null],"lists":null,"note":null}`,
		`{"id":2,"raw":{"a":1,"a":2}}`, `{"id":2,"any":"\ud800"}`, `{"id":2,"raw":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		f.Add([]byte(record))
	}
	compare := readerComparison(f)
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, data) })
}

// TestLoadStructs checks that structs are loaded as encoding/json decodes them.
func TestLoadStructs(t *testing.T) {
	records := strings.Join([]string{
		fullMixed, `{"id":2}`, `{"id":9,"status":"\u00e9","tags":[],"far":null,"due":null,"levels":[]}`,
		`{"id":3,"title":"a\/b","raw":[null],"any":{"a":"\n"},"bytes":"","ready":false,"inner":-1}`,
	}, ",")
	var want []mixed
	if err := json.Unmarshal([]byte("["+records+"]"), &want); err != nil {
		t.Fatal(err)
	}
	want[0].Loud = "X"
	want[0].Raw = json.RawMessage(`{"b":"é","a":1}`) // records are stored in canonical form
	want = []mixed{want[1], want[3], want[0], want[2]}
	books, err := NewCollection[mixed](Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := books.Load(strings.NewReader("["+records+"]"), LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	i := 0
	for got := range books.All() {
		if !reflect.DeepEqual(want[i], got) {
			t.Errorf("id %d (-want +got):\n%s", got.ID, cmp.Diff(fmt.Sprintf("%#v", want[i]), fmt.Sprintf("%#v", got)))
		}
		i++
	}
	if i != len(want) {
		t.Errorf("All returned %d records, want %d", i, len(want))
	}
}

// TestNumbersInInterfaces checks that a number in an interface is a float64 if encoding/json
// writes that with the same digits, and a json.Number otherwise. Saving and loading keeps both.
func TestNumbersInInterfaces(t *testing.T) {
	type free struct {
		ID   int                      `json:"id"`
		Data any                      `json:"data"`
		Map  map[string]any           `json:"map"`
		List [1][]any                 `json:"list"`
		Deep map[int]*struct{ A any } `json:"deep"`
	}
	for _, row := range []struct {
		reason, number string
		want           any
	}{
		{"an integer", "7", 7.0},
		{"a fraction", "-1.5", -1.5},
		{"the largest integer before floats skip some", "9007199254740992", 9007199254740992.0},
		{"an integer between two floats", "9007199254740993", json.Number("9007199254740993")},
		{"an integer beyond an int64", "100000000000000000000", 1e20},
		{"such an integer that is no float", "100000000000000000001", json.Number("100000000000000000001")},
		{"a fraction of zero", "7.0", json.Number("7.0")},
		{"zeros at the end", "1.50", json.Number("1.50")},
		{"an exponent as encoding/json writes it", "1e+22", 1e22},
		{"an exponent without a sign", "1e22", json.Number("1e22")},
		{"negative zero", "-0", math.Copysign(0, -1)},
		{"negative zero with a fraction", "-0.0", json.Number("-0.0")},
		{"more digits than a float has", "0.10000000000000000555", json.Number("0.10000000000000000555")},
	} {
		want := free{1, map[string]any{"n": []any{row.want}}, map[string]any{"n": row.want}, [1][]any{{row.want, nil}},
			map[int]*struct{ A any }{1: {row.want}, 2: nil}}
		text := strings.ReplaceAll(`[{"id":1,"data":{"n":[N]},"map":{"n":N},"list":[[N,null]],"deep":{"1":{"A":N},"2":null}}]`, "N", row.number)
		c, err := NewCollection[free](Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the text, and from what Save has written
			if err := c.Load(strings.NewReader(text), LoadOptions{}); err != nil {
				t.Fatalf("%s: %v", row.reason, err)
			}
			got, err := c.Get(1)
			if diff := cmp.Diff(fmt.Sprintf("%#v", want.Data), fmt.Sprintf("%#v", got.Data)); diff != "" || !reflect.DeepEqual(want, got) || err != nil {
				t.Errorf("%s: %v: got %+v, want %+v\n%s", row.reason, err, got, want, diff)
			}
			var saved strings.Builder
			if err := c.Save(&saved); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(saved.String(), text[1:len(text)-1]) {
				t.Errorf("%s: saved as %s", row.reason, saved.String())
			}
			text = saved.String()
		}
	}
}
