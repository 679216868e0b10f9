package catalogue_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
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

const fullMixed = `{"tags":["a","é"],"title":"t","inner":5,"id":7,"status":"open","ready":true,"due":"2024-05-10T18:00:00-09:30",` +
	`"made":"2024-05-10T18:00:00Z","seen":"2024-05-10T18:00:00.123456789+02:00","level":"level 3","levels":["level 1"],` +
	`"ratio":1.5e1,"small":-8,"digits":1.50,"raw":{"b":"\u00e9", "a":1},"counts":{"x":1},"any":[1,{"y":null}],` +
	`"nested":{"A":1,"b":2},"far":"x","lists":[[1],[]],"note":"n","bytes":"aGk=","loud":"x"}`

// TestLoadStructs checks that structs are loaded as encoding/json decodes them.
func TestLoadStructs(t *testing.T) {
	records := strings.Join([]string{
		fullMixed, `{"id":2}`, `{"id":9,"status":"\u00e9","tags":[],"far":null,"due":null,"levels":[]}`,
		`{"id":3,"title":"a\/b","raw":[null],"any":{"a":"\n"},"bytes":"","ready":false,"inner":-1}`,
	}, ",")
	var want []mixed
	must(t, json.Unmarshal([]byte("["+records+"]"), &want))
	want[0].Loud = "X"
	want[0].Raw = json.RawMessage(`{"b":"é","a":1}`) // records are stored in canonical form
	want = []mixed{want[1], want[3], want[0], want[2]}
	books := mustCollection[mixed](t, catalogue.Options{})
	must(t, books.Load(strings.NewReader("["+records+"]"), catalogue.LoadOptions{}))
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
		c := mustCollection[free](t, catalogue.Options{})
		for range 2 { // from the text, and from what Save has written
			if err := c.Load(strings.NewReader(text), catalogue.LoadOptions{}); err != nil {
				t.Fatalf("%s: %v", row.reason, err)
			}
			got, err := c.Get(1)
			if diff := cmp.Diff(fmt.Sprintf("%#v", want.Data), fmt.Sprintf("%#v", got.Data)); diff != "" || !reflect.DeepEqual(want, got) || err != nil {
				t.Errorf("%s: %v: got %+v, want %+v\n%s", row.reason, err, got, want, diff)
			}
			var saved strings.Builder
			must(t, c.Save(&saved))
			if !strings.Contains(saved.String(), text[1:len(text)-1]) {
				t.Errorf("%s: saved as %s", row.reason, saved.String())
			}
			text = saved.String()
		}
	}
}
