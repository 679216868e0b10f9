package catalogue_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}

// A task is a record whose Owner is the goroutine that writes to it.
type task struct {
	ID    int      `json:"id"`
	Owner int      `json:"owner"`
	Score int      `json:"score"`
	Mark  string   `json:"mark"`
	Rate  *float64 `json:"rate"`
	Done  bool     `json:"done"`
	Tags  []string `json:"tags"` // never nil
}

func randomTask(rng *rand.Rand, owner int) task {
	r := task{
		Owner: owner,
		Score: rng.IntN(40) - 20,
		Mark:  pick(rng, "", "a", "ab", "b", "B", "é", "z") + pick(rng, "", "", "1", "2"),
		Done:  rng.IntN(2) == 0,
		Tags:  []string{},
	}
	if rng.IntN(4) > 0 {
		r.Rate = ptr(float64(rng.IntN(9)-4) / 2)
	}
	for range rng.IntN(3) {
		r.Tags = append(r.Tags, pick(rng, "x", "y", "yy"))
	}
	return r
}

func sameTask(a, b *task) bool {
	return a.ID == b.ID && a.Owner == b.Owner && a.Score == b.Score && a.Mark == b.Mark &&
		samePtr(a.Rate, b.Rate) && a.Done == b.Done && slices.Equal(a.Tags, b.Tags)
}

// taskJSON returns the JSON of a task, written without package json.
func taskJSON(r *task) string {
	rate, tags := "null", ""
	if r.Rate != nil {
		rate = strconv.FormatFloat(*r.Rate, 'g', -1, 64)
	}
	if len(r.Tags) > 0 {
		tags = `"` + strings.Join(r.Tags, `","`) + `"`
	}
	return fmt.Sprintf(`{"id":%d,"owner":%d,"score":%d,"mark":%q,"rate":%s,"done":%t,"tags":[%s]}`,
		r.ID, r.Owner, r.Score, r.Mark, rate, r.Done, tags)
}

// sameTasks returns an error if two lists of tasks differ.
func sameTasks(what string, got, want []*task) error {
	if !slices.EqualFunc(got, want, sameTask) {
		return fmt.Errorf("%s: %d records, want %d, or other records", what, len(got), len(want))
	}
	return nil
}

// sortedTasks returns pointers to rows, sorted by id.
func sortedTasks(rows []task) []*task {
	list := make([]*task, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	slices.SortFunc(list, func(a, b *task) int { return a.ID - b.ID })
	return list
}

// listed returns the parts of a list.
func listed(list catalogue.List, err error) (count int, records [][]byte, _ error) {
	return list.Count, list.Records, err
}

var errOwn = errors.New("the caller's own error")

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

// wireOf returns the JSON of a value without HTML escapes.
func wireOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func samePtr[V comparable](a, b *V) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// dataset returns a catalogue with the records of the reference server.
func dataset(t testing.TB) *catalogue.Catalogue {
	t.Helper()
	file, err := os.Open("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cat := mustNew()
	if err := cat.Load(file, catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	checkAtEnd(t, cat)
	return cat
}

// ids returns the ids of all records in an ordering.
func ids[T any](t testing.TB, r interface {
	Where(...ordering.Condition) catalogue.Selection[T]
}, id func(*T) *int, by []ordering.Term) []int {
	t.Helper()
	seq, err := r.Where().All(by...)
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for record := range seq {
		list = append(list, *id(&record))
	}
	return list
}

func eventID(e *resources.Event) *int { return &e.ID }
