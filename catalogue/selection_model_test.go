package catalogue_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// findQueries returns the number of queries of TestFindModel.
func findQueries(t *testing.T) int { return stepsFrom(t, "BACKLIST_FIND_QUERIES", 30_000) }

// A findCase is a collection for a part of TestFindModel.
type findCase struct {
	name  string
	share int // of 100 queries
	run   func(t *testing.T, n int, seed uint64) findMix
}

var findCases = []findCase{
	{"typed", 39, findEditions(catalogue.Options{}, randomEdition, editionFinds, 30, 60)},
	{"typed, with a default order", 15, findEditions(catalogue.Options{Ordering: terms("-status,pages")}, randomEdition, editionFinds, 30, 60)},
	{"typed, many records", 1, findEditions(catalogue.Options{}, randomEdition, editionFinds, 600, 60)},
	{"typed, keys too large for an index", 3, findEditions(catalogue.Options{}, longTopics, often(editionFinds, "topics"), 30, 6)},
	{"open", 32, findRecords(catalogue.Options{}, randomFindOpen, openFinds, 30, 60)},
	{"open, with a default order", 8, findRecords(catalogue.Options{Ordering: terms("seldom_set,-x")}, randomFindOpen, openFinds, 30, 60)},
	{"open, keys too large for an index", 2, findRecords(catalogue.Options{}, longOpen, often(openFinds, "x"), 30, 6)},
}

// TestFindModel makes random queries with conditions of collections, snapshots and
// batches, and compares their results with those of a slice. BACKLIST_FIND_QUERIES sets
// the number of queries and BACKLIST_MODEL_SEED repeats a run.
func TestFindModel(t *testing.T) {
	queries, seed := findQueries(t), modelSeed(t)
	mixes := make([]findMix, len(findCases))
	t.Run("cases", func(t *testing.T) {
		for i, c := range findCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				mixes[i] = c.run(t, queries*c.share/100, seed)
			})
		}
	})
	mix := findMix{}
	for _, m := range mixes {
		for kind, n := range m {
			mix[kind] += n
		}
	}
	t.Logf("BACKLIST_MODEL_SEED=%d%v", seed, mix)
	if err := mix.check(); err != nil && !t.Failed() {
		t.Error(err)
	}
}

// findEditions returns a test of editions. queries is the average number between two
// states.
func findEditions(opts catalogue.Options, random func(*rand.Rand) edition, fields []findField, size, queries int) func(*testing.T, int, uint64) findMix {
	opts.Keys = editionKeys()
	typ := editionType
	typ.random = random
	return func(t *testing.T, n int, seed uint64) findMix {
		return runFind(t, &findRun[edition]{typ: &typ, fields: fields, size: size, queries: queries, left: n}, opts, seed)
	}
}

// findRecords is like findEditions for open records.
func findRecords(opts catalogue.Options, random func(*rand.Rand) schema.Record, fields []findField, size, queries int) func(*testing.T, int, uint64) findMix {
	opts.Keys = openKeys()
	typ := findOpen
	typ.random = random
	return func(t *testing.T, n int, seed uint64) findMix {
		return runFind(t, &findRun[schema.Record]{typ: &typ, fields: fields, size: size, queries: queries, left: n}, opts, seed)
	}
}

// often returns fields of which half are the one with the name.
func often(fields []findField, name string) []findField {
	list := slices.Clone(fields)
	i := slices.IndexFunc(fields, func(f findField) bool { return f.name == name })
	for range fields {
		list = append(list, fields[i])
	}
	return list
}

func runFind[T any](t *testing.T, fr *findRun[T], opts catalogue.Options, seed uint64) findMix {
	t.Helper()
	c, err := catalogue.NewCollection[T](opts)
	must(t, err)
	fr.c, fr.m, fr.mix = c, &model[T]{typ: fr.typ, ordered: opts.Ordering}, findMix{}
	fr.unique, fr.rng = opts.Unique, rand.New(rand.NewPCG(seed, uint64(crc32.ChecksumIEEE([]byte(t.Name())))))
	queries := fr.left
	if err := fr.run(); err != nil {
		t.Fatalf("BACKLIST_MODEL_SEED=%d, after %d of %d queries: %v", seed, queries-fr.left, queries, err)
	}
	return fr.mix
}

// longTopics returns an edition whose topics are too long for an index.
func longTopics(rng *rand.Rand) edition {
	e := randomEdition(rng)
	e.Topics = append(slices.Clone(e.Topics), strings.Repeat("x", 600+rng.IntN(3)))
	return e
}

// longOpen returns a record with text that is too long for an index.
func longOpen(rng *rand.Rand) schema.Record {
	r := randomFindOpen(rng)
	if rng.IntN(4) > 0 {
		r, _ = r.With("x", strings.Repeat("a", 900+rng.IntN(3)))
	}
	return r
}

// A findRun makes random writes and queries to a collection and to a model of it.
type findRun[T any] struct {
	typ      *recordType[T]
	fields   []findField
	unique   []string
	rng      *rand.Rand
	c        *catalogue.Collection[T]
	m        *model[T]
	revision uint64
	held     []heldState[T]
	older    []olderSelection[T]
	size     int // about the number of records
	queries  int // between two states, on average
	left     int // queries left
	mix      findMix
}

// A heldState is a snapshot and the state of the model when it was taken.
type heldState[T any] struct {
	s  catalogue.Snapshot[T]
	st findState[T]
}

// An olderSelection is a selection that is used for states after the one for which it was
// made.
type olderSelection[T any] struct {
	where []findCondition
	sel   catalogue.Selection[T]
}

// state returns the current state of a model for queries.
func (fr *findRun[T]) state(m *model[T]) findState[T] {
	fields := slices.Concat(m.names(), fr.unique)
	slices.Sort(fields)
	return findState[T]{m, slices.Compact(fields)}
}

// run makes rounds of writes and queries until enough queries are made.
func (fr *findRun[T]) run() error {
	for fr.left > 0 {
		for range 1 + fr.rng.IntN(4) {
			if err := fr.change(); err != nil {
				return err
			}
		}
		if err := fr.ask(); err != nil {
			return err
		}
		if err := fr.c.Check(); err != nil {
			return fmt.Errorf("check: %w", err)
		}
		if got := fr.c.Snapshot().Revision(); got != fr.revision {
			return fmt.Errorf("revision %d, want %d", got, fr.revision)
		}
		fr.keep()
	}
	for _, h := range fr.held {
		if err := catalogue.CheckSnapshot(h.s); err != nil {
			return fmt.Errorf("check of a snapshot: %w", err)
		}
	}
	return nil
}

// ask makes queries of the collection and of the snapshots that are held.
func (fr *findRun[T]) ask() error {
	st := fr.state(fr.m)
	for range fr.rng.IntN(2 * fr.queries) {
		var err error
		switch n := fr.rng.IntN(20); {
		case n < 5 && len(fr.held) > 0:
			h := pick(fr.rng, fr.held...)
			err = fr.query("of a snapshot", h.s, h.st)
		case n < 8 && len(fr.older) > 0:
			o := pick(fr.rng, fr.older...)
			q := fr.randomQuery(st)
			q.where = o.where
			err = fr.compare("of an older selection", fr.c, o.sel, st, q)
		default:
			err = fr.query("of a collection", fr.c, st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (fr *findRun[T]) randomQuery(st findState[T]) findQuery {
	return randomQuery(fr.rng, fr.fields, len(st.rows))
}

// query makes a random query of a source whose records are those of a state.
func (fr *findRun[T]) query(kind string, src finder[T], st findState[T]) error {
	q := fr.randomQuery(st)
	return fr.compare(kind, src, src.Where(q.conditions()...), st, q)
}

func (fr *findRun[T]) compare(kind string, src finder[T], sel catalogue.Selection[T], st findState[T], q findQuery) error {
	fr.left--
	fr.mix["in all"]++
	fr.mix[kind]++
	if err := (findComparison[T]{fr.rng, fr.mix, st, q, src, sel}).compare(); err != nil {
		return fmt.Errorf("%s, %v: %w", kind, q, err)
	}
	return nil
}

// keep takes snapshots, makes selections for later, and goes on with a clone.
func (fr *findRun[T]) keep() {
	if fr.rng.IntN(4) == 0 {
		fr.held = append(fr.held, heldState[T]{fr.c.Snapshot(), fr.state(fr.m.clone())})
		fr.held = fr.held[max(0, len(fr.held)-4):]
	}
	if fr.rng.IntN(8) == 0 {
		q := fr.randomQuery(fr.state(fr.m))
		fr.older = append(fr.older, olderSelection[T]{q.where, fr.c.Where(q.conditions()...)})
		fr.older = fr.older[max(0, len(fr.older)-4):]
	}
	if fr.rng.IntN(40) == 0 {
		fr.c, fr.older = fr.c.Clone(), nil
	}
}

// change makes a random write, batch, replacement or load.
func (fr *findRun[T]) change() error {
	switch n := fr.rng.IntN(100); {
	case n < 2:
		return fr.replaceAll()
	case n < 4:
		return fr.load()
	case n < 24:
		return fr.batch()
	}
	w, next := fr.randomWrite(fr.m), fr.m.clone()
	wantID, want := w.apply(next)
	got, err := w.do(fr.c)
	if want == nil && repeats(next.rows, fr.unique) {
		fr.mix["writes refused"]++
		return checkDuplicate(err, next.rows, fr.unique)
	}
	if want == nil {
		fr.mix["writes made"]++
		fr.m = next
		fr.revision++
	}
	return checkResult(w.what, wantID, got, want, err)
}

// A findWrite is one write to a collection or in a batch.
type findWrite[T any] struct {
	what   string
	id     int
	record T
	err    error // what the function of an update returns
}

// randomWrite returns a write that keeps the number of records near the size of the run.
func (fr *findRun[T]) randomWrite(m *model[T]) findWrite[T] {
	w := findWrite[T]{what: "insert", record: fr.typ.random(fr.rng), id: fr.rng.IntN(m.highest+3) + 1}
	if len(m.rows) > 0 && fr.rng.IntN(4) > 0 {
		w.id = pick(fr.rng, m.rows...).id
	}
	id := fr.typ.id(&w.record)
	switch n := fr.rng.IntN(100); {
	case n < 20 || len(m.rows) < fr.size/2:
	case n < 35:
		*id = w.id
	case n < 60:
		w.what = "upsert"
		if n < 55 {
			*id = w.id
		}
	case n < 80:
		w.what, *id = "update", w.id
		if n < 63 {
			w.err = errOwn
		}
	}
	if len(m.rows) > fr.size && *id == 0 || fr.rng.IntN(10) == 0 {
		w.what = "delete"
	}
	return w
}

// apply makes the write to the model.
func (w findWrite[T]) apply(m *model[T]) (int, error) {
	switch w.what {
	case "insert":
		return m.insert(w.record)
	case "upsert":
		return m.upsert(w.record)
	case "delete":
		return w.id, m.delete(w.id)
	}
	i := m.find(w.id)
	switch {
	case i < 0:
		return w.id, catalogue.ErrNotFound
	case w.err == nil:
		m.rows[i] = m.row(w.record)
	}
	return w.id, w.err
}

// do makes the write to a collection or in a batch.
func (w findWrite[T]) do(dst writer[T]) (int, error) {
	switch w.what {
	case "insert":
		return dst.Insert(w.record)
	case "upsert":
		return dst.Upsert(w.record)
	case "delete":
		return w.id, dst.Delete(w.id)
	}
	return w.id, dst.Update(w.id, func(r *T) error {
		*r = w.record
		return w.err
	})
}

// A findBatch is a batch of random writes, with queries that include them.
type findBatch[T any] struct {
	*findRun[T]
	tx      *catalogue.Tx[T]
	m       *model[T] // with the writes of the batch
	written map[int]bool
	older   []olderSelection[T]
}

// batch makes a batch that succeeds, fails or panics.
func (fr *findRun[T]) batch() error {
	fb := &findBatch[T]{findRun: fr, m: fr.m.clone(), written: map[int]bool{}}
	how, differs := fr.rng.IntN(5), error(nil)
	got := caught(func() error {
		return fr.c.Batch(func(tx *catalogue.Tx[T]) error {
			fb.tx = tx
			if differs = fb.run(); differs != nil {
				return differs
			}
			switch how {
			case 0:
				return errOwn
			case 1:
				panic(errOwn)
			}
			return nil
		})
	})
	if differs != nil {
		return fmt.Errorf("in a batch: %w", differs)
	}
	if _, err := fb.tx.Where().Count(); !errors.Is(err, catalogue.ErrTxDone) {
		return fmt.Errorf("a selection after its batch: %v, want ErrTxDone", err)
	}
	switch {
	case how == 0:
		return checkResult("failing batch", 0, 0, errOwn, got)
	case how == 1:
		return checkResult("panicking batch", 0, 0, panicked{errOwn}, got)
	case repeats(fb.m.rows, fr.unique):
		fr.mix["batches refused"]++
		return checkDuplicate(got, fb.m.rows, fr.unique)
	}
	for id := range fb.written {
		if fr.m.find(id) >= 0 || fb.m.find(id) >= 0 {
			fr.revision++ // otherwise the batch inserted and deleted the record
			break
		}
	}
	fr.mix["batches made"]++
	fr.m = fb.m
	return checkResult("batch", 0, 0, nil, got)
}

// run makes the writes and queries of the batch.
func (fb *findBatch[T]) run() error {
	n := fb.rng.IntN(12)
	if fb.rng.IntN(20) == 0 {
		n = fb.rng.IntN(2 * fb.size)
	}
	for range n {
		if err := fb.write(); err != nil {
			return err
		}
		if fb.rng.IntN(n) < 3 {
			if err := fb.ask(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (fb *findBatch[T]) write() error {
	w := fb.randomWrite(fb.m)
	wantID, want := w.apply(fb.m)
	got, err := w.do(fb.tx)
	if err == nil {
		fb.written[got] = true
	}
	return checkResult(w.what, wantID, got, want, err)
}

// ask makes a few queries of the batch, and one of the collection, which does not have
// the writes of the batch yet.
func (fb *findBatch[T]) ask() error {
	st := fb.state(fb.m)
	for range fb.rng.IntN(8) {
		if err := fb.query("of a batch", fb.tx, st); err != nil {
			return err
		}
	}
	if len(fb.older) > 0 {
		q, o := fb.randomQuery(st), pick(fb.rng, fb.older...)
		q.where = o.where
		if err := fb.compare("of an older selection", fb.tx, o.sel, st, q); err != nil {
			return err
		}
	}
	q := fb.randomQuery(st)
	fb.older = append(fb.older, olderSelection[T]{q.where, fb.tx.Where(q.conditions()...)})
	if fb.rng.IntN(4) == 0 {
		return fb.query("of a collection", fb.c, fb.state(fb.findRun.m))
	}
	return fb.iterate(fb.state(fb.m.clone()))
}

// iterate makes writes while it iterates over records of the batch. They do not affect
// the iterator.
func (fb *findBatch[T]) iterate(st findState[T]) error {
	q := fb.randomQuery(st)
	if q.want(st.fields, st.open(), len(st.rows)) != nil {
		return nil
	}
	rows := st.selected(q.where, q.terms)
	seq, err := fb.tx.Where(q.conditions()...).All(q.terms...)
	if err == nil {
		fc := findComparison[T]{st: st}
		err = fc.sameSeq(seq, rows, 1+fb.rng.IntN(8), fb.write)
	}
	if err != nil {
		return fmt.Errorf("writing while iterating %v: %w", q, err)
	}
	return nil
}

// randomRecords returns records with random ids, some of them zero unless all need one.
// One list in four has an id twice.
func (fr *findRun[T]) randomRecords(all bool) []T {
	used := map[int]bool{}
	twice := fr.rng.IntN(4) == 0
	var list []T
	for range fr.rng.IntN(fr.size + 1) {
		record := fr.typ.random(fr.rng)
		if all || fr.rng.IntN(2) == 0 {
			id := 1 + fr.rng.IntN(2*fr.size)
			if used[id] && !twice {
				continue
			}
			used[id] = true
			*fr.typ.id(&record) = id
		}
		list = append(list, record)
	}
	return list
}

// replaced returns the model with only the given records, whose ids are assigned, or an
// error if two have the same id.
func (fr *findRun[T]) replaced(list []T) (*model[T], error) {
	next := &model[T]{typ: fr.typ, highest: fr.m.highest, ordered: fr.m.ordered}
	for _, record := range list {
		id := *fr.typ.id(&record)
		if id > 0 && next.find(id) >= 0 {
			return nil, catalogue.ErrExists
		}
		next.highest = max(next.highest, id)
		next.rows = append(next.rows, row[T]{id: id, record: record})
	}
	for i, r := range next.rows {
		if r.id == 0 {
			next.highest++
			*fr.typ.id(&r.record) = next.highest
		}
		next.rows[i] = next.row(r.record)
	}
	return next, nil
}

// replaceAll calls ReplaceAll.
func (fr *findRun[T]) replaceAll() error {
	list := fr.randomRecords(false)
	next, want := fr.replaced(list)
	return fr.replace("ReplaceAll", next, want, fr.c.ReplaceAll(slices.Values(list)))
}

// load calls Load with records that have ids.
func (fr *findRun[T]) load() error {
	list := fr.randomRecords(true)
	next, want := fr.replaced(list)
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = fr.typ.encode(&list[i])
	}
	err := fr.c.Load(strings.NewReader("["+strings.Join(texts, ",")+"]"), catalogue.LoadOptions{})
	if want != nil && errors.Is(err, catalogue.ErrDuplicate) && errors.Is(err, catalogue.ErrInvalidData) {
		return nil // the records also have a value twice
	}
	return fr.replace("Load", next, want, err)
}

// replace compares the result of a replacement of all records with what it must be.
func (fr *findRun[T]) replace(what string, next *model[T], want, err error) error {
	if want == nil && repeats(next.rows, fr.unique) {
		fr.mix["replacements refused"]++
		return checkRepeated(err, next.rows, fr.unique)
	}
	if want == nil {
		fr.mix["replacements made"]++
		fr.m = next
		fr.revision++
	}
	if !errors.Is(err, want) {
		return fmt.Errorf("%s: %v, want %v", what, err, want)
	}
	return nil
}

// A findMix counts the queries of a run by kind, so that a run of trivial ones does not
// pass.
type findMix map[string]int

// query counts a query that selects n of all records.
func (m findMix) query(q findQuery, n, all int) {
	m[fmt.Sprintf("with %d conditions", len(q.where))]++
	m[fmt.Sprintf("with %d terms", min(len(q.terms), 3))]++
	for i, c := range q.where {
		if slices.ContainsFunc(q.where[:i], func(d findCondition) bool { return c.Field() == d.Field() }) {
			m["with several conditions on a field"]++
			break
		}
	}
	switch {
	case n == 0:
		m["selecting none"]++
	case n < all:
		m["selecting some"]++
	default:
		m["selecting all"]++
	}
}

// explained counts a query by the way in which it is answered.
func (m findMix) explained(q findQuery, text string) {
	way := "by all records"
	if strings.HasPrefix(text, "range of ") {
		way = "by a range"
	}
	if strings.Contains(text, ", filtered by ") {
		way += ", filtered"
	}
	if strings.HasSuffix(text, ", then sorted") {
		way += ", sorted"
	} else {
		way += ", in order"
	}
	m[way]++
}

// findKinds are the kinds of queries of which a run must have many.
var findKinds = []string{
	"of a collection", "of a snapshot", "of a batch", "of an older selection", "with an error",
	"selecting none", "selecting some", "selecting all", "with several conditions on a field",
	"with 0 conditions", "with 1 conditions", "with 2 conditions", "with 3 conditions", "with 4 conditions",
	"with 0 terms", "with 1 terms", "with 2 terms", "with 3 terms",
	"by a range, in order", "by a range, filtered, in order", "by a range, sorted", "by a range, filtered, sorted",
	"by all records, in order", "by all records, filtered, in order",
}

// check returns an error if a kind of query is rare.
func (m findMix) check() error {
	for _, kind := range findKinds {
		if m[kind] < m["in all"]/100 {
			return fmt.Errorf("only %d of %d queries are %s", m[kind], m["in all"], kind)
		}
	}
	return nil
}

func (m findMix) String() string {
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "\n%9d %s", m[kind], kind)
	}
	return b.String()
}
