package crash_test

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

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

// outcomeOf returns the outcome that a response tells.
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
