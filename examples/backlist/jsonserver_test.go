package main

import (
	"bytes"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"
)

var backticked = regexp.MustCompile("`([^`]+)`")

// TestFromJSONServer checks the table of README.md. What is here has an effect and is read whole, flags are
// flags, and what json-server has is answered with how it is spelled here.
func TestFromJSONServer(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| json-server | here |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var printed bytes.Buffer
	s := serveFile(t, "db.json", `{"posts":[{"id":1,"title":"Rope","views":3,"author":{"city":"Rome"}},{"id":2,"title":"Vertigo","views":20,"author":{"city":"Bonn"}},
		{"id":3,"title":"Psycho","views":3,"author":{"city":"Bonn"}}],"comments":[{"id":1,"postId":1},{"id":2,"postId":2}],"profile":{"name":"me"}}`)
	s.p.errorLog = log.New(&printed, "", 0)
	ask := func(request string) (body, said string) {
		t.Helper()
		printed.Reset()
		s.p.ignored.printed = nil
		code, body := s.ask("GET", request, "")
		if code != 200 {
			t.Errorf("%s: %d %s", request, code, body)
		}
		return body, printed.String()
	}
	requests, hints, flags := 0, 0, 0
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(row, "| \n"), " | ")
		if len(cells) != 2 {
			t.Fatalf("%q is no row", row)
		}
		query := ""
		for _, here := range backticked.FindAllStringSubmatch(cells[1], -1) {
			path, rest, has := strings.Cut(here[1], "?")
			switch {
			case strings.HasPrefix(here[1], "-"):
				flags++
				args := strings.Fields(strings.ReplaceAll(here[1], "'", ""))
				if args[0] != "-import" {
					args = append([]string{"db.json"}, args...)
				}
				if _, err := parse(args, new(bytes.Buffer)); err != nil {
					t.Errorf("%s: %v", here[1], err)
				}
			case strings.HasSuffix(path, "/"):
				requests++
				body, said := ask(here[1])
				if plain, _ := ask(path); said != "" || has && body == plain {
					t.Errorf("%s: %s printed %q", here[1], body, said)
				}
				if query == "" {
					query = rest
				}
			}
		}
		for _, there := range backticked.FindAllStringSubmatch(cells[0], -1) {
			path, rest, has := strings.Cut(there[1], "?")
			if has && !strings.Contains(cells[0], "DELETE") {
				_, said := ask(path + "/?" + rest)
				_, spelling, ok := strings.Cut(strings.TrimSpace(said), ": write ")
				if ok {
					hints++
				}
				if ok && spelling != query || query == "" && said == "" {
					t.Errorf("%s: printed %q, want %q", there[1], said, query)
				}
			}
		}
	}
	if requests < 12 || hints < 14 || flags < 10 {
		t.Errorf("the table has %d requests, %d with another spelling, and %d flags", requests, hints, flags)
	}
}
