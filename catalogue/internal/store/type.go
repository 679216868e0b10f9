package store

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Type describes the records of a store.
type Type struct {
	ID      string            // the name of the id in an ordering
	Key     string            // the unique field by which ties break, or "" if they do by id
	Default []ordering.Term   // the default ordering; if empty, by id
	History int               // the number of changes to keep; 0 keeps none
	Unique  [][]string        // sets of fields of which no two records have the same values, unless one is null
	Known   []string          // fields that there are even if no record has the member
	Cores   Cores             // for sorts; if nil, New sets it for the store alone
	indexes [][]ordering.Term // canonical; see AddIndex

	// Field returns the field with the name and reports whether there is one. If
	// Members is set, it returns a field for every name.
	Field func(name string) (Field, bool)

	// Names are the names of the fields if all records have the same. Errors
	// suggest them.
	Names []string

	// Members returns the names of the members of a record, and FieldOf the name of the field
	// that a member is. The fields of a state are those of the members that at least one of its
	// records has, and all names that begin with one of them and two underscores.
	// If nil, all records have the same fields.
	Members func(*Entry) iter.Seq[string]
	FieldOf func(member string) string
}

// Indexes returns the orders of AddIndex.
func (typ *Type) Indexes() [][]ordering.Term { return typ.indexes }

// AddIndex declares that the records always have an index by terms, whose fields must be
// known. It is an error if they have it anyway.
func (typ *Type) AddIndex(terms []ordering.Term) error {
	for i, t := range terms {
		if slices.ContainsFunc(terms[:i], func(u ordering.Term) bool { return u.Field == t.Field }) {
			return fmt.Errorf("%s has %s twice", ordering.Format(terms), t.Field)
		}
	}
	canon, _ := canonical(nil, typ.tied(slices.Clone(terms)), typ.ID)
	last := cmp.Or(typ.Key, typ.ID)
	switch {
	case len(terms) == 0:
		return errors.New("an index needs a term")
	case mixed(terms, last):
		same := slices.Clone(terms)
		for i := range same {
			same[i].Desc = false
		}
		return fmt.Errorf("%s has two directions, so it serves no query with conditions on its first fields in the order of the others: declare %s, which serves both directions, or end it with %s to declare the order itself",
			ordering.Format(terms), ordering.Format(same), last)
	case len(canon) == 0, canon[0].Field == typ.Key:
		return fmt.Errorf("the index by %s always exists", last)
	case slices.ContainsFunc(typ.indexes, func(other []ordering.Term) bool { return slices.Equal(other, canon) }):
		return fmt.Errorf("%s is there twice; an index also serves the reverse order", ordering.Format(terms))
	}
	typ.indexes = append(typ.indexes, canon)
	return nil
}

// mixed reports whether terms have two directions but none for ties.
func mixed(terms []ordering.Term, id string) bool {
	return !slices.ContainsFunc(terms, func(t ordering.Term) bool { return t.Field == id }) &&
		slices.ContainsFunc(terms, func(t ordering.Term) bool { return t.Desc != terms[0].Desc })
}

// A Field is a field that entries can be ordered by.
type Field struct {
	Name string
	// Key returns the sort key of an entry. It must return equal keys for equal records, and must be
	// safe for concurrent use.
	Key func(e *Entry) sortkey.Key
	// Kind is as in an [ordering.ValueField], but times have whole microseconds and their years four
	// digits. If a key is of another kind, the index is wrong.
	Kind reflect.Kind
	// KeyOf returns the key of a value in a condition.
	KeyOf func(value any) (sortkey.Key, error)
}

// resolve returns the fields of terms, which must be known.
func (typ *Type) resolve(terms []ordering.Term) []Field {
	fields := make([]Field, len(terms))
	for i, t := range terms {
		fields[i], _ = typ.Field(t.Field)
	}
	return fields
}

// tied returns terms followed by the key of the type, in the direction of the first term, so that
// ties break by it. If terms have the key or the id, it returns them up to that term. If the type
// has no key, it returns terms.
func (typ *Type) tied(terms []ordering.Term) []ordering.Term {
	if typ.Key == "" || len(terms) == 0 {
		return terms
	}
	i := slices.IndexFunc(terms, func(t ordering.Term) bool { return t.Field == typ.Key || t.Field == typ.ID })
	if i >= 0 {
		return terms[:i+1]
	}
	return append(slices.Clip(terms), ordering.Term{Field: typ.Key, Desc: terms[0].Desc})
}

// canonical returns the canonical form of terms, under which their index is
// kept, and reports whether the index is read backwards. An ordering and its
// reverse have the same form: it has no field twice, nothing after the id, and an
// ascending first term. Ties break by id in the direction of the first term, so
// an id in that direction is dropped. The form of the order by id is empty.
// canonical appends to buf unless terms are canonical already.
func canonical(buf, terms []ordering.Term, id string) (canon []ordering.Term, desc bool) {
	if len(terms) == 0 {
		return nil, false
	}
	desc = terms[0].Desc
	if len(terms) == 1 && terms[0].Field != id && !desc {
		return terms, false
	}
	for _, t := range terms {
		if t.Field == id {
			if t.Desc != desc {
				buf = append(buf, ordering.Desc(id))
			}
			break
		}
		t.Desc = t.Desc != desc
		if !slices.ContainsFunc(buf, func(u ordering.Term) bool { return u.Field == t.Field }) {
			buf = append(buf, t)
		}
	}
	return buf, desc
}

// An Entry represents a stored record. It is the first field of a struct that
// contains the record, whose type is unknown to the store. An Entry in a tree must
// not be modified.
type Entry struct{ ID int }

// A Change is the effect of a write on one record. Old is nil if the record is
// inserted. New is nil if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. It panics if ch is the zero Change.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes that turn the entries before into those after.
// Both are sorted by id. Every record in before or after has a change.
func difference(before, after []*Entry) []Change {
	changes := make([]Change, 0, max(len(before), len(after)))
	for len(before) > 0 || len(after) > 0 {
		var ch Change
		if len(after) == 0 || len(before) > 0 && before[0].ID <= after[0].ID {
			ch.Old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.Old == nil || ch.Old.ID == after[0].ID) {
			ch.New, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
}

// Cores limits the processors that sorts and filters of many entries use at the same time. Stores can
// share it. Nil is no limit.
type Cores chan struct{}

// NewCores returns a limit of all processors but one, and of at least one, so that reads and
// writes do not wait for sorts.
func NewCores() Cores { return make(Cores, max(runtime.GOMAXPROCS(0)-1, 1)) }

// take waits until a processor is free, and reports whether it is taken.
func (c Cores) take() bool {
	select {
	case c <- struct{}{}:
		return true
	case <-time.After(maxTurn):
		return false
	}
}

// turns are the turns of one sort to use a processor.
type turns struct {
	cores Cores
	over  atomic.Bool // the sort no longer waits
}

// turns returns the turns of a sort of n entries. A sort of few does not wait.
func (c Cores) turns(n int) *turns {
	t := &turns{cores: c}
	t.over.Store(n <= fewEntries)
	return t
}

// maxTurn is the time after which a sort no longer waits for its turn. The sort that uses the
// processor may then be waiting for this one, because it calls a function of the program that
// queries another collection.
const maxTurn = 5 * time.Second

// use calls f when a processor is free.
func (t *turns) use(f func()) {
	switch {
	case t.cores == nil || t.over.Load():
	case t.cores.take():
		defer func() { <-t.cores }()
	default:
		t.over.Store(true)
	}
	f()
}

// A Turn is that of a query to use a processor while it filters entries. It ends if others wait, and
// the query then waits for its next. The zero Turn is ready to use.
type Turn struct {
	Err error // set by Match to end the query

	cores Cores // nil while it does not filter, or no longer waits
	taken bool
	since time.Time
}

// maxSlice is the time after which a turn ends.
const maxSlice = 20 * time.Millisecond

// begin begins to filter n entries. If they are few, it does not wait. It does nothing if t is nil.
func (t *Turn) begin(cores Cores, n int) (end func()) {
	if t == nil {
		return func() {}
	}
	t.cores, t.since = cores, time.Now()
	if n > fewEntries {
		t.since = time.Time{}
	}
	_ = t.Pause()
	return func() {
		if t.taken {
			<-cores
		}
		t.cores, t.taken = nil, false
	}
}

// Pause ends a turn that has lasted long enough, and waits for the next. It returns Err, or nil if t
// is nil.
func (t *Turn) Pause() error {
	if t == nil {
		return nil
	}
	if t.cores != nil && time.Since(t.since) >= maxSlice {
		if t.taken {
			<-t.cores
		}
		if t.taken, t.since = t.cores.take(), time.Now(); !t.taken {
			t.cores = nil
		}
	}
	return t.Err
}

// fewEntries is the largest number of entries that are sorted without a slot. Their keys
// take at most fewEntries*maxPerRecord bytes.
const fewEntries = 1000

// A cut says how many of some sorted entries are wanted: the first or the last. The zero cut wants
// all.
type cut struct {
	most int
	last bool
}

// room returns how many items are kept before those that are not wanted are dropped.
func (c cut) room(more int) int {
	if c.most == 0 {
		return math.MaxInt
	}
	return c.most + more
}

// compareEntries compares the values of fields in turn and then the ids.
func compareEntries(a, b *Entry, fields []Field, terms []ordering.Term) int {
	for i, f := range fields {
		c := f.Key(a).Compare(f.Key(b))
		if terms[i].Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return compareIDs(a, b)
}
