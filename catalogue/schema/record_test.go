package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

func parse(t testing.TB, text string) Record {
	t.Helper()
	r, err := ParseRecord([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// TestParseRecord checks the texts in testdata/records.txtar.
func TestParseRecord(t *testing.T) {
	sections := readRows(t, "records.txtar")
	largest := fmt.Sprintf(`{"id":%d}`, math.MaxInt)
	for _, row := range append(sections[0].rows, row{largest, largest, "largest id"}) {
		if r, err := ParseRecord([]byte(row.value)); err != nil || r.String() != row.want {
			t.Errorf("%s (%s): got %s, %v, want %s", row.value, row.reason, r, err, row.want)
		}
	}
	tooLarge := row{fmt.Sprintf(`{"id":%d}`, uint(math.MaxInt)+1), `member "id"`, "largest id plus one"}
	for _, row := range append(sections[1].rows, tooLarge) {
		r := Record{ID: 5}
		err := r.UnmarshalJSON([]byte(row.value))
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), row.want) {
			t.Errorf("%s (%s): error %v, want one with %s", excerpt(row.value), row.reason, err, row.want)
		}
		if r.String() != `{"id":5}` {
			t.Errorf("%s (%s): record is %s after the error", excerpt(row.value), row.reason, r)
		}
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

// TestRecordAgainstModel derives records from each other and compares their members with lists
// of names and texts. No record changes when others are derived from it.
// Records are equal if their JSON is, however they were made.
func TestRecordEqual(t *testing.T) {
	parse := func(text string) Record { return parse(t, text) }
	for _, tt := range []struct {
		reason string
		a, b   Record
		want   bool
	}{
		{"no members", Record{}, parse(`{}`), true},
		{"a removed member", parse(`{"id":1,"a":2}`), parse(`{"id":1,"z":0,"a":2}`).Without("z"), true},
		{"white space", parse(`{"id":1,"a":[1,2]}`), parse(`{ "id": 1, "a": [ 1, 2 ] }`), true},
		{"another id", parse(`{"id":1,"a":2}`), parse(`{"id":2,"a":2}`), false},
		{"another place of the id", parse(`{"id":1,"a":2}`), parse(`{"a":2,"id":1}`), false},
		{"another order", parse(`{"a":1,"b":2}`), parse(`{"b":2,"a":1}`), false},
		{"other digits", parse(`{"a":1}`), parse(`{"a":1.0}`), false},
	} {
		if got := tt.a.Equal(tt.b); got != tt.want {
			t.Errorf("%s: %v equals %v: %t, want %t", tt.reason, tt.a, tt.b, got, tt.want)
		}
		if diff := cmp.Diff(tt.a, tt.b); (diff == "") != tt.want {
			t.Errorf("%s: cmp.Diff returns %q", tt.reason, diff)
		}
	}
}

func TestRecordAgainstModel(t *testing.T) {
	type version struct {
		record  Record
		members [][2]string // names and texts
	}
	rng := rand.New(rand.NewPCG(1, 2))
	all := []version{{Record{}, nil}, {parse(t, `{"a":1,"id":7}`), [][2]string{{"a", "1"}, {"id", "7"}}}}
	for range 2000 {
		v := all[rng.IntN(len(all))]
		members := slices.Clone(v.members)
		name := string("abcdefz"[rng.IntN(7)])
		if rng.IntN(10) == 0 {
			name = "id"
		}
		at := slices.IndexFunc(members, func(m [2]string) bool { return m[0] == name })
		text := strconv.Itoa(1 + rng.IntN(99)*1_000_000_000)
		switch {
		case rng.IntN(3) == 0:
			v.record = v.record.Without(name)
			members = slices.DeleteFunc(members, func(m [2]string) bool { return m[0] == name })
		case name != "id":
			r, err := v.record.With(name, json.RawMessage(text))
			must(t, err)
			v.record = r
			if at < 0 {
				members = append(members, [2]string{name, text})
			} else {
				members[at][1] = text
			}
		case at >= 0:
			v.record.ID, members[at][1] = 8, "8"
		}
		all = append(all, version{v.record, members})
	}
	for _, v := range all {
		var text []string
		var got [][2]string
		for name, value := range v.record.All() {
			got = append(got, [2]string{name, value})
			if one, found := v.record.Get(name); one != value || !found {
				t.Errorf("Get(%q) = %s, %v, want %s", name, one, found, value)
			}
		}
		for _, m := range v.members {
			text = append(text, `"`+m[0]+`":`+m[1])
		}
		if want := "{" + strings.Join(text, ",") + "}"; !slices.Equal(v.members, got) || v.record.String() != want {
			t.Fatalf("%s with members %v, want %s", v.record, got, want)
		}
	}
}

func TestRecordMembers(t *testing.T) {
	r := parse(t, `{"a":1,"b":null}`)
	r.ID = 7
	if got := r.String(); got != `{"id":7,"a":1,"b":null}` {
		t.Errorf("after setting the id: %s, want it first", got)
	}
	for _, name := range []string{"A", "", "c"} {
		if got, found := r.Get(name); found || got != "" {
			t.Errorf("Get(%q) = %s, %v, want none", name, got, found)
		}
	}
	if _, found := (Record{}).Get("id"); found {
		t.Error(`Get("id") of the zero Record reports true`)
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
			if !errors.Is(err, ErrInvalid) || errors.As(err, &serr) != (jsontext.Check(data, jsontext.MaxDepth) != nil) {
				t.Fatalf("%q: error %v", data, err)
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
		must(t, json.Unmarshal(data, &want))
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

// values returns a JSON text as encoding/json decodes and encodes it, with its digits.
func values(t *testing.T, text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	must(t, err)
	return string(out)
}

// TestSyntaxErrorTakesPrecedence checks that the error is a SyntaxError if the text is not
// JSON, even if it has other errors before that.
func TestSyntaxErrorTakesPrecedence(t *testing.T) {
	for _, front := range []string{`{"a":1,"a":2`, `{"a":"\ud800"`, `{"\ud800":1`, `{"id":0`, `{"a":{"b":1,"b":2}`, `[1`, `5`} {
		_, err := ParseRecord([]byte(front + "}}"))
		var serr *SyntaxError
		if !errors.As(err, &serr) {
			t.Errorf("ParseRecord(%s}}): %v, want a SyntaxError", front, err)
		}
	}
}

// TestParseRecordManyNames uses more and fewer names than are sorted to find repeated
// ones.
func TestParseRecordManyNames(t *testing.T) {
	for _, n := range []int{2, 63, 64, 65, 500} {
		var names []string
		for i := range n {
			names = append(names, `"`+strings.Repeat("x", i)+`":0`)
		}
		if _, err := ParseRecord([]byte("{" + strings.Join(names, ",") + "}")); err != nil {
			t.Errorf("%d names: %v", n, err)
		}
		for _, text := range []string{`"x":0`, `"\u0078":0`, names[n-1], `"":0`} {
			object := "{" + strings.Join(append(slices.Clone(names), text), ",") + "}"
			for _, data := range []string{object, `{"a":[` + object + `]}`} {
				var merr *MemberError
				if _, err := ParseRecord([]byte(data)); !errors.As(err, &merr) {
					t.Errorf("%d names and %s: %v", n, text, err)
				}
			}
		}
	}
}

func TestCheckSyntax(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for _, text := range []string{` {"a":1,"a":"\ud800"} `, "1", nested(10_000)} {
		if err := CheckSyntax([]byte(text)); err != nil {
			t.Errorf("%s: %v", excerpt(text), err)
		}
	}
	for text, want := range map[string]SyntaxError{
		"":                   {"unexpected end", 1, 1},
		"{}\n{}":             {"unexpected character '{' after the end of the value", 2, 1},
		"[\n\"é\",\"\xff\"]": {"invalid UTF-8, byte 0xff", 2, 6},
		nested(10_001):       {"nested deeper than the limit of 10000", 1, 10_001},
	} {
		var got *SyntaxError
		if err := CheckSyntax([]byte(text)); !errors.As(err, &got) || *got != want {
			t.Errorf("%s: %v, want %v", excerpt(text), err, &want)
		}
	}
}
