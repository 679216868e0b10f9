package main

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// TestFaults checks each form of a fault by a response to the second page of the books, which
// the documentation of cataloguetest describes.
func TestFaults(t *testing.T) {
	page := func(a answer) (p pagination.Envelope[schema.Record]) {
		_ = json.Unmarshal([]byte(a.body), &p)
		return p
	}
	tests := []struct {
		reason, fault string
		check         func(a, whole answer) bool
	}{
		{"status", "503", func(a, _ answer) bool { return a.status == 503 && a.body == "" }},
		{"status with JSON", "500 `{\"detail\":\"no disk\"}`", func(a, _ answer) bool {
			return a.status == 500 && a.body == `{"detail":"no disk"}` && a.header.Get("Content-Type") == "application/json"
		}},
		{"status with text", `429 "not so fast\n"`, func(a, _ answer) bool { return a.status == 429 && a.body == "not so fast\n" }},
		{"header before a number", `header X-Shop 5 nth=1`, func(a, whole answer) bool {
			return a.header.Get("X-Shop") == "5" && a.body == whole.body
		}},
		{"header with a quoted value", `header X-Shop "a=b 10%"`, func(a, _ answer) bool { return a.header.Get("X-Shop") == "a=b 10%" }},
		{"header removed", "header Content-Type 100%", func(a, whole answer) bool {
			return len(a.header["Content-Type"]) == 0 && len(whole.header["Content-Type"]) == 1
		}},
		{"rate limit", "rate-limit 1500ms", func(a, _ answer) bool { return a.status == 429 && a.header.Get("Retry-After") == "2" }},
		{"late", "late 503", func(a, _ answer) bool { return a.status == 503 }},
		{"delay", "delay 1ms", func(a, whole answer) bool { return a.body == whole.body }},
		{"cut", "cut", func(a, _ answer) bool { return a.status == 0 && a.err != nil }},
		{"cut after", "cut-after 10", func(a, whole answer) bool { return a.status == 200 && a.err != nil && a.body == whole.body[:10] }},
		{"truncate", "truncate 10", func(a, whole answer) bool { return a.status == 200 && a.err == nil && a.body == whole.body[:10] }},
		{"link to itself", "next-is-self", func(a, _ answer) bool { return strings.Contains(page(a).Next, "offset=2") }},
		{"link to another host", "next-host elsewhere.example", func(a, _ answer) bool {
			return strings.HasPrefix(page(a).Next, "http://elsewhere.example/api/books/")
		}},
		{"missing row", "missing-row", func(a, _ answer) bool { return len(page(a).Records) == 1 }},
		{"repeated row", "repeated-row", func(a, _ answer) bool {
			return len(page(a).Records) == 3 && page(a).Records[0].ID == page(a).Records[1].ID
		}},

		{"method and path", "GET /api/books/ 503", func(a, _ answer) bool { return a.status == 503 }},
		{"another method", "POST /api/books/ 503", func(a, _ answer) bool { return a.status == 200 }},
		{"pattern of the path", "/api/*/ 503", func(a, _ answer) bool { return a.status == 503 }},
		{"another path", "/api/ 503", func(a, _ answer) bool { return a.status == 200 }},
		{"second request", "503 nth=2", func(a, _ answer) bool { return a.status == 200 }},
		{"twice", "503 times=2", func(a, _ answer) bool { return a.status == 503 }},
		{"all", "503 100%", func(a, _ answer) bool { return a.status == 503 }},
		{"white space", "  GET \t/api/books/   503  ", func(a, _ answer) bool { return a.status == 503 }},
	}
	const path = "/api/books/?limit=2&offset=2&ordering=id&format=api"
	s := startControl(t)
	whole := ask(t, "GET "+s.base+path, "")
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			body, err := json.Marshal(map[string]string{"fault": tt.fault})
			if err != nil {
				t.Fatal(err)
			}
			ask(t, "POST "+s.control+"/reset/", "")
			if a := ask(t, "POST "+s.control+"/faults/", string(body)); a.status != 204 {
				t.Fatalf("%s: %d %s", tt.fault, a.status, a.body)
			}
			a := ask(t, "GET "+s.base+path, "")
			if !tt.check(a, whole) {
				t.Errorf("%s: %+v", tt.fault, a)
			}
		})
	}
}

// A client receives the header and the beginning of a body that stops.
func TestStallAfter(t *testing.T) {
	s := start(t, few("-fail", "/api/books/ stall-after 9")...)
	resp, err := http.Get(s.base + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 9)
	if _, err := io.ReadFull(resp.Body, part); err != nil || string(part) != `{"count":` || resp.ContentLength < 20 {
		t.Errorf("%q, %v, length %d", part, err, resp.ContentLength)
	}
	resp.Body.Close() // the program waits for clients that do not
}

// TestShare checks that a share is that of cataloguetest: about its fraction of the requests,
// and the same ones in each run.
func TestShare(t *testing.T) {
	failures := func() (which []int) {
		s := start(t, few("-fail", "503 10%")...)
		for i := range 200 {
			if ask(t, "GET "+s.base+"/api/", "").status == 503 {
				which = append(which, i)
			}
		}
		return which
	}
	first, again := failures(), failures()
	if len(first) < 10 || len(first) > 35 || !slices.Equal(first, again) {
		t.Errorf("of 200 requests, %v and then %v failed, want about 20, and the same", first, again)
	}
}

// TestDelay checks that -delay applies to each request, including those that fail.
func TestDelay(t *testing.T) {
	const delay = 20 * time.Millisecond
	s := start(t, few("-delay", delay.String(), "-fail", "/api/books/ 503")...)
	for path, status := range map[string]int{"/api/": 200, "/api/books/": 503} {
		before := time.Now()
		a := ask(t, "GET "+s.base+path, "")
		if took := time.Since(before); took < delay || a.status != status {
			t.Errorf("%s: %d after %v, want %d after %v or more", path, a.status, took, status, delay)
		}
	}
}

func TestFormExamples(t *testing.T) {
	for _, f := range forms() {
		if _, err := parseFault(f.example); err != nil {
			t.Errorf("%s: %v", f.example, err)
		}
	}
}
