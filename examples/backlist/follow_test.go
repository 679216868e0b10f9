package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestFollow changes the file while it is served.
func TestFollow(t *testing.T) {
	for _, row := range []struct {
		reason, args, post, text string
		served                   string // the list afterwards
		want                     string // what is printed
	}{
		{"nothing", "", "", "", `"count":1`, ""},
		{"another record", "", "", `[{"id":1},{"id":2,"n":1}]`, `"count":2`, "/f.json has changed.\nhttp://x/api/f/ has 2 records: id integer, n integer or null.\n"},
		{"another kind of ids", "", "", `[{"id":"a"}]`, `{"id":"a"}`, "has changed"},
		{"no JSON", "", "", "[{\"id\":1},\n{]", `"count":1`, "f.json: line 2, column 2: unexpected character ']'"},
		{"written records", "-open", `{"id":9}`, `[{"id":3}]`, `[{"id":3}]`, "has changed"},
		{"written records that are saved", "-open -save", `{"id":9}`, `[{"id":3}]`, `"count":2`, "and the records have changed: it is not read again"},
		{"records that are saved", "-open -save", "", `[{"id":3}]`, `[{"id":3}]`, "has changed"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serveFile(t, "f.json", `[{"id":1}]`, strings.Fields(row.args)...)
				defer func() { s.p.current.Load().fake.Close() }()
				ctx, stop := context.WithCancel(t.Context())
				var output bytes.Buffer
				done := make(chan bool)
				go func() {
					s.p.follow(ctx, "http://x/api/", &output)
					close(done)
				}()
				_, before := s.ask("GET", "f/", "")
				if row.post != "" {
					s.ask("POST", "f/", row.post)
				}
				if row.text != "" {
					if err := os.WriteFile(s.p.file, []byte(row.text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(3 * interval)
				stop()
				<-done
				_, after := s.ask("GET", "f/", "")
				if !strings.Contains(after, row.served) || !strings.Contains(output.String(), row.want) || (row.want == "") != (output.Len() == 0) {
					t.Errorf("%s becomes %s, want %s; printed %s, want %s", before, after, row.served, output.String(), row.want)
				}
				if strings.Count(output.String(), "f.json") > 2 {
					t.Errorf("printed again: %s", output.String())
				}
			})
		})
	}
}
