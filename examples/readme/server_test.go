package readme

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestServer builds the README's server, starts it on a free port, and sends requests.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source := regexp.MustCompile("(?s)```go\n(package main.*?)```").FindSubmatch(readme)
	if source == nil {
		t.Fatal("no program in the README")
	}
	file, address := filepath.Join(t.TempDir(), "main.go"), freeAddress(t)
	main := strings.ReplaceAll(string(source[1]), "127.0.0.1:8080", address)
	if err := os.WriteFile(file, []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	program := strings.TrimSuffix(file, ".go")
	if out, err := exec.Command("go", "build", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server := exec.Command(program)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for _, request := range []struct{ method, target, body, want string }{
		{"POST", "/v1/directors/", `{"name":"Agnès Varda"}`, `{"id":1,"name":"Agnès Varda"}`},
		{"POST", "/v1/films/", `{"name":"Cléo","minutes":90,"director":1}`, `{"id":1,"name":"Cléo","minutes":90,"director":1}`},
		{"PATCH", "/v1/films/1/", `{"minutes":0}`, `{"minutes":["Ensure this value is greater than or equal to 1."]}`},
		{"GET", "/v1/films/?minutes__gte=90&search=varda", "", `"results":[{"id":1,"name":"Cléo","minutes":90,"director":1}]`},
		{"GET", "/v1/films/?minutes__gte=91", "", `{"count":0,`},
	} {
		r, err := http.NewRequest(request.method, "http://"+address+request.target, strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer s3cret")
		answer, err := http.DefaultClient.Do(r)
		for range 3000 { // until it listens
			if err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
			r.Body, _ = r.GetBody()
			answer, err = http.DefaultClient.Do(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(body), request.want) {
			t.Errorf("%s %s: %s %s, %v, want %s", request.method, request.target, answer.Status, body, err, request.want)
		}
	}
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	return listener.Addr().String()
}
