package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bookNames returns the names of the books.
func bookNames(t *testing.T, s *server) string {
	t.Helper()
	var names []string
	for _, b := range get(t, s.base+"/api/books/").Results {
		names = append(names, fmt.Sprint(b["name"]))
	}
	return strings.Join(names, " ")
}

// wait waits until the names of the books, or the messages of the program, are as wanted.
func wait(t *testing.T, what func() string, want string) {
	t.Helper()
	var got string
	for range 3000 { // half a minute: only a failure takes this long
		if got = what(); strings.Contains(got, want) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%q, want %q", got, want)
}

func TestWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "house.json")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"books":[{"id":1,"name":"Onda"}]}`)
	s := start(t, "-open", "-data", file, "-watch")
	names := func() string { return bookNames(t, s) }
	wait(t, names, "Onda")
	if got := post(t, s.base, ""); got != 201 {
		t.Fatalf("POST: %d", got)
	}

	write(`{"books":[{"id":1,"name":"Onda"},` + "\n" + `{"id":2,"name":"Atlante"}]}`)
	wait(t, names, "Onda Atlante")
	if got := get(t, s.base+"/api/events/").Count; got != 0 {
		t.Errorf("%d events after a file without events", got)
	}

	tests := []struct{ reason, content, want string }{
		{"truncated", `{"books":[{"id":3,"name":"Corvo"}` + "\n" + `,`, "line 2, byte"},
		{"wrong record", `{"labels":[],"books":[{"id":3,"name":"Corvo"},{"id":0}]}`, "books: cannot load: record 1"},
		{"unknown collection", `{"books":[{"id":3,"name":"Corvo"}],"magazines":[]}`, "magazines"},
		{"empty", "", "line 1"},
	}
	for _, tt := range tests {
		write(tt.content)
		wait(t, s.stderr.String, tt.want)
		if got := names(); got != "Onda Atlante" {
			t.Errorf("%s: books %s", tt.reason, got)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	wait(t, s.stderr.String, "no such file")

	// As editors save.
	next := file + "~"
	if err := os.WriteFile(next, []byte(`{"books":[{"id":3,"name":"Dedalo"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
	wait(t, names, "Dedalo")
	if got := names(); got != "Dedalo" {
		t.Errorf("books %s, want Dedalo", got)
	}
	if text := s.stderr.String(); strings.Count(text, "the records have not changed") != len(tests)+1 || strings.Count(text, file) < len(tests)+3 {
		t.Errorf("messages:\n%s", text)
	}
}
