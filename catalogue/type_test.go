package catalogue_test

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Record types of all shapes: the core knows only where their id is.
type (
	base struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	embedding struct {
		Before string `json:"before"`
		base
		*Extra
		After []string `json:"after"`
	}
	Extra     struct{ Note *string }
	recursive struct {
		ID       int          `json:"id"`
		Name     string       `json:"name"`
		Next     *recursive   `json:"next"`
		Children []*recursive `json:"children"`
	}
	arrays struct {
		Numbers [3]int          `json:"numbers"`
		ID      int             `json:"id"`
		Name    string          `json:"name"`
		Texts   [2][2]string    `json:"texts"`
		Places  [2]*base        `json:"places"`
		Lists   [2][]*base      `json:"lists"`
		Maps    [1]map[int]base `json:"maps"`
	}
	large struct {
		Pages [500]int    `json:"pages"`
		ID    int         `json:"id"`
		Name  string      `json:"name"`
		Texts [32]*string `json:"texts"`
	}
	zeroSized struct {
		First struct{} `json:"first"`
		ID    int      `json:"id"`
		Name  string   `json:"name"`
		None  [0]*int  `json:"none"`
		Last  struct{} `json:"last"` // without padding its address would be past the record
	}
	idLast struct {
		Small bool           `json:"small"`
		Wide  int64          `json:"wide"`
		Name  string         `json:"name"`
		Any   any            `json:"any"`
		At    time.Time      `json:"at"`
		Map   map[string]any `json:"map"`
		ID    int            `json:"id"`
	}
	cloned struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		list *[]string
	}
)

func (c cloned) Clone() cloned {
	if c.list != nil {
		list := slices.Clone(*c.list)
		c.list = &list
	}
	return c
}

// TestRecordTypes stores records of all shapes while the garbage collector runs all the
// time. What is read must be what was written, after changes of the program's own values too.
func TestRecordTypes(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-done:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	text := func(i int) *string { s := strings.Repeat("x", i); return &s }
	node := func(id int) *base { return &base{id, fmt.Sprint("node ", id)} }
	t.Run("embedded structs", func(t *testing.T) {
		storesAll(t, func(i int, name string) embedding {
			return embedding{"before", base{i, name}, &Extra{text(i)}, []string{"after", name}}
		})
	})
	t.Run("recursive through pointers", func(t *testing.T) {
		storesAll(t, func(i int, name string) recursive {
			return recursive{i, name, &recursive{ID: 7, Children: []*recursive{}}, []*recursive{{ID: i, Children: []*recursive{}}, nil}}
		})
	})
	t.Run("arrays", func(t *testing.T) {
		storesAll(t, func(i int, name string) arrays {
			return arrays{[3]int{1, i, 3}, i, name, [2][2]string{{name}}, [2]*base{node(i)}, [2][]*base{{node(2)}, {}}, [1]map[int]base{{i: *node(3)}}}
		})
	})
	t.Run("four kilobytes", func(t *testing.T) {
		storesAll(t, func(i int, name string) large {
			return large{Pages: [500]int{499: i}, ID: i, Name: name, Texts: [32]*string{text(i), 31: text(3)}}
		})
	})
	t.Run("fields of size zero", func(t *testing.T) {
		storesAll(t, func(i int, name string) zeroSized { return zeroSized{ID: i, Name: name} })
	})
	t.Run("the id is last", func(t *testing.T) {
		storesAll(t, func(i int, name string) idLast {
			return idLast{true, 1 << 60, name, []any{name, nil}, time.Unix(int64(i), 0).UTC(), map[string]any{"a": []any{name}}, i}
		})
	})
	t.Run("a method Clone", func(t *testing.T) {
		storesAll(t, func(i int, name string) cloned { return cloned{i, name, &[]string{name}} })
	})
}

// storesAll writes and reads records. make returns equal records for equal arguments.
func storesAll[T any](t *testing.T, make func(id int, name string) T) {
	const n = 40
	c := mustCollection[T](t, catalogue.Options{History: 2 * n})
	want := map[int]T{}
	for i := 1; i <= n; i++ {
		record := make(i, fmt.Sprint(n-i))
		write := c.Upsert
		if i%2 == 0 {
			write = c.Insert
		}
		_, err := write(record)
		must(t, err)
		want[i] = make(i, fmt.Sprint(n-i))
	}
	for i := 1; i <= n; i += 3 {
		must(t, c.Update(i, func(r *T) error { *r = make(i, "updated"); return nil }))
		want[i] = make(i, "updated")
	}
	for i := 2; i <= n; i += 5 {
		must(t, c.Delete(i))
		delete(want, i)
	}
	holds(t, c, want)
	if _, open := any(make(1, "")).(cloned); open { // its list is not in the JSON
		return
	}
	var saved bytes.Buffer
	must(t, c.Save(&saved))
	loaded, _ := catalogue.NewCollection[T](catalogue.Options{})
	must(t, loaded.Load(&saved, catalogue.LoadOptions{}))
	holds(t, loaded, want)
}

// holds checks that a collection has the wanted records, by id and in another order.
func holds[T any](t *testing.T, c *catalogue.Collection[T], want map[int]T) {
	t.Helper()
	unexported := cmp.AllowUnexported(embedding{}, cloned{})
	got := map[int]T{}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		record, err := c.Get(id)
		must(t, err)
		got[id] = record
	}
	if diff := cmp.Diff(want, got, unexported); diff != "" {
		t.Fatalf("Get (-want +got):\n%s", diff)
	}
	page, err := c.Page(pagination.Window{}, ordering.Desc("name"))
	if err != nil || len(page.Records) != len(want) || page.Count != len(want) {
		t.Fatalf("a page of %d of %d records, want %d (%v)", len(page.Records), page.Count, len(want), err)
	}
	view, err := c.Where().View(pagination.Window{}, ordering.Desc("name"))
	must(t, err)
	for i, record := range page.Records {
		if diff := cmp.Diff(record, *view.At(i), unexported); diff != "" {
			t.Fatalf("record %d of a page and a view:\n%s", i, diff)
		}
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}
