package catalogue_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// A deed is a record that says which goroutine of a test may write to it.
type deed struct {
	ID    int      `json:"id"`
	Owner int      `json:"owner"`
	Score int      `json:"score"`
	Mark  string   `json:"mark"`
	Rate  *float64 `json:"rate"`
	Done  bool     `json:"done"`
	Tags  []string `json:"tags"` // never nil
}

func randomDeed(rng *rand.Rand, owner int) deed {
	d := deed{
		Owner: owner,
		Score: rng.IntN(40) - 20,
		Mark:  pick(rng, "", "a", "ab", "b", "B", "é", "z") + pick(rng, "", "", "1", "2"),
		Done:  rng.IntN(2) == 0,
		Tags:  []string{},
	}
	if rng.IntN(4) > 0 {
		d.Rate = ptr(float64(rng.IntN(9)-4) / 2)
	}
	for range rng.IntN(3) {
		d.Tags = append(d.Tags, pick(rng, "x", "y", "yy"))
	}
	return d
}

func sameDeed(a, b *deed) bool {
	return a.ID == b.ID && a.Owner == b.Owner && a.Score == b.Score && a.Mark == b.Mark &&
		samePtr(a.Rate, b.Rate) && a.Done == b.Done && slices.Equal(a.Tags, b.Tags)
}

func wireOfDeed(d *deed) string {
	rate, tags := "null", ""
	if d.Rate != nil {
		rate = strconv.FormatFloat(*d.Rate, 'g', -1, 64)
	}
	if len(d.Tags) > 0 {
		tags = `"` + strings.Join(d.Tags, `","`) + `"`
	}
	return fmt.Sprintf(`{"id":%d,"owner":%d,"score":%d,"mark":%q,"rate":%s,"done":%t,"tags":[%s]}`,
		d.ID, d.Owner, d.Score, d.Mark, rate, d.Done, tags)
}

// deedFields are the names that deeds are ordered by.
func deedFields() []string { return []string{"id", "owner", "score", "mark", "rate", "done", "tags"} }

// compareDeeds is the document's order, written for deeds alone.
func compareDeeds(a, b *deed, by []ordering.Term) int {
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

// compareRates puts null last.
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

// sortedDeeds is a list in another order.
func sortedDeeds(rows []deed, by []ordering.Term) []*deed {
	list := make([]*deed, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	slices.SortFunc(list, func(a, b *deed) int { return compareDeeds(a, b, by) })
	return list
}
