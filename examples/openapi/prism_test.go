package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/examples/internal/freeport"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// TestPrism sends requests through prism, which compares them and their responses with the
// document, and responds with application/problem+json if they violate it. All requests
// are valid according to the document.
func TestPrism(t *testing.T) {
	t.Parallel()
	command := tool(t, "prism")
	s := serve(t, openapi.Options{})
	url := startPrism(t, command, s.document, s.url)
	statuses, violations, sent := map[int]int{}, 0, prismRequests(s)
	for _, r := range sent {
		status, kind, body := r.send(t, url)
		statuses[status]++
		if kind == "application/problem+json" {
			violations++
			t.Errorf("%s %s %.200s: %d %s", r.method, r.target, r.body, status, body)
		}
	}
	t.Logf("%d requests, %d violations, by status %v", len(sent), violations, statuses)
	if len(sent) < 684 {
		t.Errorf("%d requests, want at least 684", len(sent))
	}
	for _, status := range []int{200, 201, 204, 304, 400, 401, 403, 404, 409} {
		if statuses[status] < 5 {
			t.Errorf("%d responses with status %d, want at least 5", statuses[status], status)
		}
	}
	for _, invalid := range []request{
		{method: "GET", target: "/api/events/?limit=none"},
		{method: "GET", target: "/api/unknown/"},
		{method: "POST", target: "/api/events/", body: `{"name":"no slug"}`},
	} {
		if status, kind, _ := invalid.send(t, url); kind != "application/problem+json" {
			t.Errorf("prism does not report %s %s: %d %s", invalid.method, invalid.target, status, kind)
		}
	}
}

// startPrism starts prism as a proxy of a service and returns its URL.
func startPrism(t *testing.T, command, document, service string) string {
	t.Helper()
	free, err := freeport.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	address := free[0]
	_, port, _ := strings.Cut(address, ":")
	var log bytes.Buffer
	c := exec.Command(command, "proxy", "--errors", "--verboseLevel", "error", "--port", port, document, service)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		if err := c.Process.Kill(); err == nil {
			<-ended
		}
	})
	for range 600 {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("prism: %v\n%s", err, &log)
		case <-time.After(200 * time.Millisecond):
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address
		}
	}
	t.Fatal("prism does not listen after two minutes")
	return ""
}

func (r request) send(t *testing.T, server string) (status int, kind, body string) {
	t.Helper()
	in, err := http.DefaultClient.Do(r.to(server))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Body.Close()
	text, err := io.ReadAll(in.Body)
	if err != nil {
		t.Fatal(err)
	}
	return in.StatusCode, in.Header.Get("Content-Type"), string(text)
}

// prismRequests returns requests that are valid according to the document, in an order in
// which the records exist that they need.
func prismRequests(s *service) (list []request) {
	add := func(method, target, body string, header http.Header) {
		list = append(list, request{method, target, body, header})
	}
	known := http.Header{"If-None-Match": {"*"}}
	for _, c := range append([]httpapi.ServedCollection{{Path: s.api.Served().Root}}, s.api.Served().Collections...) {
		add("GET", c.Path, "", nil)
		add("GET", c.Path, "", known)
	}
	for _, c := range s.api.Served().Collections {
		for _, query := range []string{"?limit=2&offset=3&ordering=-id", "?limit=5&offset=10", "?limit=1000", "?offset=1000"} {
			add("GET", c.Path+query, "", nil)
		}
	}
	for offset := 0; offset < 300; offset += 10 {
		add("GET", fmt.Sprintf("/api/events/?limit=10&offset=%d&ordering=-start_date,name", offset), "", nil)
	}
	for _, collection := range []string{"directors", "awards", "films"} {
		for id := range 28 { // the last three do not exist
			path := fmt.Sprintf("/api/%s/%d/", collection, id+1)
			add("GET", path, "", nil)
			if id < 5 {
				add("GET", path, "", known)
			}
		}
	}
	filtered(add)
	created(add)
	changed(add)
	return list
}

// filtered adds requests of pages with filters and searches.
func filtered(add func(method, target, body string, header http.Header)) {
	for _, query := range []string{
		"status=released", "status__in=released,announced", "status__in=unknown", "published=true", "published=false", "director=1", "director=999",
		"director__in=1,2,3", "director__in=999", "awards=1&awards=3", "awards=999", "minutes=7", "minutes=7.0", "minutes=-.5e1", "minutes__gte=20",
		"minutes__range=2,7", "price=9.50", "price__in=1.5,2.50", "rating__lt=1e3", "released=1952-02-01", "released__gte=1960-01-01",
		"released__isnull=true", "released__isnull=false", "title__icontains=film", "title__icontains=%25", "premiere_at__gte=2021-10-27T19:15:00Z",
		"search=film,director", "search=nothing", "status=released&published=true&minutes__gte=3&search=1&ordering=-minutes,title&limit=3",
	} {
		add("GET", "/api/films/?"+query, "", nil)
	}
}

// created adds posts, valid and invalid.
func created(add func(method, target, body string, header http.Header)) {
	for n := range 30 {
		event := fmt.Sprintf(`{"name":"E %d","slug":"e","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00Z","published":true,"labels":[%d]}`,
			n, 1+n*900) // most labels do not exist
		add("POST", "/api/events/", event, nil)
		link := fmt.Sprintf(`{"title":"T","url":"https://x.example/%d","type":"t","logo":null,"author":%d}`, n, 1+n*900)
		add("POST", "/api/social-links/", link, nil)
		film := fmt.Sprintf(`{"title":"F","slug":"film-%d","minutes":%[1]d,"price":"-%[1]d.5","director":%d,"awards":[2],"rating":1.5}`,
			n+15, n+1) // slugs up to film-25 are taken
		add("POST", "/api/films/", film, nil)
	}
	for n := range 10 {
		add("POST", "/api/awards/", fmt.Sprintf(`{"name":"award %d"}`, n+20), nil)
		add("POST", "/api/directors/", fmt.Sprintf(`{"name":"D","slug":"d-%d","born":"1960-01-01","website":"https://x.example/"}`, n), nil)
	}
	for _, token := range []string{wrongToken, readersToken} {
		for range 5 {
			add("POST", "/api/awards/", `{"name":"refused"}`, http.Header{"Authorization": {"Bearer " + token}})
			add("DELETE", "/api/awards/1/", "", http.Header{"Authorization": {"Bearer " + token}})
		}
	}
}

// changed adds changes and deletions of records, which may be refused.
func changed(add func(method, target, body string, header http.Header)) {
	for id := 1; id <= 25; id++ {
		film := fmt.Sprintf("/api/films/%d/", id)
		put := fmt.Sprintf(`{"title":"F","slug":"film-%d","minutes":1,"price":"1","director":1}`, max(id, 5)) // four are taken
		add("PUT", film, put, nil)
		add("PATCH", film, fmt.Sprintf(`{"status":"announced","released":null,"director":%d}`, id+10), nil) // some do not exist
		add("GET", film, "", nil)
	}
	for id := 1; id <= 30; id += 2 {
		add("DELETE", fmt.Sprintf("/api/films/%d/", id), "", nil)
		add("DELETE", fmt.Sprintf("/api/films/%d/", id), "", nil) // 404
		add("DELETE", fmt.Sprintf("/api/awards/%d/", id), "", nil)
		add("DELETE", fmt.Sprintf("/api/directors/%d/", id), "", nil) // 409 if there is a film
		add("GET", "/api/films/", "", nil)
	}
}
