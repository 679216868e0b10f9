package cataloguetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseEnvelope(t *testing.T) {
	type parts struct{ Count, Next, Previous, Results, Rows string }
	tests := []struct {
		reason, body string
		want         parts
	}{
		{"compact", `{"count":7,"next":"x?a=1&b","previous":null,"results":[{"id":1},{"id":2}]}`,
			parts{"7", `"x?a=1&b"`, "null", `[{"id":1},{"id":2}]`, `{"id":1} {"id":2}`}},
		{"white space", "\n{ \"count\" : 7 ,\t\"next\" : null\n, \"previous\" : \"y\" , \"results\" : [ 1 , \"2\" ,[3]\n] }\n",
			parts{"7", "null", `"y"`, "[ 1 , \"2\" ,[3]\n]", `1 "2" [3]`}},
		{"other order, other members", `{"results":[],"x":{"count":1},"previous":null,"next":null,"count":0}`,
			parts{"0", "null", "null", "[]", ""}},
		{"brackets in strings", `{"count":1,"next":null,"previous":null,"results":[{"a":"],}\"\u003c"}]}`,
			parts{"1", "null", "null", `[{"a":"],}\"\u003c"}]`, `{"a":"],}\"\u003c"}`}},
	}
	for _, tt := range tests {
		e, ok := parseEnvelope([]byte(tt.body))
		if !ok {
			t.Errorf("%s: parseEnvelope(%q) = false", tt.reason, tt.body)
			continue
		}
		text := func(s span) string { return string(s.of(e.body)) }
		var rows []string
		for _, row := range e.rows {
			rows = append(rows, text(row))
		}
		got := parts{text(e.count), text(e.next), text(e.previous), text(e.results), strings.Join(rows, " ")}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.reason, diff)
		}
		if same := e.replaced(e.next, text(e.next)); string(same) != tt.body {
			t.Errorf("%s: replacing next by itself = %q, want %q", tt.reason, same, tt.body)
		}
	}
}

func TestParseEnvelopeNotPage(t *testing.T) {
	for _, body := range []string{
		``, `null`, `7`, `[]`, `{}`, `{"detail":"Not found."}`, `<h1>`,
		`{"count":1,"next":null,"previous":null}`,
		`{"count":1,"next":null,"previous":null,"results":null}`,
		`{"count":1,"next":null,"previous":null,"results":{}}`,
		`{"count":1,"next":null,"previous":null,"results":[1`,
		`{"count":1,"next":null,"previous":null,"results":[1]`,
		`{"count":1,"next":null,"previous":null,"results":[1 2]}`,
	} {
		if _, ok := parseEnvelope([]byte(body)); ok {
			t.Errorf("parseEnvelope(%q) = true", body)
		}
	}
}

// TestPageFaultsOfOddPages checks that faults of pages do not panic if a page has a valid
// form but unusual contents.
func TestPageFaultsOfOddPages(t *testing.T) {
	for _, next := range []string{`"nowhere"`, `"http://a.example"`, `7`, `"://"`, `"?limit=x&offset=-1"`, `""`} {
		for name, fault := range map[string]Fault{
			"NextIsSelf": NextIsSelf(), "NextCycle": NextCycle(), "NextHost": NextHost("b.example"), "NextScheme": NextScheme("https"),
			"EmptyPageWithNext": EmptyPageWithNext(), "MissingRow": MissingRow(), "RepeatedRow": RepeatedRow(), "CountShrinks": CountShrinks(1),
		} {
			body := `{"count":"many","next":` + next + `,"previous":false,"results":[1,2]}`
			server, _ := serveFaults(t, at(Where{}, Status(200, body)), at(Where{}, fault))
			got := request(t, server, "GET", "/api/books/?limit=1&offset=9223372036854775807")
			if _, ok := parseEnvelope([]byte(got.Body)); got.Err != "" || !ok {
				t.Errorf("%s with next %s: body %q, error %q", name, next, got.Body, got.Err)
			}
		}
	}
}
