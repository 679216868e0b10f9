package catalogue_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

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

func taskFields() []string { return []string{"id", "owner", "score", "mark", "rate", "done", "tags"} }

// compareTasks compares two tasks by an ordering, without package ordering.
func compareTasks(a, b *task, by []ordering.Term) int {
	for _, t := range by {
		c := 0
		switch t.Field {
		case "id":
			return directed(cmp.Compare(a.ID, b.ID), t.Desc)
		case "owner":
			c = cmp.Compare(a.Owner, b.Owner)
		case "score":
			c = cmp.Compare(a.Score, b.Score)
		case "mark":
			c = cmp.Compare(a.Mark, b.Mark)
		case "rate":
			c = compareRates(a.Rate, b.Rate)
		case "done":
			switch {
			case !a.Done && b.Done:
				c = -1
			case a.Done && !b.Done:
				c = 1
			}
		case "tags":
			c = slices.Compare(a.Tags, b.Tags)
		}
		if c != 0 {
			return directed(c, t.Desc)
		}
	}
	return directed(cmp.Compare(a.ID, b.ID), len(by) > 0 && by[0].Desc)
}

// compareRates orders null last.
func compareRates(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

// sortedTasks returns pointers to rows, sorted by an ordering.
func sortedTasks(rows []task, by []ordering.Term) []*task {
	list := make([]*task, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	slices.SortFunc(list, func(a, b *task) int { return compareTasks(a, b, by) })
	return list
}

// listed returns the parts of a list.
func listed(list catalogue.List, err error) (count int, records [][]byte, _ error) {
	return list.Count, list.Records, err
}
