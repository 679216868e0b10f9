package linearizability_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A client makes operations one after another and records them.
type client struct {
	*run
	number int
	pace   int
	rng    *rand.Rand
	seen   [2]uint64 // the last revision of each collection that it was told of

	history []porcupine.Operation
	later   []func() // what is read after the operation's end
}

// perform makes the operations of a plan. What a snapshot, a clone or an iterator
// holds is read some operations later.
func (c *client) perform(plan []input) {
	for _, in := range plan {
		c.pause()
		c.do(in)
		for len(c.later) > 0 && c.rng.IntN(3) == 0 {
			c.later[0]()
			c.later = c.later[1:]
		}
	}
	for _, read := range c.later {
		c.pause()
		read()
	}
	c.later = nil
}

// pause lets other clients run, at a pace that differs from round to round.
func (c *client) pause() {
	switch c.pace {
	case 1:
		runtime.Gosched()
	case 2:
		for range c.rng.IntN(4) {
			runtime.Gosched()
		}
	case 3:
		if c.rng.IntN(2) == 0 {
			time.Sleep(time.Duration(c.rng.IntN(30)) * time.Microsecond)
		}
	}
}

// now is monotonic and, unlike a shared counter, does not order what clients do
// for the race detector.
func (c *client) now() int64 { return time.Since(c.start).Nanoseconds() }

// do makes one operation and records it. A burst is recorded as the pages that
// differ from the one before.
func (c *client) do(in input) {
	if in.kind != burst {
		c.record(in)
		return
	}
	for i := range 70 {
		c.record(in)
		n := len(c.history)
		if i < 2 {
			continue
		}
		a, b := c.history[n-2].Output.(*output), c.history[n-1].Output.(*output)
		if a.err == b.err && a.count == b.count && slices.Equal(a.rows, b.rows) {
			c.history = c.history[:n-1]
		}
	}
}

// record makes one operation and appends it to the history.
func (c *client) record(in input) {
	if in.kind == since {
		in.revision = c.seen[in.which]
	}
	out := new(output)
	call := c.now()
	finish := c.call(in, out)
	c.history = append(c.history, porcupine.Operation{ClientId: c.number, Input: in, Call: call, Output: out, Return: c.now()})
	switch {
	case finish == nil:
	case in.kind == snapshot || in.kind == iterate || in.kind == clone || in.kind == save:
		c.later = append(c.later, finish)
	default:
		finish()
	}
}

// call makes one operation. The func reads what need not be read before its end.
func (c *client) call(in input, out *output) (finish func()) {
	switch in.kind {
	case save:
		load, err := c.t.save()
		return func() { c.readSaved(load, err, in, out) }
	case clone:
		cloned := c.t.clone()
		return func() { c.readCopy(cloned, in, out) }
	}
	of := c.t.of[in.which]
	switch in.kind {
	case page, burst:
		r := of.page(in)
		return func() { out.set(r) }
	case reread:
		r := in.held.snapshot.page(in)
		return func() { out.set(r) }
	case iterate:
		r := of.iterate(in.by)
		return func() {
			out.set(r)
			c.strip(in, out)
		}
	case snapshot:
		s := of.snapshot()
		c.seen[in.which] = s.revision()
		return func() { c.readSnapshot(s, in, out) }
	case since:
		changes, now, err := of.since(in.revision)
		if out.fail(err); err != nil {
			return nil
		}
		out.revision, c.seen[in.which] = now, now
		return func() {
			told, err := changes()
			out.changes = told
			out.fail(err)
		}
	case update:
		out.fail(of.update(func(tx writer) error { return c.batch(tx, in, out) }))
		return nil
	case load:
		out.fail(of.load(in.rows))
		return nil
	}
	return c.one(of, in, out)
}

// one makes a write or a read of one record.
func (c *client) one(of writer, in input, out *output) (finish func()) {
	var err error
	switch in.kind {
	case insert:
		out.id, err = of.insert(in.row)
	case upsert:
		out.id, err = of.upsert(in.row)
	case modify:
		err = of.modify(in.id, func(r *row) {
			out.row = *r
			c.pause()
			*r = incremented(*r, in.field)
		})
	case remove:
		err = of.remove(in.id)
	case count:
		out.count = of.count()
	case get:
		r := of.get(in.id)
		return func() { out.setRow(r) }
	}
	out.fail(err)
	return nil
}

// batch makes the steps of an update.
func (c *client) batch(tx writer, in input, out *output) error {
	out.batch = make([]output, len(in.batch))
	for i, step := range in.batch {
		if finish := c.one(tx, step, &out.batch[i]); finish != nil {
			finish()
		}
		c.pause()
	}
	if in.abort {
		return errAborted
	}
	return nil
}

func (out *output) fail(err error) {
	if out.err == "" {
		out.err = failure(err)
	}
}

// set reads a page.
func (out *output) set(r reading) {
	if r.late != nil {
		r = r.late()
	}
	if out.fail(r.err); r.err == nil {
		rows, err := r.rows()
		out.count, out.rows = r.count, rows
		out.fail(err)
	}
}

// setRow reads a record.
func (out *output) setRow(r reading) {
	if out.set(r); out.err == "" {
		out.row = out.rows[0]
	}
	out.rows, out.count = nil, 0
}

// strip takes the records of the base out of what was read by the terms of in.
func (c *client) strip(in input, out *output) {
	if out.err != "" {
		return
	}
	t := &c.of[in.which]
	by, ok := t.resolve(out.rows, in.by, false)
	if !ok {
		out.err = unexpected + "an ordering by a field that no record has"
		return
	}
	rows, err := t.base.rest(out.rows, by)
	out.rows = rows
	out.fail(err)
}
