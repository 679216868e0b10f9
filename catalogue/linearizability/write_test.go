package linearizability_test

// write performs a write of one record but does not add a revision. changed is nil
// if the write failed with the expected error. A batch may have duplicates until it ends.
func (m *collectionModel) write(s state, in input, out output, inBatch bool) (ok bool, next state, changed *change) {
	ch, before, err := m.prepare(s, in)
	if err != "" {
		return out.err == err, s, nil
	}
	if in.kind == update && out.row != before {
		return false, s, nil
	}
	next = s.apply(ch)
	if !inBatch && m.duplicate(next.rows) {
		return out.err == duplicated, s, nil
	}
	ok = out.err == "" && (in.kind == update || in.kind == remove || out.id == ch.row.ID)
	return ok, next, &ch
}

// prepare returns the change that a write makes if there is no duplicate, and the record
// before it. If the write fails for another reason, prepare returns that error.
func (m *collectionModel) prepare(s state, in input) (ch change, before row, err string) {
	id := in.id
	if in.kind == insert || in.kind == upsert {
		id = in.row.ID
	}
	at, found := find(s.rows, id)
	if found {
		before = s.rows[at]
	}
	ch = change{kind: updated, row: in.row}
	switch {
	case in.kind == insert && found:
		return ch, before, exists
	case (in.kind == update || in.kind == remove) && !found:
		return ch, before, notFound
	case in.kind == remove:
		return change{kind: deleted, row: row{ID: id}}, before, ""
	case in.kind == update:
		ch.row = m.incremented(before, in.field)
	case !found:
		ch.kind = inserted
	}
	if ch.row.ID == 0 {
		ch.row.ID = s.last + 1
	}
	return ch, before, ""
}

// apply returns the state after a change.
func (s state) apply(ch change) state {
	if ch.kind == deleted {
		s.rows = without(s.rows, ch.row.ID)
		return s
	}
	s.rows = put(s.rows, ch.row)
	s.last, s.used = max(s.last, ch.row.ID), max(s.used, ch.row.ID)
	return s
}

// incremented returns a record as update changes it.
func (m *collectionModel) incremented(r row, field int) row {
	if r.F[field] == absent {
		r.F[field] = -1
	}
	r.F[field] = (r.F[field] + 1) % m.valuesOf(field)
	return r
}
