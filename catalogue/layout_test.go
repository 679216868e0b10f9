package catalogue

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/resources"
)

// mood reads and writes its own JSON.
type mood int

func (m mood) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "mood %d", m), nil }

func (m *mood) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "mood %d", m)
	return err
}

type embedded struct {
	Title string `json:"title"`
	Inner *int   `json:"inner"`
}

// assorted has a field of each kind that a layout treats in its own way.
type assorted struct {
	Tags []string `json:"tags"`
	embedded
	ID     int                 `json:"id"`
	Status label               `json:"status"`
	Ready  *bool               `json:"ready"`
	Due    *resources.DateTime `json:"due"`
	Made   resources.DateTime  `json:"made"`
	Seen   time.Time           `json:"seen"`
	Mood   mood                `json:"mood"`
	Moods  []mood              `json:"moods"`
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

type label string

// upper copies itself in its own way.
type upper string

func (u upper) Clone() upper { return upper(strings.ToUpper(string(u))) }

const (
	wholeEvent = `{"id":1,"name":"n","slug":"s","summary":"a \"b\"\n\\ é","description":"<p>\u0026</p>","location":"",` +
		`"startDate":"2024-05-10T18:00:00+02:00","endDate":"2024-05-10T20:00:00.250000Z","published":true,"poster":"",` +
		`"posterWebp":"","labels":[],"authors":[3,1,2]}`
	wholeLink  = `{"id":1,"title":"t","url":"u","logo":null,"type":"x","author":1}`
	wholeLabel = `{"id":1,"name":"n","slug":"n","enabled":true,"catchPhrase":"","description":"","catchLines":["a","\t"],` +
		`"users":[1],"logo":"l","logoBig":"","emblem":"","logoFooter":null,"logoWebp":"","logoBigWebp":"","emblemWebp":"",` +
		`"logoFooterWebp":"w","facebookPage":"f","blueskyPage":null,"linkedinPage":null,"instagramPage":null,` +
		`"globalMessage":{"a":[1.50,"\u00e9"]},"checkoutMessage":null,"featureCrowdfunding":true,"featureProjects":false,` +
		`"featureLibrary":true,"featureExternals":false,"featureShop":true,"featureAuthors":false,"featureAbout":true,` +
		`"featureCart":false,"featureBookseller":true,"featureEvents":false}`
	wholeAssorted = `{"tags":["a","é"],"title":"t","inner":5,"id":7,"status":"open","ready":true,"due":"2024-05-10T18:00:00-09:30",` +
		`"made":"2024-05-10T18:00:00Z","seen":"2024-05-10T18:00:00.123456789+02:00","mood":"mood 3","moods":["mood 1"],` +
		`"ratio":1.5e1,"small":-8,"digits":1.50,"raw":{"b":"\u00e9", "a":1},"counts":{"x":1},"any":[1,{"y":null}],` +
		`"nested":{"A":1,"b":2},"far":"x","lists":[[1],[]],"note":"n","bytes":"aGk=","loud":"x"}`
)

// TestLayoutReads: records in the usual forms need no decoder.
func TestLayoutReads(t *testing.T) {
	for _, row := range []struct{ reason, record string }{
		{"as it is saved", wholeEvent},
		{"white space", strings.NewReplacer(`":`, `": `, `,`, " ,\n\t", `[`, "[ ", `]`, "\r]", `}`, " }").Replace(wholeEvent)},
		{"another order", `{"published":true,` + strings.Replace(wholeEvent[1:], `"published":true,`, ``, 1)},
		{"zero of an integer that is no id", strings.Replace(wholeEvent, `[3,1,2]`, `[0,-0,-7]`, 1)},
		{"every escape without a code", strings.Replace(wholeEvent, `"location":""`, `"location":"\"\\\/\b\f\n\r\t"`, 1)},
	} {
		in := &scanner{data: []byte(row.record)}
		var record resources.Event
		plain, ok := schemaOf[resources.Event](t, "events").readPlain(in, &record)
		if !plain || !ok || in.at != len(row.record) {
			t.Errorf("%s: plain %v, read %v up to %q", row.reason, plain, ok, row.record[in.at:])
		}
	}
	for _, record := range []string{wholeLink, strings.Replace(wholeLink, `null`, `"\u00e9"`, 1)} {
		plain, ok := schemaOf[resources.SocialLink](t, "social-links").readPlain(&scanner{data: []byte(record)}, new(resources.SocialLink))
		if !plain || !ok {
			t.Errorf("%s: plain %v, read %v", record, plain, ok)
		}
	}
	for _, record := range []string{wholeAssorted, `{"id":1}`, `{"id":1,"tags":null,"inner":null,"counts":null,"any":null,"far":null,"lists":null,"note":"\u00e9"}`} {
		if _, ok := schemaOf[assorted](t, "books").readPlain(&scanner{data: []byte(record)}, new(assorted)); !ok {
			t.Errorf("%s: not read", record)
		}
	}
}

// TestLayoutLeaves: records that only the decoder can read or refuse.
func TestLayoutLeaves(t *testing.T) {
	for _, row := range []struct{ reason, record string }{
		{"no id", `{"title":"t"}`},
		{"id 0", `{"id":0}`},
		{"repeated member", `{"id":1,"title":"t","title":"t"}`},
		{"unknown member", `{"id":1,"titles":"t"}`},
		{"another spelling", `{"id":1,"Title":"t"}`},
		{"a number in quotes that is none", `{"id":1,"digits":"x"}`},
		{"null for a number", `{"id":1,"small":null}`},
		{"repeated name inside a value", `{"id":1,"raw":{"a":1,"a":2}}`},
		{"half a surrogate pair", `{"id":1,"title":"\ud800"}`},
		{"leading zero", `{"id":01}`},
		{"sign", `{"id":+1}`},
		{"trailing comma", `{"id":1,}`},
	} {
		if _, ok := schemaOf[assorted](t, "books").readPlain(&scanner{data: []byte(row.record)}, new(assorted)); ok {
			t.Errorf("%s: %s is read", row.reason, row.record)
		}
	}
	if plain, ok := schemaOf[assorted](t, "books").readPlain(&scanner{data: []byte(`{"id":1,"loud":"x"}`)}, new(assorted)); plain || !ok {
		t.Errorf("a field that copies itself: plain %v, read %v", plain, ok)
	}
}

// schemaOf is the schema of a catalogue's collection.
func schemaOf[T any](tb testing.TB, key string) *schema[T] {
	tb.Helper()
	about, _ := resources.Lookup(key)
	c, err := Define[T](key, Options{}).make(nil, about)
	if err != nil {
		tb.Fatal(err)
	}
	return c.(*encoded[T]).schema
}

// agreement compares the layouts of four types with their decoders: what a
// layout reads, the decoder reads from the same bytes, with the same result.
func agreement(tb testing.TB) func(t *testing.T, data []byte) {
	events, labels := schemaOf[resources.Event](tb, "events"), schemaOf[resources.Label](tb, "labels")
	links, books := schemaOf[resources.SocialLink](tb, "social-links"), schemaOf[assorted](tb, "books")
	return func(t *testing.T, data []byte) {
		agrees(t, events, data)
		agrees(t, labels, data)
		agrees(t, links, data)
		agrees(t, books, data)
	}
}

func agrees[T any](t *testing.T, s *schema[T], data []byte) {
	in := &scanner{data: data}
	var got T
	plain, ok := s.readPlain(in, &got)
	if !ok {
		return
	}
	want, err := s.decode(data[:in.at], s.required)
	if err != nil {
		t.Fatalf("%T: %s is read, the decoder refuses it: %v", got, data, err)
	}
	if err := s.check(&want); (err == nil) != (s.check(&got) == nil) || plain && err != nil {
		t.Fatalf("%T: %s: plain %v, and the check says %v", got, data, plain, err)
	}
	if want = s.clone(&want); !plain {
		got = s.clone(&got)
	}
	if !reflect.DeepEqual(want, got) {
		t.Fatalf("%T: %s (-want +got):\n%s", got, data, cmp.Diff(fmt.Sprintf("%#v", want), fmt.Sprintf("%#v", got)))
	}
}

// TestLayoutAgrees changes records at every byte.
func TestLayoutAgrees(t *testing.T) {
	check := agreement(t)
	for _, record := range []string{wholeEvent, wholeLink, wholeLabel, wholeAssorted} {
		step := 1
		if testing.Short() {
			step = 7
		}
		for i := 0; i < len(record); i += step {
			head, tail := record[:i], record[i+1:]
			for _, b := range []string{"", record[i:i+1] + record[i:i+1], "\xff", "é", "\x00", `"`, `\`, `\u00e9`, `\ud800`, "{", "]", ",", ":", "0", "-", ".", "1e2", "null", " ", "null,"} {
				check(t, []byte(head+b+tail))
			}
		}
	}
}

// FuzzLayout is TestLayoutAgrees for whatever bytes.
func FuzzLayout(f *testing.F) {
	for _, record := range []string{
		wholeEvent, wholeLink, wholeLabel, wholeAssorted, `{"id":1}`, `{}`, `{"id":1,"tags":[null],"lists":null,"note":null}`,
		`{"id":2,"raw":{"a":1,"a":2}}`, `{"id":2,"any":"\ud800"}`, `{"id":2,"raw":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
	} {
		f.Add([]byte(record))
	}
	check := agreement(f)
	f.Fuzz(func(t *testing.T, data []byte) { check(t, data) })
}

// TestLoadStructs: a file of structs is what encoding/json makes of it.
func TestLoadStructs(t *testing.T) {
	records := strings.Join([]string{
		wholeAssorted, `{"id":2}`, `{"id":9,"status":"\u00e9","tags":[],"far":null,"due":null,"moods":[]}`,
		`{"id":3,"title":"a\/b","raw":[null],"any":{"a":"\n"},"bytes":"","ready":false,"inner":-1}`,
	}, ",")
	var want []assorted
	if err := json.Unmarshal([]byte("["+records+"]"), &want); err != nil {
		t.Fatal(err)
	}
	want[0].Loud = "X"
	want[0].Raw = json.RawMessage(`{"b":"é","a":1}`) // records are kept in canonical form
	want = []assorted{want[1], want[3], want[0], want[2]}
	house, err := NewWith(Define[assorted]("books", Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := house.LoadCollection("books", strings.NewReader("["+records+"]")); err != nil {
		t.Fatal(err)
	}
	books, err := Define[assorted]("books", Options{}).In(house)
	if err != nil {
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
		t.Errorf("%d records, want %d", i, len(want))
	}
}
