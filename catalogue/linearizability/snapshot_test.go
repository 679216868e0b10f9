package linearizability_test

import (
	"fmt"
	"slices"
)

// readSnapshot reads all records of a snapshot by id, in the order of in, and one by
// one, and checks that the results agree.
func (c *client) readSnapshot(s snapshotReader, in input, out *output) {
	out.revision = s.revision()
	t := &c.collections[in.which]
	byID := c.readAll(s, input{which: in.which, by: []term{{field: byID}}, style: in.style})
	*out = output{err: byID.err, count: s.count(), rows: byID.rows, revision: out.revision}
	if out.err != "" {
		return
	}
	ordered := c.readAll(s, in)
	_, known := t.resolve(out.rows, in.by, false)
	switch {
	case !known && ordered.err == unknownField:
	case ordered.err != "":
		out.err = ordered.err + ", by " + describe(in.by)
	case byID.count != ordered.count || out.count != ordered.count || !slices.Equal(out.rows, ordered.rows):
		out.err = unexpected + fmt.Sprintf("by %s the snapshot has %v", describe(in.by), ordered)
	}
	for _, r := range out.rows {
		var one output
		if one.readRow(s.get(r.ID)); one.err != "" || one.row != r {
			out.err = unexpected + fmt.Sprintf("the snapshot's record %d is %v", r.ID, one)
		}
	}
	for _, step := range in.steps {
		var got output
		if finish := callSelection(s, step, &got); finish != nil {
			finish()
		}
		if !t.matchesSelection(state{rows: out.rows}, step, got) {
			out.err = unexpected + fmt.Sprintf("the snapshot has %v for %v", got, step)
		}
	}
}

// readAll reads all records of a snapshot as one page or with an iterator.
func (c *client) readAll(s snapshotReader, in input) (out output) {
	in.limit = everyRow
	if in.style >= 3 {
		out.readPage(s.iterate(in.by))
		out.count = len(out.rows)
	} else {
		out.readPage(s.page(in))
	}
	c.removeBase(in, &out)
	return out
}

// readSaved loads a saved catalogue and reads it.
func (c *client) readSaved(load func() (target, error), err error, in input, out *output) {
	if out.fail(err); err != nil {
		return
	}
	t, err := load()
	if out.fail(err); err != nil {
		return
	}
	c.readCopy(t, in, out)
	for i := range out.all {
		out.all[i].revision = 0 // revisions are not saved
		if !c.keepsIDs {
			out.all[i].id = 0
		}
	}
}

// readCopy reads a copy, inserts a record and checks that the record is there, and that
// its values of unique fields cannot be inserted again.
func (c *client) readCopy(t target, in input, out *output) {
	for i, coll := range t.collections {
		in := input{which: i, by: in.by, style: in.style}
		var before, after output
		c.readSnapshot(coll.snapshot(), in, &before)
		m := &c.collections[i]
		r := m.fresh(row{F: [fields]int{1, 2, 3, 4, 5, 1}}, -1)
		id, err := coll.insert(r)
		before.fail(err)
		if len(m.unique) > 0 {
			if _, err := coll.insert(r); failure(err) != duplicated {
				before.err = unexpected + fmt.Sprintf("second insert of %v into the copy: %v", r, err)
			}
		}
		r.ID, before.id = id, id
		c.readSnapshot(coll.snapshot(), in, &after)
		if before.err == "" && (after.err != "" || after.revision != before.revision+1 || !slices.Equal(after.rows, put(before.rows, r))) {
			before.err = unexpected + fmt.Sprintf("the copy is %v, and %v after the insert of %v", before, after, r)
		}
		out.all = append(out.all, before)
	}
}
