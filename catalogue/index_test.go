package catalogue_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// A slowValue is a value whose MarshalJSON, which makes its key, can be paused.
type slowValue struct {
	N     int
	pause *pause
}

// A pause stops the goroutine that reaches it first until resume is closed.
type pause struct {
	reached, resume chan struct{}
	once            sync.Once
	panics          bool // when resumed
}

func (v slowValue) Clone() slowValue { return v }

func (v slowValue) MarshalJSON() ([]byte, error) {
	if p := v.pause; p != nil {
		p.once.Do(func() {
			close(p.reached)
			<-p.resume
			if p.panics {
				panic("MarshalJSON panics")
			}
		})
	}
	return json.Marshal(v.N)
}

type slowRecord struct {
	ID    int       `json:"id"`
	Value slowValue `json:"value"`
	N     int       `json:"n"`
}

// pauseAtKey makes the next goroutine pause that makes the key of a stored record.
func pauseAtKey(c *catalogue.Collection[slowRecord], id int, panics bool) *pause {
	p := &pause{reached: make(chan struct{}), resume: make(chan struct{}), panics: panics}
	layout.Typed[slowRecord](layout.RecordOf(catalogue.StoreOf(c).Get(id))).Value.pause = p
	return p
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// An old snapshot keeps the indexes that it builds, within bounds.
func TestIndexesOfOldSnapshot(t *testing.T) {
	cat, _ := benchHouse(t, 200)
	events := mustIn(resources.Events, cat)
	old := events.Snapshot()
	must(t, events.Delete(1))
	for _, f := range catalogue.FieldNames(events) {
		for range 2 {
			if v, err := old.Where().View(pagination.Window{Limit: 1000}, ordering.Asc(f), ordering.Desc("slug")); err != nil || v.Len() != 200 {
				t.Fatalf("View ordered by %s: %d records, %v, want 200", f, v.Len(), err)
			}
		}
	}
	if err := old.Check(); err != nil {
		t.Error(err)
	}
}
