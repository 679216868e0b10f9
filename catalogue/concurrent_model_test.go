package catalogue_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A workerGroup is a group of goroutines that use one collection. Each writes to records
// of its own, so it knows their values whatever the others do.
type workerGroup struct {
	house   *catalogue.Catalogue
	c       *catalogue.Collection[task]
	workers []*worker
	failed  atomic.Bool

	// loading is locked during a Load, which replaces the records of all workers, and
	// read-locked while a worker relies on its own records.
	loading sync.RWMutex
}

// A worker is a goroutine of a workerGroup.
type worker struct {
	*workerGroup
	number int
	rng    *rand.Rand
	own    tracked   // of the group's collection
	clones []tracked // used by no other worker
	old    []heldSnapshot
	left   int // operations left
}

// A tracked is a collection with the records that a worker expects in it.
type tracked struct {
	house     *catalogue.Catalogue // nil if the collection was cloned without its catalogue
	c         *catalogue.Collection[task]
	exclusive bool // rows are all records of the collection
	limit     int  // of the number of rows

	rows    []task
	deleted []int // ids of records that the worker deleted
	last    int   // the highest id known to be used
}

// A heldSnapshot is a snapshot with the records that were read from it first.
type heldSnapshot struct {
	s    catalogue.Snapshot[task]
	rows []task
}

// TestConcurrentModel has several goroutines write to, load, clone and read one
// collection at random. BACKLIST_MODEL_STEPS sets the number of operations.
// BACKLIST_MODEL_SEED sets the operations of each goroutine, but not their order.
func TestConcurrentModel(t *testing.T) {
	const workers = 6
	steps, seed := modelSteps(t), modelSeed(t)
	t.Logf("BACKLIST_MODEL_SEED=%d BACKLIST_MODEL_STEPS=%d", seed, steps)
	house, err := resources.New(catalogue.Define[task]("books", catalogue.Options{History: 200}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Define[task]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	all := &workerGroup{house: house, c: c}
	for i := range workers {
		all.workers = append(all.workers, &worker{
			workerGroup: all, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), left: steps / workers,
			own: tracked{house: house, c: c, limit: 100},
		})
	}
	var group sync.WaitGroup
	for _, w := range all.workers {
		group.Go(func() {
			if err := w.run(); err != nil {
				all.failed.Store(true)
				t.Errorf("worker %d, %d operations before its end: %v", w.number, w.left, err)
			}
		})
	}
	group.Wait()
	if err := house.Check(); err != nil {
		t.Error(err)
	}
	owned := 0
	for _, w := range all.workers {
		owned += len(w.own.rows)
	}
	if c.Count() != owned {
		t.Errorf("%d records, want %d", c.Count(), owned)
	}
}

func (w *worker) run() error {
	for w.left > 0 && !w.failed.Load() {
		if err := w.step(); err != nil {
			return err
		}
	}
	for _, o := range w.old {
		if err := w.recheck(o); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	for i := range w.clones {
		if err := w.compare(&w.clones[i]); err != nil {
			return fmt.Errorf("clone %d, at the end: %w", i, err)
		}
	}
	return nil
}

// step makes some writes and then a random check.
func (w *worker) step() error {
	var err error
	if w.rng.IntN(60) == 0 {
		err = w.load()
	} else {
		w.loading.RLock()
		err = w.batch(&w.own)
		w.loading.RUnlock()
	}
	if err != nil {
		return err
	}
	switch w.rng.IntN(8) {
	case 0:
		return w.hold()
	case 1:
		if len(w.old) > 0 {
			return w.recheck(pick(w.rng, w.old...))
		}
	case 2:
		return w.clone()
	case 3, 4:
		return w.writeToClone()
	case 5:
		return w.c.Check()
	default:
		return w.checkOrderings()
	}
	return nil
}

// batch makes random writes and compares the records.
func (w *worker) batch(p *tracked) error {
	for range 1 + w.rng.IntN(60) {
		var err error
		switch n := w.rng.IntN(200); {
		case n == 0 && p.house != nil:
			err = w.invalidLoad(p)
		case n < 12:
			err = w.runBatch(p)
		default:
			err = w.write(p.c, p)
		}
		w.left--
		if err != nil {
			return err
		}
	}
	return w.compare(p)
}

func (p *tracked) copy() *tracked {
	q := *p
	q.rows, q.deleted = slices.Clone(p.rows), slices.Clone(p.deleted)
	return &q
}

// added records the insertion of d.
func (p *tracked) added(d task) {
	p.rows = append(p.rows, d)
	p.deleted = slices.DeleteFunc(p.deleted, func(id int) bool { return id == d.ID })
	p.last = max(p.last, d.ID)
}

// write makes one random write to a collection or in a batch.
func (w *worker) write(dst writer[task], p *tracked) error {
	n, d := w.rng.IntN(100), randomTask(w.rng, w.number)
	if len(p.rows) > p.limit && n < 50 {
		n = 99
	}
	switch {
	case n < 30:
		return w.add(dst.Insert, p, d)
	case n < 35:
		return w.add(dst.Upsert, p, d)
	case len(p.deleted) > 0 && n < 45: // an explicit id may be used again
		d.ID = pick(w.rng, p.deleted...)
		id, err := pick(w.rng, dst.Insert, dst.Upsert)(d)
		p.added(d)
		return checkResult("insert with the id of a deleted record", d.ID, id, nil, err)
	case len(p.rows) == 0:
		return checkResult("delete of an unknown id", 0, 0, catalogue.ErrNotFound, dst.Delete(math.MaxInt))
	}
	i := w.rng.IntN(len(p.rows))
	d.ID = p.rows[i].ID
	switch {
	case n < 55:
		id, err := dst.Upsert(d)
		p.rows[i] = d
		return checkResult("upsert", d.ID, id, nil, err)
	case n < 75:
		return w.update(dst, p, i, d)
	case n < 85:
		return w.writeInvalid(dst, p, d)
	default:
		p.rows = slices.Delete(p.rows, i, i+1)
		p.deleted = append(p.deleted, d.ID)
		return checkResult("delete", 0, 0, nil, dst.Delete(d.ID))
	}
}

// add stores a record without an id.
func (w *worker) add(store func(task) (int, error), p *tracked, d task) error {
	id, err := store(d)
	if err != nil || id <= p.last {
		return fmt.Errorf("insert without an id: id %d, %v, want one above %d", id, err, p.last)
	}
	d.ID = id
	p.added(d)
	return nil
}

// writeInvalid makes writes that fail. The id of d is that of a record.
func (w *worker) writeInvalid(dst writer[task], p *tracked, d task) error {
	_, err := dst.Insert(d)
	exists := checkResult("insert with a used id", 0, 0, catalogue.ErrExists, err)
	invalidRecord := d
	invalidRecord.Rate = ptr(math.Inf(1))
	_, err = dst.Upsert(invalidRecord)
	invalid := checkResult("upsert of an invalid record", 0, 0, catalogue.ErrInvalid, err)
	invalidRecord.ID = 0
	_, err = dst.Insert(invalidRecord)
	invalid = errors.Join(invalid, checkResult("insert of an invalid record", 0, 0, catalogue.ErrInvalid, err))
	if len(p.deleted) == 0 {
		return errors.Join(exists, invalid)
	}
	id := pick(w.rng, p.deleted...)
	_, err = dst.Get(id)
	return errors.Join(exists, invalid,
		checkResult("get of a deleted record", 0, 0, catalogue.ErrNotFound, err),
		checkResult("delete of a deleted record", 0, 0, catalogue.ErrNotFound, dst.Delete(id)))
}

// update replaces record i by fresh, or fails to.
func (w *worker) update(dst writer[task], p *tracked, i int, fresh task) error {
	row, how := p.rows[i], w.rng.IntN(10)
	var want, differs error
	switch how {
	case 0:
		want = errOwn
	case 1:
		want = panicked{errOwn}
	case 2:
		fresh.ID, want = row.ID+1, catalogue.ErrInvalidID
	case 3:
		fresh.Rate, want = ptr(math.NaN()), catalogue.ErrInvalid
	default:
		p.rows[i] = fresh
	}
	got := caught(func() error {
		return dst.Update(row.ID, func(d *task) error {
			if !sameTask(d, &row) {
				differs = fmt.Errorf("Update passed %s, want %s", taskJSON(d), taskJSON(&row))
			}
			*d = fresh
			switch how {
			case 0:
				return errOwn
			case 1:
				panic(errOwn)
			}
			return nil
		})
	})
	return errors.Join(differs, checkResult("update", 0, 0, want, got))
}

// runBatch runs a batch of random writes that succeeds, fails or panics.
func (w *worker) runBatch(p *tracked) error {
	how, inside := w.rng.IntN(5), p.copy()
	var differs error
	got := caught(func() error {
		return p.c.Batch(func(tx *catalogue.Tx[task]) error {
			others := tx.Count() - len(inside.rows)
			for range pick(w.rng, 0, 1, 2, 5, 7, 8, 9, 10, 20, 40) {
				w.left--
				if differs = w.write(tx, inside); differs != nil {
					return nil
				}
				if got := tx.Count(); got != others+len(inside.rows) {
					differs = fmt.Errorf("Tx.Count() = %d, want %d", got, others+len(inside.rows))
					return nil
				}
			}
			if w.rng.IntN(8) == 0 { // readers see nothing of the batch yet
				if differs = w.compare(p); differs != nil {
					return nil
				}
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
	switch how {
	case 0:
		return checkResult("batch", 0, 0, errOwn, got)
	case 1:
		return checkResult("batch", 0, 0, panicked{errOwn}, got)
	}
	*p = *inside
	return checkResult("batch", 0, 0, nil, got)
}

// load replaces the records of all workers by random ones.
func (w *worker) load() error {
	w.loading.Lock()
	defer w.loading.Unlock()
	n := pick(w.rng, 0, 5, 60, 400)
	rows := make([][]task, len(w.workers))
	var list []string
	for _, place := range w.rng.Perm(2 * n)[:n] {
		owner := w.rng.IntN(len(w.workers))
		d := randomTask(w.rng, owner)
		d.ID = 1 + place
		rows[owner] = append(rows[owner], d)
		list = append(list, taskJSON(&d))
	}
	if err := w.house.Load(strings.NewReader(`{"books":[`+strings.Join(list, ",")+`]}`), catalogue.LoadOptions{}); err != nil {
		return err
	}
	for i, other := range w.workers {
		p := &other.own
		p.rows, p.deleted = nil, nil
		for _, d := range rows[i] {
			p.added(d)
		}
	}
	return nil
}

// invalidLoad loads two records with the same id, which must fail.
func (w *worker) invalidLoad(p *tracked) error {
	d := randomTask(w.rng, w.number)
	d.ID = 1
	text := "[" + taskJSON(&d) + "," + taskJSON(&d) + "]"
	return checkResult("load of a repeated id", 0, 0, catalogue.ErrInvalidData, p.house.Load(strings.NewReader(`{"books":`+text+`}`), catalogue.LoadOptions{}))
}

// randomTerms returns up to three terms: either one of a few orderings that are often
// used, or one of so many that their indexes are dropped again.
func (w *worker) randomTerms() []ordering.Term {
	if w.rng.IntN(2) == 0 {
		return terms(pick(w.rng, "", "-id", "score", "-mark", "rate", "tags", "owner,-score", "-owner,score", "done,mark", "mark,-rate,id"))
	}
	var by []ordering.Term
	for range 1 + w.rng.IntN(3) {
		by = append(by, ordering.Term{Field: pick(w.rng, taskFields()...), Desc: w.rng.IntN(2) == 0})
	}
	return by
}

// compare checks that the collection has the rows of p.
func (w *worker) compare(p *tracked) error {
	s := p.c.Snapshot()
	for _, row := range p.rows[:min(2, len(p.rows))] {
		if got, err := s.Get(row.ID); err != nil || !sameTask(&got, &row) {
			return fmt.Errorf("get %d: %s, %v, want %s", row.ID, taskJSON(&got), err, taskJSON(&row))
		}
	}
	if p.exclusive {
		return w.compareBy(s, p.rows, w.randomTerms())
	}
	return w.compareOwn(s, p.rows)
}

// compareOwn reads all pages of an ordering by owner and compares the worker's records
// in them with rows.
func (w *worker) compareOwn(s catalogue.Snapshot[task], rows []task) error {
	by := terms(pick(w.rng, "owner,-score", "-owner,score", "owner", "owner,mark,-rate"))
	want := sortedTasks(rows, by)
	got := make([]*task, 0, len(want))
	for win := (pagination.Window{Limit: pick(w.rng, 7, 21, 100)}); win.Offset < s.Count(); win.Offset += win.Limit {
		v, err := s.Where().View(win, by...)
		if err != nil || v.Count() != s.Count() {
			return fmt.Errorf("page %v by %v: count %d, want %d: %v", win, by, v.Count(), s.Count(), err)
		}
		for i := range v.Len() {
			if v.At(i).Owner == w.number {
				got = append(got, v.At(i))
			}
		}
	}
	return sameTasks(fmt.Sprintf("records of the worker by %v", by), got, want)
}

func sameTasks(what string, got, want []*task) error {
	for i := range min(len(got), len(want)) {
		if !sameTask(got[i], want[i]) {
			return fmt.Errorf("%s: at %d %s, want %s", what, i, taskJSON(got[i]), taskJSON(want[i]))
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d records, want %d", what, len(got), len(want))
	}
	return nil
}

// compareBy compares an ordering, at once and page by page, with rows.
func (w *worker) compareBy(r reader[task], rows []task, by []ordering.Term) error {
	want := sortedTasks(rows, by)
	seq, err := r.Where().All(by...)
	if err != nil {
		return err
	}
	var got, paged []*task
	for d := range seq {
		got = append(got, &d)
	}
	if err := sameTasks(fmt.Sprintf("ordered by %v", by), got, want); err != nil {
		return err
	}
	for win := (pagination.Window{Limit: pick(w.rng, 5, 21, 64)}); len(paged) < len(want); win.Offset += win.Limit {
		v, err := r.Where().View(win, by...)
		if err != nil || v.Count() != len(want) || v.Len() == 0 {
			return fmt.Errorf("page %v by %v: %d of %d records, want some of %d: %v", win, by, v.Len(), v.Count(), len(want), err)
		}
		for i := range v.Len() {
			paged = append(paged, v.At(i))
		}
		i := w.rng.IntN(v.Len())
		if text, err := v.JSON(i); err != nil || string(text) != taskJSON(v.At(i)) {
			return fmt.Errorf("page %v by %v: JSON %s, want %s: %v", win, by, text, taskJSON(v.At(i)), err)
		}
	}
	return sameTasks(fmt.Sprintf("pages by %v", by), paged, want)
}

// readSnapshot reads the records of a snapshot, which must be sorted by id.
func readSnapshot(s catalogue.Snapshot[task]) (heldSnapshot, error) {
	rows := slices.Collect(s.All())
	if len(rows) != s.Count() {
		return heldSnapshot{}, fmt.Errorf("snapshot has %d records, count %d", len(rows), s.Count())
	}
	for i := range rows {
		if i > 0 && rows[i-1].ID >= rows[i].ID {
			return heldSnapshot{}, fmt.Errorf("id %d comes after %d", rows[i].ID, rows[i-1].ID)
		}
	}
	return heldSnapshot{s, rows}, nil
}

// checkOrderings checks that all orderings of a snapshot have the same records, and that
// a view of the collection is complete and sorted.
func (w *worker) checkOrderings() error {
	now, err := readSnapshot(w.c.Snapshot())
	if err != nil {
		return err
	}
	if err := w.compareBy(now.s, now.rows, w.randomTerms()); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	by := w.randomTerms()
	v, err := w.c.Where().View(whole, by...)
	if err != nil || v.Count() != v.Len() {
		return fmt.Errorf("all by %v: count %d of %d: %v", by, v.Count(), v.Len(), err)
	}
	for i := 1; i < v.Len(); i++ {
		if a, b := v.At(i-1), v.At(i); compareTasks(a, b, by) >= 0 {
			return fmt.Errorf("all by %v: %s before %s", by, taskJSON(a), taskJSON(b))
		}
	}
	return nil
}

// hold takes a snapshot that is read again later.
func (w *worker) hold() error {
	o, err := readSnapshot(w.c.Snapshot())
	if err != nil {
		return err
	}
	if len(w.old) < 8 {
		w.old = append(w.old, o)
	} else {
		w.old[w.rng.IntN(len(w.old))] = o
	}
	return nil
}

// recheck checks that a snapshot still has the same records.
func (w *worker) recheck(o heldSnapshot) error {
	for range 2 {
		if err := w.compareBy(o.s, o.rows, w.randomTerms()); err != nil {
			return fmt.Errorf("held snapshot: %w", err)
		}
	}
	return catalogue.CheckSnapshot(o.s)
}

// clone clones the group's collection or one of the worker's clones.
func (w *worker) clone() error {
	from := &w.own
	if len(w.clones) > 0 && w.rng.IntN(2) == 0 {
		from = &w.clones[w.rng.IntN(len(w.clones))]
	}
	w.loading.RLock()
	defer w.loading.RUnlock()
	n := tracked{exclusive: true, last: from.last}
	if from.house != nil && w.rng.IntN(2) == 0 {
		n.house = from.house.Clone()
		c, err := catalogue.Define[task]("books", catalogue.Options{}).In(n.house)
		if err != nil {
			return err
		}
		n.c = c
	} else {
		n.c = from.c.Clone()
	}
	all, err := readSnapshot(n.c.Snapshot())
	if err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	n.rows, n.limit = all.rows, len(all.rows)+20
	if from.exclusive {
		err = w.compareBy(n.c, from.rows, w.randomTerms())
	} else {
		err = w.compareOwn(n.c.Snapshot(), from.rows)
	}
	if len(w.clones) < 3 {
		w.clones = append(w.clones, n)
	} else {
		w.clones[w.rng.IntN(3)] = n
	}
	return err
}

// writeToClone writes to a clone and checks that other clones and the group's collection
// do not change.
func (w *worker) writeToClone() error {
	if len(w.clones) == 0 {
		return nil
	}
	i := w.rng.IntN(len(w.clones))
	if err := w.batch(&w.clones[i]); err != nil {
		return fmt.Errorf("clone %d: %w", i, err)
	}
	for j := range w.clones {
		if err := w.compare(&w.clones[j]); err != nil {
			return fmt.Errorf("clone %d, after writes to %d: %w", j, i, err)
		}
	}
	w.loading.RLock()
	defer w.loading.RUnlock()
	if err := w.compare(&w.own); err != nil {
		return fmt.Errorf("after writes to clone %d: %w", i, err)
	}
	return w.clones[i].c.Check()
}
