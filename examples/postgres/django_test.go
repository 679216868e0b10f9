package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	films "github.com/gobacklist/backlist/examples/films/collections"
	"github.com/gobacklist/backlist/examples/internal/freeport"
	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
)

// A comparison is a kind of requests, which Django REST framework answers too.
type comparison struct {
	name, method, target, body string // in Lua, with n, the number of the request
}

// comparisons are the requests of the README's table.
var comparisons = []comparison{
	{"list", "GET", `"/api/films/"`, `""`},
	{"detail", "GET", `"/api/films/" .. (n % 1000 + 1) .. "/"`, `""`},
	{"filter + order", "GET", `"/api/films/?genre=drama&year__gte=1990&ordering=-year,-id&limit=21"`, `""`},
	{"deep page", "GET", `"/api/films/?limit=21&offset=50000"`, `""`},
	{"POST", "POST", `"/api/films/"`, `'{"name":"Rope","year":1948,"minutes":' .. (n % 100 + 60) .. ',"genre":"thriller","director":' .. (n % 9 + 1) .. '}'`},
	{"PATCH", "PATCH", `"/api/films/" .. (n % 1000 + 1) .. "/"`, `'{"minutes":' .. (n % 100 + 60) .. '}'`},
}

// TestDjango compares this program with Django REST framework, which serves the same films from the
// same server: first the responses, and then the requests that each answers in a second. The
// environment variable BACKLIST_DJANGO is the number of films.
func TestDjango(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("BACKLIST_DJANGO"))
	if err != nil {
		t.Skip("BACKLIST_DJANGO is no number")
	}
	database := pgtest.New(t)
	cat, err := films.New()
	must(t, err)
	must(t, films.Generate(cat, n, nil))
	file := filepath.Join(t.TempDir(), "films.json")
	must(t, cat.SaveFile(file))
	serving := start(t, "-dsn", database.DSN("postgres"), "-films", "-load", file, "-addr", "127.0.0.1:0", "-token", "secret")
	django := startDjango(t, database)

	for _, row := range []struct{ method, target, body string }{
		{"GET", "/api/films/", ""},
		{"GET", "/api/films/77/", ""},
		{"GET", "/api/films/nothing/", ""},
		{"GET", "/api/films/?genre=drama&year__gte=1990&ordering=-year,-id&limit=21", ""},
		{"GET", "/api/films/?genre=noir", ""},
		{"GET", "/api/films/?search=bergman&ordering=name,id&limit=5&offset=20", ""},
		{"GET", "/api/films/?limit=21&offset=" + strconv.Itoa(n/2), ""},
		{"POST", "/api/films/", `{"name":"Rope","year":1948,"minutes":80,"genre":"thriller","director":1}`},
		{"POST", "/api/films/", `{"name":"","year":1700,"minutes":"x","genre":"noir","director":0}`},
		{"PATCH", "/api/films/77/", `{"minutes":99}`},
		{"PUT", "/api/films/78/", `{"name":"Rope","year":1948,"minutes":80,"genre":"thriller","director":1}`},
		{"DELETE", "/api/films/1079/", "{}"},
		{"GET", "/api/films/?limit=3&offset=1077", ""},
	} {
		want := ask(t, django, row.method, row.target, "secret", row.body)
		got := ask(t, serving.address, row.method, row.target, "secret", row.body)
		got.Body = strings.ReplaceAll(got.Body, serving.address, django)
		if want.Status != got.Status || want.Body != got.Body {
			t.Errorf("%s %s %s: -Django +pgstore\n%s", row.method, row.target, row.body, cmp.Diff(want, got))
		}
	}

	for _, c := range comparisons {
		var ours, theirs, ratios []float64
		for range 3 {
			b, a := c.measure(t, django), c.measure(t, serving.address)
			ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, a/b)
		}
		t.Logf("| %s | %.0f | %.0f | %.1f |", c.name, median(theirs), median(ours), median(ratios))
	}
	must(t, serving.end())
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// measure returns the requests that a service answers in a second, over eight connections.
func (c comparison) measure(t *testing.T, address string) float64 {
	t.Helper()
	script := filepath.Join(t.TempDir(), "request.lua")
	text := fmt.Sprintf(`n = 0
		function request()
			n = n + 1
			return wrk.format(%q, %s, {["Content-Type"] = "application/json", Authorization = "Bearer secret"}, %s)
		end`, c.method, c.target, c.body)
	must(t, os.WriteFile(script, []byte(text), 0o600))
	output, err := exec.CommandContext(t.Context(), "wrk", "-t1", "-c8", "-d3s", "-s", script, address).CombinedOutput()
	m := regexp.MustCompile(`Requests/sec: *([0-9.]+)`).FindSubmatch(output)
	if err != nil || m == nil || strings.Contains(string(output), "Non-2xx") {
		t.Fatalf("%s: wrk: %v\n%s", c.name, err, output)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	must(t, err)
	return rate
}

// startDjango makes the tables of Django from those of this program, and serves them.
func startDjango(t *testing.T, database *pgtest.Server) (address string) {
	t.Helper()
	free, err := freeport.Addresses(1)
	must(t, err)
	bind := free[0]
	command := func(ctx context.Context, name string, args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, name, args...)
		c.Dir, c.Stderr = "django", os.Stderr
		c.Env = append(os.Environ(), "PGHOST="+database.Dir(), "PGUSER=postgres", "PGDATABASE=postgres", "PYTHONDONTWRITEBYTECODE=1")
		return c
	}
	must(t, command(t.Context(), "/usr/bin/python3", "films.py").Run())
	gunicorn := command(context.Background(), "gunicorn", "--workers=2", "--log-level=warning", "--bind="+bind, "films:application")
	must(t, gunicorn.Start())
	t.Cleanup(func() {
		gunicorn.Process.Signal(syscall.SIGTERM)
		gunicorn.Wait()
	})
	for range 300 {
		if r, err := http.Get("http://" + bind + "/api/films/1/"); err == nil {
			r.Body.Close()
			return "http://" + bind
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("gunicorn does not answer")
	return ""
}
