package linearizability_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// A kind is what an operation does.
type kind int

const (
	insert kind = iota
	upsert
	modify
	remove
	get
	count
	page
	burst    // many pages of one window, of which a few are recorded
	update   // a batch
	snapshot // the state when Snapshot was called, read later
	iterate  // the state when Ordered was called, read later
	reread   // a page of a snapshot of an earlier round
	since
	load  // all records are replaced
	save  // every collection at one instant
	clone // likewise, read and written to later
	kinds
)

var kindNames = [kinds]string{"insert", "upsert", "modify", "remove", "get", "count", "page", "burst", "update",
	"snapshot", "iterate", "reread", "since", "load", "save", "clone"}

// An input is an operation to be made. Which fields count depends on its kind.
type input struct {
	kind     kind
	which    int // collection
	row      row
	id       int
	field    int // that modify increments
	rows     []row
	by       []term
	offset   int
	limit    int
	style    int // which of several methods with one meaning
	batch    []input
	abort    bool   // the batch ends with an error
	revision uint64 // that since begins after
	held     *held
}

// A held is a snapshot with the state in which it was taken.
type held struct {
	snapshot snapshotReader
	state    state
}

// An output is what an operation returned.
type output struct {
	err      string // see failure
	id       int
	row      row
	count    int
	rows     []row
	revision uint64
	batch    []output
	changes  []change
	all      []output // of each collection: save and clone
}

// A change is one record's part in a revision.
type change struct {
	revision uint64
	kind     catalogue.ChangeKind
	last     bool
	row      row // the id alone if it was deleted
}

// The errors that the model knows. Any other error is its own text after
// unexpected, and never right.
const (
	unexpected   = "unexpected: "
	exists       = "exists"
	notFound     = "not found"
	unknownField = "unknown field"
	forgotten    = "forgotten"
	aborted      = "aborted"
)

var errAborted = errors.New(aborted)

func failure(err error) string {
	for _, known := range []struct {
		err  error
		text string
	}{
		{nil, ""},
		{catalogue.ErrExists, exists},
		{catalogue.ErrNotFound, notFound},
		{ordering.ErrUnknownField, unknownField},
		{catalogue.ErrHistoryTrimmed, forgotten},
		{errAborted, aborted},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	return unexpected + err.Error()
}

// String is for the visualization.
func (in input) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s[%d](", kindNames[in.kind], in.which)
	switch in.kind {
	case insert, upsert:
		fmt.Fprint(&b, in.row)
	case modify:
		fmt.Fprintf(&b, "%d, %v", in.id, term{field: in.field})
	case remove, get:
		fmt.Fprint(&b, in.id)
	case page, burst, reread:
		fmt.Fprintf(&b, "%d at %d by %s", in.limit, in.offset, describe(in.by))
	case iterate, snapshot, clone:
		b.WriteString(describe(in.by))
	case load:
		fmt.Fprint(&b, in.rows)
	case since:
		fmt.Fprint(&b, in.revision)
	case update:
		fmt.Fprintf(&b, "%v, abort %v", in.batch, in.abort)
	}
	b.WriteByte(')')
	return b.String()
}

func (out output) String() string {
	if out.err != "" {
		return out.err
	}
	var parts []string
	add := func(name string, value any, there bool) {
		if there {
			parts = append(parts, fmt.Sprintf("%s %v", name, value))
		}
	}
	add("id", out.id, out.id != 0)
	add("record", out.row, out.row.ID != 0)
	add("count", out.count, out.count != 0)
	add("records", out.rows, out.rows != nil)
	add("revision", out.revision, out.revision != 0)
	add("changes", out.changes, out.changes != nil)
	add("steps", out.batch, out.batch != nil)
	add("collections", out.all, out.all != nil)
	return strings.Join(parts, ", ")
}
