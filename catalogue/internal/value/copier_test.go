package value

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// leafTypes are the types that randomType builds other types from.
var leafTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](),
	reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[schema.DateTime](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[cloned](), reflect.TypeFor[*cloned](), reflect.TypeFor[chain](),
	reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.AddrPort](), reflect.TypeFor[netip.Prefix](), reflect.TypeFor[*time.Location](),
	reflect.TypeFor[big.Int](), reflect.TypeFor[*big.Rat](), reflect.TypeFor[big.Float](), reflect.TypeFor[price](),
}

// A price has an unexported number, as decimals do.
type price struct {
	digits *big.Int
	places int8
}

func (p price) MarshalText() ([]byte, error) { return p.digits.MarshalText() }

// A cloned value has an unexported field that only its method Clone can copy.
type cloned struct {
	Words  []string
	hidden []int
}

func (c cloned) Clone() cloned { return cloned{slices.Clone(c.Words), slices.Clone(c.hidden)} }

// A chain is a recursive type.
type chain struct {
	Tags []string
	Next *chain
	Map  map[string]chain
	List []chain
}

func randomType(rng *rand.Rand, depth int) reflect.Type {
	if depth == 0 {
		return leafTypes[rng.IntN(len(leafTypes))]
	}
	part := func() reflect.Type { return randomType(rng, rng.IntN(depth)) }
	switch rng.IntN(6) {
	case 0, 1:
		return reflect.SliceOf(part())
	case 2:
		return reflect.PointerTo(part())
	case 3:
		return reflect.ArrayOf(rng.IntN(4), part())
	case 4:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8]()}
		return reflect.MapOf(keys[rng.IntN(len(keys))], part())
	}
	fields := make([]reflect.StructField, 1+rng.IntN(6))
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: part()}
	}
	return reflect.StructOf(fields)
}

// fill sets v to a random value: nil, empty, or with spare capacity.
func fill(rng *rand.Rand, v reflect.Value, depth int) {
	n := rng.IntN(4)
	if depth > 8 {
		n = 0
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(n > 1)
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64:
		v.SetInt(int64(int8(rng.Uint64())))
	case reflect.Uint8, reflect.Uint16, reflect.Uint64:
		v.SetUint(uint64(uint8(rng.Uint64())))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(0.5 + rng.Float64()) // encoding/json and Python write it with the same digits
	case reflect.String:
		v.SetString(fmt.Sprint(rng.Uint64()))
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*time.Location]() {
			v.Set(reflect.ValueOf(time.FixedZone("", n)))
		} else if n > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(rng, v.Elem(), depth+1)
		}
	case reflect.Slice:
		if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
			*raw = json.RawMessage(`{"a": [1.50,"<\u2028"]}`)
			return
		}
		if rng.IntN(4) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n+rng.IntN(3)))
		}
		for i := range v.Len() {
			fill(rng, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(rng, v.Index(i), depth+1)
		}
	case reflect.Map:
		if rng.IntN(4) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for range n * min(1, v.Len()+1) {
			if v.IsNil() {
				return
			}
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(rng, key, depth+1)
			fill(rng, value, depth+1)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem() // it may be unexported and embedded
		switch at := v.Addr().Interface().(type) {
		case *schema.Record:
			*at, _ = schema.ParseRecord([]byte(`{"id": 7,"b":[1.0]}`))
		case *time.Time:
			*at = time.Unix(rng.Int64N(1e9), 5).In(time.FixedZone("", 60*rng.IntN(9)))
		case *schema.DateTime:
			*at = schema.At(time.Unix(rng.Int64N(1e9), 0))
		case *netip.Addr:
			*at = netip.MustParseAddr("fe80::1%eth0")
		case *netip.AddrPort:
			*at = netip.MustParseAddrPort("[fe80::1%eth1]:80")
		case *netip.Prefix:
			*at = netip.MustParsePrefix("2001:db8::/32")
		case *big.Int:
			at.SetUint64(rng.Uint64())
		case *big.Rat:
			at.SetFrac64(rng.Int64(), 1+rng.Int64N(99))
		case *big.Float:
			at.SetFloat64(0.5)
		case *price:
			*at = price{big.NewInt(rng.Int64()), int8(n)}
		case *cloned:
			at.hidden = slices.Repeat([]int{1}, n)
			fill(rng, v.Field(0), depth+1)
		default:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
					fill(rng, v.Field(i), depth+1)
				}
			}
		}
	case reflect.Interface:
		values := []any{nil, "x", 1.5, []any(nil), []any{}, []any{"y", []any{true}}, map[string]any{}, map[string]any{"a": []any{nil}}}
		if x := values[rng.IntN(len(values))]; x != nil {
			v.Set(reflect.ValueOf(x))
		}
	}
}

// A span is memory that a value refers to.
type span struct{ start, end uintptr }

// spans appends the memory that v refers to, without strings, time zones and addresses, which are
// immutable.
func spans(v reflect.Value, into []span) []span {
	add := func(start, size uintptr) {
		if size > 0 {
			into = append(into, span{start, start + size})
		}
	}
	if !v.IsValid() || isConstant(v.Type()) {
		return into
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			add(v.Pointer(), v.Type().Elem().Size())
			into = spans(v.Elem(), into)
		}
	case reflect.Slice:
		add(v.Pointer(), uintptr(v.Cap())*v.Type().Elem().Size())
		for i := range v.Len() {
			into = spans(v.Index(i), into)
		}
	case reflect.Array:
		for i := range v.Len() {
			into = spans(v.Index(i), into)
		}
	case reflect.Map:
		if !v.IsNil() {
			add(v.Pointer(), 1)
		}
		for it := v.MapRange(); it.Next(); {
			into = spans(it.Value(), into)
		}
	case reflect.Interface:
		into = spans(v.Elem(), into)
	case reflect.Struct:
		if t := v.Type(); t != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				into = spans(v.Field(i), into)
			}
		}
	}
	return into
}

// shared returns the memory that both values refer to.
func shared(a, b reflect.Value) []span {
	all := spans(b, nil)
	return slices.DeleteFunc(spans(a, nil), func(s span) bool {
		return !slices.ContainsFunc(all, func(o span) bool { return s.start < o.end && o.start < s.end })
	})
}

// structWith returns a struct type with a field of type t that is not at its start.
func structWith(t reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "ID", Type: reflect.TypeFor[int]()}, {Name: "Small", Type: reflect.TypeFor[bool]()}, {Name: "Part", Type: t},
	})
}

// The local zone must not be copied: package time knows it by its address.
func TestZonesAreNotCopied(t *testing.T) {
	type zoned struct{ Zones []*time.Location }
	r := zoned{[]*time.Location{time.Local, time.UTC}}
	copied := r
	Of(reflect.TypeFor[zoned]()).Unshare(unsafe.Pointer(&copied))
	if !slices.Equal(r.Zones, copied.Zones) || &r.Zones[0] == &copied.Zones[0] {
		t.Errorf("the zones of the copy are %v, want a list with the same zones", copied.Zones)
	}
}

// A copy is deeply equal to its original, also where that is nil or empty, shares no
// memory with it, and is still equal after a garbage collection.
func TestCopyOfRandomTypes(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	type pair struct{ original, copied reflect.Value }
	var pairs []pair
	for round := range 1500 {
		typ := structWith(randomType(rng, round%5))
		c := Of(typ)
		if c.NoCopy != nil {
			t.Fatalf("seed %d: %v: %v", seed, typ, c.NoCopy)
		}
		for range 4 {
			original, copied := reflect.New(typ), reflect.New(typ)
			fill(rng, original.Elem(), 0)
			copied.Elem().Set(original.Elem())
			c.copy(copied.UnsafePointer())
			pairs = append(pairs, pair{original.Elem(), copied.Elem()})
		}
	}
	runtime.GC()
	for _, p := range pairs {
		if !reflect.DeepEqual(p.original.Interface(), p.copied.Interface()) {
			t.Errorf("seed %d: %v\ncopy of %+v\nis      %+v", seed, p.original.Type(), p.original, p.copied)
		}
		if both := shared(p.original, p.copied); len(both) > 0 {
			t.Errorf("seed %d: %v\ncopy of %+v shares %x", seed, p.original.Type(), p.original, both)
		}
	}
}

// The function shared, which TestCopyOfRandomTypes relies on, finds each kind of memory
// that an assignment shares.
func TestShared(t *testing.T) {
	for _, original := range []any{
		&struct{ A []int }{make([]int, 0, 1)}, &struct{ A *int }{new(int)}, &struct{ A map[string]int }{map[string]int{}},
		&struct{ A any }{[]any{1}}, &struct{ A [2][]string }{[2][]string{{}, {"x"}}}, &chain{Next: &chain{}}, &cloned{hidden: []int{1}},
	} {
		v := reflect.ValueOf(original).Elem()
		assigned := reflect.New(v.Type()).Elem()
		assigned.Set(v)
		if len(shared(v, assigned)) == 0 {
			t.Errorf("%T: no shared memory found", original)
		}
	}
}

type (
	plainRecord struct {
		ID                        int `json:"id"`
		Name, Slug, Summary, Text string
		Price                     float64
		Live                      bool
		At                        time.Time
		Tags                      []string
		Authors, Labels           []int
	}
	nestedRecord struct {
		ID     int `json:"id"`
		Note   *string
		Rank   *int
		Until  *time.Time
		Size   [3]float64
		Places [2][]string
		Inner  struct{ Words []string }
		Lines  []line
		Dates  []time.Time
		Empty  []line
		Main   *line
	}
	line struct {
		Title string
		Count int32
		Tags  []string
	}
)

func newPlain() *plainRecord {
	return &plainRecord{1, "Name", "slug", "Summary", "Text", 9.5, true, time.Now(), []string{"a", "b"}, []int{1, 2, 3}, []int{4}}
}

// A copy allocates once for each non-nil pointer and each non-empty slice.
func TestCopyAllocates(t *testing.T) {
	plain := Of(reflect.TypeFor[plainRecord]())
	nested := Of(reflect.TypeFor[nestedRecord]())
	p, q := newPlain(), newPlain()
	q.Tags, q.Labels = nil, []int{}
	note, rank, until := "n", 1, time.Now()
	n := &nestedRecord{Note: &note, Rank: &rank, Until: &until, Places: [2][]string{{"x"}, {}}, Lines: []line{{Tags: []string{"y"}}, {}},
		Dates: []time.Time{until}, Empty: []line{}, Main: &line{}}
	n.Inner.Words = []string{"z"}
	for _, row := range []struct {
		reason string
		copy   func()
		want   float64
	}{
		{"three slices", func() { r := *p; plain.Unshare(unsafe.Pointer(&r)) }, 3},
		{"one slice, one empty, one nil", func() { r := *q; plain.Unshare(unsafe.Pointer(&r)) }, 1},
		{"pointers, arrays, structs and slices of structs", func() { r := *n; nested.Unshare(unsafe.Pointer(&r)) }, 9},
	} {
		if got := testing.AllocsPerRun(100, row.copy); got != row.want {
			t.Errorf("%s: %v allocations, want %v", row.reason, got, row.want)
		}
	}
}
