package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A soakWriter writes to its own events and keeps their number about the same.
type soakWriter struct {
	*soak
	rng  *rand.Rand
	own  []int // ids
	many int   // number of ids at the beginning
	last int   // highest assigned id
	held []heldPage
}

// A heldPage is a page of a snapshot. It is read again later and must not have changed.
type heldPage struct {
	s     catalogue.Snapshot[schema.Event]
	w     pagination.Window
	by    ordering.Term
	count int
	wires [][]byte
}

func newSoakWriter(s *soak, number int) *soakWriter {
	w := &soakWriter{soak: s, rng: rand.New(rand.NewPCG(2, uint64(number)))}
	for e := range s.house.Events().All() {
		if e.ID%s.writers == number {
			w.own = append(w.own, e.ID)
		}
	}
	w.many = len(w.own)
	return w
}

func (w *soakWriter) round() error {
	w.writes.Add(1)
	n := w.rng.IntN(20)
	switch more := len(w.own) - w.many; {
	case more > spread/2:
		n = 12
	case more < -spread/2:
		n = 0
	}
	switch {
	case n < 4:
		return w.post()
	case n < 7:
		return w.insert()
	case n < 11:
		return w.update()
	case n < 14:
		return w.delete()
	case n < 16:
		return w.batch()
	case n < 17:
		return w.hold()
	case n < 19:
		return w.readAgain()
	default:
		return w.clone()
	}
}

// event returns a new event.
func (w *soakWriter) event() (e schema.Event, err error) {
	err = json.Unmarshal(w.wires[w.rng.IntN(len(w.wires))], &e)
	e.ID = 0
	return e, err
}

// addID records an assigned id, which must be new.
func (w *soakWriter) addID(id int) error {
	if id <= w.last {
		return fmt.Errorf("an event has id %d after %d", id, w.last)
	}
	w.last = id
	w.own = append(w.own, id)
	return nil
}

func (w *soakWriter) post() error {
	wire := w.wires[w.rng.IntN(len(w.wires))]
	got, err := w.ask("POST", "/api/events/", wire)
	if err != nil {
		return err
	}
	var posted, stored schema.Event
	if err := errors.Join(json.Unmarshal(wire, &posted), json.Unmarshal(got.body, &stored)); err != nil || got.status != 201 {
		return got.errorf("posted %s: %v", wire, err)
	}
	if stored.Name != posted.Name || !stored.StartDate.Equal(posted.StartDate.Time) {
		return got.errorf("posted %s", wire)
	}
	return w.addID(stored.ID)
}

func (w *soakWriter) insert() error {
	e, err := w.event()
	if err != nil {
		return err
	}
	id, err := w.house.Events().Insert(e)
	if err != nil {
		return err
	}
	return w.addID(id)
}

func (w *soakWriter) update() error {
	fresh, err := w.event()
	if err != nil {
		return err
	}
	return w.house.Events().Update(w.own[w.rng.IntN(len(w.own))], func(e *schema.Event) error {
		fresh.ID = e.ID
		*e = fresh
		return nil
	})
}

func (w *soakWriter) delete() error {
	i := w.rng.IntN(len(w.own))
	id := w.own[i]
	w.own = slices.Delete(w.own, i, i+1)
	return w.house.Events().Delete(id)
}

// batch replaces some events with as many others. One batch in four fails.
func (w *soakWriter) batch() error {
	own, last, wantErr := slices.Clone(w.own), w.last, errors.New("on purpose")
	failing := w.rng.IntN(4) == 0
	err := w.house.Events().Batch(func(tx *catalogue.Tx[schema.Event]) error {
		for range 1 + w.rng.IntN(12) {
			i := w.rng.IntN(len(w.own))
			if err := tx.Delete(w.own[i]); err != nil {
				return err
			}
			w.own = slices.Delete(w.own, i, i+1)
			e, err := w.event()
			if err != nil {
				return err
			}
			id, err := tx.Insert(e)
			if err != nil {
				return err
			}
			if err := w.addID(id); err != nil {
				return err
			}
		}
		if failing {
			return wantErr
		}
		return nil
	})
	if !failing {
		return err
	}
	w.own, w.last = own, last
	if err != wantErr {
		return fmt.Errorf("a batch that fails returns %v", err)
	}
	return nil
}

// hold reads a page of a snapshot and keeps both.
func (w *soakWriter) hold() error {
	s := w.house.Events().Snapshot()
	fields := s.Fields()
	h := heldPage{s: s, by: ordering.Term{Field: fields[w.rng.IntN(len(fields))], Desc: w.rng.IntN(2) == 0}, count: s.Count()}
	h.w = pagination.Window{Limit: 5, Offset: w.rng.IntN(h.count - 5)}
	var err error
	if h.wires, err = h.read(); err != nil {
		return err
	}
	if len(w.held) < 4 {
		w.held = append(w.held, h)
	} else {
		w.held[w.rng.IntN(4)] = h
	}
	return nil
}

func (h *heldPage) read() ([][]byte, error) {
	v, err := h.s.View(h.w, h.by)
	if err != nil || v.Len() != 5 || v.Count() != h.count {
		return nil, fmt.Errorf("snapshot by %v: %d of %d, want 5 of %d: %v", h.by, v.Len(), v.Count(), h.count, err)
	}
	wires := make([][]byte, v.Len())
	for i := range wires {
		wire, err := v.JSON(i)
		if err != nil {
			return nil, err
		}
		wires[i] = bytes.Clone(wire)
	}
	return wires, nil
}

func (w *soakWriter) readAgain() error {
	if len(w.held) == 0 {
		return nil
	}
	return w.held[w.rng.IntN(len(w.held))].check()
}

// release reads all held pages again and drops them.
func (w *soakWriter) release() error {
	var errs []error
	for i := range w.held {
		errs = append(errs, w.held[i].check())
	}
	w.held = nil
	return errors.Join(errs...)
}

// check returns an error if the page has changed.
func (h *heldPage) check() error {
	wires, err := h.read()
	if err != nil {
		return err
	}
	if !slices.EqualFunc(wires, h.wires, bytes.Equal) {
		return fmt.Errorf("%v by %v is %s, want %s as before", h.w, h.by, wires, h.wires)
	}
	return nil
}

// clone clones the catalogue, writes to the clone and requests a page of it.
func (w *soakWriter) clone() error {
	clone := w.house.Clone()
	n := clone.Events().Count()
	for range 2 {
		e, err := w.event()
		if err != nil {
			return err
		}
		if _, err := clone.Events().Insert(e); err != nil {
			return err
		}
	}
	if err := clone.Events().Delete(w.own[w.rng.IntN(len(w.own))]); err != nil {
		return err
	}
	handler, err := httpapi.New(clone, httpapi.Options{})
	if err != nil {
		return err
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest("GET", "/api/events/?limit=2&ordering=name", nil))
	var page eventsPage
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || answer.Code != 200 || page.Count != n+1 || len(page.Results) != 2 {
		return fmt.Errorf("clone: %d %s; want a count of %d: %v", answer.Code, answer.Body, n+1, err)
	}
	return nil
}
