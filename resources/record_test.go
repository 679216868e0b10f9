package resources

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parse is ParseRecord for texts that are known to be fine.
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
		{`{"id":1}`, `{"id":1}`, "nothing but an id"},
		{`{"b":1,"id":2,"a":3}`, `{"b":1,"id":2,"a":3}`, "order and place of the id"},
		{`{"b":1,"id":2}`, `{"b":1,"id":2}`, "id last"},
		{"\t{ \"b\" : [ 1 , { \"c\" : null } ] ,\r\n\"a\":{ } , \"d\":[ ] }", `{"b":[1,{"c":null}],"a":{},"d":[]}`, "white space within"},
		{`{"n":[1.0,1e5,1E+5,-0,0.10,123456789012345678901234567890]}`,
			`{"n":[1.0,1e5,1E+5,-0,0.10,123456789012345678901234567890]}`, "digits stay"},
		{`{"s":"\u003c\u003e\u0026\/\u00e9\ud83d\ude42"}`, `{"s":"<>&/é🙂"}`, "needless escapes go"},
		{`{"s":"\"\\\b\f\n\r\t\u0001\u001F\u007f"}`, "{\"s\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\u007f\"}", "needed ones stay"},
		{"{\"s\":\"\u2028\u2029\"}", `{"s":"\u2028\u2029"}`, "separators are escaped"},
		{`{"\u0061\n":1}`, `{"a\n":1}`, "names too"},
		{`{"":1,"ID":2,"Id":3}`, `{"":1,"ID":2,"Id":3}`, "any name"},
		{fmt.Sprintf(`{"id":%d}`, math.MaxInt), fmt.Sprintf(`{"id":%d}`, math.MaxInt), "largest id"},
		{`{"\u0069d":7}`, `{"id":7}`, "id escaped"},
		{`{"a":{"id":"x"}}`, `{"a":{"id":"x"}}`, "an id within is a member like any other"},
		{`{"a":{"b":1},"c":{"b":1}}`, `{"a":{"b":1},"c":{"b":1}}`, "a name in two objects"},
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
		{``, "line 1 column 1", "nothing"},
		{`{`, "line 1 column 2", "broken"},
		{`[]`, "want an object", "no object"},
		{`null`, "want an object", "no object"},
		{`{"id":0}`, "id", "id"},
		{`{"id":-1}`, "id", "id"},
		{`{"id":1.0}`, "id", "id"},
		{`{"id":1e1}`, "id", "id"},
		{`{"id":"1"}`, "id", "id"},
		{`{"id":null}`, "id", "id"},
		{`{"id":9223372036854775808}`, "id", "id"},
		{fmt.Sprintf(`{"id":%d}`, uint(math.MaxInt)+1), "id", "one more than the largest id, on 32 bits too"},
		{`{"id":1,"id":1}`, `"id": is repeated`, "repeated"},
		{`{"a":1,"\u0061":1}`, `"a": is repeated`, "repeated"},
		{`{` + many + `,"x3":1}`, `"x3": is repeated`, "repeated among many"},
		{`{"a":[{"b":1,"b":2}]}`, `"a"`, "repeated within"},
		{`{"a":"\ud800"}`, `"a"`, "half a pair"},
		{`{"a":"\ude42\ud83d"}`, `"a"`, "a pair the wrong way round"},
		{`{"a":{"\udc00":1}}`, `"a"`, "half a pair in a name within"},
		{`{"\ud800":1}`, "name", "half a pair in a name"},
		{"{\"a\":\"\xff\"}", "line 1 column 7", "not UTF-8"},
		{"\xef\xbb\xbf{}", "byte order mark", "byte order mark"},
		{`{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, "limit of 200", "too deep"},
	}
	for _, test := range tests {
		r := Record{ID: 5}
		err := r.UnmarshalJSON([]byte(test.text))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), test.inside) {
			t.Errorf("%s (%s): error %v, want one with %s", excerpt(test.text), test.reason, err, test.inside)
		}
		if !r.Equal(Record{ID: 5}) {
			t.Errorf("%s (%s): changed to %s", excerpt(test.text), test.reason, r)
		}
	}
}

func TestRecordGet(t *testing.T) {
	r := parse(t, `{"a":"x","id":3,"b":null}`)
	for name, want := range map[string]string{"a": `"x"`, "id": `3`, "b": `null`} {
		if got, found := r.Get(name); !found || got != want {
			t.Errorf("%s: got %s, %v, want %s", name, got, found, want)
		}
	}
	for _, name := range []string{"A", "", "c"} {
		if got, found := r.Get(name); found || got != "" {
			t.Errorf("%s: got %s, %v", name, got, found)
		}
	}
	if _, found := (Record{}).Get("id"); found {
		t.Error("an id where there is none")
	}
	var text string
	if err := r.Decode("a", &text); err != nil || text != "x" {
		t.Errorf("Decode: got %q, %v", text, err)
	}
	var n int
	if err := r.Decode("id", &n); err != nil || n != 3 {
		t.Errorf("Decode of id: got %d, %v", n, err)
	}
	if err := r.Decode("c", &n); !errors.Is(err, ErrNoMember) || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("Decode of nothing: error %v", err)
	}
	if err := r.Decode("a", &n); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("Decode into another type: error %v", err)
	}
}

func TestRecordWith(t *testing.T) {
	tests := []struct {
		name         string
		value        any
		want, reason string
	}{
		{"a", 5, `{"a":5,"id":3,"b":2}`, "in place"},
		{"b", nil, `{"a":1,"id":3,"b":null}`, "in place"},
		{"c", "<&>\u2028", `{"a":1,"id":3,"b":2,"c":"<&>\u2028"}`, "appended"},
		{"c\n", true, `{"a":1,"id":3,"b":2,"c\n":true}`, "a name that needs escapes"},
		{"c", json.Number("1.50"), `{"a":1,"id":3,"b":2,"c":1.50}`, "digits stay"},
		{"c", json.RawMessage(`[ 1e0 , "\u0061" ]`), `{"a":1,"id":3,"b":2,"c":[1e0,"a"]}`, "canonical"},
		{"c", parse(t, `{"x":1.0}`), `{"a":1,"id":3,"b":2,"c":{"x":1.0}}`, "a record in a record"},
		{"c", json.RawMessage(strings.Repeat("[", 199) + strings.Repeat("]", 199)),
			`{"a":1,"id":3,"b":2,"c":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`, "as deep as may be"},
	}
	r := parse(t, `{"a":1,"id":3,"b":2}`)
	for _, test := range tests {
		got, err := r.With(test.name, test.value)
		if err != nil || got.String() != test.want {
			t.Errorf("%q %v (%s): got %s, %v, want %s", test.name, test.value, test.reason, got, err, test.want)
		}
		if !got.Equal(parse(t, test.want)) {
			t.Errorf("%q %v (%s): parsed again it is another record", test.name, test.value, test.reason)
		}
	}
	for _, test := range []struct {
		name   string
		value  any
		reason string
	}{
		{"id", 5, "the id is a field"},
		{"\xff", 5, "not UTF-8"},
		{"c", func() {}, "no JSON"},
		{"c", json.RawMessage(`{`), "broken"},
		{"c", json.RawMessage(`"\ud800"`), "half a pair"},
		{"c", json.RawMessage("\"\xff\""), "not UTF-8"},
		{"c", json.RawMessage(`{"a":1,"a":2}`), "repeated"},
		{"c", json.Number("x"), "no number"},
		{"c", json.RawMessage(strings.Repeat("[", 200) + strings.Repeat("]", 200)), "too deep"},
	} {
		got, err := r.With(test.name, test.value)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), fmt.Sprintf("%q", test.name)) {
			t.Errorf("%q (%s): got %s, error %v", test.name, test.reason, got, err)
		}
	}
	if got := r.String(); got != `{"a":1,"id":3,"b":2}` {
		t.Errorf("the first record has changed to %s", got)
	}
}

// TestRecordIsImmutable: two records made from one do not write to each other.
func TestRecordIsImmutable(t *testing.T) {
	r := parse(t, `{"a":1,"b":2,"c":3}`)
	for range 4 { // whatever the capacity of the list
		x, y := fmt.Sprint("x", r.Len()), fmt.Sprint("y", r.Len())
		left, err1 := r.With(x, 1)
		right, err2 := r.With(y, 2)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if _, found := left.Get(y); found || left.Len() != r.Len()+1 || right.Len() != r.Len()+1 {
			t.Errorf("left %s, right %s", left, right)
		}
		before := left.String()
		left.Without("a")
		if left.String() != before {
			t.Errorf("Without changed %s to %s", before, left)
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
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestRecordID(t *testing.T) {
	r := parse(t, `{"a":1}`)
	r.ID = 7
	if got := r.String(); got != `{"id":7,"a":1}` || r.Len() != 2 {
		t.Errorf("an id stands in front of a record that had none: %s", got)
	}
	r = parse(t, `{"a":1,"id":3}`)
	other := r
	other.ID = 8
	if got := other.String(); got != `{"a":1,"id":8}` || r.ID != 3 {
		t.Errorf("got %s from %s", got, r)
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
			t.Errorf("stopped after %d, want %d", n, stop)
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
				t.Errorf("%s and %s: %v", a, b, got)
			}
		}
	}
	if !parse(t, `{"a":1,"id":1}`).Without("id").Equal(parse(t, `{"a":1}`)) {
		t.Error("the place of no id counts")
	}
}

func TestRecordAppendJSON(t *testing.T) {
	if got := string(parse(t, `{"a":1}`).AppendJSON([]byte("x"))); got != `x{"a":1}` {
		t.Errorf("got %s", got)
	}
}
