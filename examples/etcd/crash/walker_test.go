package crash_test

import "time"

// walk reads all pages of the collection again and again until the round ends, each page
// through a random node. It follows the next links.
func (c *client) walk(recorded bool) {
	for !c.ended() {
		q := query{limit: 3 + c.rng.IntN(15), descending: c.rng.IntN(2) == 0}
		for next := q.encode(); next != "" && !c.ended(); {
			limit := time.Second
			if c.rng.IntN(2) == 0 {
				limit = 8 * time.Second // longer than a node is stopped
			}
			_, following, ok := c.readPage(c.anyNode(), q, next, limit, recorded)
			if ok { // otherwise again through another node
				next = following
				q.offset += q.limit
			}
			c.sleep(10, 40)
		}
	}
}
