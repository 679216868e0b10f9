package httpapi

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// seed is the seed of hashes in tests.
var seed = maphash.MakeSeed()

// fill puts a page into a cache as two requests for it do.
func fill(c *pageCache, k pageKey, revision uint64, body []byte) place {
	at := k.place(seed, revision)
	for range 2 {
		c.put(&at, body, contentLength(body), 0)
	}
	return at
}

// checkBudget counts what a cache holds.
func checkBudget(t *testing.T, c *pageCache, budget int) (pages int) {
	t.Helper()
	sizes := [2]int{}
	for i, generation := range []map[uint64]*keptPage{c.young, c.old} {
		for hash, p := range generation {
			sizes[i] += p.size()
			if p.hash != hash {
				t.Errorf("%+v is at %d", p.key, hash)
			}
			if i == 1 && c.young[hash] != nil {
				t.Errorf("%+v is in both generations", p.key)
			}
		}
	}
	if sizes[0] != c.size {
		t.Errorf("the young take %d bytes, %d were counted", sizes[0], c.size)
	}
	if total := sizes[0] + sizes[1] + cacheOverhead; total > budget {
		t.Errorf("%d bytes are taken, of %d", total, budget)
	}
	return len(c.young) + len(c.old)
}

func TestCacheStaysInItsBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	news := &route{path: "/api/news/"}
	for _, budget := range []int{cacheOverhead + 1, 20_000, 200_000, defaultMaxCache} {
		c := newPageCache(budget)
		pages := 0
		for i := range 3000 {
			k := pageKey{route: news, query: fmt.Sprint(rng.IntN(500)), origin: origin{host: "host.example"}}
			at := fill(c, k, uint64(i/100), make([]byte, rng.IntN(rng.IntN(budget)+1)))
			c.get(&at)
			if i%10 == 0 {
				at := pageKey{route: news, query: fmt.Sprint(rng.IntN(500)), origin: origin{host: "host.example"}}.place(seed, uint64(i/100))
				c.get(&at)
			}
			if i%50 == 0 {
				pages = max(pages, checkBudget(t, c, budget))
			}
		}
		if pages == 0 && budget >= 20_000 {
			t.Errorf("nothing was kept in %d bytes", budget)
		}
	}
}

// TestCacheTakesItsBudget counts the heap, since sizes are an estimate: of many
// empty pages, whose bookkeeping is most of them, and of pages of which the
// allocator wastes most.
func TestCacheTakesItsBudget(t *testing.T) {
	const budget = defaultMaxCache
	news := &route{path: "/api/news/"}
	for _, row := range []struct {
		reason string
		size   int
		pages  int
	}{
		{"empty pages", len(emptyPage), 40_000},
		{"just over a size class", 2048 + 1, 8_000},
		{"just over the largest size class", 32<<10 + 1, 500},
		{"as large as can be kept", 150 << 10, 100},
	} {
		t.Run(row.reason, func(t *testing.T) {
			before := heap()
			c := newPageCache(budget)
			for i := range row.pages {
				fill(c, pageKey{route: news, query: fmt.Sprint(i), origin: origin{host: "host.example"}}, 1, make([]byte, row.size))
			}
			took := heap() - before
			if took > budget {
				t.Errorf("%d bytes of heap, of %d", took, budget)
			}
			if took < budget/4 {
				t.Errorf("only %d bytes of heap, of %d: a budget that keeps little", took, budget)
			}
			runtime.KeepAlive(c)
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // what the first one left to be swept
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A page that is asked for all the time stays while others come and go.
func TestCacheKeepsWhatIsAskedFor(t *testing.T) {
	c := newPageCache(200_000)
	news := &route{path: "/api/news/"}
	favourite := fill(c, pageKey{route: news, query: "favourite"}, 1, make([]byte, 5000))
	first := fill(c, pageKey{route: news, query: "0"}, 1, make([]byte, 5000))
	for i := range 1000 {
		fill(c, pageKey{route: news, query: fmt.Sprint(1 + i)}, 1, make([]byte, 5000))
		if c.get(&favourite) == nil {
			t.Fatalf("gone after %d others", 1+i)
		}
	}
	if c.get(&first) != nil {
		t.Error("what nobody asked for is still there")
	}
}

func TestCachePlaces(t *testing.T) {
	news, wires := &route{path: "/api/news/"}, &route{path: "/api/wires/"}
	kept := pageKey{route: news, query: "a=1", origin: origin{host: "host.example"}, prefix: "/shop", indent: 2}
	for _, row := range []struct {
		reason   string
		key      pageKey
		revision uint64
		found    bool
	}{
		{"the same", kept, 7, true},
		{"an older revision", kept, 6, false},
		{"a later revision", kept, 8, false},
		{"another route", pageKey{wires, "a=1", origin{"host.example", false}, "/shop", 2}, 7, false},
		{"another query", pageKey{news, "a=2", origin{"host.example", false}, "/shop", 2}, 7, false},
		{"another host", pageKey{news, "a=1", origin{"host.example:80", false}, "/shop", 2}, 7, false},
		{"another prefix", pageKey{news, "a=1", origin{"host.example", false}, "", 2}, 7, false},
		{"another scheme", pageKey{news, "a=1", origin{"host.example", true}, "/shop", 2}, 7, false},
		{"another indentation", pageKey{news, "a=1", origin{"host.example", false}, "/shop", 0}, 7, false},
		{"the same texts, cut elsewhere", pageKey{news, "a=1host", origin{".example", false}, "/shop", 2}, 7, false},
	} {
		c := newPageCache(defaultMaxCache)
		was := fill(c, kept, 7, []byte("{}"))
		at := row.key.place(seed, row.revision)
		if found := c.get(&at) != nil; found != row.found {
			t.Errorf("%s: found %t", row.reason, found)
		}
		if same := at.hash == was.hash; same != (row.key == kept) {
			t.Errorf("%s: same hash %t, so they would drive each other out", row.reason, same)
		}
		at.hash = was.hash // chance could have it so
		if found := c.get(&at) != nil; found != row.found {
			t.Errorf("%s, with the same hash: found %t", row.reason, found)
		}
		c.put(&at, []byte("[]"), nil, 0)
		c.put(&at, []byte("[]"), nil, 0)
		if p := c.get(&at); p == nil || string(p.body) != "[]" {
			t.Errorf("%s, put with the same hash: %v", row.reason, p)
		}
		checkBudget(t, c, defaultMaxCache)
	}
}

// What is kept must not keep the request alive: its strings are parts of longer
// ones.
func TestCacheHoldsNoRequest(t *testing.T) {
	c := newPageCache(defaultMaxCache)
	before := heap()
	for i := range 1000 {
		request := strings.Repeat("x", 20_000) + fmt.Sprintf("%04d", i)
		query := request[len(request)-4:]
		fill(c, pageKey{route: &route{}, query: query, origin: origin{host: query}, prefix: query}, 1, []byte(emptyPage))
	}
	if took := heap() - before; took > 2_000_000 {
		t.Errorf("1,000 empty pages take %d bytes", took)
	}
	if pages := checkBudget(t, c, defaultMaxCache); pages != 1000 {
		t.Errorf("%d pages are kept", pages)
	}
}
