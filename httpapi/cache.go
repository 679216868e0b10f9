package httpapi

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
)

// defaultMaxCache is the memory for pages, in bytes, when none is set.
const defaultMaxCache = 4 << 20

const (
	// maxKeyText is the longest text of a key that is kept, in bytes.
	maxKeyText = 256
	// maxShare is the part of a cache that one page may take: 1/maxShare.
	maxShare = 16
	// pageOverhead is what a page takes besides its texts and its body: itself
	// and its header value, and its place in a map that has just grown.
	pageOverhead = 256
	// seenSlots is how many pages are remembered to have been asked for.
	seenSlots = 1024
	// cacheOverhead is what a cache takes before it keeps anything.
	cacheOverhead = 8*seenSlots + 256
)

// pageKey is all that the body of a page depends on, but for what is in the
// collection.
type pageKey struct {
	route  *route
	query  string // raw
	origin origin // as the next, zero if links do not begin with it
	prefix string
	indent int
}

func (k *pageKey) textSize() int { return len(k.query) + len(k.origin.host) + len(k.prefix) }

// place is where the page of a key is kept, if it is of that revision, and what
// tells it from all others.
type place struct {
	key      pageKey
	hash     uint64
	revision uint64
}

// place gives a key its place. Keys that share a hash take turns.
func (k pageKey) place(seed maphash.Seed, revision uint64) place {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(k.route.path)
	for _, text := range [...]string{k.query, k.origin.host, k.prefix} {
		h.WriteByte(0)
		h.WriteString(text)
	}
	h.WriteByte(byte(k.indent))
	if k.origin.secure {
		h.WriteByte(1)
	}
	return place{k, h.Sum64(), revision}
}

// keptPage is a page's body with its Content-Length. It never changes.
type keptPage struct {
	place
	body   []byte
	length []string
	count  int // of all records
}

// size is the memory a page takes, in bytes. The allocator rounds up, by less
// than a quarter.
func (p *keptPage) size() int {
	return pageOverhead + p.key.textSize() + cap(p.body) + cap(p.body)/4
}

// pageCache keeps pages in bounded memory, in two generations: pages are put
// into the young one and, when that is full, it becomes the old one and what was
// old is dropped. A page that is found in the old one becomes young again. So
// those asked for often stay, without a list of who was asked for when.
//
// A page is kept when it is asked for a second time. Who asks for ever different
// ones drives no other page out, and hardly pays for the cache.
type pageCache struct {
	generation int                      // size of one, in bytes
	seen       [seenSlots]atomic.Uint64 // hashes of pages that were asked for once

	mu         sync.Mutex
	young, old map[uint64]*keptPage // by the hash of the key
	size       int                  // of the young
}

// newPageCache returns a cache that takes at most so many bytes, itself
// included; nil, which keeps nothing, if that is too little.
func newPageCache(bytes int) *pageCache {
	if bytes <= cacheOverhead {
		return nil
	}
	return &pageCache{
		generation: (bytes - cacheOverhead) / 2,
		young:      make(map[uint64]*keptPage),
	}
}

// get returns the page of a place, nil if it is not kept. O(1).
func (c *pageCache) get(at *place) *keptPage {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, isYoung := c.young[at.hash]
	if !isYoung {
		p = c.old[at.hash]
	}
	if p == nil || p.place != *at {
		return nil
	}
	if !isYoung {
		delete(c.old, at.hash)
		c.add(p)
	}
	return p
}

// put keeps a page that is asked for a second time, unless it is too large. The
// caller must not change what it passes. O(1).
func (c *pageCache) put(at *place, body []byte, length []string, count int) {
	if !c.seenBefore(at) {
		return
	}
	p := &keptPage{*at, body, length, count}
	if p.size() > 2*c.generation/maxShare {
		return
	}
	// A page must not hold on to the request it was made for.
	p.key.query = strings.Clone(at.key.query)
	p.key.origin.host = strings.Clone(at.key.origin.host)
	p.key.prefix = strings.Clone(at.key.prefix)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.old, p.hash)
	if before := c.young[p.hash]; before != nil {
		delete(c.young, p.hash)
		c.size -= before.size()
	}
	c.add(p)
}

// seenBefore reports whether a place was asked about lately. The revision
// counts too, so nothing is kept of a collection that changes all the time.
func (c *pageCache) seenBefore(at *place) bool {
	mark := at.hash ^ at.revision
	return c.seen[at.hash%seenSlots].Swap(mark) == mark
}

// add puts a page that is in neither generation into the young one.
func (c *pageCache) add(p *keptPage) {
	if c.size+p.size() > c.generation {
		c.old, c.young = c.young, make(map[uint64]*keptPage)
		c.size = 0
	}
	c.young[p.hash] = p
	c.size += p.size()
}
