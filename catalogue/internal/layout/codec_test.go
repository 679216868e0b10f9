package layout

import (
	"encoding/json"
	"fmt"
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

type event struct {
	ID          int             `json:"id"`
	Name        string          `json:"name"`
	Slug        string          `json:"slug"`
	Summary     string          `json:"summary"`
	Description string          `json:"description"` // HTML fragment
	Location    string          `json:"location"`
	StartDate   schema.DateTime `json:"startDate"`
	EndDate     schema.DateTime `json:"endDate"` // may be on a later day
	Published   bool            `json:"published"`
	Poster      string          `json:"poster"`     // URL or empty
	PosterWebp  string          `json:"posterWebp"` // URL or empty
	Labels      []int           `json:"labels"`     // ids of labels
	Authors     []int           `json:"authors"`    // ids of authors
}

// A label has members of each kind that labels have.
type label struct {
	ID            int             `json:"id"`
	Name          string          `json:"name"`
	Enabled       bool            `json:"enabled"`
	CatchLines    []string        `json:"catchLines"` // may contain duplicates
	Users         []int           `json:"users"`      // ids of users
	LogoFooter    *string         `json:"logoFooter"`
	GlobalMessage json.RawMessage `json:"globalMessage"` // null or any other JSON value
}

type socialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // not unique
	Logo   *string `json:"logo"` // URL, or nil for null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}

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
		if !typeOf[event](t).readCommon(in, asRecord(&record)) || in.At() != len(row.record) {
			t.Errorf("%s: not read: %q", row.reason, row.record[in.At():])
		}
	}
	for _, record := range []string{fullLink, strings.Replace(fullLink, `null`, `"\u00e9"`, 1)} {
		if !typeOf[socialLink](t).readCommon(scan(record), asRecord(new(socialLink))) {
			t.Errorf("%s: not read", record)
		}
	}
	for _, record := range []string{fullMixed, `{"id":1}`, `{"tags":["a,b","c"],"id":1,"ratio":-0.5,"small":-0,"far":"x"}`, `{"tags":null,"inner":null,"id":1,"counts":null,"any":null,"far":null,"lists":null,"note":"\u00e9"}`} {
		if !typeOf[mixed](t).readCommon(scan(record), asRecord(new(mixed))) {
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
		if typeOf[mixed](t).readCommon(scan(row.record), asRecord(new(mixed))) {
			t.Errorf("%s: read: %s", row.reason, row.record)
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
		typ  *Type
		want bool
	}{
		{typeOf[event](t), true},
		{typeOf[label](t), true},
		{typeOf[socialLink](t), true},
		{typeOf[mixed](t), false},
		{typeOf[loud](t), false},
	} {
		if row.typ.trusted != row.want {
			t.Errorf("%v is trusted: %v", row.typ.Reflect, row.typ.trusted)
		}
	}
}

// typeOf returns the layout of the records of a collection.
func typeOf[T any](tb testing.TB) *Type {
	tb.Helper()
	table := TableOf[T]()
	about, err := schema.Describe(table.Reflect, "books", "")
	if err != nil {
		tb.Fatal(err)
	}
	l, err := New(table, Options{Name: "books", Description: &about}, &about)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func scan(text string) *jsontext.Scanner {
	in := jsontext.Scan([]byte(text), jsontext.MaxTextDepth)
	return &in
}

func asRecord[T any](r *T) *Record { return (*Record)(unsafe.Pointer(r)) }

// readerComparison returns a function that compares both ways to read a record, for four types.
// If readCommon reads data, decodeLoaded must read the same record from it.
func readerComparison(tb testing.TB) func(t *testing.T, data []byte) {
	events, labels := typeOf[event](tb), typeOf[label](tb)
	links, books := typeOf[socialLink](tb), typeOf[mixed](tb)
	return func(t *testing.T, data []byte) {
		compareReaders[event](t, events, data)
		compareReaders[label](t, labels, data)
		compareReaders[socialLink](t, links, data)
		compareReaders[mixed](t, books, data)
	}
}

func compareReaders[T any](t *testing.T, s *Type, data []byte) {
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
	if CopyTo(s.Copier, want, want); !s.trusted {
		CopyTo(s.Copier, got, got)
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
