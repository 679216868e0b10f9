package catalogue

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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

// checkAtEnd checks the invariants of a collection or a catalogue when the test ends.
func checkAtEnd(t *testing.T, c interface{ Check() error }) {
	t.Cleanup(func() {
		if err := c.Check(); err != nil && !errors.Is(err, ErrDangling) {
			t.Error(err)
		}
	})
}

// pauseAtKey makes the next goroutine pause that makes the key of a stored record.
func pauseAtKey(c *Collection[slowRecord], id int, panics bool) *pause {
	p := &pause{reached: make(chan struct{}), resume: make(chan struct{}), panics: panics}
	layout.Typed[slowRecord](layout.RecordOf(c.core.Store.Get(id))).Value.pause = p
	return p
}

var byValue = []ordering.Term{ordering.Asc("value"), ordering.Desc("n")}

// An old snapshot keeps the indexes that it builds, within bounds.
func TestIndexesOfOldSnapshot(t *testing.T) {
	cat, _ := benchHouse(t, 200)
	events := mustIn(definedEvents, cat)
	old := events.Snapshot()
	if err := events.Delete(1); err != nil {
		t.Fatal(err)
	}
	for _, f := range FieldNames(events) {
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
