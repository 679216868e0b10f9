package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// moody writes its JSON until it is told not to.
type moody struct {
	N     int
	panic *bool
}

func (m *moody) MarshalJSON() ([]byte, error) {
	if m.panic != nil && *m.panic {
		panic("no JSON today")
	}
	return json.Marshal(m.N)
}

func (m *moody) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &m.N) }

func (m moody) Clone() moody { return m }

type moodyRecord struct {
	ID   int   `json:"id"`
	Mood moody `json:"mood"`
}

// A method of a record's own that panics while a change is made leaves nothing
// half written, neither alone nor in a transaction whose function recovers.
func TestNothingIsHalfWritten(t *testing.T) {
	c, err := NewCollection[moodyRecord](Options{History: 100})
	if err != nil {
		t.Fatal(err)
	}
	sulk := new(bool)
	for i := range 3 {
		if _, err := c.Insert(moodyRecord{Mood: moody{N: i, panic: sulk}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.View(pagination.Window{Limit: 1}, ordering.Asc("mood")); err != nil {
		t.Fatal(err)
	}
	attempt := func(write func()) {
		defer func() { recover() }()
		*sulk = true
		defer func() { *sulk = false }()
		write()
	}
	attempt(func() { c.Delete(2) })
	attempt(func() { c.Update(1, func(r *moodyRecord) error { r.Mood.N = 9; return nil }) })
	err = c.Batch(func(tx *Tx[moodyRecord]) error {
		attempt(func() { tx.Insert(moodyRecord{Mood: moody{panic: sulk}}) })
		return nil
	})
	if err != nil || c.Count() != 3 {
		t.Errorf("%d records, %v", c.Count(), err)
	}
	for _, writes := range []int{1, 16} { // the last is too many for one step
		attempt(func() {
			c.Batch(func(tx *Tx[moodyRecord]) error {
				*sulk = false
				for range writes {
					tx.Insert(moodyRecord{Mood: moody{panic: sulk}})
				}
				*sulk = true
				return nil
			})
			t.Errorf("an Update of %d writes did not panic", writes)
		})
		if c.Count() != 3 {
			t.Errorf("%d records after an Update of %d writes that panicked", c.Count(), writes)
		}
	}
	if err := c.Delete(3); err != nil {
		t.Error(err)
	}
	changes, _, err := c.Since(3)
	if err != nil || len(changes) != 1 || changes[0].ID != 3 || changes[0].Kind != Deleted {
		t.Errorf("changes %v, %v; want none but the deletion behind", changes, err)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// What cannot be written, or not read again, is refused at once: one such record
// would spoil every page that it is on.
func TestWhatIsStoredCanBeWritten(t *testing.T) {
	house := New()
	checkAtEnd(t, house)
	for _, raw := range []string{`{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `nul`, strings.Repeat("[", 300) + strings.Repeat("]", 300)} {
		if _, err := house.Labels().Insert(resources.Label{GlobalMessage: json.RawMessage(raw)}); !errors.Is(err, ErrInvalid) {
			t.Errorf("message %.20s: %v", raw, err)
		}
	}
	far := time.FixedZone("", 14*60*60)
	for _, at := range []time.Time{
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(0, 6, 1, 0, 0, 0, 0, time.UTC),
	} {
		if _, err := house.Events().Insert(resources.Event{StartDate: resources.DateTime{Time: at.In(far)}}); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", at, err)
		}
	}
	type odd struct {
		ID     int         `json:"id"`
		Number json.Number `json:"number"`
		When   time.Time   `json:"when"`
	}
	c, err := NewCollection[odd](Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	for _, r := range []odd{
		{Number: "abc", When: time.Unix(0, 0)},
		{When: time.Date(2026, 5, 10, 0, 0, 0, 0, time.FixedZone("", 25*60*60))},
	} {
		if _, err := c.Insert(r); !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", r, err)
		}
	}
	if house.Labels().Count()+house.Events().Count()+c.Count() != 0 {
		t.Error("something was stored")
	}
}

// Types whose values could be followed for ever, where no check would see it,
// are refused.
func TestOpenTypesOutsideTheJSON(t *testing.T) {
	type node struct {
		ID     int     `json:"id"`
		Kids   []*node `json:"kids"`
		Parent *node   `json:"-"`
	}
	type loose struct {
		ID    int `json:"id"`
		Extra any `json:"-"`
	}
	type quoted struct {
		ID int `json:"id"`
		N  int `json:"n,string"`
	}
	type keyed struct {
		ID int `json:"id"`
		M  map[*key]int
	}
	for name, err := range map[string]error{
		"Parent": makes[node](), "Extra": makes[loose](), "N": makes[quoted](), "M": makes[keyed](),
	} {
		if !errors.Is(err, ErrInvalidType) || !strings.Contains(err.Error(), "field "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	type sum struct {
		ID  int `json:"id"`
		sum [32]byte
	}
	if err := makes[sum](); err != nil {
		t.Errorf("an array that nothing shares: %v", err)
	}
	_ = sum{}.sum
}

type key struct{ n int }

func (k *key) MarshalText() ([]byte, error) { return fmt.Append(nil, k.n), nil }

func makes[T any]() error {
	_, err := NewCollection[T](Options{})
	return err
}

func TestNullInAListIsNoZero(t *testing.T) {
	house := New()
	checkAtEnd(t, house)
	err := house.LoadCollection("events", strings.NewReader(`[{"id":1,"name":"n","slug":"s","startDate":"2026-05-10T18:00:00Z",
		"endDate":"2026-05-10T18:00:00Z","labels":[1,null]}]`))
	var bad *RecordError
	if !errors.As(err, &bad) || bad.Field != "labels" {
		t.Errorf("%v", err)
	}
}

func TestTransactionThatIsOver(t *testing.T) {
	house, _ := benchHouse(t, 3)
	checkAtEnd(t, house)
	var kept *Tx[resources.Event]
	if err := house.Events().Batch(func(tx *Tx[resources.Event]) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if n := kept.Count(); n != 0 {
		t.Errorf("counts %d", n)
	}
	if _, err := kept.Get(1); !errors.Is(err, ErrTxDone) {
		t.Errorf("%v", err)
	}
}

// The default order of open records is by id until one has what it names, and
// again when none has.
func TestDefaultOrderThatIsAbsent(t *testing.T) {
	c, err := NewCollection[resources.Record](Options{Ordering: []ordering.Term{ordering.Asc("rank")}})
	if err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, c)
	first := func() int {
		t.Helper()
		p, err := c.Page(pagination.Window{Limit: 1})
		if err != nil || len(p.Records) == 0 {
			t.Fatal(p, err)
		}
		for r := range c.All() {
			if r.ID != p.Records[0].ID {
				t.Errorf("All begins with %d, Page with %d", r.ID, p.Records[0].ID)
			}
			break
		}
		return p.Records[0].ID
	}
	insert := func(text string) {
		t.Helper()
		r, err := resources.ParseRecord([]byte(text))
		if err == nil {
			_, err = c.Insert(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	insert(`{}`)
	insert(`{}`)
	if id := first(); id != 1 {
		t.Errorf("nobody has a rank: %d first", id)
	}
	insert(`{"rank":1}`)
	if id := first(); id != 3 {
		t.Errorf("the third has a rank: %d first", id)
	}
	if err := c.Delete(3); err != nil {
		t.Fatal(err)
	}
	if id := first(); id != 1 {
		t.Errorf("nobody has one again: %d first", id)
	}
}

// Readers who ask for ever new orders keep no writer waiting.
func TestWritersAreNotStarved(t *testing.T) {
	house, events := benchHouse(t, 2000)
	c := house.Events()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		fields := c.Fields()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			a, b := fields[1+i%(len(fields)-1)], fields[1+i/len(fields)%(len(fields)-1)]
			if a != b {
				c.View(pagination.Window{Limit: 1}, ordering.Asc(a), ordering.Desc(b))
			}
		}
	}()
	written := make(chan error)
	go func() {
		for range 5 {
			err := c.Batch(func(tx *Tx[resources.Event]) error {
				for i := range events {
					if err := tx.Update(i+1, func(e *resources.Event) error { e.Name += "."; return nil }); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				written <- err
				return
			}
			store.Replace([]store.Replacement{{Store: c.store, Entries: c.store.Current().Entries()}})
		}
		written <- nil
	}()
	select {
	case err := <-written:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(60 * time.Second):
		t.Error("the writer waits for readers")
	}
	close(stop)
	<-stopped
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}
