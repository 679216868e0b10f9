package ordering_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

type ratio float32

// A rated has fields whose numbers are float32s.
type rated struct {
	Price  float32   `json:"price"`
	Ratio  ratio     `json:"ratio"`
	Ref    *float32  `json:"ref"`
	List   []float32 `json:"list"`
	Pair   [2]ratio  `json:"pair"`
	Any    any       `json:"any"`
	Struct struct {
		Of float32 `json:"of"`
	} `json:"struct"`
}

// TestFloat32KeysAreThoseOfJSON compares the key of each field with that of its JSON.
func TestFloat32KeysAreThoseOfJSON(t *testing.T) {
	fields, err := ordering.FieldsOf[rated]()
	if err != nil {
		t.Fatal(err)
	}
	values := []float32{0, 1, 0.1, -0.1, 16777216, 3.4e38, math.SmallestNonzeroFloat32, 1e21, 1e-7}
	r := rand.New(rand.NewPCG(9, 10))
	for len(values) < 200 {
		if f := math.Float32frombits(r.Uint32()); f-f == 0 {
			values = append(values, f)
		}
	}
	for _, f := range values {
		record := rated{f, ratio(f), &f, []float32{f, 1}, [2]ratio{1, ratio(f)}, f, struct {
			Of float32 `json:"of"`
		}{f}}
		text, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			field, _ := fields.Lookup(name)
			if field.Key(&record).Compare(ordering.JSON(string(value))) != 0 {
				t.Errorf("the key of %s is not that of its JSON %s", name, value)
			}
		}
		if k, err := ordering.KeyOf(f); err != nil || k.Compare(ordering.JSON(string(members["price"]))) != 0 {
			t.Errorf("KeyOf(float32 %v) is not the key of its JSON: %v", f, err)
		}
	}
}

func TestFloat32Conditions(t *testing.T) {
	records := []rated{{Price: 0.1}, {Price: 0.2}, {Price: 0.3}}
	fields, err := ordering.FieldsOf[rated]()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		reason    string
		condition ordering.Condition
		want      []float32
	}{
		{"the number in the JSON", ordering.Equal("price", 0.1), []float32{0.1}},
		{"a float32", ordering.Equal("price", float32(0.1)), []float32{0.1}},
		{"a named float32", ordering.Equal("price", ratio(0.1)), []float32{0.1}},
		{"the float64 nearest to the float32 is another number", ordering.Equal("price", float64(float32(0.1))), nil},
		{"less", ordering.Less("price", 0.2), []float32{0.1}},
		{"at most", ordering.AtMost("price", 0.2), []float32{0.1, 0.2}},
		{"greater", ordering.Greater("price", 0.2), []float32{0.3}},
		{"at least", ordering.AtLeast("price", 0.2), []float32{0.2, 0.3}},
		{"between", ordering.Between("price", 0.1, 0.3), []float32{0.1, 0.2}},
		{"one of", ordering.OneOf("price", 0.1, 0.3), []float32{0.1, 0.3}},
	} {
		match, err := fields.Matcher(row.condition)
		if err != nil {
			t.Fatalf("%s: %v", row.reason, err)
		}
		var got []float32
		for r := range slices.Values(records) {
			if match(r) {
				got = append(got, r.Price)
			}
		}
		if diff := gocmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", row.reason, diff)
		}
	}
	cost := ordering.By("cost", func(r *rated) float32 { return r.Price })
	if cost.Key(&records[0]).Compare(ordering.Float(0.1)) != 0 {
		t.Error("By: the key of float32(0.1) is not that of 0.1")
	}
}
