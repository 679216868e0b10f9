package catalogue_test

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A row is a record of the model. It never changes.
type row[T any] struct {
	id     int
	record T
	text   string // its JSON
	values map[string]value
}

// A model is a collection kept in an unsorted slice.
type model[T any] struct {
	typ     *recordType[T]
	rows    []row[T]
	highest int // the highest id ever used
	ordered []ordering.Term
}

func (m *model[T]) clone() *model[T] {
	n := *m
	n.rows = slices.Clone(m.rows)
	return &n
}

func (m *model[T]) row(record T) row[T] {
	values, id := m.typ.values(&record), *m.typ.id(&record)
	values["id"] = intOf(int64(id))
	return row[T]{id, record, m.typ.encode(&record), values}
}

func (m *model[T]) find(id int) int {
	return slices.IndexFunc(m.rows, func(r row[T]) bool { return r.id == id })
}

func (m *model[T]) get(id int) (T, error) {
	if i := m.find(id); i >= 0 {
		return m.rows[i].record, nil
	}
	var zero T
	return zero, catalogue.ErrNotFound
}

func (m *model[T]) insert(record T) (int, error) {
	id := m.typ.id(&record)
	switch {
	case *id < 0:
		return 0, catalogue.ErrInvalidID
	case *id == 0:
		*id = m.highest + 1
	case m.find(*id) >= 0:
		return 0, catalogue.ErrExists
	}
	m.highest = max(m.highest, *id)
	m.rows = append(m.rows, m.row(record))
	return *id, nil
}

func (m *model[T]) upsert(record T) (int, error) {
	id := *m.typ.id(&record)
	if i := m.find(id); id > 0 && i >= 0 {
		m.rows[i] = m.row(record)
		return id, nil
	}
	return m.insert(record)
}

func (m *model[T]) delete(id int) error {
	i := m.find(id)
	if i < 0 {
		return catalogue.ErrNotFound
	}
	m.rows = slices.Delete(m.rows, i, i+1)
	return nil
}

// sorted returns all rows in the order of the terms, or in the default order if there
// are none.
func (m *model[T]) sorted(terms []ordering.Term) []row[T] {
	if len(terms) == 0 {
		terms = m.ordered
	}
	terms = effective(terms)
	type keyed struct {
		row  row[T]
		keys []value
	}
	list := make([]keyed, len(m.rows))
	for i, r := range m.rows {
		list[i].row = r
		for _, t := range terms {
			list[i].keys = append(list[i].keys, valueIn(r.values, t.Field))
		}
	}
	slices.SortFunc(list, func(a, b keyed) int { return compareValueRows(a.keys, b.keys, terms) })
	rows := make([]row[T], len(list))
	for i := range list {
		rows[i] = list[i].row
	}
	return rows
}

// names returns the names of the fields that must be known.
func (m *model[T]) names() []string {
	var records []*T
	for i := range m.rows {
		records = append(records, &m.rows[i].record)
	}
	return m.typ.names(records)
}

// A reader is a collection or a snapshot.
type reader[T any] interface {
	All() iter.Seq[T]
	Count() int
	Get(id int) (T, error)
	Page(w pagination.Window, terms ...ordering.Term) (catalogue.Page[T], error)
	Where(conditions ...ordering.Condition) catalogue.Selection[T]
}

// A writer is a collection or a transaction.
type writer[T any] interface {
	Count() int
	Delete(id int) error
	Get(id int) (T, error)
	Insert(record T) (int, error)
	Update(id int, f func(*T) error) error
	Upsert(record T) (int, error)
}

// An instance is a collection and its model. house is nil if the collection was cloned
// without its catalogue; then it is not loaded.
type instance[T any] struct {
	house *catalogue.Catalogue
	c     *catalogue.Collection[T]
	m     *model[T]
}

// A held is a snapshot and a copy of the model from the time it was taken. They must
// stay equal.
type held[T any] struct {
	s catalogue.Snapshot[T]
	m *model[T]
}

// A modelRun is a sequence of random operations on some instances.
type modelRun[T any] struct {
	typ       *recordType[T]
	rng       *rand.Rand
	instances []instance[T]
	held      []held[T]
	left      int // operations left
}

var errOwn = errors.New("the caller's own error")

// modelSteps returns the number of operations of each of the two model tests.
func modelSteps(t *testing.T) int { return stepsFrom(t, "BACKLIST_MODEL_STEPS", 100_000) }

// stepsFrom returns the number in an environment variable. If it is not set, stepsFrom
// returns usual, or fewer with -short or under the race detector.
func stepsFrom(t *testing.T, variable string, usual int) int {
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return n
	}
	if raceEnabled || testing.Short() {
		return 5_000
	}
	return usual
}

// modelSeed returns BACKLIST_MODEL_SEED if it is set, or else a random seed.
func modelSeed(t *testing.T) uint64 {
	text := os.Getenv("BACKLIST_MODEL_SEED")
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("BACKLIST_MODEL_SEED: %v", err)
	}
	return seed
}

// TestModel applies random operations to a collection and to a slice, and compares all
// that can be read of them. BACKLIST_MODEL_STEPS sets the number of operations and
// BACKLIST_MODEL_SEED repeats a run.
func TestModel(t *testing.T) {
	steps, seed := modelSteps(t), modelSeed(t)
	t.Run("typed", func(t *testing.T) {
		t.Parallel()
		about, err := schema.DescriptionOf[product]("books")
		if err != nil {
			t.Fatal(err)
		}
		for i := range about.Fields { // so that null lists remain null
			about.Fields[i].Nullable = true
		}
		books := catalogue.Define[product]("books", catalogue.Options{Description: &about})
		house, err := resources.New(books)
		if err != nil {
			t.Fatal(err)
		}
		c, err := books.In(house)
		runModel(t, &productType, instance[product]{house: house, c: c}, nil, err, steps*2/5, seed)
	})
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		house := mustNew()
		c, err := resources.Records("books").In(house)
		runModel(t, &openType, instance[schema.Record]{house: house, c: c}, nil, err, steps*2/5, seed)
	})
	t.Run("default ordering", func(t *testing.T) {
		t.Parallel()
		order := terms("-live,note")
		c, err := catalogue.NewCollection[product](catalogue.Options{Name: "products", Ordering: order, History: 50})
		runModel(t, &productType, instance[product]{c: c}, order, err, steps/5, seed)
	})
}

func runModel[T any](t *testing.T, typ *recordType[T], b instance[T], order []ordering.Term, err error, steps int, seed uint64) {
	if err != nil {
		t.Fatal(err)
	}
	b.m = &model[T]{typ: typ, ordered: order}
	mr := &modelRun[T]{typ: typ, rng: rand.New(rand.NewPCG(seed, 1)), instances: []instance[T]{b}, left: steps}
	if err := mr.run(); err != nil {
		t.Fatalf("BACKLIST_MODEL_SEED=%d BACKLIST_MODEL_STEPS=%d, %d operations before the end: %v", seed, modelSteps(t), mr.left, err)
	}
}

func (mr *modelRun[T]) run() error {
	for mr.left > 0 {
		i := mr.rng.IntN(len(mr.instances))
		if err := mr.step(&mr.instances[i]); err != nil {
			return fmt.Errorf("instance %d: %w", i, err)
		}
		if err := mr.holdOrClone(mr.instances[i]); err != nil {
			return err
		}
	}
	for _, h := range mr.held {
		if err := mr.compare(h.s, h.m, 5); err != nil {
			return fmt.Errorf("held snapshot, at the end: %w", err)
		}
	}
	return nil
}

// step makes random writes to an instance and compares it with its model.
func (mr *modelRun[T]) step(b *instance[T]) error {
	for range 1 + mr.rng.IntN(400) {
		var err error
		switch n := mr.rng.IntN(400); {
		case n == 0 && b.house != nil:
			err = mr.load(b)
		case n < 20:
			err = mr.runBatch(b)
		default:
			err = mr.write(b.c, b.m)
		}
		mr.left--
		if err != nil {
			return err
		}
	}
	if err := b.c.Check(); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	return mr.compare(b.c, b.m, 2)
}

// holdOrClone takes a snapshot, checks an old one, clones the instance or does nothing.
func (mr *modelRun[T]) holdOrClone(b instance[T]) error {
	switch mr.rng.IntN(12) {
	case 0, 1:
		h := held[T]{b.c.Snapshot(), b.m.clone()}
		if len(mr.held) < 12 {
			mr.held = append(mr.held, h)
		} else {
			mr.held[mr.rng.IntN(len(mr.held))] = h
		}
	case 2, 3, 4:
		if len(mr.held) > 0 {
			h := pick(mr.rng, mr.held...)
			if err := catalogue.CheckSnapshot(h.s); err != nil {
				return fmt.Errorf("check of a held snapshot: %w", err)
			}
			if err := mr.compare(h.s, h.m, 1); err != nil {
				return fmt.Errorf("held snapshot: %w", err)
			}
		}
	case 5:
		n := instance[T]{c: b.c.Clone(), m: b.m.clone()}
		if b.house != nil && mr.rng.IntN(3) > 0 {
			n.house = b.house.Clone()
			c, err := catalogue.Define[T]("books", catalogue.Options{}).In(n.house)
			if err != nil {
				return err
			}
			n.c = c
		}
		if len(mr.instances) < 5 {
			mr.instances = append(mr.instances, n)
		} else {
			mr.instances[1+mr.rng.IntN(4)] = n
		}
	}
	return nil
}

// randomID returns the id of a record in three of four cases, and else an id that may
// be unused.
func (mr *modelRun[T]) randomID(m *model[T]) int {
	if len(m.rows) > 0 && mr.rng.IntN(4) > 0 {
		return m.rows[mr.rng.IntN(len(m.rows))].id
	}
	return mr.rng.IntN(m.highest+3) + 1
}

// write makes one random write to a collection or in a batch.
func (mr *modelRun[T]) write(w writer[T], m *model[T]) error {
	n := mr.rng.IntN(100)
	if len(m.rows) > 45 && n < 60 {
		n = 90 // keep the slice short
	}
	record := mr.typ.random(mr.rng)
	id := mr.typ.id(&record)
	switch {
	case n < 25:
		wantID, want := m.insert(record)
		got, err := w.Insert(record)
		return checkResult("insert without id", wantID, got, want, err)
	case n < 40:
		*id = mr.randomID(m)
		wantID, want := m.insert(record)
		got, err := w.Insert(record)
		return checkResult("insert with an id", wantID, got, want, err)
	case n < 55:
		if mr.rng.IntN(4) > 0 {
			*id = mr.randomID(m)
		}
		wantID, want := m.upsert(record)
		got, err := w.Upsert(record)
		return checkResult("upsert", wantID, got, want, err)
	case n < 58:
		*id = -1 - mr.rng.IntN(2)
		_, err1 := w.Insert(record)
		_, err2 := w.Upsert(record)
		return errors.Join(
			checkResult("insert with a negative id", 0, 0, catalogue.ErrInvalidID, err1),
			checkResult("upsert with a negative id", 0, 0, catalogue.ErrInvalidID, err2))
	case n < 62:
		return mr.writeInvalid(w, m)
	case n < 80:
		return mr.update(w, m)
	default:
		some := mr.randomID(m)
		return checkResult("delete", 0, 0, m.delete(some), w.Delete(some))
	}
}

// writeInvalid tries to store a record that has no JSON.
func (mr *modelRun[T]) writeInvalid(w writer[T], m *model[T]) error {
	record, ok := mr.typ.invalid(mr.rng)
	if !ok {
		return nil
	}
	_, err := w.Insert(record)
	if err := checkResult("insert of an invalid record", 0, 0, catalogue.ErrInvalid, err); err != nil {
		return err
	}
	if len(m.rows) == 0 {
		return nil
	}
	*mr.typ.id(&record) = pick(mr.rng, m.rows...).id
	_, err = w.Upsert(record)
	return checkResult("upsert of an invalid record", 0, 0, catalogue.ErrInvalid, err)
}

// update updates a record or fails to.
func (mr *modelRun[T]) update(w writer[T], m *model[T]) (err error) {
	some, fresh := mr.randomID(m), mr.typ.random(mr.rng)
	*mr.typ.id(&fresh) = some
	i, how := m.find(some), mr.rng.IntN(8)
	want := error(nil)
	switch bad, ok := mr.typ.invalid(mr.rng); {
	case how == 0:
		want = errOwn
	case how == 1:
		*mr.typ.id(&fresh) = pick(mr.rng, 0, some+1, -some, m.highest+1)
		want = catalogue.ErrInvalidID
	case how == 2 && ok:
		fresh = bad
		*mr.typ.id(&fresh) = some
		want = catalogue.ErrInvalid
	}
	if i < 0 {
		want = catalogue.ErrNotFound
	}
	panics := how == 3 && i >= 0
	var differs error
	got := caught(func() error {
		return w.Update(some, func(r *T) error {
			if i < 0 {
				differs = errors.New("Update called its function without a record")
			} else if !mr.typ.equal(r, &m.rows[i].record) {
				differs = fmt.Errorf("Update(%d) passed %s, want %s", some, mr.typ.encode(r), mr.typ.encode(&m.rows[i].record))
			}
			*r = fresh
			if panics {
				panic(errOwn)
			}
			if how == 0 {
				return errOwn
			}
			return nil
		})
	})
	if panics {
		want = panicked{errOwn}
	} else if want == nil {
		m.rows[i] = m.row(fresh)
	}
	return errors.Join(differs, checkResult("update", 0, 0, want, got))
}

// panicked is the error that caught returns for a panic.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// caught calls f and returns its error, or its panic as an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked{v}
		}
	}()
	return f()
}

// runBatch runs a batch of random writes that succeeds, fails or panics.
func (mr *modelRun[T]) runBatch(b *instance[T]) error {
	how := mr.rng.IntN(4)
	inside := b.m.clone()
	var differs error
	got := caught(func() error {
		return b.c.Batch(func(tx *catalogue.Tx[T]) error {
			for range mr.rng.IntN(20) {
				mr.left--
				if differs = mr.write(tx, inside); differs != nil {
					return nil
				}
				some := mr.randomID(inside)
				want, wantErr := inside.get(some)
				record, err := tx.Get(some)
				if !errors.Is(err, wantErr) || err == nil && !mr.typ.equal(&record, &want) || tx.Count() != len(inside.rows) {
					differs = fmt.Errorf("Tx.Get(%d) = %s, %v, want %s, %v; count %d, want %d", some, mr.typ.encode(&record), err, mr.typ.encode(&want), wantErr, tx.Count(), len(inside.rows))
					return nil
				}
			}
			if mr.rng.IntN(16) == 0 { // readers see nothing of the batch yet
				if differs = mr.compare(b.c, b.m, 1); differs != nil {
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
	var want error
	switch how {
	case 0:
		want = errOwn
	case 1:
		want = panicked{errOwn}
	default:
		b.m = inside
	}
	if differs != nil {
		return fmt.Errorf("in a batch: %w", differs)
	}
	return checkResult("batch", 0, 0, want, got)
}

// load replaces all records, or tries to with an id that occurs twice.
func (mr *modelRun[T]) load(b *instance[T]) error {
	next := &model[T]{typ: mr.typ, highest: b.m.highest, ordered: b.m.ordered}
	var list []string
	for range mr.rng.IntN(40) {
		record := mr.typ.random(mr.rng)
		*mr.typ.id(&record) = 1 + mr.rng.IntN(60)
		if next.find(*mr.typ.id(&record)) >= 0 {
			continue
		}
		text := mr.typ.encode(&record)
		record, err := mr.typ.parse(text)
		if err != nil {
			return err
		}
		list = append(list, text)
		if _, err := next.insert(record); err != nil {
			return err
		}
	}
	fails := len(list) > 0 && mr.rng.IntN(3) == 0
	if fails {
		list = append(list, list[0])
	}
	text := "[" + strings.Join(list, ", ") + "]"
	var err error
	if mr.rng.IntN(2) == 0 {
		err = b.house.Load(strings.NewReader(`{"books":`+text+`}`), catalogue.LoadOptions{})
	} else {
		err = b.house.Load(strings.NewReader(`{"books":`+text+`}`), catalogue.LoadOptions{})
	}
	if fails {
		return checkResult("load of a repeated id", 0, 0, catalogue.ErrInvalidData, err)
	}
	b.m = next
	return checkResult("load", 0, 0, nil, err)
}

// checkResult returns an error if an operation did not return the id and error that the
// model returned.
func checkResult(what string, wantID, gotID int, want, got error) error {
	if !errors.Is(got, want) || got == nil && gotID != wantID {
		return fmt.Errorf("%s: id %d, error %v, want id %d, error %v", what, gotID, got, wantID, want)
	}
	if want == errOwn && got != errOwn {
		return fmt.Errorf("%s: error %#v, want the one that the function returned", what, got)
	}
	return nil
}

// randomTerms returns up to four terms of known fields. They may repeat a field, and
// terms may follow the id.
func (mr *modelRun[T]) randomTerms(m *model[T]) []ordering.Term {
	names := m.names()
	var list []ordering.Term
	for range cmp.Or(mr.rng.IntN(5)-1, mr.rng.IntN(2)) {
		list = append(list, ordering.Term{Field: pick(mr.rng, names...), Desc: mr.rng.IntN(2) == 0})
	}
	return list
}

func (mr *modelRun[T]) randomWindow(n int) pagination.Window {
	return pagination.Window{
		Limit:  pick(mr.rng, 0, 1, 2, 5, 21, n, n+1, math.MaxInt, -1, mr.rng.IntN(n+2)),
		Offset: pick(mr.rng, 0, 0, 1, n-1, n, n+1, math.MaxInt, -1, mr.rng.IntN(n+2), mr.rng.IntN(n+2)),
	}
}

// compare compares everything that r returns with the model, by n random orderings.
func (mr *modelRun[T]) compare(r reader[T], m *model[T], n int) error {
	if r.Count() != len(m.rows) {
		return fmt.Errorf("count %d, want %d", r.Count(), len(m.rows))
	}
	if got, want := catalogue.FieldNames(r), m.names(); !slices.Equal(got, want) {
		return fmt.Errorf("fields %v, want %v", got, want)
	}
	if err := mr.compareGets(r, m); err != nil {
		return err
	}
	if err := mr.sameSeq("all", r.All(), m.sorted(nil)); err != nil {
		return err
	}
	for range n {
		if err := mr.compareOrder(r, m, mr.randomTerms(m)); err != nil {
			return err
		}
	}
	unknown := terms("name,no_such_field")
	if _, err := r.Page(pagination.Window{Limit: 1}, unknown...); !errors.Is(err, ordering.ErrUnknownField) {
		return fmt.Errorf("page by an unknown field: %v", err)
	}
	return nil
}

func (mr *modelRun[T]) compareGets(r reader[T], m *model[T]) error {
	for range 3 {
		some := mr.randomID(m)
		want, wantErr := m.get(some)
		got, err := r.Get(some)
		if !errors.Is(err, wantErr) || err == nil && !mr.typ.equal(&got, &want) {
			return fmt.Errorf("get %d: %s, %v, want %s, %v", some, mr.typ.encode(&got), err, mr.typ.encode(&want), wantErr)
		}
	}
	return nil
}

func (mr *modelRun[T]) compareOrder(r reader[T], m *model[T], by []ordering.Term) error {
	want := m.sorted(by)
	seq, err := r.Where().All(by...)
	if err != nil {
		return fmt.Errorf("ordered %v: %w", by, err)
	}
	if err := mr.sameSeq(fmt.Sprintf("ordered %v", by), seq, want); err != nil {
		return err
	}
	if err := mr.compareWindow(r, pagination.Window{Limit: math.MaxInt}, by, want); err != nil {
		return err
	}
	for range 3 {
		if err := mr.compareWindow(r, mr.randomWindow(len(want)), by, want); err != nil {
			return err
		}
	}
	return nil
}

// cut returns the rows in a window.
func cut[T any](rows []row[T], w pagination.Window) []row[T] {
	if w.Offset >= len(rows) {
		return nil
	}
	rows = rows[max(0, w.Offset):]
	if w.Limit <= 0 {
		return rows
	}
	return rows[:min(w.Limit, len(rows))]
}

func (mr *modelRun[T]) compareWindow(r reader[T], w pagination.Window, by []ordering.Term, all []row[T]) error {
	what, want := fmt.Sprintf("%+v by %v", w, by), cut(all, w)
	p, err := r.Page(w, by...)
	if err != nil {
		return fmt.Errorf("page %s: %w", what, err)
	}
	if p.Count != len(all) {
		return fmt.Errorf("page %s: count %d, want %d", what, p.Count, len(all))
	}
	if err := mr.sameSeq("page "+what, slices.Values(p.Records), want); err != nil {
		return err
	}
	v, err := r.Where().View(w, by...)
	if err != nil || v.Count() != len(all) || v.Len() != len(want) {
		return fmt.Errorf("view %s: %d of %d, %v, want %d of %d", what, v.Len(), v.Count(), err, len(want), len(all))
	}
	for i, row := range want {
		text, err := v.JSON(i)
		if err != nil || string(text) != row.text || !mr.typ.equal(v.At(i), &row.record) {
			return fmt.Errorf("view %s: at %d %s, %v, want %s", what, i, text, err, row.text)
		}
	}
	return nil
}

func (mr *modelRun[T]) sameSeq(what string, got iter.Seq[T], want []row[T]) error {
	i := 0
	for record := range got {
		if i >= len(want) {
			return fmt.Errorf("%s: more than %d records: %s", what, len(want), mr.typ.encode(&record))
		}
		if !mr.typ.equal(&record, &want[i].record) {
			return fmt.Errorf("%s: at %d %s, want %s", what, i, mr.typ.encode(&record), mr.typ.encode(&want[i].record))
		}
		i++
	}
	if i != len(want) {
		return fmt.Errorf("%s: %d records, want %d", what, i, len(want))
	}
	return nil
}

// TestEveryOrdering tests all orderings of one to three terms in both directions, and
// all windows of those with one term.
func TestEveryOrdering(t *testing.T) {
	t.Run("typed", func(t *testing.T) {
		t.Parallel()
		c, err := catalogue.NewCollection[product](catalogue.Options{})
		everyOrdering(t, &productType, c, err)
	})
	t.Run("open", func(t *testing.T) {
		t.Parallel()
		c, err := resources.Records("books").In(mustNew())
		everyOrdering(t, &openType, c, err)
	})
}

func everyOrdering[T any](t *testing.T, typ *recordType[T], c *catalogue.Collection[T], err error) {
	if err != nil {
		t.Fatal(err)
	}
	const n = 30
	mr := &modelRun[T]{typ: typ, rng: rand.New(rand.NewPCG(3, 3))}
	m := &model[T]{typ: typ}
	for len(m.rows) < n || !slices.Equal(m.names(), sortedIfOpen(typ)) {
		record := typ.random(mr.rng)
		want, _ := m.insert(record)
		if got, err := c.Insert(record); err != nil || got != want {
			t.Fatalf("insert: %d, %v", got, err)
		}
	}
	depth := 3
	if raceEnabled || testing.Short() {
		depth = 2
	}
	for _, by := range orderings(typ.fields, depth) {
		if err := mr.compareOrder(c, m, by); err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range append(orderings(typ.fields, 1), nil) {
		all := m.sorted(by)
		for offset := range len(all) + 2 {
			for limit := range len(all) + 2 {
				if err := mr.compareWindow(c, pagination.Window{Limit: limit, Offset: offset}, by, all); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
}

// sortedIfOpen returns the names of the fields that must be known if every member occurs.
func sortedIfOpen[T any](typ *recordType[T]) []string {
	names := slices.Clone(typ.fields)
	if typ.fields[len(typ.fields)-1] == "seldom_set" {
		slices.Sort(names)
	}
	return names
}
