// Package play performs the operations of package model on collections.
package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Player performs operations on a catalogue, or on a collection without one, and on its
// snapshots and clones. It is safe for concurrent use.
type Player struct {
	// Pause is called in callbacks and between the operations of a batch.
	Pause func()

	mu          sync.Mutex
	collections map[model.Place]collection
	catalogues  map[string]*catalogue.Catalogue // by their names
}

// A Definition is a collection with records of some type.
type Definition = collection

// A collection is the definition of one with records of some type, the collection, or a snapshot of it.
type collection interface {
	define() catalogue.AnyDefinition
	in(p *Player, cat *catalogue.Catalogue) (collection, error)

	// stepOf performs an operation in a batch of the catalogue.
	stepOf(b *catalogue.Batch, op model.Op) string

	// start performs an operation. finish returns its result.
	start(op model.Op) (finish func() string)

	// copy performs the operation of a copy. finish returns the copy.
	copy(verb string) (finish func() (collection, error))
	changes(ctx context.Context, revision uint64) iter.Seq2[string, error]
	Check() error
}

// typed implements collection.
type typed[T any] struct {
	*catalogue.Collection[T]
	opts   catalogue.Options
	text   func(id int) string // nil unless records have keys
	key    string
	player *Player
	cat    *catalogue.Catalogue // nil if none exists
}

// Of returns a definition of a collection with the options of a model and a description,
// which may be nil.
func Of[T any](c *model.Config, about *schema.Description) Definition {
	opts := catalogue.Options{Unique: c.Unique, Ordering: ordering.Parse(c.Order, nil), History: c.History, Description: about}
	if c.Open {
		opts.Members = []schema.Field{{Name: "price", Kind: schema.Decimal}}
	}
	return &typed[T]{opts: opts, text: keyOf[T](), key: c.Key}
}

func (c *typed[T]) define() catalogue.AnyDefinition { return catalogue.Define[T](c.key, c.opts) }

func (c *typed[T]) in(p *Player, cat *catalogue.Catalogue) (collection, error) {
	coll, err := catalogue.Define[T](c.key, c.opts).In(cat)
	return &typed[T]{Collection: coll, opts: c.opts, text: c.text, key: c.key, player: p, cat: cat}, err
}

// New returns a player with an empty collection that has the options of the model.
func New[T any](c *model.Config) (*Player, error) {
	coll := Of[T](c, nil).(*typed[T])
	var err error
	coll.Collection, err = catalogue.NewCollection[T](coll.opts)
	p := &Player{collections: map[model.Place]collection{{Key: c.Key}: coll}}
	coll.player = p
	return p, err
}

// NewCatalogue returns a player with an empty catalogue.
func NewCatalogue(definitions ...Definition) (*Player, error) {
	var all []catalogue.AnyDefinition
	for _, d := range definitions {
		all = append(all, d.define())
	}
	cat, err := catalogue.New(all...)
	if err != nil {
		return nil, err
	}
	p := &Player{collections: map[model.Place]collection{}, catalogues: map[string]*catalogue.Catalogue{"": cat}}
	for _, d := range definitions {
		c, err := d.in(p, cat)
		if err != nil {
			return nil, err
		}
		p.collections[model.Place{Key: c.define().Key()}] = c
	}
	return p, nil
}

// Catalogue returns the catalogue, or nil if none exists.
func (p *Player) Catalogue() *catalogue.Catalogue { return p.catalogues[""] }

// Copy returns a player with a clone or what was loaded from saved data.
func (p *Player) Copy(name string) *Player {
	p.mu.Lock()
	defer p.mu.Unlock()
	copied := &Player{Pause: p.Pause, collections: map[model.Place]collection{},
		catalogues: map[string]*catalogue.Catalogue{"": p.catalogues[name]}}
	for at, c := range p.collections {
		if at.Copy == name {
			copied.collections[model.Place{Key: at.Key}] = c
		}
	}
	return copied
}

// Changes returns an iterator over the changes of a collection after a revision, as text, all
// of a revision at once. It waits for the next one until the context ends.
func (p *Player) Changes(ctx context.Context, key string, revision uint64) iter.Seq2[string, error] {
	return p.collections[model.Place{Key: key}].changes(ctx, revision)
}

func (c *typed[T]) changes(ctx context.Context, revision uint64) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		var some []catalogue.Change[T] // of one revision
		for ch, err := range c.Changes(ctx, revision) {
			if err != nil {
				yield("", err)
				return
			}
			if some = append(some, ch); !ch.Last {
				continue
			}
			if !yield(strings.Join(changeTexts(some), ", "), nil) {
				return
			}
			some = nil
		}
	}
}

// A reader is a collection, a snapshot or a batch.
type reader[T any] interface {
	Get(id int) (T, error)
	Where(...ordering.Condition) catalogue.Selection[T]
}

// A writer is a collection or a batch.
type writer[T any] interface {
	reader[T]
	Insert(T) (int, error)
	Upsert(T) (int, error)
	Update(int, func(*T) error) error
	Delete(int) error
}

// Check checks the invariants of all collections and snapshots.
func (p *Player) Check() error {
	for at, c := range p.collections {
		if err := c.Check(); err != nil {
			return fmt.Errorf("%v: %w", at, err)
		}
	}
	return nil
}

// Do performs an operation and returns its result in the form of [model.World.Do].
func (p *Player) Do(op model.Op) (result string) {
	defer func() {
		if v := recover(); v != nil {
			result = fmt.Sprint("panic: ", v)
		}
	}()
	return p.Start(op)()
}

// Start performs an operation. Its result is what finish returns, which may be called
// later and does what is not a part of the operation: it encodes records, runs an iterator
// and performs the operations on a copy.
func (p *Player) Start(op model.Op) (finish func() string) {
	c, cat := p.at(op.On, op.In)
	isCopy := op.Verb == "snapshot" || op.Verb == "clone" || op.Verb == "save"
	switch {
	case cat != nil && op.In == "" && isCopy:
		return p.copy(op, p.copyCatalogue(cat, op))
	case cat != nil && op.In == "" && op.Verb == "batch":
		return done(batch(p, op, cat.Batch, func(b *catalogue.Batch, inner model.Op) string {
			c, _ := p.at(op.On, inner.In)
			return c.stepOf(b, inner)
		}))
	case c == nil:
		return done("error: no such collection")
	case isCopy:
		copied := c.copy(op.Verb)
		return p.copy(op, func(to *Player) error {
			c, err := copied()
			to.collections[model.Place{Copy: op.Name, Key: op.In}] = c
			return err
		})
	}
	return c.start(op)
}

// at returns a collection, or nil if none exists, and its catalogue.
func (p *Player) at(on, key string) (collection, *catalogue.Catalogue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.collections[model.Place{Copy: on, Key: key}], p.catalogues[on]
}

// done returns a function that returns a result which is known already.
func done(s string) func() string { return func() string { return s } }

// copy returns a function that adds a copy to p or, if there are operations on the copy,
// performs them.
func (p *Player) copy(op model.Op, add func(to *Player) error) func() string {
	if op.Ops == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		return done(result("ok", add(p)))
	}
	return func() string {
		to := &Player{Pause: p.Pause, collections: map[model.Place]collection{}, catalogues: map[string]*catalogue.Catalogue{}}
		lines := []string{result("ok", add(to))}
		for _, inner := range op.Ops {
			inner.On = op.Name
			lines = append(lines, to.Do(inner))
		}
		return strings.Join(lines, "\n")
	}
}

// copyCatalogue copies a catalogue and returns a function that adds the copy to a player.
func (p *Player) copyCatalogue(cat *catalogue.Catalogue, op model.Op) func(to *Player) error {
	var copied *catalogue.Catalogue
	var data bytes.Buffer
	var err error
	switch op.Verb {
	case "snapshot":
		copied = cat.Snapshot()
	case "clone":
		copied = cat.Clone()
	case "save":
		err = cat.Save(&data)
	}
	var collections []collection
	p.mu.Lock()
	for at, c := range p.collections {
		if at.Copy == op.On {
			collections = append(collections, c)
		}
	}
	p.mu.Unlock()
	return func(to *Player) error {
		if copied == nil {
			var definitions []catalogue.AnyDefinition
			for _, c := range collections {
				definitions = append(definitions, c.define())
			}
			var failed error
			copied, failed = catalogue.New(definitions...)
			err = errors.Join(err, failed, copied.Load(&data, catalogue.LoadOptions{}))
		}
		to.catalogues[op.Name] = copied
		for _, c := range collections {
			c, failed := c.in(to, copied)
			to.collections[model.Place{Copy: op.Name, Key: c.define().Key()}] = c
			err = errors.Join(err, failed)
		}
		return err
	}
}

func (c *typed[T]) copy(verb string) func() (collection, error) {
	copied := *c
	copied.cat = nil
	switch verb {
	case "snapshot":
		copied.Collection = c.Snapshot()
	case "clone":
		copied.Collection = c.Clone()
	case "save":
		var data bytes.Buffer
		err := c.Save(&data)
		return func() (collection, error) {
			var failed error
			copied.Collection, failed = catalogue.NewCollection[T](c.opts)
			return &copied, errors.Join(err, failed, copied.Load(&data, catalogue.LoadOptions{}))
		}
	}
	return func() (collection, error) { return &copied, nil }
}

func (c *typed[T]) start(op model.Op) func() string {
	switch op.Verb {
	case "batch":
		return done(batch(c.player, op, c.Batch, c.step))
	case "revision":
		return done(fmt.Sprint(c.Revision()))
	case "since":
		return since(c.Since(uint64(op.ID)))
	case "load":
		return done(result("ok", c.load(op.Records)))
	case "replace":
		var list []T
		for _, text := range op.Records {
			list = append(list, c.record(text))
		}
		return done(result("ok", c.ReplaceAll(slices.Values(list))))
	}
	if model.IsWrite(op.Verb) {
		return done(c.write(c, op))
	}
	return c.read(c, op)
}

func (c *typed[T]) load(records []string) error {
	var keyed []string
	for _, text := range records {
		keyed = append(keyed, c.keyed(text))
	}
	data := "[" + strings.Join(keyed, ",") + "]"
	if c.cat != nil {
		return c.cat.Load(strings.NewReader(fmt.Sprintf("{%q:%s}", c.key, data)), catalogue.LoadOptions{})
	}
	return c.Load(strings.NewReader(data), catalogue.LoadOptions{})
}

// Callbacks end with the first, and callback returns one of the others for a panic and for
// runtime.Goexit.
var (
	errOwn      = errors.New("the callback's own error")
	errPanicked = errors.New("panic")
	errExited   = errors.New("goexit")
)

// callback calls f in a goroutine of its own, which f may end.
func callback(f func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errExited
		defer func() {
			if v := recover(); v == errOwn {
				err = errPanicked
			} else if v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
			done <- err
		}()
		err = f()
	}()
	return <-done
}

func end(how string) error {
	switch how {
	case "fail":
		return errOwn
	case "panic":
		panic(errOwn)
	case "goexit":
		runtime.Goexit()
	}
	return nil
}

// result returns text or, if err is not nil, the text of the error.
func result(text string, err error) string {
	for _, e := range []struct {
		is   error
		text string
	}{
		{nil, text}, {errOwn, "error: fail"}, {errPanicked, "error: panic"}, {errExited, "error: goexit"},
		{catalogue.ErrInvalidData, "error: invalid data"}, {catalogue.ErrDuplicate, "error: duplicate"},
		{catalogue.ErrNotFound, "error: not found"}, {catalogue.ErrExists, "error: exists"},
		{catalogue.ErrInvalidID, "error: invalid id"}, {catalogue.ErrInvalid, "error: invalid"},
		{ordering.ErrUnknownField, "error: unknown field"}, {ordering.ErrInvalidCondition, "error: invalid condition"},
		{catalogue.ErrHistoryTrimmed, "error: trimmed"},
	} {
		if errors.Is(err, e.is) {
			return e.text
		}
	}
	return "error: " + err.Error()
}

func (c *typed[T]) record(text string) (record T) {
	if open, ok := any(&record).(*schema.Record); ok && strings.HasPrefix(text, `{"id":-`) {
		*open = any(c.record(`{"id":` + text[len(`{"id":-`):])).(schema.Record)
		open.ID = -open.ID // which no JSON text can have
		return record
	}
	if err := json.Unmarshal([]byte(c.keyed(text)), &record); err != nil {
		panic(err)
	}
	return record
}

func encode[T any](record T) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		return err.Error()
	}
	return numbered(strings.TrimSpace(b.String()))
}

func (c *typed[T]) write(to writer[T], op model.Op) string {
	w, was, n := c.index(to).(writer[T]), "", 0
	selection := w.Where(conditions[T](c.where(op.Where))...)
	change := func(record *T) error {
		was = "was " + encode(*record) + ", "
		if err := c.merge(record, op); err != nil {
			panic(err)
		}
		c.player.pause()
		return end(op.How)
	}
	switch op.Verb {
	case "delete":
		return result("ok", w.Delete(op.ID))
	case "update":
		err := callback(func() error { return w.Update(op.ID, change) })
		return was + result("ok", err)
	case "deleteall":
		n, err := selection.Delete()
		return result(fmt.Sprint("n ", n), err)
	case "updateall":
		err := callback(func() (err error) {
			n, err = selection.Update(change)
			return err
		})
		return result(fmt.Sprint("n ", n), err)
	}
	record, write := c.record(op.Records[0]), w.Insert
	if op.How == "invalid" {
		any(&record).(invalidator).Invalidate()
	}
	if op.Verb == "upsert" {
		write = w.Upsert
	}
	id, err := write(record)
	return result(fmt.Sprint("id ", id), err)
}

// An invalidator is a record that can be made one that JSON cannot represent.
type invalidator interface{ Invalidate() }

func (p *Player) pause() {
	if p.Pause != nil {
		p.Pause()
	}
}

// merge sets the members of the operation's record.
func (c *typed[T]) merge(record *T, op model.Op) error {
	open, ok := any(record).(*schema.Record)
	if !ok {
		var patch map[string]json.RawMessage
		err := json.Unmarshal([]byte(op.Records[0]), &patch)
		v, fresh := reflect.ValueOf(record).Elem(), reflect.ValueOf(c.record(op.Records[0]))
		for _, f := range reflect.VisibleFields(v.Type()) {
			if _, ok := patch[f.Tag.Get("json")]; ok {
				v.FieldByIndex(f.Index).Set(fresh.FieldByIndex(f.Index))
			}
		}
		if op.How == "invalid" {
			any(record).(invalidator).Invalidate()
		}
		return err
	}
	patch, err := schema.ParseRecord([]byte(op.Records[0]))
	for name, value := range patch.All() {
		if name == "id" {
			open.ID = patch.ID
		} else if err == nil {
			*open, err = open.With(name, json.RawMessage(value))
		}
	}
	return err
}

// batch performs the operations of a batch with a function begin, which calls that with a value
// for step.
func batch[B any](p *Player, op model.Op, begin func(func(B) error) error, step func(B, model.Op) string) string {
	var lines []string
	err := callback(func() error {
		return begin(func(b B) error {
			for _, inner := range op.Ops {
				lines = append(lines, step(b, inner))
				p.pause()
			}
			return end(op.How)
		})
	})
	return strings.Join(append(lines, result("ok", err)), "\n")
}

func (c *typed[T]) stepOf(b *catalogue.Batch, op model.Op) string {
	tx, err := catalogue.Define[T](c.key, c.opts).Tx(b)
	if err != nil {
		return result("", err)
	}
	return c.step(tx, op)
}

// step performs an operation in a batch.
func (c *typed[T]) step(tx *catalogue.Tx[T], op model.Op) string {
	switch {
	case op.On == "outside":
		return c.read(c, op)()
	case model.IsWrite(op.Verb):
		return c.write(tx, op)
	}
	return c.read(tx, op)()
}

func since[T any](changes []catalogue.Change[T], now uint64, err error) func() string {
	return func() string {
		list := []string{fmt.Sprint("now ", now)}
		return result(strings.Join(append(list, changeTexts(changes)...), ", "), err)
	}
}

// changeTexts returns the texts of changes. Those of a revision are in the order of their ids, for
// which keys stand.
func changeTexts[T any](changes []catalogue.Change[T]) (texts []string) {
	type row struct {
		id            int
		before, after string
	}
	var rows []row // of one revision
	for _, ch := range changes {
		r := row{ch.Identity.ID, "null", "null"}
		if record, ok := ch.Before(); ok {
			r.before = encode(record)
		}
		if record, ok := ch.After(); ok {
			r.after = encode(record)
		}
		if r.id == 0 {
			r.id = max(idIn(r.before), idIn(r.after))
		}
		if rows = append(rows, r); !ch.Last {
			continue
		}
		slices.SortFunc(rows, func(a, b row) int { return a.id - b.id })
		for i, r := range rows {
			texts = append(texts, model.Change(ch.Revision, r.id, r.before, r.after, i+1 == len(rows)))
		}
		rows = nil
	}
	return texts
}
