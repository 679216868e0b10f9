package linearizability_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A kind is a kind of operation.
type kind int

const (
	insert kind = iota
	upsert
	update
	remove
	get
	count
	page
	burst // the same page many times, of which only some are recorded
	batch
	snapshot // read later
	iterate  // read later
	reread   // a page of a snapshot of an earlier round
	since
	load
	save  // all collections; loaded and read later
	clone // all collections; read and written later
	selectPage
	selectCount
	selectFirst
	position
	kinds
)

var kindNames = [kinds]string{"insert", "upsert", "update", "remove", "get", "count", "page", "burst", "batch",
	"snapshot", "iterate", "reread", "since", "load", "save", "clone",
	"selectPage", "selectCount", "selectFirst", "position"}

// An input is an operation to perform. Its kind determines which fields are used.
type input struct {
	kind     kind
	which    int // index of the collection
	row      row
	id       int
	field    int // field that update increments
	rows     []row
	where    []condition
	by       []term
	offset   int
	limit    int
	style    int     // which of several equivalent methods to call
	steps    []input // of a batch, or what is read of a snapshot
	often    bool    // like burst
	abort    bool    // the batch ends with an error
	revision uint64  // argument of since
	held     *heldSnapshot
}

// A heldSnapshot is a snapshot with the state at which it was taken.
type heldSnapshot struct {
	snapshot snapshotReader
	state    state
}

// An output is the result of an operation.
type output struct {
	err      string // as failure returns it
	id       int
	row      row
	count    int
	rows     []row
	revision uint64
	steps    []output
	changes  []change
	all      []output // the result of save or clone for each collection
}

// A changeKind is what a change did to a record.
type changeKind int

const (
	inserted changeKind = 1 + iota
	updated
	deleted
)

// A change is a change of one record.
type change struct {
	revision uint64
	kind     changeKind
	last     bool
	row      row // only the id if the record was deleted
}

// These are the errors that the model expects. The text of any other error begins
// with unexpected.
const (
	unexpected   = "unexpected: "
	exists       = "exists"
	duplicated   = "duplicate"
	notFound     = "not found"
	unknownField = "unknown field"
	trimmed      = "trimmed"
	aborted      = "aborted"
)

var errAborted = errors.New(aborted)

// failure returns the text of an error in an output, or "" if err is nil.
func failure(err error) string {
	for _, known := range []struct {
		err  error
		text string
	}{
		{nil, ""},
		{catalogue.ErrExists, exists},
		{catalogue.ErrDuplicate, duplicated},
		{catalogue.ErrNotFound, notFound},
		{ordering.ErrUnknownField, unknownField},
		{catalogue.ErrHistoryTrimmed, trimmed},
		{errAborted, aborted},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	return unexpected + err.Error()
}

// String formats the operation for the diagram of a history.
func (in input) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d](", kindNames[in.kind], in.which)
	switch in.kind {
	case insert, upsert:
		fmt.Fprint(&b, in.row)
	case update:
		fmt.Fprintf(&b, "%d, %v", in.id, term{field: in.field})
	case remove, get:
		fmt.Fprint(&b, in.id)
	case page, burst, reread:
		fmt.Fprintf(&b, "%d at %d by %s", in.limit, in.offset, describe(in.by))
	case selectPage, selectCount, selectFirst, position:
		fmt.Fprintf(&b, "%s, id %d, %d at %d by %s, held %v", restrict(in.where), in.id, in.limit, in.offset, describe(in.by), in.held != nil)
	case iterate, snapshot, clone:
		b.WriteString(describe(in.by))
	case load:
		fmt.Fprint(&b, in.rows)
	case since:
		fmt.Fprint(&b, in.revision)
	case batch:
		fmt.Fprintf(&b, "%v, abort %v", in.steps, in.abort)
	}
	b.WriteByte(')')
	return b.String()
}

// String formats the result for the diagram of a history.
func (out output) String() string {
	if out.err != "" {
		return out.err
	}
	var parts []string
	add := func(name string, value any, present bool) {
		if present {
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	add("id", out.id, out.id != 0)
	add("record", out.row, out.row.ID != 0)
	add("count", out.count, out.count != 0)
	add("records", out.rows, out.rows != nil)
	add("revision", out.revision, out.revision != 0)
	add("changes", out.changes, out.changes != nil)
	add("steps", out.steps, out.steps != nil)
	add("collections", out.all, out.all != nil)
	return strings.Join(parts, ", ")
}
