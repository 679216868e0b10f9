package main

import (
	"bytes"
	"log"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIgnored checks that names in requests that nothing reads are printed, with the spelling that works,
// and that this spelling works.
func TestIgnored(t *testing.T) {
	const file = `{"posts":[{"id":1,"title":"Rope","views":3,"author":{"city":"Bonn"}},{"id":2,"title":"Vertigo","views":20,"author":{"city":"Rome"}}],
"comments":[{"id":1,"postId":1}]}`
	const (
		offsets = "offsets"
		numbers = "numbers"
		cursors = "cursors"
	)
	for _, tt := range []struct{ pages, request, want string }{
		{offsets, "posts/?_sort=views&_order=desc", "_sort=views&_order=desc: write ordering=-views"},
		{offsets, "posts/?_order=desc&_sort=views", "_sort=views&_order=desc: write ordering=-views"},
		{offsets, "posts/?_sort=author.city,views&_order=asc,desc", "_sort=author.city,views&_order=asc,desc: write ordering=author__city,-views"},
		{offsets, "posts/?_sort=-views", "_sort=-views: write ordering=-views"},
		{offsets, "posts/?_order=desc", "_order: did you mean ordering?"},
		{offsets, "posts/?_page=2&_limit=1", "_page=2&_limit=1: write offset=1&limit=1"},
		{offsets, "posts/?_limit=1", "_limit=1: write limit=1"},
		{offsets, "posts/?_page=1", "_page=1: write limit=10"},
		{offsets, "posts/?_page=2", "_page=2: write offset=10&limit=10"},
		{offsets, "posts/?_page=2&_per_page=1", "_page=2&_per_page=1: write offset=1&limit=1"},
		{offsets, "posts/?_start=1&_end=2", "_start=1&_end=2: write offset=1&limit=1"},
		{offsets, "posts/?_start=1&_limit=1", "_limit=1&_start=1: write offset=1&limit=1"},
		{numbers, "posts/?_page=2&_limit=1", "_page=2&_limit=1: write page=2&page_size=1"},
		{cursors, "posts/?_limit=1", "_limit=1: write page_size=1"},
		{cursors, "posts/?_page=2", "_page"}, // there is no such place
		{offsets, "posts/?q=rope", "q=rope: write search=rope"},
		{offsets, "posts/?views_gte=4", "views_gte=4: write views__gte=4"},
		{offsets, "posts/?views_lt=4", "views_lt=4: write views__lt=4"},
		{offsets, "posts/?views:gt=4", "views:gt=4: write views__gt=4"},
		{offsets, "posts/?views:eq=3", "views:eq=3: write views=3"},
		{offsets, "posts/?title_like=op", "title_like=op: write title__icontains=op"},
		{offsets, "posts/?author.city=Rome", "author.city=Rome: write author__city=Rome"},
		{offsets, "posts/?author.city_like=om%20e", "author.city_like=om e: write author__city__icontains=om+e"},
		{offsets, "posts/?views_ne=3", "views_ne: did you mean views?"},
		{offsets, "posts/?titel=Rope", "titel: did you mean title?"},
		{offsets, "posts/?ordering=veiws", "veiws: did you mean views?"},
		{offsets, "posts/?ordering=q", "q\n"},
		{offsets, "posts/?%1b%5b2J", `\x1b[2J`}, // a terminal does not execute it
		{offsets, "posts/?_embed=comments&views__gte=4&limit=1&search=rope&ordering=-views&format=json", ""},
		{offsets, "comments/1/?_expand=post", ""},
		{offsets, "comments/1/?_expand=psot", "_expand=psot"},
		{offsets, "comments/?_expand=posts", "_expand=posts"},
		{offsets, "posts/?_expand=post", "_expand=post"}, // comments have a postId
		{offsets, "posts/?_embed=coments", "_embed=coments"},
		{offsets, "comments/?_embed=posts", "_embed=posts"},
		{offsets, "posts/1/?_embed=comments&_embed=tags", "_embed=tags"},
		{offsets, "nothing/?titel=Rope", ""},
	} {
		var b bytes.Buffer
		s := serveFile(t, "db.json", file, "-open", "-pages", tt.pages)
		s.p.errorLog = log.New(&b, "", 0)
		for range 2 {
			s.ask("GET", tt.request, "")
			if err := s.p.reset(); err != nil {
				t.Fatal(err)
			}
		}
		path, _, _ := strings.Cut(tt.request, "?")
		want := ""
		if tt.want != "" {
			want = "GET /api/" + path + ": nothing reads " + tt.want
		}
		first, rest, _ := strings.Cut(b.String(), "\n")
		if tt.want == "" && first != "" || !strings.HasPrefix(b.String(), want) || strings.Contains(rest, tt.want) && rest != "" {
			t.Errorf("-pages %s, %s: printed %q, want %q once", tt.pages, tt.request, b.String(), want)
		}
		_, spelling, ok := strings.Cut(first, ": write ")
		if b.Reset(); ok {
			if code, body := s.ask("GET", path+"?"+spelling, ""); code != 200 && !strings.Contains(spelling, "page=2") || b.Len() > 0 {
				t.Errorf("%s: %d %s, and %q is printed", spelling, code, body, b.String())
			}
		}
	}
}

// TestIgnoredOnce checks that the number of names that are printed is bounded, and that each is printed
// once.
func TestIgnoredOnce(t *testing.T) {
	var b bytes.Buffer
	s := serveFile(t, "db.json", smallFile, "-open")
	s.p.errorLog = log.New(&b, "", 0)
	var all sync.WaitGroup
	for n := range 30 {
		query := "posts/?"
		for i := range 10 {
			query += "&x" + string(rune('a'+n%26)) + string(rune('a'+i)) + "=1"
		}
		for range 2 {
			all.Go(func() { s.ask("GET", query, "") })
		}
	}
	all.Wait()
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	seen := map[string]bool{}
	for _, line := range lines {
		seen[line] = true
	}
	if len(lines) != maxIgnored || len(seen) != len(lines) {
		t.Errorf("%d lines, of which %d differ, want %d", len(lines), len(seen), maxIgnored)
	}
}

// TestIgnoredWithoutFile checks the documented collections, those of /v1/, and members of bodies.
func TestIgnoredWithoutFile(t *testing.T) {
	c, err := parse([]string{"-open", "-events", "3", "-others", "0"}, new(bytes.Buffer))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	p, err := newProgram(t.Context(), c, log.New(&b, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		p.ServeHTTP(httptest.NewRecorder(), r)
	}
	send("GET", "/api/events/?format=api&ordering=-start_date&offset=1&limit=1", "")
	send("GET", "/v1/stories/?genre=crime&pages__lte=9&search=fleuve&ordering=-price", "")
	send("GET", "/v1/stories/?pages_lte=9", "")
	send("POST", "/api/events/", `{"nmae":"x","q":"x","_sort":1}`)
	want := `GET /v1/stories/: nothing reads pages_lte=9: write pages__lte=9
POST /api/events/: nothing reads nmae: did you mean name?
`
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Error(cmp.Diff(want, got))
	}
	if n := strings.Count(b.String(), "\n"); n != 4 {
		t.Errorf("%d lines: %s", n, b.String())
	}
}
