package linearizability_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// A client performs operations one after another and records them.
type client struct {
	*run
	number int
	pace   int // see pause
	rng    *rand.Rand
	seen   [2]uint64 // last known revision of each collection

	history  []porcupine.Operation
	deferred []func() // read the results of earlier operations
}

// perform performs the operations of a plan. Snapshots, clones, iterators and saved
// catalogues are read some operations later.
func (c *client) perform(plan []input) {
	for _, in := range plan {
		c.pause()
		c.do(in)
		for len(c.deferred) > 0 && c.rng.IntN(3) == 0 {
			c.deferred[0]()
			c.deferred = c.deferred[1:]
		}
	}
	for _, read := range c.deferred {
		c.pause()
		read()
	}
	c.deferred = nil
}

// pause lets other clients run. The pace determines for how long.
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

// do performs one operation and records it. Of the pages of a burst, and of another
// read that is performed often, it records the first ones and those that differ from the
// previous one.
func (c *client) do(in input) {
	if in.kind != burst && !in.often {
		c.record(in)
		return
	}
	for i := range 70 {
		c.record(in)
		n := len(c.history)
		if i < 2 {
			continue
		}
		previous, last := c.history[n-2].Output.(*output), c.history[n-1].Output.(*output)
		if previous.err == last.err && previous.count == last.count && previous.row == last.row && slices.Equal(previous.rows, last.rows) {
			c.history = c.history[:n-1]
		}
	}
}

// record performs one operation and appends it to the history.
func (c *client) record(in input) {
	if in.kind == since {
		in.revision = c.seen[in.which]
	}
	out := new(output)
	call := c.clock.next()
	finish := c.call(in, out)
	c.history = append(c.history, porcupine.Operation{ClientId: c.number, Input: in, Call: call, Output: out, Return: c.clock.next()})
	switch {
	case finish == nil:
	case in.kind == snapshot || in.kind == iterate || in.kind == clone || in.kind == save:
		c.deferred = append(c.deferred, finish)
	default:
		finish()
	}
}

// call performs one operation. If its results can be read after it has ended, call
// returns a function that reads them.
func (c *client) call(in input, out *output) (finish func()) {
	switch in.kind {
	case save:
		load, err := c.target.save()
		return func() { c.readSaved(load, err, in, out) }
	case clone:
		cloned := c.target.clone()
		return func() { c.readCopy(cloned, in, out) }
	}
	coll := c.target.collections[in.which]
	switch in.kind {
	case page, burst:
		r := coll.page(in)
		return func() { out.readPage(r) }
	case reread:
		r := in.held.snapshot.page(in)
		return func() { out.readPage(r) }
	case selectPage, selectCount, selectFirst, position:
		if in.held != nil {
			return callSelection(in.held.snapshot, in, out)
		}
	case iterate:
		r := coll.iterate(in.by)
		return func() {
			out.readPage(r)
			c.removeBase(in, out)
		}
	case snapshot:
		s := coll.snapshot()
		c.seen[in.which] = s.revision()
		return func() { c.readSnapshot(s, in, out) }
	case since:
		changes, now, err := coll.since(in.revision)
		if out.fail(err); err != nil {
			return nil
		}
		out.revision, c.seen[in.which] = now, now
		return func() {
			list, err := changes()
			out.changes = list
			out.fail(err)
		}
	case batch:
		out.fail(coll.batch(func(tx writer) error { return c.performSteps(tx, in, out) }))
		return nil
	case load:
		out.fail(coll.load(in.rows))
		return nil
	}
	return c.callSingle(coll, in, out)
}

// callSingle performs an operation that batches have, too.
func (c *client) callSingle(coll writer, in input, out *output) (finish func()) {
	var err error
	switch in.kind {
	case insert:
		out.id, err = coll.insert(in.row)
	case upsert:
		out.id, err = coll.upsert(in.row)
	case update:
		err = coll.update(in.id, func(r *row) {
			out.row = *r
			c.pause()
			*r = c.collections[in.which].incremented(*r, in.field)
		})
	case remove:
		err = coll.remove(in.id)
	case count:
		out.count = coll.count()
	case get:
		r := coll.get(in.id)
		return func() { out.readRow(r) }
	case selectPage, selectCount, selectFirst, position:
		return callSelection(coll, in, out)
	}
	out.fail(err)
	return nil
}

// performSteps performs the steps of a batch.
func (c *client) performSteps(tx writer, in input, out *output) error {
	out.steps = make([]output, len(in.steps))
	for i, step := range in.steps {
		if finish := c.callSingle(tx, step, &out.steps[i]); finish != nil {
			finish()
		}
		c.pause()
	}
	if in.abort {
		return errAborted
	}
	return nil
}

// fail sets the error of out unless it has one already.
func (out *output) fail(err error) {
	if out.err == "" {
		out.err = failure(err)
	}
}

// readPage sets the records and the count of out.
func (out *output) readPage(r reading) {
	if r.deferred != nil {
		r = r.deferred()
	}
	if out.fail(r.err); r.err == nil {
		rows, err := r.rows()
		out.count, out.rows = r.count, rows
		out.fail(err)
	}
}

// readRow sets the record of out.
func (out *output) readRow(r reading) {
	if out.readPage(r); out.err == "" {
		out.row = out.rows[0]
	}
	out.rows, out.count = nil, 0
}

// removeBase removes the records of the base from those of out, which were read in
// the order of in.
func (c *client) removeBase(in input, out *output) {
	if out.err != "" {
		return
	}
	t := &c.collections[in.which]
	by, ok := t.resolve(out.rows, in.by, false)
	if !ok {
		out.err = unexpected + "records ordered by an unknown field"
		return
	}
	rows, err := t.base.removeFrom(out.rows, by)
	out.rows = rows
	out.fail(err)
}
