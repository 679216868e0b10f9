package ordering_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// Random conditions whose values are often equal or in reverse order are valid, and hold,
// as a comparison in plain Go does.
func TestConditionsAgainstModel(t *testing.T) {
	fields, err := ordering.FieldsOf[fuzzRecord]()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := []float64{math.Inf(-1), -1, -0.5, 0, 1, 1.5, math.Inf(1), math.NaN()}
	texts := []string{"", "a", "a\x00", "ab", "a\ufffd", "b", "\xff", "\xff\xff"}
	random := func() operand {
		return operand{uint8(rng.IntN(13)), rng.Int64N(5) - 2, numbers[rng.IntN(len(numbers))], texts[rng.IntN(len(texts))]}
	}
	valid, holds := 0, 0
	for range 50_000 {
		name := fuzzFields[rng.IntN(len(fuzzFields))]
		a, b := random(), random()
		if rng.IntN(2) == 0 {
			b.kind = a.kind
		}
		o := random()
		r := fuzzRecord{ID: int(o.i), Text: o.s, Note: &o.s, Weight: o.f, At: instantOf(o.i)}
		if o.kind%4 == 0 {
			r.Note = nil
		}
		c := newFuzzCase(name, uint8(rng.IntN(10)), a, b)
		checkFuzzCase(t, fields, name, c, r)
		if c.valid && name != "no_such" {
			valid++
			if c.holds(r) {
				holds++
			}
		}
	}
	if valid < 10_000 || holds < 2_000 {
		t.Errorf("%d of 50000 conditions are valid and %d hold", valid, holds)
	}
}
