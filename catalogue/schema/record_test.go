package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

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
		if !r.Equal(Record{ID: 5}) {
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

func TestRecordDecode(t *testing.T) {
	r := parse(t, `{"a":"x","id":3,"b":null}`)
	var text string
	if err := r.Decode("a", &text); err != nil || text != "x" {
		t.Errorf(`Decode("a"): got %q, %v`, text, err)
	}
	var n int
	if err := r.Decode("id", &n); err != nil || n != 3 {
		t.Errorf(`Decode("id"): got %d, %v`, n, err)
	}
	if err := r.Decode("c", &n); !errors.Is(err, ErrNoMember) || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("missing member: error %v, want ErrNoMember with the name", err)
	}
	if err := r.Decode("a", &n); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("wrong type: error %v, want one with the name", err)
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
		if !got.Equal(parse(t, test.want)) {
			t.Errorf("%s: With(%q, %v) is not Equal to its JSON parsed", test.reason, test.name, test.value)
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

// TestRecordIsImmutable checks that two records derived from the same record do not
// affect each other.
func TestRecordIsImmutable(t *testing.T) {
	r := parse(t, `{"a":1,"b":2,"c":3}`)
	for range 4 { // with various capacities of the slice of members
		x, y := fmt.Sprint("x", r.Len()), fmt.Sprint("y", r.Len())
		left, err1 := r.With(x, 1)
		right, err2 := r.With(y, 2)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if _, found := left.Get(y); found || left.Len() != r.Len()+1 || right.Len() != r.Len()+1 {
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
		if got := r.Without(name); got.String() != want || got.Len() != parse(t, want).Len() {
			t.Errorf("Without(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestRecordID(t *testing.T) {
	r := parse(t, `{"a":1}`)
	r.ID = 7
	if got := r.String(); got != `{"id":7,"a":1}` || r.Len() != 2 {
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

func TestRecordEqual(t *testing.T) {
	texts := []string{
		`{}`, `{"id":1}`, `{"id":2}`, `{"a":1}`, `{"a":1.0}`, `{"b":1}`, `{"a":1,"b":2}`, `{"b":2,"a":1}`,
		`{"id":1,"a":1}`, `{"a":1,"id":1}`,
	}
	for i, a := range texts {
		for j, b := range texts {
			if got := parse(t, a).Equal(parse(t, b)); got != (i == j) {
				t.Errorf("%s.Equal(%s) = %v", a, b, got)
			}
		}
	}
	if !parse(t, `{"a":1,"id":1}`).Without("id").Equal(parse(t, `{"a":1}`)) {
		t.Error("Equal compares the position of a removed id")
	}
}

func TestRecordAppendJSON(t *testing.T) {
	if got := string(parse(t, `{"a":1}`).AppendJSON([]byte("x"))); got != `x{"a":1}` {
		t.Errorf(`AppendJSON("x") = %s, want x{"a":1}`, got)
	}
}
