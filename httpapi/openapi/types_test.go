package openapi

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources"
)

type (
	plain  struct{ A int }
	nested struct {
		Plain plain   `json:"plain"`
		Next  *nested `json:"next"`
	}
	tree   []tree
	stem   map[string]stem
	self   *self
	pair   [2]bool
	Inner  struct{ B, C string }
	Outer  struct{ C string }
	Tagged struct {
		A bool `json:"B"`
	}
	Untagged struct {
		B string
		Outer
	}
	pointer struct{}
	// Detail shares its name with a component that every document has.
	Detail struct{ D int }
	price  json.Number
	maybe  []int
)

func (*pointer) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func (maybe) IsZero() bool { return false }

// field returns a struct type with one field of type T.
func field[T any](tag reflect.StructTag) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[T](), Tag: tag}})
}

// The expected schemas follow the documentation of encoding/json.
func TestTypeSchemas(t *testing.T) {
	const anything = `{}`
	required := func(schema string) string {
		return `{"type":"object","properties":{"f":` + schema + `},"required":["f"]}`
	}
	optional := func(schema string) string { return `{"type":"object","properties":{"f":` + schema + `}}` }
	tests := []struct {
		reason     string
		typ        reflect.Type
		want       string
		components string // added for the type
	}{
		{"boolean", reflect.TypeFor[bool](), `{"type":"boolean"}`, ``},
		{"int", reflect.TypeFor[int](), `{"type":"integer","format":"int64"}`, ``},
		{"named int", reflect.TypeFor[time.Duration](), `{"type":"integer","format":"int64"}`, ``},
		{"int32", reflect.TypeFor[int32](), `{"type":"integer","format":"int32"}`, ``},
		{"int8", reflect.TypeFor[int8](), `{"type":"integer"}`, ``},
		{"unsigned", reflect.TypeFor[uint64](), `{"type":"integer","minimum":0}`, ``},
		{"float64", reflect.TypeFor[float64](), `{"type":"number","format":"double"}`, ``},
		{"float32", reflect.TypeFor[float32](), `{"type":"number","format":"float"}`, ``},
		{"json.Number", reflect.TypeFor[json.Number](), `{"type":"number"}`, ``},
		{"named json.Number", reflect.TypeFor[price](), `{"type":"string"}`, ``},
		{"text", reflect.TypeFor[string](), `{"type":"string"}`, ``},
		{"slice of bytes", reflect.TypeFor[[]byte](), `{"oneOf":[{"type":"string","contentEncoding":"base64"},{"type":"null"}]}`, ``},
		{"array of bytes", reflect.TypeFor[[2]byte](), `{"type":"array","items":{"type":"integer","minimum":0},"minItems":2,"maxItems":2}`, ``},
		{"nullable list", reflect.TypeFor[[]string](), `{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, ``},
		{"list of lists", reflect.TypeFor[[][]bool](), `{"oneOf":[{"type":"array","items":{"oneOf":[{"type":"array","items":{"type":"boolean"}},{"type":"null"}]}},{"type":"null"}]}`, ``},
		{"nullable map", reflect.TypeFor[map[string]int32](), `{"oneOf":[{"type":"object","additionalProperties":{"type":"integer","format":"int32"}},{"type":"null"}]}`, ``},
		{"map with int keys", reflect.TypeFor[map[int]bool](), `{"oneOf":[{"type":"object","additionalProperties":{"type":"boolean"}},{"type":"null"}]}`, ``},
		{"pointer", reflect.TypeFor[*int32](), `{"oneOf":[{"type":"integer","format":"int32"},{"type":"null"}]}`, ``},
		{"pointer to a pointer", reflect.TypeFor[**int32](), `{"oneOf":[{"type":"integer","format":"int32"},{"type":"null"}]}`, ``},
		{"pointer to a list", reflect.TypeFor[*[]bool](), `{"oneOf":[{"type":"array","items":{"type":"boolean"}},{"type":"null"}]}`, ``},
		{"time", reflect.TypeFor[time.Time](), `{"type":"string","format":"date-time"}`, ``},
		{"DateTime", reflect.TypeFor[*schema.DateTime](), `{"oneOf":[{"type":"string","format":"date-time"},{"type":"null"}]}`, ``},
		{"raw JSON", reflect.TypeFor[json.RawMessage](), anything, ``},
		{"any", reflect.TypeFor[any](), anything, ``},
		{"json.Marshaler", reflect.TypeFor[pointer](), anything, ``},
		{"encoding.TextMarshaler", reflect.TypeFor[netip.Addr](), `{"type":"string"}`, ``},
		{"pointer to an encoding.TextMarshaler", reflect.TypeFor[*netip.Addr](), `{"oneOf":[{"type":"string"},{"type":"null"}]}`, ``},
		{"open record", reflect.TypeFor[schema.Record](), `{"type":"object","additionalProperties":{}}`, ``},
		{"described record", reflect.TypeFor[[]resources.Event](), `{"oneOf":[{"type":"array","items":{"$ref":"#/components/schemas/Event"}},{"type":"null"}]}`, ``},
		{"pointer to a component", reflect.TypeFor[*plain](), `{"oneOf":[{"$ref":"#/components/schemas/plain"},{"type":"null"}]}`,
			`{"plain":{"type":"object","properties":{"A":{"type":"integer","format":"int64"}},"required":["A"]}}`},
		{"recursive struct", reflect.TypeFor[nested](), `{"$ref":"#/components/schemas/nested"}`,
			`{"nested":{"type":"object","properties":{"plain":{"$ref":"#/components/schemas/plain"},` +
				`"next":{"oneOf":[{"$ref":"#/components/schemas/nested"},{"type":"null"}]}},"required":["plain","next"]},` +
				`"plain":{"type":"object","properties":{"A":{"type":"integer","format":"int64"}},"required":["A"]}}`},
		{"recursive list", reflect.TypeFor[tree](), `{"oneOf":[{"$ref":"#/components/schemas/tree"},{"type":"null"}]}`,
			`{"tree":{"type":"array","items":{"oneOf":[{"$ref":"#/components/schemas/tree"},{"type":"null"}]}}}`},
		{"recursive map", reflect.TypeFor[stem](), `{"oneOf":[{"$ref":"#/components/schemas/stem"},{"type":"null"}]}`,
			`{"stem":{"type":"object","additionalProperties":{"oneOf":[{"$ref":"#/components/schemas/stem"},{"type":"null"}]}}}`},
		{"recursive pointer", reflect.TypeFor[self](), anything, ``},
		{"named array", reflect.TypeFor[pair](), `{"$ref":"#/components/schemas/pair"}`,
			`{"pair":{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}}`},
		{"reserved name", reflect.TypeFor[Detail](), `{"$ref":"#/components/schemas/Detail2"}`,
			`{"Detail2":{"type":"object","properties":{"D":{"type":"integer","format":"int64"}},"required":["D"]}}`},
		{"no fields", reflect.TypeFor[struct{}](), `{"type":"object"}`, ``},
		{"embedded and hidden fields", reflect.TypeFor[struct {
			Inner
			Outer `json:"outer"`
			B     bool
		}](), `{"type":"object","properties":{"C":{"type":"string"},"outer":{"$ref":"#/components/schemas/Outer"},"B":{"type":"boolean"}},"required":["C","outer","B"]}`,
			`{"Outer":{"type":"object","properties":{"C":{"type":"string"}},"required":["C"]}}`},
		{"of two fields with the same name, the one that has it in its tag", reflect.TypeFor[struct {
			Tagged
			Untagged
		}](), `{"type":"object","properties":{"B":{"type":"boolean"},"C":{"type":"string"}},"required":["B","C"]}`, ``},
		{"embedded by pointer", reflect.TypeFor[struct{ *Outer }](), `{"type":"object","properties":{"C":{"type":"string"}}}`, ``},
		{"omitempty", field[int32](`json:"f,omitempty"`), optional(`{"type":"integer","format":"int32"}`), ``},
		{"omitempty with a list", field[[]bool](`json:"f,omitempty"`), optional(`{"type":"array","items":{"type":"boolean"}}`), ``},
		{"omitempty with a pointer", field[*bool](`json:"f,omitempty"`), optional(`{"type":"boolean"}`), ``},
		{"omitempty with a pointer to a pointer", field[**bool](`json:"f,omitempty"`), optional(`{"oneOf":[{"type":"boolean"},{"type":"null"}]}`), ``},
		{"omitempty with a struct", field[time.Time](`json:"f,omitempty"`), required(`{"type":"string","format":"date-time"}`), ``},
		{"omitzero with a struct", field[time.Time](`json:"f,omitzero"`), optional(`{"type":"string","format":"date-time"}`), ``},
		{"omitzero with a list", field[[]bool](`json:"f,omitzero"`), optional(`{"type":"array","items":{"type":"boolean"}}`), ``},
		{"omitzero with an IsZero method", field[maybe](`json:"f,omitzero"`), optional(`{"oneOf":[{"$ref":"#/components/schemas/maybe"},{"type":"null"}]}`),
			`{"maybe":{"type":"array","items":{"type":"integer","format":"int64"}}}`},
		{"number as a string", field[int](`json:"f,string"`), required(`{"type":"string"}`), ``},
		{"pointer to a number as a string", field[*float64](`json:"f,string"`), required(`{"oneOf":[{"type":"string"},{"type":"null"}]}`), ``},
		{"option string with a list", field[[]int32](`json:"f,string"`), required(`{"oneOf":[{"type":"array","items":{"type":"integer","format":"int32"}},{"type":"null"}]}`), ``},
		{"option string with a marshaler", field[netip.Addr](`json:"f,string"`), required(`{"type":"string"}`), ``},
	}
	for _, tt := range tests {
		var components members[*jsonSchema]
		ts := newTypes(reserved(), &components)
		ts.known[reflect.TypeFor[resources.Event]()] = "Event"
		got := ts.of(tt.typ)
		if diff := cmp.Diff(tt.want, compact(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if tt.components == "" {
			tt.components = `{}`
		}
		if diff := cmp.Diff(tt.components, compact(t, components)); diff != "" {
			t.Errorf("%s: components (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func compact(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Component names are unique and consist of ASCII letters, digits and underscores.
func TestComponentNames(t *testing.T) {
	taken := reserved()
	for _, c := range mustNew().All() {
		taken.takeRecord(c.Description())
	}
	for _, tt := range []struct{ wanted, want string }{
		{"Price", "Price"}, {"Price", "Price2"}, {"Price", "Price3"}, {"Price2", "Price22"},
		{"Pair[int,example.com/a.B]", "Pair_int_example_com_a_B_"}, {"Straße", "Stra_e"},
		{"Record", "Record2"}, {"DirectDebitPayment", "DirectDebitPayment2"}, {"NewEvent", "NewEvent2"}, {"BookPage", "BookPage2"},
	} {
		if got := taken.take(tt.wanted); got != tt.want {
			t.Errorf("take(%q) = %q, want %q", tt.wanted, got, tt.want)
		}
	}
}
