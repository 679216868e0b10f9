package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// encoderOf returns the Encoder of all members of a struct type.
func encoderOf(t reflect.Type) *Encoder {
	members, _ := jsonmember.Of(t)
	return EncoderOf(t, members)
}

// standard returns what encoding/json writes for a value without HTML escapes.
func standard(value any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

type (
	// A byValue and a byPointer write themselves. Encoding/json does not call the method of a
	// pointer to a value in a map.
	byValue   struct{ N int }
	byPointer struct{ N int }
	grade     int // a text, also as a key
	blank     struct{ N int }
	Base      struct {
		Key   string `json:"key,omitempty"`
		Title string
	}
	inner  struct{ Inner float32 }
	Linked struct {
		Of   *byPointer
		Also byPointer
	}
	// An assembled record has what reflection cannot make: embedded and declared types.
	assembled struct {
		*Linked
		Base
		inner
		Title    string             `json:"<t&é>"`
		Hidden   int                `json:"-"`
		Values   []byValue          `json:"values,omitempty"`
		Pointers [2]byPointer       `json:"pointers"`
		Either   map[string]byValue `json:",omitempty"`
		Neither  map[string]byPointer
		Arrays   map[string][1]byPointer
		Grades   map[grade]float64
		Numbers  map[int8]*byPointer
		Blank    blank     `json:"blank,omitzero"`
		Since    time.Time `json:"since,omitzero"`
		Until    *blank    `json:"until,omitempty,omitzero"`
		Number   json.Number
		Bytes    []byte
		Byte     []small
		Small    uint8   `json:",omitempty"`
		Ratio    float64 `json:",omitempty"`
		Any      any     `json:",omitempty"`
		Open     schema.Record
		At       [2]schema.DateTime
		Self     *assembled
	}
	small uint8
)

func (v byValue) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `{"<v>": %d}`, v.N), nil }

func (v *byPointer) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `[%d]`, v.N), nil }

func (g grade) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "g%d", g), nil }

func (b *blank) IsZero() bool { return b.N == 1 }

// TestEncodeAsStandard compares the JSON of random values with that of encoding/json. The
// floats and times are such that it writes them as Python does.
func TestEncodeAsStandard(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	tags := []reflect.StructTag{"", "", `json:",omitempty"`, `json:",omitzero"`, `json:"-"`, `json:"<&>,omitempty,omitzero"`}
	for round := range 3000 {
		typ := reflect.TypeFor[assembled]()
		if round%3 > 0 {
			typ = reflect.StructOf([]reflect.StructField{
				{Name: "Small", Type: reflect.TypeFor[bool]()},
				{Name: "Part", Type: randomType(rng, round%5), Tag: tags[rng.IntN(len(tags))]},
				{Name: "Last", Type: randomType(rng, round%4), Tag: tags[rng.IntN(len(tags))]},
			})
		}
		e := encoderOf(typ)
		for range 4 {
			v := reflect.New(typ)
			fill(rng, v.Elem(), 0)
			want, err := standard(v.Interface())
			got, gotErr := e.Encode(v.UnsafePointer())
			if diff := cmp.Diff(want, string(got)); diff != "" || err != nil || gotErr != nil {
				t.Fatalf("seed %d: %v: %v, %v (-want +got)\n%s", seed, typ, err, gotErr, diff)
			}
		}
	}
}

// TestEncode has the exact JSON where it differs from that of encoding/json, or could.
func TestEncode(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	day := time.Date(2024, 5, 10, 18, 0, 0, 0, time.UTC)
	negative := math.Copysign(0, -1)
	for _, row := range []struct {
		reason string
		value  any // a pointer to a struct with a field V
		want   string
	}{
		{"a whole number has a point", &struct{ V float64 }{7}, `7.0`},
		{"zero keeps its sign", &struct{ V []float64 }{[]float64{0, negative}}, `[0.0,-0.0]`},
		{"an exponent from 1e16 on", &struct{ V []float64 }{[]float64{1e15, 9999999999999998, 1e16, 1e22}}, `[1000000000000000.0,9999999999999998.0,1e+16,1e+22]`},
		{"an exponent below 1e-4", &struct{ V []float64 }{[]float64{1e-4, 1e-5, 1.5e-7}}, `[0.0001,1e-05,1.5e-07]`},
		{"the largest and the smallest number", &struct{ V [2]float64 }{[2]float64{-math.MaxFloat64, 5e-324}}, `[-1.7976931348623157e+308,5e-324]`},
		{"a float32 has the digits that identify it", &struct{ V []float32 }{[]float32{0.1, 16777216, 1e16, 1e-4, 1e-5}}, `[0.1,16777216.0,1e+16,0.0001,1e-05]`},
		{"a nil pointer to a float", &struct{ V *float64 }{}, `null`},
		{"floats in a map with text as keys", &struct{ V map[string]float64 }{map[string]float64{"b": 2, "a": 1}}, `{"a":1.0,"b":2.0}`},
		{"floats in a map with numbers as keys, sorted as text", &struct{ V map[int]float64 }{map[int]float64{9: 1, 10: 2}}, `{"10":2.0,"9":1.0}`},
		{"a float in a nested struct, in a list", &struct{ V []struct{ W float64 } }{[]struct{ W float64 }{{2}}}, `[{"W":2.0}]`},
		{"a float in an interface is left to encoding/json", &struct{ V any }{[]any{7.0, json.Number("7.0")}}, `[7,7.0]`},
		{"no fraction", &struct{ V time.Time }{day}, `"2024-05-10T18:00:00Z"`},
		{"microseconds", &struct{ V time.Time }{day.Add(500 * time.Millisecond)}, `"2024-05-10T18:00:00.500000Z"`},
		{"the smallest microsecond, with an offset", &struct{ V time.Time }{day.In(zone).Add(time.Microsecond)}, `"2024-05-10T20:00:00.000001+02:00"`},
		{"nanoseconds are kept", &struct{ V time.Time }{day.Add(100)}, `"2024-05-10T18:00:00.000000100Z"`},
		{"a zone with offset zero", &struct{ V time.Time }{day.In(time.FixedZone("GMT", 0))}, `"2024-05-10T18:00:00Z"`},
		{"times by pointer and in a map", &struct{ V map[string]*time.Time }{map[string]*time.Time{"a": &day, "b": nil}}, `{"a":"2024-05-10T18:00:00Z","b":null}`},
		{"a DateTime has no nanoseconds", &struct{ V schema.DateTime }{schema.DateTime{Time: day.Add(123456789)}}, `"2024-05-10T18:00:00.123456Z"`},
		{"the method of a struct that embeds a time", &struct{ V struct{ time.Time } }{struct{ time.Time }{day.Add(5e8)}}, `"2024-05-10T18:00:00.5Z"`},
		{"separators are escaped, HTML is not", &struct{ V string }{"<&>\u2028\u2029\x00\x1f\b\f\n\r\t\"\\/\x7f é🙂"}, `"<&>\u2028\u2029\u0000\u001f\b\f\n\r\t\"\\/` + "\x7f" + ` é🙂"`},
		{"bytes are base64", &struct{ V []byte }{[]byte("hi>?")}, `"aGk+Pw=="`},
		{"nil and empty lists", &struct{ V [2][]int }{[2][]int{nil, {}}}, `[null,[]]`},
		{"nil and empty maps", &struct{ V [2]map[string]int }{[2]map[string]int{nil, {}}}, `[null,{}]`},
		{"a struct without members", &struct{ V struct{} }{}, `{}`},
	} {
		v := reflect.ValueOf(row.value)
		got, err := encoderOf(v.Type().Elem()).Encode(v.UnsafePointer())
		if diff := cmp.Diff(`{"V":`+row.want+`}`, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", row.reason, err, diff)
		}
	}
}

// TestEncodeRefuses checks that values without JSON have the errors of encoding/json, after
// which the Encoder can still be used.
func TestEncodeRefuses(t *testing.T) {
	type record struct {
		F float32
		N json.Number
		T time.Time
		D schema.DateTime
		V failing
	}
	for _, row := range []struct {
		reason string
		value  record
		want   string
	}{
		{"NaN", record{F: float32(math.NaN())}, "json: unsupported value: NaN"},
		{"infinity", record{F: float32(math.Inf(-1))}, "json: unsupported value: -Inf"},
		{"text as a number", record{N: "x"}, `"x"`},
		{"a year of five digits", record{T: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "year outside of range [0,9999]"},
		{"a year that Python does not have", record{D: schema.DateTime{Time: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)}}, "year 0 is outside the range"},
		{"an error of a method", record{V: true}, "no JSON"},
	} {
		e := encoderOf(reflect.TypeFor[record]())
		if _, err := e.Encode(reflect.ValueOf(&row.value).UnsafePointer()); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: error %v, want %s", row.reason, err, row.want)
		}
		got, err := e.Encode(reflect.ValueOf(&record{}).UnsafePointer())
		if diff := cmp.Diff(`{"F":0.0,"N":0,"T":"0001-01-01T00:00:00Z","D":"0001-01-01T00:00:00Z","V":1}`, string(got)); diff != "" || err != nil {
			t.Errorf("%s: afterwards: %v (-want +got)\n%s", row.reason, err, diff)
		}
	}
}

// A failing value has no JSON if it is true.
type failing bool

func (f failing) MarshalJSON() ([]byte, error) {
	if f {
		return nil, fmt.Errorf("no JSON")
	}
	return []byte("1"), nil
}

// TestEncodeMembers checks that an Encoder writes only the members that it is made of, in
// their order.
func TestEncodeMembers(t *testing.T) {
	type record struct {
		ID       int `json:"id"`
		Password string
		Self     *record `json:",omitempty"`
	}
	typ := reflect.TypeFor[record]()
	all, _ := jsonmember.Of(typ)
	value := reflect.ValueOf(&record{1, "x", &record{2, "y", nil}})
	for _, row := range []struct {
		reason  string
		members []jsonmember.Member
		want    string
	}{
		{"all", all, `{"id":1,"Password":"x","Self":{"id":2,"Password":"y"}}`},
		{"some, in another order; records inside of it are complete", []jsonmember.Member{all[2], all[0]}, `{"Self":{"id":2,"Password":"y"},"id":1}`},
		{"none", nil, `{}`},
	} {
		got, err := EncoderOf(typ, row.members).Encode(value.UnsafePointer())
		if diff := cmp.Diff(row.want, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", row.reason, err, diff)
		}
	}
}

// benchmarked returns values of several types, with what an Encoder leaves to encoding/json
// in the last.
func benchmarked() map[string]any {
	note, rank := "n", 1
	nested := &nestedRecord{Note: &note, Rank: &rank, Places: [2][]string{{"x"}, {}}, Lines: []line{{Tags: []string{"y"}}, {}}, Dates: []time.Time{time.Now()}}
	return map[string]any{
		"plain":  newPlain(),
		"nested": nested,
		"any": &struct {
			ID    int
			A, B  any
			Words map[string]string
		}{1, []any{"x", 1.0}, map[string]any{"a": true}, map[string]string{"a": "b", "c": "d"}},
	}
}

// TestEncodeAllocates checks that an Encoder allocates no more than encoding/json.
func TestEncodeAllocates(t *testing.T) {
	for name, value := range benchmarked() {
		v := reflect.ValueOf(value)
		e := encoderOf(v.Type().Elem())
		most := testing.AllocsPerRun(100, func() {
			text, _ := standard(value)
			_ = bytes.Clone([]byte(text))
		})
		if got := testing.AllocsPerRun(100, func() { _, _ = e.Encode(v.UnsafePointer()) }); got > most {
			t.Errorf("%s: %v allocations, encoding/json %v", name, got, most)
		}
	}
}
