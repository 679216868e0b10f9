package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// parse parses a valid record.
func parse(t testing.TB, text string) Record {
	t.Helper()
	r, err := ParseRecord([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

func TestParseRecord(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{`{}`, `{}`, "empty"},
		{` { } `, `{}`, "white space"},
		{`{"id":1}`, `{"id":1}`, "only an id"},
		{`{"b":1,"id":2,"a":3}`, `{"b":1,"id":2,"a":3}`, "order and position of the id"},
		{`{"b":1,"id":2}`, `{"b":1,"id":2}`, "id at the end"},
		{"\t{ \"b\" : [ 1 , { \"c\" : null } ] ,\r\n\"a\":{ } , \"d\":[ ] }", `{"b":[1,{"c":null}],"a":{},"d":[]}`, "inner white space"},
		{`{"n":[1.0,1e5,1E+5,-0,0.10,123456789012345678901234567890]}`,
			`{"n":[1.0,1e5,1E+5,-0,0.10,123456789012345678901234567890]}`, "digits"},
		{`{"s":"\u003c\u003e\u0026\/\u00e9\ud83d\ude42"}`, `{"s":"<>&/é🙂"}`, "unnecessary escapes"},
		{`{"s":"\"\\\b\f\n\r\t\u0001\u001F\u007f"}`, "{\"s\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u007f\"}", "necessary escapes"},
		{"{\"s\":\"\u2028\u2029\"}", `{"s":"\u2028\u2029"}`, "line separators"},
		{`{"\u0061\n":1}`, `{"a\n":1}`, "escapes in names"},
		{`{"":1,"ID":2,"Id":3}`, `{"":1,"ID":2,"Id":3}`, "unusual names"},
		{fmt.Sprintf(`{"id":%d}`, math.MaxInt), fmt.Sprintf(`{"id":%d}`, math.MaxInt), "largest id"},
		{`{"\u0069d":7}`, `{"id":7}`, "escaped id"},
		{`{"a":{"id":"x"}}`, `{"a":{"id":"x"}}`, "id in an inner object"},
		{`{"a":{"b":1},"c":{"b":1}}`, `{"a":{"b":1},"c":{"b":1}}`, "same name in two objects"},
	}
	for _, test := range tests {
		r, err := ParseRecord([]byte(test.text))
		if err != nil || r.String() != test.want {
			t.Errorf("%s (%s): got %s, %v, want %s", test.text, test.reason, r, err, test.want)
		}
	}
}

func TestParseRecordErrors(t *testing.T) {
	many := `"x0":0`
	for i := range 40 {
		many += fmt.Sprintf(`,"x%d":0`, i+1)
	}
	tests := []struct{ text, inside, reason string }{
		{``, "line 1 column 1", "empty"},
		{`{`, "line 1 column 2", "incomplete"},
		{`[]`, "want an object", "not an object"},
		{`null`, "want an object", "not an object"},
		{`{"id":0}`, "id", "invalid id"},
		{`{"id":-1}`, "id", "invalid id"},
		{`{"id":1.0}`, "id", "invalid id"},
		{`{"id":1e1}`, "id", "invalid id"},
		{`{"id":"1"}`, "id", "invalid id"},
		{`{"id":null}`, "id", "invalid id"},
		{`{"id":9223372036854775808}`, "id", "invalid id"},
		{fmt.Sprintf(`{"id":%d}`, uint(math.MaxInt)+1), "id", "largest id plus one"},
		{`{"id":1,"id":1}`, `"id": is repeated`, "repeated name"},
		{`{"a":1,"\u0061":1}`, `"a": is repeated`, "repeated name"},
		{`{` + many + `,"x3":1}`, `"x3": is repeated`, "repeated name among many"},
		{`{"a":[{"b":1,"b":2}]}`, `"a"`, "repeated name in an inner object"},
		{`{"a":"\ud800"}`, `"a"`, "unpaired surrogate"},
		{`{"a":"\ude42\ud83d"}`, `"a"`, "swapped surrogates"},
		{`{"a":{"\udc00":1}}`, `"a"`, "unpaired surrogate in an inner name"},
		{`{"\ud800":1}`, "name", "unpaired surrogate in a name"},
		{"{\"a\":\"\xff\"}", "line 1 column 7", "not UTF-8"},
		{"\xef\xbb\xbf{}", "byte order mark", "byte order mark"},
		{`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "limit of 200", "nested too deeply"},
	}
	for _, test := range tests {
		r := Record{ID: 5}
		err := r.UnmarshalJSON([]byte(test.text))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), test.inside) {
			t.Errorf("%s (%s): error %v, want one with %s", excerpt(test.text), test.reason, err, test.inside)
		}
		if r.String() != `{"id":5}` {
			t.Errorf("%s (%s): record is %s after the error", excerpt(test.text), test.reason, r)
		}
	}
}

func TestRecordGet(t *testing.T) {
	r := parse(t, `{"a":"x","id":3,"b":null}`)
	for name, want := range map[string]string{"a": `"x"`, "id": `3`, "b": `null`} {
		if got, found := r.Get(name); !found || got != want {
			t.Errorf("Get(%q) = %s, %v, want %s, true", name, got, found, want)
		}
	}
	for _, name := range []string{"A", "", "c"} {
		if got, found := r.Get(name); found || got != "" {
			t.Errorf("Get(%q) = %s, %v, want none", name, got, found)
		}
	}
	if _, found := (Record{}).Get("id"); found {
		t.Error(`Get("id") of the zero Record reports true`)
	}
}

func TestRecordWith(t *testing.T) {
	tests := []struct {
		name         string
		value        any
		want, reason string
	}{
		{"a", 5, `{"a":5,"id":3,"b":2}`, "existing member"},
		{"b", nil, `{"a":1,"id":3,"b":null}`, "existing member"},
		{"c", "<&>\u2028", `{"a":1,"id":3,"b":2,"c":"<&>\u2028"}`, "new member"},
		{"c\n", true, `{"a":1,"id":3,"b":2,"c\n":true}`, "name that needs escapes"},
		{"c", json.Number("1.50"), `{"a":1,"id":3,"b":2,"c":1.50}`, "digits"},
		{"c", json.RawMessage(`[ 1e0 , "\u0061" ]`), `{"a":1,"id":3,"b":2,"c":[1e0,"a"]}`, "not canonical"},
		{"c", parse(t, `{"x":1.0}`), `{"a":1,"id":3,"b":2,"c":{"x":1.0}}`, "record as a value"},
		{"c", json.RawMessage(strings.Repeat("[", 199) + strings.Repeat("]", 199)),
			`{"a":1,"id":3,"b":2,"c":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`, "maximum depth"},
	}
	r := parse(t, `{"a":1,"id":3,"b":2}`)
	for _, test := range tests {
		got, err := r.With(test.name, test.value)
		if err != nil || got.String() != test.want {
			t.Errorf("%s: With(%q, %v) = %s, %v, want %s", test.reason, test.name, test.value, got, err, test.want)
		}
	}
	for _, test := range []struct {
		name   string
		value  any
		reason string
	}{
		{"id", 5, "id"},
		{"\xff", 5, "not UTF-8"},
		{"c", func() {}, "no JSON form"},
		{"c", json.RawMessage(`{`), "incomplete"},
		{"c", json.RawMessage(`"\ud800"`), "unpaired surrogate"},
		{"c", json.RawMessage("\"\xff\""), "not UTF-8"},
		{"c", json.RawMessage(`{"a":1,"a":2}`), "repeated name"},
		{"c", json.Number("x"), "invalid number"},
		{"c", json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200)), "nested too deeply"},
	} {
		got, err := r.With(test.name, test.value)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%q", test.name)) {
			t.Errorf("%s: With(%q) = %s, %v, want ErrInvalid with the name", test.reason, test.name, got, err)
		}
	}
	if got := r.String(); got != `{"a":1,"id":3,"b":2}` {
		t.Errorf("With changed the record to %s", got)
	}
}

// size returns the number of members.
func size(r Record) (n int) {
	for range r.All() {
		n++
	}
	return n
}

// TestRecordIsImmutable checks that two records derived from the same record do not
// affect each other.
func TestRecordIsImmutable(t *testing.T) {
	r := parse(t, `{"a":1,"b":2,"c":3}`)
	for i := range 4 { // with various capacities of the slice of members
		x, y := fmt.Sprint("x", i), fmt.Sprint("y", i)
		left, err1 := r.With(x, 1)
		right, err2 := r.With(y, 2)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if _, found := left.Get(y); found || size(left) != size(r)+1 || size(right) != size(r)+1 {
			t.Errorf("after two calls of With: %s, %s", left, right)
		}
		before := left.String()
		left.Without("a")
		if left.String() != before {
			t.Errorf("Without changed the record from %s to %s", before, left)
		}
		r = right
	}
}

func TestRecordWithout(t *testing.T) {
	r := parse(t, `{"a":1,"b":2,"id":3,"c":4}`)
	for name, want := range map[string]string{
		"a": `{"b":2,"id":3,"c":4}`, "c": `{"a":1,"b":2,"id":3}`,
		"id": `{"a":1,"b":2,"c":4}`, "z": `{"a":1,"b":2,"id":3,"c":4}`,
	} {
		if got := r.Without(name); got.String() != want {
			t.Errorf("Without(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestRecordID(t *testing.T) {
	r := parse(t, `{"a":1}`)
	r.ID = 7
	if got := r.String(); got != `{"id":7,"a":1}` || size(r) != 2 {
		t.Errorf("after setting the id: %s, want it first", got)
	}
	r = parse(t, `{"a":1,"id":3}`)
	other := r
	other.ID = 8
	if got := other.String(); got != `{"a":1,"id":8}` || r.ID != 3 {
		t.Errorf("after setting the id of a copy: %s, record %s", got, r)
	}
}

func TestRecordAll(t *testing.T) {
	var got []string
	r := parse(t, `{"a":1,"id":3,"b":"x"}`)
	for name, text := range r.All() {
		got = append(got, name+"="+text)
	}
	if diff := cmp.Diff([]string{"a=1", "id=3", `b="x"`}, got); diff != "" {
		t.Error(diff)
	}
	for stop := 1; stop <= 3; stop++ {
		n := 0
		for range r.All() {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("All yielded %d members, want %d", n, stop)
		}
	}
}

// TestDatasetRoundTrip unmarshals and marshals each record and wants the same bytes, except
// for the line separators, which are unescaped in the data set.
func TestDatasetRoundTrip(t *testing.T) {
	wire := strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)
	for key, records := range dataset(t) {
		for _, text := range records {
			var record Record
			if err := json.Unmarshal(text, &record); err != nil {
				t.Errorf("%s %s: %v", key, text, err)
				continue
			}
			if diff := cmp.Diff(wire.Replace(string(text)), record.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", key, diff)
			}
		}
	}
}

func TestMarshalZeroRecord(t *testing.T) {
	if got, err := json.Marshal(Record{}); err != nil || string(got) != "{}" {
		t.Errorf("got %s, %v, want {}", got, err)
	}
}

// TestRecordDoesNotRetainMemory derives small records from large ones and measures the
// memory that is retained after a garbage collection.
func TestRecordDoesNotRetainMemory(t *testing.T) {
	const large = 8 << 20
	text := func() string { return `"` + strings.Repeat("x", large) + `"` }
	with := func(r Record, name string, value any) Record {
		r, err := r.With(name, value)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, test := range []struct {
		reason string
		make   func() Record
		want   string
	}{
		{"large member removed", func() Record {
			return parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`).Without("large")
		}, `{"a":1,"id":2,"b":3}`},
		{"large member replaced", func() Record {
			return with(parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`), "large", 5)
		}, `{"a":1,"id":2,"large":5,"b":3}`},
		{"large member updated", func() Record {
			d := Description{Fields: []Field{{Name: "large", Kind: Integer}}}
			r, err := d.ValidateUpdate(parse(t, `{"a":1,"id":2,"large":`+text()+`,"b":3}`), []byte(`{"large":5}`), true, Checks{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}, `{"a":1,"id":2,"large":5,"b":3}`},
		{"member with a large name removed", func() Record {
			return parse(t, `{`+text()+`:1,"a":"b"}`).Without(strings.Repeat("x", large))
		}, `{"a":"b"}`},
		{"many members removed one by one", func() Record {
			var b strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&b, `"m%d":"%s",`, i, strings.Repeat("x", 2000))
			}
			r := parse(t, `{`+b.String()+`"id":2}`)
			for i := range 1999 {
				r = r.Without(fmt.Sprint("m", i))
			}
			return with(r, "m1999", 1)
		}, `{"m1999":1,"id":2}`},
		{"only member removed", func() Record {
			return parse(t, `{"large":`+text()+`}`).Without("large")
		}, `{}`},
		{"added member replaced", func() Record {
			return with(with(Record{ID: 1}, "large", strings.Repeat("x", large)), "large", nil)
		}, `{"id":1,"large":null}`},
		{"name that is part of a large string", func() Record {
			return with(Record{ID: 1}, text()[1:3], 0)
		}, `{"id":1,"xx":0}`},
		{"white space", func() Record {
			return parse(t, `{"a":1,`+strings.Repeat(" ", large)+`"b":2}`)
		}, `{"a":1,"b":2}`},
	} {
		r := test.make()
		retained := int64(heap())
		if got := r.String(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, excerpt(got), test.want)
		}
		r = Record{}
		if retained -= int64(heap()); retained > large/8 {
			t.Errorf("%s: %s retains %d bytes", test.reason, test.want, retained)
		}
	}
}

// heap returns the number of bytes of live objects.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// TestWithoutDoesNotModifyTheRecord checks that Without does not change the record it is
// derived from, whether the texts are copied or not.
func TestWithoutDoesNotModifyTheRecord(t *testing.T) {
	const text = `{"a":1,"id":7,"b":"xxxxxxxxxxxxxxxxxxxx","c":[2],"d":{}}`
	r := parse(t, text)
	for _, names := range [][]string{{"a"}, {"b"}, {"b", "a"}, {"a", "c", "b"}, {"d", "b", "c", "a"}} {
		less, want := r, text
		for i, name := range names {
			before := less.String()
			last := less.Without(name)
			if got := less.String(); got != before {
				t.Errorf("Without(%q) changed %s to %s", name, before, got)
			}
			value, _ := less.Get(name)
			want = strings.Replace(want, `"`+name+`":`+value, "", 1)
			want = strings.NewReplacer(",,", ",", "{,", "{", ",}", "}").Replace(want)
			if got := last.String(); got != want {
				t.Errorf("without %v: got %s, want %s", names[:i+1], got, want)
			}
			less = last
		}
	}
	if got := r.String(); got != text {
		t.Errorf("Without changed the first record to %s", got)
	}
}

// FuzzParseRecord checks that accepted texts have the members that encoding/json decodes
// and survive a round trip, and that rejected texts are not JSON or cannot be records.
func FuzzParseRecord(f *testing.F) {
	for _, records := range dataset(f) {
		f.Add([]byte(records[0]))
	}
	for _, text := range []string{
		`{}`, `{"a":1.0,"id":3}`, "{\"\u2028\":\"\\ud83d\\ude42\\/\\u2029\"}", ` { "a" : [ { } , [ ] ] } `,
		`{"a":1,"a":2}`, `{"a":"\ud800"}`, `{"id":1e3}`, "{\"a\":\"\xff\"}", `{"a":{"b":1,"b":2}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(data)
		if err != nil {
			var serr *SyntaxError
			if !errors.Is(err, ErrInvalid) || errors.As(err, &serr) != (checkSyntax(data, maxDepth) != nil) {
				t.Fatalf("%q: error %v", data, err)
			}
			if serr == nil && mayBeRecord(data) {
				t.Fatalf("ParseRecord(%q): %v", data, err)
			}
			return
		}
		text := []byte(r.String())
		if !json.Valid(data) || !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("JSON of %q is %q", data, text)
		}
		again, err := ParseRecord(text)
		if err != nil || again.String() != string(text) {
			t.Fatalf("JSON of %q is %q, parsed again %v, %v", data, text, again, err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if len(want) != size(r) {
			t.Fatalf("record of %q has %d members, want %d", data, size(r), len(want))
		}
		for name, text := range r.All() {
			if values(t, []byte(text)) != values(t, want[name]) {
				t.Fatalf("member %q = %s, want %s", name, text, want[name])
			}
		}
	})
}

// mayBeRecord reports whether a JSON text is an object in which no name is repeated, no
// string is invalid UTF-8, and no member is named id.
func mayBeRecord(data []byte) bool {
	names := []map[any]bool{} // of each open object; nil for a list
	isName := false
	d := json.NewDecoder(bytes.NewReader(data))
	for d.UseNumber(); ; {
		token, err := d.Token()
		if err != nil {
			return bytes.HasPrefix(bytes.TrimLeft(data, space), []byte("{"))
		}
		text, isText := token.(string)
		if isText && (strings.Contains(text, "\ufffd") || isName && (names[len(names)-1][text] || text == "id")) {
			return false
		}
		switch {
		case token == json.Delim('{'):
			names = append(names, map[any]bool{})
		case token == json.Delim('['):
			names = append(names, nil)
		case token == json.Delim('}'), token == json.Delim(']'):
			names = names[:len(names)-1]
		case isName:
			names[len(names)-1][text] = true
			isName = false
			continue
		}
		isName = len(names) > 0 && names[len(names)-1] != nil
	}
}

// values returns a JSON text as encoding/json decodes and encodes it, with its digits.
func values(t *testing.T, text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func BenchmarkRecordMarshalJSON(b *testing.B) {
	record := parse(b, string(dataset(b)["books"][0]))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := record.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseRecord(b *testing.B) {
	texts := dataset(b)["books"]
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			if _, err := ParseRecord(text); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(texts)), "records/op")
}
