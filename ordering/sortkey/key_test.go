package sortkey

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// ascending holds lists of keys in strictly ascending order.
var ascending = map[string][]Key{
	"kinds": {Bool(false), Bool(true), Int(-1), Float(math.Inf(1)), Time(time.Time{}), Time(time.Unix(1<<40, 0)), Text(""), Text("a"), List(), List(Int(1)), Object("{}"), Null()},
	"numbers": {
		Float(math.NaN()), Float(math.Inf(-1)), numberOf("-1e9223372036854775807"), numberOf("-1e9223372036854775806"), numberOf("-1e400"), numberOf("-12345678901234567890.5"), Int(math.MinInt64),
		Float(-1.5), Int(-1), Float(-0.001), numberOf("-1e-400"),
		numberOf("-1e-9223372036854775807"), numberOf("-1e-9223372036854775808"), Int(0), numberOf("1e-9223372036854775808"), numberOf("1e-9223372036854775807"),
		numberOf("1e-6000000000000000000"), numberOf("1e-5000000000000000000"), numberOf("1e-400"), Float(math.SmallestNonzeroFloat64),
		numberOf("0.001"), Float(0.01), Int(1), numberOf("1.0000000000000000000001"), Float(1.5), Int(2), Int(9), Int(10), Int(11), Int(99), Int(100),
		numberOf("100.5"), Int(math.MaxInt64), numberOf("9223372036854775808"), numberOf("18446744073709551615"), Float(1e300), numberOf("1e400"),
		numberOf("1e5000000000000000000"), numberOf("1e6000000000000000000"), numberOf("9223372036854775807e6000000000000000000"),
		numberOf("1e9223372036854775806"), numberOf("1e9223372036854775807"), numberOf("2e9223372036854775807"), Float(math.Inf(1)),
	},
	"text":  {Text(""), Text("\x00"), Text("\x00\x01"), Text("\x01"), Text("Z"), Text("a"), Text("a\x00"), Text("a\x00b"), Text("a\x01"), Text("aa"), Text("é"), Text("🌊"), Text("\xff")},
	"lists": {List(), List(Bool(true)), List(Int(1)), List(Int(1), Int(1)), List(Int(1), Int(2)), List(Int(2)), List(Int(10)), List(Text("a")), List(Text("a"), Null()), List(Text("ab")), List(Null())},
	"times": {
		Time(time.Unix(math.MinInt64, 0)),
		Time(time.Date(-1, 12, 31, 23, 59, 59, 999_999_999, time.UTC)),
		Time(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)),
		Time(time.Unix(-1, 1)),
		Time(time.Unix(-1, 999_999_999)),
		Time(time.Unix(0, 0)),
		Time(time.Unix(0, 1)),
		Time(time.Unix(0, 256)),
		Time(time.Unix(0, 1000)),
		Time(time.Date(2024, 10, 27, 2, 30, 0, 0, time.FixedZone("", 7200))),
		Time(time.Date(2024, 10, 27, 2, 30, 0, 0, time.FixedZone("", 3600))),
		Time(time.Date(2024, 10, 27, 2, 30, 0, 1, time.FixedZone("", 3600))),
		Time(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)),
		Time(time.Unix(1<<60, 999_999_999)),
	},
}

// The binary form has the key with all that its methods return, and nothing before it is one.
func TestKeyBinary(t *testing.T) {
	for name, keys := range ascending {
		for i, want := range keys {
			data, err := want.AppendBinary([]byte{})
			var got Key
			if err := errors.Join(err, got.UnmarshalBinary(data)); err != nil || got != want {
				t.Errorf("%s: key %d is %+v, %v, want %+v", name, i, got, err, want)
			}
			for n := range len(data) - len(want.text) {
				if got.UnmarshalBinary(data[:n]) == nil {
					t.Errorf("%s: %d bytes of key %d are not an error", name, n, i)
				}
			}
		}
	}
}

func TestKeyOrder(t *testing.T) {
	for name, keys := range ascending {
		for i, a := range keys {
			for j, b := range keys {
				want := cmp.Compare(i, j)
				if got := a.Compare(b); got != want {
					t.Errorf("%s: keys[%d].Compare(keys[%d]) = %d, want %d", name, i, j, got, want)
				}
				if got := bytes.Compare(a.Append(nil), b.Append(nil)); got != want {
					t.Errorf("%s: keys %d and %d: encodings compare %d, want %d", name, i, j, got, want)
				}
				if got := bytes.Compare(a.AppendDesc(nil), b.AppendDesc(nil)); got != -want {
					t.Errorf("%s: keys %d and %d: descending encodings compare %d, want %d", name, i, j, got, -want)
				}
			}
		}
	}
}

// TestConcatenatedKeys checks that concatenated encodings, ascending and descending,
// compare key by key.
func TestConcatenatedKeys(t *testing.T) {
	var pool []Key
	for _, name := range []string{"kinds", "numbers", "text", "lists", "times"} {
		pool = append(pool, ascending[name]...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var a, b [3]Key
		var desc [3]bool
		var ab, bb []byte
		want := 0
		for i := range a {
			a[i], b[i], desc[i] = pool[r.IntN(len(pool))], pool[r.IntN(len(pool))], r.IntN(2) == 0
			if r.IntN(2) == 0 {
				b[i] = a[i]
			}
			c := a[i].Compare(b[i])
			if desc[i] {
				c = -c
				ab, bb = a[i].AppendDesc(ab), b[i].AppendDesc(bb)
			} else {
				ab, bb = a[i].Append(ab), b[i].Append(bb)
			}
			want = cmp.Or(want, c)
		}
		if got := bytes.Compare(ab, bb); got != want {
			t.Fatalf("%v and %v, descending %v: encodings compare %d, want %d", a, b, desc, got, want)
		}
	}
}

func TestNumberIgnoresNotation(t *testing.T) {
	for _, same := range [][]string{
		{"1", "1.0", "10e-1", "0.1e1", "1E+0"},
		{"0", "-0", "0.000", "0e5", "-0.0e-7"},
		{"12300", "1.23e4", "12300.00", "123e+2"},
		{"9223372036854775808", "9223372036854775808.0", "9.223372036854775808e18"},
		{"-0.5", "-5e-1", "-0.50"},
		{"1e9223372036854775807", "1e99999999999999999999", "10e9223372036854775807"},
		{"1e-9223372036854775808", "1e-99999999999999999999", "0.1e-9223372036854775808"},
	} {
		for _, s := range same[1:] {
			if numberOf(same[0]).Compare(numberOf(s)) != 0 || !bytes.Equal(numberOf(same[0]).Append(nil), numberOf(s).Append(nil)) {
				t.Errorf("numberOf(%s) and numberOf(%s) differ, want equal", same[0], s)
			}
		}
	}
}

// rat parses a JSON number. It returns nil for long ones and large exponents, which are slow.
func rat(s string) *big.Rat {
	if i := strings.IndexAny(s, "eE"); len(s) > 60 || i >= 0 && len(s)-i > 5 {
		return nil
	}
	r, _ := new(big.Rat).SetString(s)
	return r
}

func TestValueOfKey(t *testing.T) {
	for _, k := range []Key{Int(7), Bool(true)} {
		if _, ok := k.AsInt(); !ok {
			t.Errorf("%v.AsInt reports false", k)
		}
	}
	for _, k := range []Key{Null(), Text("7"), Float(7.5), Time(time.UnixMicro(7)), List(), Object("{}")} {
		if i, ok := k.AsInt(); ok {
			t.Errorf("%v.AsInt() = %d, true", k, i)
		}
	}
	if s, ok := Text("x").AsText(); s != "x" || !ok {
		t.Errorf("AsText = %q, %v", s, ok)
	}
	for _, k := range []Key{Null(), Int(7), List(Text("x")), Object("{}")} {
		if _, ok := k.AsText(); ok {
			t.Errorf("%v.AsText reports true", k)
		}
	}
	at := time.Date(-5, 1, 2, 3, 4, 5, 6, time.FixedZone("", 3600))
	if u, ok := Time(at).AsTime(); !u.Equal(at) || u.Location() != time.UTC || !ok {
		t.Errorf("AsTime = %v, %v, want %v", u, ok, at.UTC())
	}
	for _, k := range []Key{Null(), Int(7), Text("2026-05-10T18:00:00Z")} {
		if _, ok := k.AsTime(); ok {
			t.Errorf("%v.AsTime reports true", k)
		}
	}
}

// TestKeyEncodingIsStable checks encodings that programs may have stored.
func TestKeyEncodingIsStable(t *testing.T) {
	for _, row := range []struct {
		reason string
		key    Key
		want   string
	}{
		{"null", Null(), "\xf1"},
		{"boolean", Bool(true), "\x01\x01"},
		{"zero", Int(0), "\x11\x80"},
		{"number", Int(12), "\x11\xc2\x0d\x00"},
		{"time", Time(time.Unix(258, 7)), "\x19\x80\x00\x00\x00\x00\x00\x01\x02\x00\x00\x00\x07"},
		{"text", Text("a"), "\x21a\x00\x01"},
		{"list", List(Bool(false)), "\x31\x01\x00\x00"},
		{"object", Object("{}"), "\x41{}\x00\x01"},
	} {
		if got := string(row.key.Append(nil)); got != row.want {
			t.Errorf("%s: Append = %q, want %q", row.reason, got, row.want)
		}
	}
}

func TestKeySize(t *testing.T) {
	if size := reflect.TypeFor[Key]().Size(); size > 32 {
		t.Errorf("size of a Key = %d bytes, want at most 32", size)
	}
}

// FuzzFold compares folded keys with strings.EqualFold.
func FuzzFold(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"Anna", "ANNA"}, {"ann_a", "ANN_A"}, {"K", "\u212a"}, {"ſ", "S"}, {"ß", "SS"}, {"ß", "ẞ"}, {"É", "é"},
		{"Σ", "ς"}, {"İ", "i"}, {"ı", "I"}, {"ǅ", "ǆ"}, {"a", "b"}, {"a", "a "}, {"\xff", "\ufffd"}, {"日本", "日本"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if got, want := Fold(a).Compare(Fold(b)) == 0, strings.EqualFold(a, b); got != want {
			t.Errorf("Fold(%q) and Fold(%q) are equal: %t, want %t", a, b, got, want)
		}
		if got := Fold(strings.ToUpper("a_" + a)).Compare(Text("a")); got <= 0 {
			t.Errorf("%q with a before it comes before a", a)
		}
	})
}

// FuzzKeyJSON compares JSON with the values that encoding/json decodes.
func FuzzKeyJSON(f *testing.F) {
	for _, s := range [][2]string{
		{`[1,{"a":[null]}]`, `"x"`}, {`{"a":1e5}`, `[]`}, {`[1.0,"a"]`, `[ 1 , "a" ]`}, {`[true,null]`, `[false]`},
		{`{"a":1}`, `{"a":1.0}`}, {`{ "b" : [ ] }`, `{"b":[]}`}, {`"\u00e9"`, `"é"`}, {`"\ud800"`, `"\u0000"`}, {`-0`, `0e9`}, {`[`, `nul`},
		{`[[[1]],2]`, `[[[1,1]]]`}, {``, `null`},
		{`0`, `-0 `}, {` [ 1 ]`, "[1]\n"},
		{"1", "1.0"}, {"-1e3", "7"}, {"0.1", "1e-1"}, {"123456789012345678901", "1e20"}, {"-12.50", " -12.5\t"}, // numbers
		{"\r\n null ", "null"}, {"true ", "true"}, {` "a" `, `"a"`}, {` {} `, "{}"}, {" ", " x "}, // white space
		{"\u00a01", "1"}, {"nonsense", `"nonsense"`}, {"-", `"-"`}, {`"open`, "[1"}, {"{", `"{"`}, // no JSON
		{`"a\u00e9\n"`, `"a"`}, {`[ [ ] , {} ]`, "[[],{}]"}, {`{"b": 1, "a": 2}`, `{"b":1,"a":2}`},
	} {
		f.Add(s[0], s[1])
	}
	for _, text := range []string{`"`, `"a`, `""`, `"a"b"`, `"a\"`, `"a\u0062"`, "\"a\tb\"", "\"\xff\"", `"é"`, `" ~"`} { // of a string, plain or not
		f.Add(text, `"a"`)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := JSON(a), JSON(b)
		got := x.Compare(y)
		if ordered := bytes.Compare(x.Append(nil), y.Append(nil)); ordered != got {
			t.Fatalf("%q and %q: encodings compare %d, keys %d", a, b, ordered, got)
		}
		if reversed := bytes.Compare(x.AppendDesc(nil), y.AppendDesc(nil)); reversed != -got {
			t.Fatalf("%q and %q: descending encodings compare %d, keys %d", a, b, reversed, got)
		}
		v, w := modelValue(a), modelValue(b)
		if v.tooBig || w.tooBig {
			return
		}
		if want := v.compare(w); got != want {
			t.Fatalf("JSON(%q).Compare(JSON(%q)) = %d, want %d", a, b, got, want)
		}
	})
}

// A model is a JSON value: the rank of its kind in the order, and the field of that
// kind.
type model struct {
	rank   int
	number *big.Rat
	text   string
	list   []model
	tooBig bool // contains a number that is slow to compare
}

func modelValue(text string) model {
	raw := json.RawMessage(text)
	var compact bytes.Buffer
	if json.Valid(raw) {
		text = strings.TrimSpace(text)
	} else if text != "" {
		return model{rank: 3, text: text}
	}
	switch {
	case text == "", text == "null":
		return model{rank: 6}
	case text == "false":
		return model{rank: 0}
	case text == "true":
		return model{rank: 1}
	case text[0] == '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return model{rank: 3, text: s, tooBig: err != nil}
	case text[0] == '[':
		var elements []json.RawMessage
		err := json.Unmarshal(raw, &elements)
		v := model{rank: 4, tooBig: err != nil}
		for _, e := range elements {
			v.list = append(v.list, modelValue(string(e)))
			v.tooBig = v.tooBig || v.list[len(v.list)-1].tooBig
		}
		return v
	case text[0] == '{':
		err := json.Compact(&compact, raw)
		return model{rank: 5, text: compact.String(), tooBig: err != nil}
	}
	r := rat(text)
	return model{rank: 2, number: r, tooBig: r == nil}
}

func (v model) compare(w model) int {
	if v.rank == 2 && w.rank == 2 {
		return v.number.Cmp(w.number)
	}
	return cmp.Or(cmp.Compare(v.rank, w.rank), strings.Compare(v.text, w.text), slices.CompareFunc(v.list, w.list, model.compare))
}
