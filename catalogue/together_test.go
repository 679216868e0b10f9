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
)

// A crowd is some goroutines at one collection. Each writes to records of its
// own and knows what these must be, whatever the others do.
type crowd struct {
	house   *catalogue.Catalogue
	c       *catalogue.Collection[task]
	members []*member
	failed  atomic.Bool

	// loading is held alone around a Load, which replaces everybody's records,
	// and shared by who relies on its own.
	loading sync.RWMutex
}

// A member is one goroutine of a crowd.
type member struct {
	*crowd
	number int
	rng    *rand.Rand
	own    plot   // its part of the crowd's collection
	forks  []plot // clones, nobody else's
	old    []oldDeeds
	left   int // operations
}

// A plot is a collection beside those records that its member alone writes to.
type plot struct {
	house *catalogue.Catalogue // nil if the collection was cloned alone
	c     *catalogue.Collection[task]
	alone bool // there are no others
	most  int  // records

	rows []task
	gone []int // ids that were this member's
	last int   // the highest id that it knows to be used
}

// oldDeeds is a snapshot with what was read of it first.
type oldDeeds struct {
	s    catalogue.Snapshot[task]
	rows []task
}

// TestModelTogether has several goroutines write to, load, clone and read one
// collection over a long random history. BACKLIST_MODEL_STEPS sets its length
// and BACKLIST_MODEL_SEED what each goroutine does, though not in which order
// they come to it.
func TestModelTogether(t *testing.T) {
	const members = 6
	steps, seed := modelSteps(t), modelSeed(t)
	t.Logf("BACKLIST_MODEL_SEED=%d BACKLIST_MODEL_STEPS=%d", seed, steps)
	house, err := catalogue.NewWith(catalogue.Define[task]("books", catalogue.Options{History: 200}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Define[task]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	all := &crowd{house: house, c: c}
	for i := range members {
		all.members = append(all.members, &member{
			crowd: all, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), left: steps / members,
			own: plot{house: house, c: c, most: 100},
		})
	}
	var group sync.WaitGroup
	for _, m := range all.members {
		group.Go(func() {
			if err := m.run(); err != nil {
				all.failed.Store(true)
				t.Errorf("goroutine %d, %d operations before its end: %v", m.number, m.left, err)
			}
		})
	}
	group.Wait()
	if err := house.Check(); err != nil {
		t.Error(err)
	}
	owned := 0
	for _, m := range all.members {
		owned += len(m.own.rows)
	}
	if c.Count() != owned {
		t.Errorf("%d records, of which %d are somebody's", c.Count(), owned)
	}
}

func (m *member) run() error {
	for m.left > 0 && !m.failed.Load() {
		if err := m.turn(); err != nil {
			return err
		}
	}
	for _, o := range m.old {
		if err := m.readAgain(o); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	for i := range m.forks {
		if err := m.compare(&m.forks[i]); err != nil {
			return fmt.Errorf("clone %d, at the end: %w", i, err)
		}
	}
	return nil
}

// turn is some writes, and then a look at anything.
func (m *member) turn() error {
	var err error
	if m.rng.IntN(60) == 0 {
		err = m.load()
	} else {
		m.loading.RLock()
		err = m.batch(&m.own)
		m.loading.RUnlock()
	}
	if err != nil {
		return err
	}
	switch m.rng.IntN(8) {
	case 0:
		return m.hold()
	case 1:
		if len(m.old) > 0 {
			return m.readAgain(pick(m.rng, m.old...))
		}
	case 2:
		return m.fork()
	case 3, 4:
		return m.writeToFork()
	case 5:
		return m.c.Check()
	default:
		return m.look()
	}
	return nil
}

// batch is some writes and a comparison.
func (m *member) batch(p *plot) error {
	for range 1 + m.rng.IntN(60) {
		var err error
		switch n := m.rng.IntN(200); {
		case n == 0 && p.house != nil:
			err = m.badLoad(p)
		case n < 12:
			err = m.update(p)
		default:
			err = m.write(p.c, p)
		}
		m.left--
		if err != nil {
			return err
		}
	}
	return m.compare(p)
}

func (p *plot) copy() *plot {
	q := *p
	q.rows, q.gone = slices.Clone(p.rows), slices.Clone(p.gone)
	return &q
}

// added notes a record that was not there.
func (p *plot) added(d task) {
	p.rows = append(p.rows, d)
	p.gone = slices.DeleteFunc(p.gone, func(id int) bool { return id == d.ID })
	p.last = max(p.last, d.ID)
}

// write is one random write, to the collection or in a transaction.
func (m *member) write(w writer[task], p *plot) error {
	n, d := m.rng.IntN(100), randomTask(m.rng, m.number)
	if len(p.rows) > p.most && n < 50 {
		n = 99
	}
	switch {
	case n < 30:
		return m.add(w.Insert, p, d)
	case n < 35:
		return m.add(w.Upsert, p, d)
	case len(p.gone) > 0 && n < 45: // an id may be used again by who names it
		d.ID = pick(m.rng, p.gone...)
		id, err := pick(m.rng, w.Insert, w.Upsert)(d)
		p.added(d)
		return verdict("back again", d.ID, id, nil, err)
	case len(p.rows) == 0:
		return verdict("delete of nothing", 0, 0, catalogue.ErrNotFound, w.Delete(math.MaxInt))
	}
	i := m.rng.IntN(len(p.rows))
	d.ID = p.rows[i].ID
	switch {
	case n < 55:
		id, err := w.Upsert(d)
		p.rows[i] = d
		return verdict("upsert", d.ID, id, nil, err)
	case n < 75:
		return m.modify(w, p, i, d)
	case n < 85:
		return m.refused(w, p, d)
	default:
		p.rows = slices.Delete(p.rows, i, i+1)
		p.gone = append(p.gone, d.ID)
		return verdict("delete", 0, 0, nil, w.Delete(d.ID))
	}
}

// add stores a record under an id that was never used.
func (m *member) add(store func(task) (int, error), p *plot, d task) error {
	id, err := store(d)
	if err != nil || id <= p.last {
		return fmt.Errorf("a record without id: id %d, %v; want one above %d", id, err, p.last)
	}
	d.ID = id
	p.added(d)
	return nil
}

// refused is writes that change nothing; d has the id of a record.
func (m *member) refused(w writer[task], p *plot, d task) error {
	_, err := w.Insert(d)
	exists := verdict("insert where one is", 0, 0, catalogue.ErrExists, err)
	bad := d
	bad.Rate = ptr(math.Inf(1))
	_, err = w.Upsert(bad)
	invalid := verdict("upsert bad", 0, 0, catalogue.ErrInvalid, err)
	bad.ID = 0
	_, err = w.Insert(bad)
	invalid = errors.Join(invalid, verdict("insert bad", 0, 0, catalogue.ErrInvalid, err))
	if len(p.gone) == 0 {
		return errors.Join(exists, invalid)
	}
	id := pick(m.rng, p.gone...)
	_, err = w.Get(id)
	return errors.Join(exists, invalid,
		verdict("get what is gone", 0, 0, catalogue.ErrNotFound, err),
		verdict("delete what is gone", 0, 0, catalogue.ErrNotFound, w.Delete(id)))
}

// modify makes record i the fresh one, or fails to.
func (m *member) modify(w writer[task], p *plot, i int, fresh task) error {
	row, how := p.rows[i], m.rng.IntN(10)
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
		return w.Update(row.ID, func(d *task) error {
			if !sameTask(d, &row) {
				differs = fmt.Errorf("modify shows %s, want %s", taskJSON(d), taskJSON(&row))
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
	return errors.Join(differs, verdict("modify", 0, 0, want, got))
}

// update is a transaction of few or many writes that succeeds, fails or panics.
func (m *member) update(p *plot) error {
	how, inside := m.rng.IntN(5), p.copy()
	var differs error
	got := caught(func() error {
		return p.c.Batch(func(tx *catalogue.Tx[task]) error {
			others := tx.Count() - len(inside.rows)
			for range pick(m.rng, 0, 1, 2, 5, 7, 8, 9, 10, 20, 40) {
				m.left--
				if differs = m.write(tx, inside); differs != nil {
					return nil
				}
				if got := tx.Count(); got != others+len(inside.rows) {
					differs = fmt.Errorf("count %d, want %d of others and %d", got, others, len(inside.rows))
					return nil
				}
			}
			if m.rng.IntN(8) == 0 { // outside nothing of it is seen yet
				if differs = m.compare(p); differs != nil {
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
		return fmt.Errorf("in an update: %w", differs)
	}
	switch how {
	case 0:
		return verdict("update", 0, 0, errOwn, got)
	case 1:
		return verdict("update", 0, 0, panicked{errOwn}, got)
	}
	*p = *inside
	return verdict("update", 0, 0, nil, got)
}

// load replaces the records of all members.
func (m *member) load() error {
	m.loading.Lock()
	defer m.loading.Unlock()
	n := pick(m.rng, 0, 5, 60, 400)
	rows := make([][]task, len(m.members))
	var wires []string
	for _, place := range m.rng.Perm(2 * n)[:n] {
		owner := m.rng.IntN(len(m.members))
		d := randomTask(m.rng, owner)
		d.ID = 1 + place
		rows[owner] = append(rows[owner], d)
		wires = append(wires, taskJSON(&d))
	}
	if err := m.house.LoadCollection("books", strings.NewReader("["+strings.Join(wires, ",")+"]")); err != nil {
		return err
	}
	for i, other := range m.members {
		p := &other.own
		p.rows, p.gone = nil, nil
		for _, d := range rows[i] {
			p.added(d)
		}
	}
	return nil
}

// badLoad changes nothing: an id comes twice.
func (m *member) badLoad(p *plot) error {
	d := randomTask(m.rng, m.number)
	d.ID = 1
	text := "[" + taskJSON(&d) + "," + taskJSON(&d) + "]"
	return verdict("bad load", 0, 0, catalogue.ErrInvalidData, p.house.LoadCollection("books", strings.NewReader(text)))
}

// someTerms is an ordering of up to three terms: now one of a few that are
// asked for often, now one of so many that those kept make room for it.
func (m *member) someTerms() []ordering.Term {
	if m.rng.IntN(2) == 0 {
		return terms(pick(m.rng, "", "-id", "score", "-mark", "rate", "tags", "owner,-score", "-owner,score", "done,mark", "mark,-rate,id"))
	}
	var by []ordering.Term
	for range 1 + m.rng.IntN(3) {
		by = append(by, ordering.Term{Field: pick(m.rng, taskFields()...), Desc: m.rng.IntN(2) == 0})
	}
	return by
}

// compare reads all of a plot's own records.
func (m *member) compare(p *plot) error {
	s := p.c.Snapshot()
	for _, row := range p.rows[:min(2, len(p.rows))] {
		if got, err := s.Get(row.ID); err != nil || !sameTask(&got, &row) {
			return fmt.Errorf("get %d: %s, %v; want %s", row.ID, taskJSON(&got), err, taskJSON(&row))
		}
	}
	if p.alone {
		return m.sameBy(s, p.rows, m.someTerms())
	}
	return m.sameOwn(s, p.rows)
}

// sameOwn pages through all records, by owner first, and compares this member's.
func (m *member) sameOwn(s catalogue.Snapshot[task], rows []task) error {
	by := terms(pick(m.rng, "owner,-score", "-owner,score", "owner", "owner,mark,-rate"))
	want := sortedTasks(rows, by)
	got := make([]*task, 0, len(want))
	for w := (pagination.Window{Limit: pick(m.rng, 7, 21, 100)}); w.Offset < s.Count(); w.Offset += w.Limit {
		v, err := s.View(w, by...)
		if err != nil || v.Count() != s.Count() {
			return fmt.Errorf("page %v by %v: count %d, want %d: %v", w, by, v.Count(), s.Count(), err)
		}
		for i := range v.Len() {
			if v.At(i).Owner == m.number {
				got = append(got, v.At(i))
			}
		}
	}
	return sameTasks(fmt.Sprintf("own records by %v", by), got, want)
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

// sameBy compares an ordering, whole and page by page, with records that are
// sorted here.
func (m *member) sameBy(r reader[task], rows []task, by []ordering.Term) error {
	want := sortedTasks(rows, by)
	seq, err := r.Ordered(by...)
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
	for w := (pagination.Window{Limit: pick(m.rng, 5, 21, 64)}); len(paged) < len(want); w.Offset += w.Limit {
		v, err := r.View(w, by...)
		if err != nil || v.Count() != len(want) || v.Len() == 0 {
			return fmt.Errorf("page %v by %v: %d of %d records, want some of %d: %v", w, by, v.Len(), v.Count(), len(want), err)
		}
		for i := range v.Len() {
			paged = append(paged, v.At(i))
		}
		i := m.rng.IntN(v.Len())
		if text, err := v.JSON(i); err != nil || string(text) != taskJSON(v.At(i)) {
			return fmt.Errorf("page %v by %v: JSON %s, want %s: %v", w, by, text, taskJSON(v.At(i)), err)
		}
	}
	return sameTasks(fmt.Sprintf("pages by %v", by), paged, want)
}

// first reads a snapshot by id, each record once.
func first(s catalogue.Snapshot[task]) (oldDeeds, error) {
	rows := slices.Collect(s.All())
	if len(rows) != s.Count() {
		return oldDeeds{}, fmt.Errorf("count %d of %d records", s.Count(), len(rows))
	}
	for i := range rows {
		if i > 0 && rows[i-1].ID >= rows[i].ID {
			return oldDeeds{}, fmt.Errorf("id %d comes behind %d", rows[i].ID, rows[i-1].ID)
		}
	}
	return oldDeeds{s, rows}, nil
}

// look checks what holds for everybody: all orderings of a snapshot show the
// same records, and a page of the present is sorted and of one instant.
func (m *member) look() error {
	now, err := first(m.c.Snapshot())
	if err != nil {
		return err
	}
	if err := m.sameBy(now.s, now.rows, m.someTerms()); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	by := m.someTerms()
	v, err := m.c.View(whole, by...)
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

// hold keeps a snapshot for later.
func (m *member) hold() error {
	o, err := first(m.c.Snapshot())
	if err != nil {
		return err
	}
	if len(m.old) < 8 {
		m.old = append(m.old, o)
	} else {
		m.old[m.rng.IntN(len(m.old))] = o
	}
	return nil
}

// readAgain reads what was read before, by whatever ordering.
func (m *member) readAgain(o oldDeeds) error {
	for range 2 {
		if err := m.sameBy(o.s, o.rows, m.someTerms()); err != nil {
			return fmt.Errorf("held snapshot: %w", err)
		}
	}
	return catalogue.CheckSnapshot(o.s)
}

// fork clones the collection, or a clone.
func (m *member) fork() error {
	from := &m.own
	if len(m.forks) > 0 && m.rng.IntN(2) == 0 {
		from = &m.forks[m.rng.IntN(len(m.forks))]
	}
	m.loading.RLock()
	defer m.loading.RUnlock()
	n := plot{alone: true, last: from.last}
	if from.house != nil && m.rng.IntN(2) == 0 {
		n.house = from.house.Clone()
		c, err := catalogue.Define[task]("books", catalogue.Options{}).In(n.house)
		if err != nil {
			return err
		}
		n.c = c
	} else {
		n.c = from.c.Clone()
	}
	all, err := first(n.c.Snapshot())
	if err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	n.rows, n.most = all.rows, len(all.rows)+20
	if from.alone {
		err = m.sameBy(n.c, from.rows, m.someTerms())
	} else {
		err = m.sameOwn(n.c.Snapshot(), from.rows)
	}
	if len(m.forks) < 3 {
		m.forks = append(m.forks, n)
	} else {
		m.forks[m.rng.IntN(3)] = n
	}
	return err
}

// writeToFork writes to a clone: what that was cloned from and what was cloned
// from it stay as they are.
func (m *member) writeToFork() error {
	if len(m.forks) == 0 {
		return nil
	}
	i := m.rng.IntN(len(m.forks))
	if err := m.batch(&m.forks[i]); err != nil {
		return fmt.Errorf("clone %d: %w", i, err)
	}
	for j := range m.forks {
		if err := m.compare(&m.forks[j]); err != nil {
			return fmt.Errorf("clone %d, after writes to %d: %w", j, i, err)
		}
	}
	m.loading.RLock()
	defer m.loading.RUnlock()
	if err := m.compare(&m.own); err != nil {
		return fmt.Errorf("after writes to clone %d: %w", i, err)
	}
	return m.forks[i].c.Check()
}
