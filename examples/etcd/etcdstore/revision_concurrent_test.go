package etcdstore_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

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
