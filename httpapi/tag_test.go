package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

// tagOf sends a request and returns the tag of the response.
func tagOf(t *testing.T, h http.Handler, c call) string {
	t.Helper()
	got := c.do(h)
	tag := got.Header["Etag"]
	if got.Status != 200 || len(tag) < 3 || tag[0] != '"' || strings.Count(tag, `"`) != 2 || !strings.HasSuffix(tag, `"`) {
		t.Fatalf("%s: %d with tag %s", c.target, got.Status, tag)
	}
	return tag
}

// TestETagKey checks that handlers with the same key have the same tags of pages, and that those
// with other keys, or none, have others. The tag of a record is the same in all handlers.
func TestETagKey(t *testing.T) {
	tag := func(target, key string, revision uint64) string {
		films := newStub(50)
		films.revision = revision
		return tagOf(t, newStubHandler(t, Options{ETags: true, ETagKey: key}, films), call{target: target})
	}
	for _, test := range []struct {
		reason, target string
		key            string
		revision       uint64
		equal          bool
	}{
		{"same key and revision", "/api/films/?offset=21", "house", 7, true},
		{"other revision", "/api/films/?offset=21", "house", 8, false},
		{"other key", "/api/films/?offset=21", "housf", 7, false},
		{"no key", "/api/films/?offset=21", "", 7, false},
		{"the root", "/api/", "house", 8, true},
		{"the root, other key", "/api/", "housf", 7, false},
		{"a record", "/api/films/1/", "", 8, true},
	} {
		if got, base := tag(test.target, test.key, test.revision), tag(test.target, "house", 7); (got == base) != test.equal {
			t.Errorf("%s: tags %s and %s, want equal: %t", test.reason, got, base, test.equal)
		}
	}
	if a, b := tag("/api/films/", "", 7), tag("/api/films/", "", 7); a == b {
		t.Errorf("two handlers without a key have the tag %s", a)
	}
}

// A 304 needs no List and few allocations.
func TestNotModified(t *testing.T) {
	lists := 0
	films := newStub(50)
	films.on = func(_ context.Context, method string) error {
		if method == "List" {
			lists++
		}
		return nil
	}
	h := newStubHandler(t, Options{ETags: true}, films)
	c := call{target: "/api/films/?offset=20"}
	c.header = ifNoneMatch(tagOf(t, h, c))
	lists = 0
	r, w := c.request(), &discard{http.Header{}}
	got := testing.AllocsPerRun(100, func() { clear(w.header); h.ServeHTTP(w, r) })
	if got > 3 || lists > 0 { // two tags and a value
		t.Errorf("%v allocations and %d calls of List, want at most 3 and none", got, lists)
	}
}

// newTagged returns the small catalogue with the given records, and a handler with tags.
func newTagged(t *testing.T) (http.Handler, *catalogue.Catalogue) {
	t.Helper()
	c := newSmallCatalogue(t)
	h, err := New(c, Options{Authorizer: AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	return h, c
}

// cachingClient requests a page and keeps it with its tag.
type cachingClient struct {
	h      http.Handler
	target string
	tag    string
	body   string
	same   int // number of responses of 304
}

// ask requests the page again and returns the client's current one.
func (c *cachingClient) ask(t *testing.T) string {
	request := call{target: c.target}
	if c.tag != "" {
		request.header = ifNoneMatch(c.tag)
	}
	got := request.do(c.h)
	switch got.Status {
	case 304:
		c.same++
	case 200:
		c.tag, c.body = got.Header["Etag"], got.Body
	default:
		t.Errorf("%d %s, want a page", got.Status, got.Body)
	}
	return c.body
}

// After every kind of write, a client with a tag gets the new page. That of a clone is not
// affected.
func TestWritesChangeTag(t *testing.T) {
	genres := catalogue.Define[genre]("genres", catalogue.Options{})
	rename := func(g *genre) error { g.Name = "new"; return nil }
	for reason, write := range map[string]func(*catalogue.Catalogue, *catalogue.Collection[genre]) error{
		"Insert": func(_ *catalogue.Catalogue, g *catalogue.Collection[genre]) error {
			_, err := g.Insert(genre{Name: "new"})
			return err
		},
		"Upsert": func(_ *catalogue.Catalogue, g *catalogue.Collection[genre]) error {
			_, err := g.Upsert(genre{ID: 2, Name: "new"})
			return err
		},
		"Update": func(_ *catalogue.Catalogue, g *catalogue.Collection[genre]) error { return g.Update(3, rename) },
		"Batch": func(_ *catalogue.Catalogue, g *catalogue.Collection[genre]) error {
			return g.Batch(func(tx *catalogue.Tx[genre]) error { return tx.Update(1, rename) })
		},
		"Load": func(c *catalogue.Catalogue, _ *catalogue.Collection[genre]) error {
			return c.Load(strings.NewReader(`{"genres":[{"id":9,"name":"new","position":0}]}`), catalogue.LoadOptions{})
		},
		"POST, PATCH and DELETE": nil,
	} {
		h, c := newTagged(t)
		untouched := &cachingClient{h: h, target: "/api/genres/"}
		clone := c.Clone()
		h, err := New(clone, Options{Authorizer: AllowAll, ETags: true})
		if err != nil {
			t.Fatal(err)
		}
		client := &cachingClient{h: h, target: "/api/genres/"}
		before := client.ask(t)
		if untouched.ask(t) != before || client.ask(t) != before || client.same != 1 {
			t.Fatalf("%s: the second response is not a 304", reason)
		}
		check := func() {
			for range 3 {
				if page := client.ask(t); strings.Count(page, `"new"`) != 1 {
					t.Errorf("%s: the page is %s, want the new record", reason, page)
				}
			}
		}
		if write != nil {
			if err := write(clone, mustIn(genres, clone)); err != nil {
				t.Fatalf("%s: %v", reason, err)
			}
			check()
		} else {
			send(h, "POST", "/api/genres/", `{"name":"new"}`)
			check()
			send(h, "PATCH", "/api/genres/4/", `{"position":9}`)
			if page := client.ask(t); !strings.Contains(page, `"position":9`) {
				t.Errorf("after a PATCH: %s", page)
			}
			send(h, "DELETE", "/api/genres/4/", "")
			if page := client.ask(t); page != before {
				t.Errorf("after a DELETE: %s", page)
			}
		}
		if untouched.ask(t) != before || untouched.same != 1 {
			t.Errorf("%s: a write to the clone changed the tag of the other catalogue", reason)
		}
	}
}

// A read that begins after an Insert has returned includes its record, and no client gets
// fewer records than before.
func TestConcurrentReadsAndWrites(t *testing.T) {
	const readers, inserts = 3, 60
	h, c := newTagged(t)
	posters := mustIn(catalogue.Define[poster]("posters", catalogue.Options{}), c)
	if err := posters.Delete(math.MaxInt - 1); err != nil { // so that it is not the last of the list
		t.Fatal(err)
	}
	var inserted, reads, same atomic.Int64
	var done atomic.Bool
	var group sync.WaitGroup
	for range readers {
		group.Go(func() {
			client := &cachingClient{h: h, target: "/api/posters/?limit=1"}
			defer func() { same.Add(int64(client.same)) }()
			for last := 0; !done.Load(); reads.Add(1) {
				atLeast := int(inserted.Load())
				var page struct{ Count int }
				if err := json.Unmarshal([]byte(client.ask(t)), &page); err != nil {
					t.Error(err)
				}
				if page.Count < atLeast || page.Count < last {
					t.Errorf("%d records after %d were inserted and %d were read", page.Count, atLeast, last)
				}
				last = page.Count
			}
		})
	}
	for k := 1; k <= inserts; k++ {
		if _, err := posters.Upsert(poster{ID: k}); err != nil {
			t.Error(err)
		}
		inserted.Store(int64(k))
		// Every other time, wait until some clients have read the page again.
		for until := reads.Load() + 6*readers; k%2 == 0 && reads.Load() < until; {
			runtime.Gosched()
		}
	}
	done.Store(true)
	group.Wait()
	if same.Load() == 0 {
		t.Errorf("none of %d responses is a 304", reads.Load())
	}
}

// writingBody is a JSON body that performs another write before it is read.
type writingBody struct {
	io.Reader
	write func()
}

func (b *writingBody) Read(p []byte) (int, error) {
	if b.write != nil {
		b.write()
		b.write = nil
	}
	return b.Reader.Read(p)
}

// TestNoLostUpdate changes the record after the request was checked for the first time,
// while its body is read. Only a comparison at the instant of the write detects that.
func TestNoLostUpdate(t *testing.T) {
	for _, method := range []string{"PUT", "PATCH"} {
		h, _ := newTagged(t)
		r := call{method: method, target: "/api/genres/1/", body: "{}"}.request()
		r.Header.Set("If-Match", tagOf(t, h, call{target: "/api/genres/1/"}))
		r.ContentLength, r.Body = -1, io.NopCloser(&writingBody{strings.NewReader(`{"name":"mine"}`), func() {
			if status, body := send(h, "PATCH", "/api/genres/1/", `{"name":"theirs"}`); status != 200 {
				t.Error(status, body)
			}
		}})
		if got := serve(h, r); got.Status != 412 {
			t.Errorf("%s after another write: %d %s, want 412", method, got.Status, got.Body)
		}
		if got := get(h, "/api/genres/1/"); !strings.Contains(got.Body, `"theirs"`) {
			t.Errorf("%s: the record is %s, want that of the other write", method, got.Body)
		}
	}
}

// TestConcurrentIncrements increments a number with GET and PATCH from several goroutines.
// Each repeats its request after a 412. No increment is lost.
func TestConcurrentIncrements(t *testing.T) {
	const writers, increments = 4, 25
	h, _ := newTagged(t)
	increment := func() (status int) {
		got := get(h, "/api/genres/1/")
		var genre struct{ Position int }
		if err := json.Unmarshal([]byte(got.Body), &genre); err != nil {
			t.Error(err)
		}
		return call{
			method: "PATCH", target: "/api/genres/1/", body: fmt.Sprintf(`{"position":%d}`, genre.Position+1),
			header: http.Header{"If-Match": {got.Header["Etag"]}},
		}.do(h).Status
	}
	var running sync.WaitGroup
	for range writers {
		running.Go(func() {
			for done := 0; done < increments && !t.Failed(); {
				switch status := increment(); status {
				case 200:
					done++
				case 412:
				default:
					t.Errorf("%d, want 200 or 412", status)
				}
			}
		})
	}
	running.Wait()
	want := fmt.Sprintf(`"position":%d}`, 2+writers*increments)
	if got := get(h, "/api/genres/1/").Body; !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
