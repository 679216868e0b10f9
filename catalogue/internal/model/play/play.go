// Package play performs the operations of package model on collections.
package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/model"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Player performs operations on a collection, its snapshots and its clones. It is safe
// for concurrent use.
type Player[T any] struct {
	Options     catalogue.Options
	Invalidate  func(*T) // makes a record one that JSON cannot represent
	mu          sync.Mutex
	collections map[string]*catalogue.Collection[T]
	snapshots   map[string]*catalogue.Snapshot[T]
}

// New returns a player with an empty collection that has the options of the model.
func New[T any](c *model.Config, keys ...ordering.KeyFunc) (*Player[T], error) {
	opts := catalogue.Options{Unique: c.Unique, Ordering: ordering.Parse(c.Order, nil), History: c.History, Keys: keys}
	coll, err := catalogue.NewCollection[T](opts)
	return &Player[T]{
		Options:     opts,
		collections: map[string]*catalogue.Collection[T]{"": coll},
		snapshots:   map[string]*catalogue.Snapshot[T]{},
	}, err
}

// A reader is a collection, a snapshot or a batch.
type reader[T any] interface {
	Get(id int) (T, error)
	Has(id int) bool
	Count() int
	Page(pagination.Window, ...ordering.Term) (catalogue.Page[T], error)
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

// Check checks the invariants of all collections.
func (p *Player[T]) Check() error {
	for name, c := range p.collections {
		if err := c.Check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Snapshots returns the snapshots that were taken.
func (p *Player[T]) Snapshots() []catalogue.Snapshot[T] {
	var list []catalogue.Snapshot[T]
	for _, s := range p.snapshots {
		list = append(list, *s)
	}
	return list
}

// Do performs an operation and returns its result in the form of [model.World.Do].
func (p *Player[T]) Do(op model.Op) (result string) {
	defer func() {
		if v := recover(); v != nil {
			result = fmt.Sprint("panic: ", v)
		}
	}()
	return p.do(op)
}

func (p *Player[T]) do(op model.Op) string {
	p.mu.Lock()
	c, s := p.collections[op.On], p.snapshots[op.On]
	p.mu.Unlock()
	switch {
	case c == nil && s == nil:
		return "error: no such collection"
	case c == nil && op.Verb == "revision":
		return fmt.Sprint(s.Revision())
	case c == nil:
		return p.read(*s, op)
	}
	switch op.Verb {
	case "snapshot", "clone", "save":
		return p.copy(c, op)
	case "batch":
		return p.batch(c, op)
	case "revision":
		return fmt.Sprint(c.Snapshot().Revision())
	case "since":
		return since(c, uint64(op.ID))
	case "load":
		return result("ok", c.Load(strings.NewReader("["+strings.Join(op.Records, ",")+"]"), catalogue.LoadOptions{}))
	case "replace":
		var list []T
		for _, text := range op.Records {
			list = append(list, p.record(text))
		}
		return result("ok", c.ReplaceAll(slices.Values(list)))
	case "insert", "upsert", "update", "delete":
		return p.write(c, op)
	}
	return p.read(c, op)
}

func (p *Player[T]) copy(c *catalogue.Collection[T], op model.Op) string {
	var err error
	switch op.Verb {
	case "snapshot":
		s := c.Snapshot()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.snapshots[op.Name] = &s
		return "ok"
	case "clone":
		c = c.Clone()
	case "save":
		var data bytes.Buffer
		err = c.Save(&data)
		c, _ = catalogue.NewCollection[T](p.Options)
		err = errors.Join(err, c.Load(&data, catalogue.LoadOptions{}))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.collections[op.Name] = c
	return result("ok", err)
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

// end ends a callback.
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

// record returns the record of a JSON text.
func (p *Player[T]) record(text string) (record T) {
	if open, ok := any(&record).(*schema.Record); ok && strings.HasPrefix(text, `{"id":-`) {
		*open = any(p.record(`{"id":` + text[len(`{"id":-`):])).(schema.Record)
		open.ID = -open.ID // which no JSON text can have
		return record
	}
	if err := json.Unmarshal([]byte(text), &record); err != nil {
		panic(err)
	}
	return record
}

// text returns the JSON of a record.
func text[T any](record T) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

func (p *Player[T]) write(w writer[T], op model.Op) string {
	switch op.Verb {
	case "delete":
		return result("ok", w.Delete(op.ID))
	case "update":
		was := ""
		err := callback(func() error {
			return w.Update(op.ID, func(record *T) error {
				was = "was " + text(*record) + ", "
				if err := p.merge(record, op); err != nil {
					panic(err)
				}
				return end(op.How)
			})
		})
		return was + result("ok", err)
	}
	record, write := p.record(op.Records[0]), w.Insert
	if op.How == "invalid" {
		p.Invalidate(&record)
	}
	if op.Verb == "upsert" {
		write = w.Upsert
	}
	id, err := write(record)
	return result(fmt.Sprint("id ", id), err)
}

// merge sets the members of the operation's record.
func (p *Player[T]) merge(record *T, op model.Op) error {
	open, ok := any(record).(*schema.Record)
	if !ok {
		var patch map[string]json.RawMessage
		err := json.Unmarshal([]byte(op.Records[0]), &patch)
		v, fresh := reflect.ValueOf(record).Elem(), reflect.ValueOf(p.record(op.Records[0]))
		for i := range v.NumField() {
			if _, ok := patch[v.Type().Field(i).Tag.Get("json")]; ok {
				v.Field(i).Set(fresh.Field(i))
			}
		}
		if op.How == "invalid" {
			p.Invalidate(record)
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

func (p *Player[T]) batch(c *catalogue.Collection[T], op model.Op) string {
	var lines []string
	err := callback(func() error {
		return c.Batch(func(tx *catalogue.Tx[T]) error {
			for _, inner := range op.Ops {
				switch {
				case inner.On == "outside":
					lines = append(lines, p.read(c, inner))
				case slices.Contains([]string{"insert", "upsert", "update", "delete"}, inner.Verb):
					lines = append(lines, p.write(tx, inner))
				default:
					lines = append(lines, p.read(tx, inner))
				}
			}
			return end(op.How)
		})
	})
	return strings.Join(append(lines, result("ok", err)), "\n")
}

func (p *Player[T]) read(r reader[T], op model.Op) string {
	switch op.Verb {
	case "get":
		record, err := r.Get(op.ID)
		return result(text(record), err)
	case "has":
		return fmt.Sprint(r.Has(op.ID))
	case "len":
		return fmt.Sprint(r.Count())
	}
	terms, w := terms(op.Terms), pagination.Window{Limit: op.Limit, Offset: op.Offset}
	sel := r.Where(conditions[T](op.Where)...)
	switch op.Verb {
	case "count":
		n, err := sel.Count()
		return result(fmt.Sprint(n), err)
	case "first":
		record, err := sel.First(terms...)
		return result(text(record), err)
	case "position":
		n, err := sel.Position(op.ID, terms...)
		return result(fmt.Sprint(n), err)
	case "all":
		seq, err := sel.All(terms...)
		list := all(seq, op.Limit)
		return result(model.Page(len(list), list), err)
	case "page":
		page, err := sel.Page(w, terms...)
		if len(op.Where) == 0 {
			page, err = r.Page(w, terms...)
		}
		return result(model.Page(page.Count, all(slices.Values(page.Records), 0)), err)
	case "explain":
		_, err := sel.Explain(terms...)
		return result("ok", err)
	case "view":
		view, err := sel.View(w, terms...)
		return result(viewed(view), err)
	}
	return "error: unknown operation " + op.Verb
}

// terms returns the terms of an ordering. Unlike [ordering.Parse] it keeps repeated fields.
func terms(text string) (list []ordering.Term) {
	for name := range strings.SplitSeq(text, ",") {
		if field, desc := strings.CutPrefix(name, "-"); field != "" {
			list = append(list, ordering.Term{Field: field, Desc: desc})
		}
	}
	return list
}

// all returns the texts of at most limit records, or of all if limit is not positive.
func all[T any](seq iter.Seq[T], limit int) (list []string) {
	for record := range seq {
		list = append(list, text(record))
		if len(list) == limit {
			break
		}
	}
	return list
}

func viewed[T any](v catalogue.View[T]) string {
	var list []string
	for i := range v.Len() {
		data, err := v.JSON(i)
		if err != nil || string(data) != text(*v.At(i)) {
			return fmt.Sprintf("View.JSON(%d) = %s, %v, and View.At is %s", i, data, err, text(*v.At(i)))
		}
		list = append(list, string(data))
	}
	return model.Page(v.Count(), list)
}

func since[T any](c *catalogue.Collection[T], revision uint64) string {
	changes, now, err := c.Since(revision)
	var b strings.Builder
	fmt.Fprint(&b, "now ", now)
	for _, ch := range changes {
		before, after := "null", "null"
		if record, ok := ch.Before(); ok {
			before = text(record)
		}
		if record, ok := ch.After(); ok {
			after = text(record)
		}
		if data, err := ch.JSON(); string(data) != after || err != nil {
			return fmt.Sprintf("Change.JSON() = %s, %v, and After is %s", data, err, after)
		}
		fmt.Fprintf(&b, ", %s", model.Change(ch.Revision, ch.ID, before, after, ch.Last))
	}
	return result(b.String(), err)
}

// conditions returns the conditions with values of the types of the fields, if those can
// hold them.
func conditions[T any](list []model.Condition) (all []ordering.Condition) {
	for _, c := range list {
		argument := func(text string) any { return argument[T](c.Field, text) }
		var values []any
		if c.Operator == "in" || c.Operator == "between" {
			var texts []json.RawMessage
			if err := json.Unmarshal([]byte(c.Value), &texts); err != nil {
				panic(err)
			}
			for _, text := range texts {
				values = append(values, argument(string(text)))
			}
		}
		all = append(all, condition(c, argument, values))
	}
	return all
}

func condition(c model.Condition, argument func(string) any, values []any) ordering.Condition {
	switch c.Operator {
	case "null":
		return ordering.IsNull(c.Field)
	case "notnull":
		return ordering.NotNull(c.Field)
	case "in":
		return ordering.OneOf(c.Field, values...)
	case "between":
		return ordering.Between(c.Field, values[0], values[1])
	case "prefix":
		var prefix string
		if err := json.Unmarshal([]byte(c.Value), &prefix); err != nil {
			panic(err)
		}
		return ordering.Prefix(c.Field, prefix)
	}
	compare := map[string]func(string, any) ordering.Condition{
		"=": ordering.Equal, "<": ordering.Less, "<=": ordering.AtMost, ">": ordering.Greater, ">=": ordering.AtLeast,
	}[c.Operator]
	return compare(c.Field, argument(c.Value))
}

// argument returns the value of a JSON text, of the type of a field of T if it can hold it.
func argument[T any](field, text string) (value any) {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		v, name := reflect.New(t.Field(i).Type), t.Field(i).Tag.Get("json")
		if ordering.Snake(name) == field && text != "null" && json.Unmarshal([]byte(text), v.Interface()) == nil {
			return v.Elem().Interface()
		}
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		panic(err)
	}
	return value
}
