package etcdstore_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

// taggedPages are pages of films, each of which all writes to films change.
var taggedPages = []string{
	"/api/films/", "/api/films/?limit=1", "/api/films/?ordering=-title,minutes&offset=1&limit=2",
	"/api/films/?minutes__gte=90", "/api/films/?status=released&ordering=slug",
}

const threeFilms = `{"directors":[{"id":1,"name":"Anna Rossi","slug":"anna"}],"genres":[{"id":1,"name":"drama"},{"id":2,"name":"comedy"}],"films":[
{"id":1,"title":"C","slug":"c","minutes":90,"price":"1.00","director":1,"genres":[1,2],"status":"released","createdAt":"2024-01-01T00:00:00Z"},
{"id":2,"title":"B","slug":"b","minutes":80,"price":"1.00","director":1,"genres":[1],"status":"released","createdAt":"2024-01-01T00:00:00Z"},
{"id":3,"title":"A","slug":"a","minutes":99,"price":"1.00","director":1,"genres":[],"status":"released","createdAt":"2024-01-01T00:00:00Z"}]}`

// taggedWrites change films. The first one makes the others possible.
var taggedWrites = []struct{ reason, method, target, body string }{
	{"a file", "LOAD", "", threeFilms},
	{"a new record", "POST", "/api/films/", newFilm},
	{"a change of a field", "PATCH", "/api/films/2/", `{"title":"Z"}`},
	{"other values in all fields", "PUT", "/api/films/1/", `{"title":"Y","slug":"y","minutes":1,"price":"2.00","director":1,"genres":[2]}`},
	{"a deletion", "DELETE", "/api/films/3/", ""},
	{"a deletion of a genre, which makes a list shorter", "DELETE", "/api/genres/2/", ""},
	{"the same file again", "LOAD", "", threeFilms},
}

// TestTags checks that a page has the same tag on every node and on one that is opened
// later, and that a write through any node changes it on all nodes.
func TestTags(t *testing.T) {
	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	seen := map[string]string{} // by tag, the write after which it was new
	tags := n.checkTags(t, seen, "nothing")
	for i := range 3 * len(taggedWrites) { // each through each node
		write, node := taggedWrites[i%len(taggedWrites)], (i+i/len(taggedWrites))%3
		reason := fmt.Sprintf("%s through node %d", write.reason, node+1)
		if write.method == "LOAD" {
			n.load(t, node, write.body)
		} else if w := send(n.handlers[node], write.method, write.target, write.body); w.Code >= 300 {
			t.Fatalf("%s: %s %s: %d %s", reason, write.method, write.target, w.Code, w.Body)
		}
		n.checkOutdated(t, tags, reason)
		tags = n.checkTags(t, seen, reason)
	}
	n.compare(t)
}

// checkTags checks the tags of all pages, which must be new, and returns them.
func (n *nodes) checkTags(t *testing.T, seen map[string]string, reason string) (tags map[string]string) {
	t.Helper()
	fresh := n.open(t, 2)
	later, err := fresh.NewHandler(httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		t.Fatal(err)
	}
	tags = map[string]string{}
	for _, page := range taggedPages {
		want := send(later, "GET", page, "")
		tag := want.Header().Get("ETag")
		if before, ok := seen[tag]; ok || tag == "" {
			t.Errorf("after %s: %s has tag %q, which was used after %q", reason, page, tag, before)
		}
		seen[tag], tags[page] = reason, tag
		for i, h := range n.handlers {
			got := send(h, "GET", page, "")
			if diff := cmp.Diff([]string{tag, want.Body.String()}, []string{got.Header().Get("ETag"), got.Body.String()}); diff != "" {
				t.Errorf("after %s: %s: tag and body on a new node and on node %d (-new +node):\n%s", reason, page, i+1, diff)
			}
			if got := send(h, "GET", page, "", "If-None-Match", tag); got.Code != http.StatusNotModified || got.Body.Len() > 0 {
				t.Errorf("after %s: %s with its tag: %d %s on node %d, want 304", reason, page, got.Code, got.Body, i+1)
			}
		}
	}
	fresh.Close()
	return tags
}

// checkOutdated checks that no node has a page with one of these tags.
func (n *nodes) checkOutdated(t *testing.T, tags map[string]string, reason string) {
	t.Helper()
	for page, tag := range tags {
		for i, h := range n.handlers {
			if got := send(h, "GET", page, "", "If-None-Match", tag); got.Code != http.StatusOK || got.Header().Get("ETag") == tag {
				t.Errorf("after %s: %s with the tag before: %d on node %d, want 200 and another tag", reason, page, got.Code, i+1)
			}
		}
	}
}

// TestTagsOfOtherCollections checks that writes change the tags of no other collection.
func TestTagsOfOtherCollections(t *testing.T) {
	n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	n.load(t, 0, threeFilms)
	for _, page := range []string{"/api/", "/api/genres/", "/api/directors/?search=anna"} {
		tag := send(n.handlers[0], "GET", page, "").Header().Get("ETag")
		for i := range n.handlers {
			expect(t, n.handlers[i], http.StatusOK, "PATCH", "/api/films/1/", fmt.Sprintf(`{"minutes":%d}`, i))
			for j, h := range n.handlers {
				if got := send(h, "GET", page, "", "If-None-Match", tag); got.Code != http.StatusNotModified {
					t.Errorf("%s after a write to films: %d on node %d, want 304", page, got.Code, j+1)
				}
			}
		}
	}
	n.compare(t)
}

// TestTagsUnderWrites reads pages of all nodes while other goroutines write through all
// nodes: pages with the same tag are the same, wherever they come from.
func TestTagsUnderWrites(t *testing.T) {
	for _, row := range []struct {
		reason string
		write  func(n *nodes, t *testing.T)
	}{
		{"writes of records", func(n *nodes, t *testing.T) {
			var writers sync.WaitGroup
			for i := range n.handlers {
				writers.Go(func() { n.writeFilms(t, i, 40) })
			}
			writers.Wait()
		}},
		{"files, which replace the replicas", func(n *nodes, t *testing.T) {
			other := strings.ReplaceAll(threeFilms, `"title":"`, `"title":"other `)
			for i := range 30 {
				n.load(t, i%3, []string{other, threeFilms}[i%2])
				expect(t, n.handlers[(i+1)%3], http.StatusCreated, "POST", "/api/films/", newFilm)
			}
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
			n.load(t, 0, threeFilms)
			var readers sync.WaitGroup
			var written atomic.Bool
			bodies := taggedBodies{byTag: map[taggedURL]taggedBody{}}
			for i := range 6 {
				readers.Go(func() {
					for step := i; !written.Load(); step++ {
						bodies.read(t, n.handlers[i%3], i%3, taggedPages[step%len(taggedPages)])
					}
				})
			}
			row.write(n, t)
			written.Store(true)
			readers.Wait()
			if bodies.shared == 0 {
				t.Error("no tag was read from two nodes")
			}
			t.Logf("%d pages without a tag, %d tags, %d pages with a tag of another node", bodies.untagged, len(bodies.byTag), bodies.shared)
			n.compare(t)
		})
	}
}

// writeFilms creates, changes and deletes films and genres, starting with a node.
func (n *nodes) writeFilms(t *testing.T, writer, steps int) {
	for step := range steps {
		h := n.handlers[(writer+step)%3]
		name := fmt.Sprintf("w%d-%d", writer, step)
		genre := expect(t, h, http.StatusCreated, "POST", "/api/genres/", fmt.Sprintf(`{"name":%q}`, name))
		film := expect(t, h, http.StatusCreated, "POST", "/api/films/",
			fmt.Sprintf(`{"title":%q,"slug":%q,"minutes":%d,"price":"1.00","director":1,"genres":[%d],"status":"released"}`, name, name, 90+step%5, genre))
		expect(t, h, http.StatusOK, "PATCH", "/api/films/2/", fmt.Sprintf(`{"title":%q}`, name))
		expect(t, h, http.StatusNoContent, "DELETE", fmt.Sprintf("/api/genres/%d/", genre), "")
		if step%2 == 0 {
			expect(t, h, http.StatusNoContent, "DELETE", fmt.Sprintf("/api/films/%d/", film), "")
		}
	}
}

// taggedBodies are the bodies that were read with a tag.
type taggedBodies struct {
	mu       sync.Mutex
	byTag    map[taggedURL]taggedBody
	untagged int // pages during a write
	shared   int // pages with a tag that was first read from another node
}

type taggedURL struct{ url, tag string }

type taggedBody struct {
	node int
	body string
}

// read reads a page and compares it with the one before that had the same tag.
func (b *taggedBodies) read(t *testing.T, h http.Handler, node int, url string) {
	w := send(h, "GET", url, "")
	tag, body := w.Header().Get("ETag"), w.Body.String()
	if w.Code != http.StatusOK {
		t.Errorf("GET %s: %d %s", url, w.Code, body)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if tag == "" {
		b.untagged++
		return
	}
	before, ok := b.byTag[taggedURL{url, tag}]
	switch {
	case !ok:
		b.byTag[taggedURL{url, tag}] = taggedBody{node, body}
	case before.body != body:
		t.Errorf("%s with tag %s:\nnode %d: %.1000s\nnode %d: %.1000s", url, tag, before.node+1, before.body, node+1, body)
	case before.node != node:
		b.shared++
	}
}
