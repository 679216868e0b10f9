package ordering_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// Random conditions whose values are often equal or in reverse order are valid, and hold,
// as a comparison in plain Go does.
func TestConditionsAgainstModel(t *testing.T) {
	fields := fieldsOf[fuzzRecord](t)
	rng := rand.New(rand.NewPCG(3, 4))
	numbers := []float64{math.Inf(-1), -1, -0.5, 0, 1, 1.5, math.Inf(1), math.NaN()}
	texts := []string{"", "a", "a\x00", "ab", "a\ufffd", "b", "\xff", "\xff\xff"}
	random := func() operand {
		i := rng.Int64N(5) - 2
		if rng.IntN(50) == 0 {
			i = []int64{math.MinInt64, math.MaxInt64}[rng.IntN(2)]
		}
		return operand{uint8(rng.IntN(13)), i, numbers[rng.IntN(len(numbers))], texts[rng.IntN(len(texts))]}
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
		c := newFuzzCase(name, uint8(rng.IntN(256)), a, b)
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

type fuzzRecord struct {
	ID     int
	Text   string
	Note   *string
	Weight float64
	At     time.Time
}

var fuzzFields = []string{"id", "text", "note", "weight", "at", "no_such"}

// An operand is a value of a condition. The type of the value decides which fields it can
// be compared with.
type operand struct {
	kind uint8
	i    int64
	f    float64
	s    string
}

func (o operand) value() any {
	values := []any{
		int(o.i), uint64(o.i), o.f, o.s, o.i%2 == 0, instantOf(o.i), nil, &o.s, (*string)(nil), []int64{o.i}, shade(o.s), int8(o.i), float32(o.f),
	}
	return values[int(o.kind)%len(values)]
}

// instantOf returns an instant that is not near the limits of time.Time.
func instantOf(i int64) time.Time { return time.Unix(i>>8, i&0xff) }

// plain returns the value that a condition on a field compares with, as an exact number,
// a string or a time, or nil if the field does not accept the value.
func plain(field string, value any) any {
	switch v := value.(type) {
	case int:
		return plainNumber(field, new(big.Float).SetInt64(int64(v)), true)
	case int8:
		return plainNumber(field, new(big.Float).SetInt64(int64(v)), true)
	case uint64:
		return plainNumber(field, new(big.Float).SetUint64(v), true)
	case float32:
		return plainFloat(field, float64(v))
	case float64:
		return plainFloat(field, v)
	case string:
		return plainText(field, v)
	case shade:
		return plainText(field, string(v))
	case *string:
		if v != nil {
			return plainText(field, *v)
		}
	case time.Time:
		if field == "at" {
			return v
		}
	}
	return nil
}

func plainNumber(field string, n *big.Float, integer bool) any {
	if field == "weight" || field == "id" && integer {
		return n
	}
	return nil
}

func plainFloat(field string, f float64) any {
	if math.IsNaN(f) {
		return nil
	}
	return plainNumber(field, new(big.Float).SetFloat64(f), false)
}

func plainText(field, s string) any {
	if field == "text" || field == "note" {
		return s
	}
	return nil
}

// plainOf returns the value of a field, or nil if it is null or NaN.
func plainOf(r fuzzRecord, field string) any {
	switch field {
	case "id":
		return plain(field, r.ID)
	case "text":
		return plain(field, r.Text)
	case "note":
		return plain(field, r.Note)
	case "weight":
		return plain(field, r.Weight)
	}
	return r.At
}

// comparePlain compares two values that plain returned for the same field.
func comparePlain(a, b any) int {
	switch a := a.(type) {
	case *big.Float:
		return a.Cmp(b.(*big.Float))
	case time.Time:
		return a.Compare(b.(time.Time))
	}
	return strings.Compare(a.(string), b.(string))
}

// A fuzzCase is a condition with its meaning in plain Go: whether it is valid, and
// whether it holds for a record.
type fuzzCase struct {
	ordering.Condition
	valid bool
	holds func(r fuzzRecord) bool
}

// newFuzzCase returns a simple condition, its negation, or one that it or another holds.
func newFuzzCase(field string, operator uint8, a, b operand) fuzzCase {
	c := newSimpleCase(field, operator, a, b)
	switch operator / 10 % 3 {
	case 1:
		return fuzzCase{ordering.Not(c.Condition), c.valid, func(r fuzzRecord) bool { return !c.holds(r) }}
	case 2:
		d := newFuzzCase(field, operator/30, b, a)
		return fuzzCase{ordering.Or(c.Condition, d.Condition), c.valid && d.valid, func(r fuzzRecord) bool { return c.holds(r) || d.holds(r) }}
	}
	return c
}

func newSimpleCase(field string, operator uint8, a, b operand) fuzzCase {
	x, y := plain(field, a.value()), plain(field, b.value())
	compared := func(c ordering.Condition, accept func(sign int) bool) fuzzCase {
		return fuzzCase{c, x != nil, func(r fuzzRecord) bool {
			v := plainOf(r, field)
			return v != nil && accept(comparePlain(v, x))
		}}
	}
	null := func(r fuzzRecord) bool { return field == "note" && r.Note == nil }
	switch operator % 10 {
	case 0:
		return compared(ordering.Equal(field, a.value()), func(sign int) bool { return sign == 0 })
	case 1:
		return compared(ordering.Less(field, a.value()), func(sign int) bool { return sign < 0 })
	case 2:
		return compared(ordering.AtMost(field, a.value()), func(sign int) bool { return sign <= 0 })
	case 3:
		return compared(ordering.Greater(field, a.value()), func(sign int) bool { return sign > 0 })
	case 4:
		return compared(ordering.AtLeast(field, a.value()), func(sign int) bool { return sign >= 0 })
	case 5:
		return fuzzCase{ordering.Between(field, a.value(), b.value()), x != nil && y != nil && comparePlain(x, y) <= 0, func(r fuzzRecord) bool {
			v := plainOf(r, field)
			return v != nil && comparePlain(x, v) <= 0 && comparePlain(v, y) <= 0
		}}
	case 6:
		return fuzzCase{ordering.OneOf(field, a.value(), b.value(), a.value()), x != nil && y != nil, func(r fuzzRecord) bool {
			v := plainOf(r, field)
			return v != nil && (comparePlain(v, x) == 0 || comparePlain(v, y) == 0)
		}}
	case 7:
		return fuzzCase{ordering.Prefix(field, a.s), plainText(field, "") != nil, func(r fuzzRecord) bool {
			s, ok := plainOf(r, field).(string)
			return ok && strings.HasPrefix(s, a.s)
		}}
	case 8:
		return fuzzCase{ordering.IsNull(field), true, null}
	}
	return fuzzCase{ordering.NotNull(field), true, func(r fuzzRecord) bool { return !null(r) }}
}

func checkFuzzCase(t *testing.T, fields *ordering.Fields[fuzzRecord], name string, c fuzzCase, r fuzzRecord) {
	match, err := fields.Matcher(c.Condition)
	switch {
	case name == "no_such":
		if !errors.Is(err, ordering.ErrUnknownField) {
			t.Errorf("%v: error %v, want %v", c, err, ordering.ErrUnknownField)
		}
		return
	case !c.valid:
		if !errors.Is(err, ordering.ErrInvalidCondition) || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v, want %v that names the field", c, err, ordering.ErrInvalidCondition)
		}
		return
	case err != nil:
		t.Fatalf("%v: %v", c, err)
	}
	list, err := ordering.ValueFields(reflect.TypeFor[fuzzRecord]())
	f := list[slices.IndexFunc(list, func(f ordering.ValueField) bool { return f.Name == name })]
	ranges, err2 := c.Ranges(f.KeyOf)
	if err = errors.Join(err, err2); err != nil {
		t.Fatalf("%v: Ranges: %v", c, err)
	}
	for i, r := range ranges {
		if sign := r.From.Compare(r.To); sign > 0 || sign == 0 && (r.FromExcluded || !r.ToIncluded) {
			t.Errorf("%v: range %d is empty: %v", c, i, ranges)
		}
		if i > 0 {
			if sign := ranges[i-1].To.Compare(r.From); sign > 0 || sign == 0 && ranges[i-1].ToIncluded && !r.FromExcluded {
				t.Errorf("%v: range %d overlaps the one before: %v", c, i, ranges)
			}
		}
	}
	want := c.holds(r)
	if got := match(r); got != want {
		t.Errorf("%v for %+v: Matcher reports %v, want %v", c, r, got, want)
	}
	if got := containing(ranges, f.Key(reflect.ValueOf(&r).Elem())) > 0; got != want {
		t.Errorf("%v for %+v: the ranges contain the key: %v, want %v", c, r, got, want)
	}
}
