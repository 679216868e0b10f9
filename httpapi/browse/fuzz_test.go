package browse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Any JSON value results in one cell with a short visible text and no markup.
func FuzzRecord(f *testing.F) {
	for _, attack := range attacks() {
		quoted, _ := json.Marshal(attack)
		f.Add(string(quoted))
		f.Add(`[` + string(quoted) + `,1]`)
		f.Add(`{` + string(quoted) + `:[` + string(quoted) + `]}`)
	}
	for _, value := range []string{`null`, `true`, `-1.5e300`, `"2026-05-10T18:00:00+02:00"`, `"https://x.example/a.png?b=c#d"`, `"<p>a</p>"`, `"<"`, `[[]]`, `"\ud800"`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) {
			t.Skip()
		}
		h := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"value":%s}]}`, value)
		}), Options{})
		got := get(h, "/api/books/")
		checkEscaped(t, got)
		cells := got.find("td", "", "")
		if got.status != 200 || len(cells) != 1 || len(got.find("table", "", "")) != 1 {
			t.Fatalf("status %d, %d cells", got.status, len(cells))
		}
		if c := newCell(json.RawMessage(strings.TrimSpace(value))); len([]rune(c.Text)) > maxSeen+1 {
			t.Errorf("%d visible characters, want at most %d", len([]rune(c.Text)), maxSeen+1)
		}
	})
}
