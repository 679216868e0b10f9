package browse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Whatever the value of a field, a form in which nothing is changed sends that value.
func FuzzUnchangedForm(f *testing.F) {
	for _, attack := range attacks() {
		quoted, _ := json.Marshal(attack)
		f.Add(string(quoted))
		f.Add(`[` + string(quoted) + `,1]`)
	}
	for _, value := range []string{`null`, `true`, `false`, `"false"`, `-1.5e300`, `7.0`, `" a\r\nb\rc\n"`, `"\n"`, `""`, `[]`, `{}`, `"\ud800"`, `[[1],null]`} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) {
			t.Skip()
		}
		own := newHouse()
		record := make(map[string]json.RawMessage)
		for _, field := range filmFields() {
			record[field.Name] = json.RawMessage(value)
		}
		own.films.records[1] = record
		own.films.about.Actions &^= schema.PartialUpdate // a PUT sends all values
		h := own.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
		page := get(h, "/api/films/1/")
		checkEscaped(t, page)
		page.save(t, h, nil)
		if len(own.films.calls) != 1 {
			t.Fatalf("writes: %.200q", own.films.calls)
		}
		var sent map[string]json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimPrefix(own.films.calls[0], "update 1 false ")), &sent); err != nil {
			t.Fatal(err)
		}
		if len(sent) != len(record)-2 { // all except id and createdAt
			t.Errorf("sent %d members", len(sent))
		}
		for name, got := range sent {
			if string(got) != strings.TrimSpace(value) {
				t.Errorf("%s: sent %.100s for %.100s", name, got, value)
			}
		}
	})
}

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
		h := around(t, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"value":%s}]}`, value)
		})
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
