package crash_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/anishathalye/porcupine"
)

// A client sends one request at a time, each to a random node unless it has one.
type client struct {
	*round
	number  int
	rng     *rand.Rand
	node    *node                 // to which it sends all requests, or nil
	history []porcupine.Operation // the operations that porcupine checks
	open    []*write              // writes whose outcome is not known
}

// do sends a request to a node and returns the response. The error is one of the
// connection or the status.
func (c *client) do(n *node, method, path, body string, limit time.Duration) (resp *http.Response, data []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, n.base+"/api/notes/"+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Host = "notes.test" // the same for all nodes, because links and entity tags depend on it
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if resp, err = c.http.Do(r); err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	data, err = io.ReadAll(resp.Body)
	return resp, data, err
}

// anyNode returns a random node.
func (c *client) anyNode() *node {
	if c.node != nil {
		return c.node
	}
	return c.cluster.nodes[c.rng.IntN(len(c.cluster.nodes))]
}

// readPage reads a page and checks it. ok is false if the node is unavailable. The error
// of a connection is not a fault.
func (c *client) readPage(n *node, q query, rawQuery string, limit time.Duration, recorded bool) (p page, next string, ok bool) {
	call := c.checker.now()
	resp, body, err := c.do(n, "GET", "?"+rawQuery, "", limit)
	ret := c.checker.now()
	if !c.available(n, "GET", resp, err, 200) {
		return p, "", false
	}
	if p, next, err = parsePage(q, body); err != nil {
		c.checker.report(fmt.Errorf("%s: page %+v: %w", n.name, q, err))
		return p, "", false
	}
	p.tag = resp.Header.Get("ETag")
	c.checker.page(q, p, call, ret)
	if recorded {
		c.record(input{kind: list, query: q}, output{outcome: stored, page: p}, call, ret)
	}
	return p, next, true
}

// available reports whether a response has one of the expected statuses. Other statuses
// than these and 503 are faults. It waits a little if there is no response.
func (c *client) available(n *node, method string, resp *http.Response, err error, expected ...int) bool {
	c.checker.mu.Lock()
	switch {
	case err != nil:
		c.checker.stats.failed++
	case resp.StatusCode == http.StatusServiceUnavailable:
		c.checker.stats.unavailable++
		if resp.Header.Get("Retry-After") == "" {
			c.checker.fault(fmt.Errorf("%s: %s: 503 without Retry-After", n.name, method))
		}
	default:
		for _, status := range expected {
			if resp.StatusCode == status {
				c.checker.stats.answered(method)
				c.checker.mu.Unlock()
				return true
			}
		}
		c.checker.fault(fmt.Errorf("%s: %s: %s", n.name, method, resp.Status))
	}
	c.checker.mu.Unlock()
	c.sleep(5, 30)
	return false
}

// neverSent reports whether the node cannot have received the request.
func neverSent(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// record adds an operation to the history.
func (c *client) record(in input, out output, call, ret int64) {
	c.history = append(c.history, porcupine.Operation{ClientId: c.number, Input: in, Output: out, Call: call, Return: ret})
}

// sleep waits for a random number of milliseconds, or until the round ends.
func (c *client) sleep(least, most int) {
	select {
	case <-time.After(time.Duration(least+c.rng.IntN(most-least)) * time.Millisecond):
	case <-c.done:
	}
}

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

// The number of records stays near usual.
const usual = 60

// write performs random operations on records until the round ends.
func (c *client) write() {
	for !c.ended() {
		id, number := c.checker.pick(c.rng)
		n := c.rng.IntN(100)
		switch {
		case id == 0 || number < usual && n < 40 || number < 2*usual && n < 15:
			c.create()
		case n < 30 && number > usual/2:
			c.change(remove, id)
		case n < 80:
			c.change(patch, id)
		default:
			c.get(id)
		}
		c.sleep(1, 10)
	}
}

// limit is the time limit of a write or of a read of one record. Some are shorter than
// that of the nodes.
func (c *client) limit() time.Duration {
	return time.Duration(1+c.rng.IntN(6)) * time.Second
}

func (c *client) create() {
	n, w := c.anyNode(), c.checker.begin(create, 0)
	resp, body, err := c.do(n, "POST", "", fmt.Sprintf(`{"text":%q}`, textOf(w.number)), c.limit())
	o, id := unknown, 0
	switch {
	case neverSent(err):
		o = refused
	case c.available(n, "POST", resp, err, http.StatusCreated, http.StatusConflict):
		if o = outcomeOf(resp); o != stored {
			break
		}
		r, err := parseRow(body)
		if err == nil && r.number != w.number {
			err = fmt.Errorf("id %d was created with text %d instead of %d", r.id, r.number, w.number)
		}
		if err != nil {
			c.checker.report(err)
			return
		}
		id = r.id
	}
	c.checker.end(w, o, id)
	c.recordWrite(w)
}

// change changes or deletes a record.
func (c *client) change(k kind, id int) {
	n, w := c.anyNode(), c.checker.begin(k, id)
	method, body := "DELETE", ""
	if k == patch {
		method, body = "PATCH", fmt.Sprintf(`{"text":%q}`, textOf(w.number))
	}
	resp, data, err := c.do(n, method, strconv.Itoa(id)+"/", body, c.limit())
	o := unknown
	switch {
	case neverSent(err):
		o = refused
	case c.available(n, method, resp, err, http.StatusOK, http.StatusNoContent, http.StatusNotFound, http.StatusConflict):
		if o = outcomeOf(resp); k == patch && o == stored {
			if want := encodedRow(id, w.number); want != string(data) {
				c.checker.report(fmt.Errorf("%s: PATCH returned %q, want %q", n.name, data, want))
			}
		}
	}
	c.checker.end(w, o, id)
	c.recordWrite(w)
}

// outcomeOf returns the outcome that a response shows.
func outcomeOf(resp *http.Response) outcome {
	switch resp.StatusCode {
	case http.StatusNotFound:
		return notFound
	case http.StatusConflict:
		return refused
	}
	return stored
}

// recordWrite adds a write to the history, unless it had no effect and no answer.
func (c *client) recordWrite(w *write) {
	switch w.outcome {
	case refused:
	case unknown:
		c.open = append(c.open, w)
	default:
		c.record(input{kind: w.kind, number: w.number, id: w.id}, output{outcome: w.outcome}, w.call, w.ret)
	}
}

// get reads a record.
func (c *client) get(id int) {
	n, call := c.anyNode(), c.checker.now()
	resp, body, err := c.do(n, "GET", strconv.Itoa(id)+"/", "", c.limit())
	ret := c.checker.now()
	if !c.available(n, "GET", resp, err, http.StatusOK, http.StatusNotFound) {
		return
	}
	out := output{outcome: outcomeOf(resp)}
	c.checker.mu.Lock()
	defer c.checker.mu.Unlock()
	if out.outcome == notFound {
		if l := c.checker; l.present(l.records[id], call, ret) {
			l.fault(fmt.Errorf("%s: GET of id %d returned 404 at %d to %d", n.name, id, call, ret))
		}
	} else {
		r, err := parseRow(body)
		if err == nil && r.id != id {
			err = fmt.Errorf("GET of id %d returned id %d", id, r.id)
		}
		if err == nil {
			err = c.checker.row(r.id, r.number, call, ret)
		}
		if err != nil {
			c.checker.fault(fmt.Errorf("%s: %w", n.name, err))
			return
		}
		out.number = r.number
	}
	c.record(input{kind: get, id: id}, out, call, ret)
}

// stats counts what clients did.
type stats struct {
	pages       int // all are checked
	untagged    int // pages without an entity tag
	unavailable int // responses of 503
	failed      int // requests without a response

	writes   int // that took effect
	unknown  int // writes without a known outcome
	negative int // writes that had no effect

	rounds        int
	leaders       int           // killed
	checked       int           // operations that porcupine checked
	slowest       time.Duration // the longest check
	seenLater     int           // writes of unknown outcome whose effect was seen
	seenNextRound int           // of these, in a later round

	lastRead, lastWrite         time.Time
	withoutReads, withoutWrites time.Duration // the longest times without a response
	recovery                    time.Duration // the longest time from a start to a page
}

func (s *stats) count(w *write) {
	switch w.outcome {
	case stored:
		s.writes++
	case unknown:
		s.unknown++
	default:
		s.negative++
	}
}

// resume begins to measure the times without responses.
func (s *stats) resume() { s.lastRead, s.lastWrite = time.Now(), time.Now() }

// answered records a successful response.
func (s *stats) answered(method string) {
	last, longest := &s.lastWrite, &s.withoutWrites
	if method == "GET" {
		last, longest = &s.lastRead, &s.withoutReads
	}
	now := time.Now()
	*longest = max(*longest, now.Sub(*last))
	*last = now
}

func (s *stats) String() string {
	return fmt.Sprintf("%d rounds, %d of which killed the leader; %d pages checked (%d without a tag); %d writes stored, %d without effect, %d unknown, "+
		"of which %d were seen, %d of them in a later round; %d responses of 503, %d requests without a response; "+
		"porcupine checked %d operations, at most %v for a round; at most %v without a read, %v without a write, %v from a start to a page",
		s.rounds, s.leaders, s.pages, s.untagged, s.writes, s.negative, s.unknown, s.seenLater, s.seenNextRound, s.unavailable, s.failed,
		s.checked, s.slowest.Round(time.Millisecond), s.withoutReads.Round(time.Millisecond), s.withoutWrites.Round(time.Millisecond), s.recovery.Round(time.Millisecond))
}
