package crash_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
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
