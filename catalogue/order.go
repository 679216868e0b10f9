package catalogue

import (
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// maxCombined is how many orderings of several terms are kept; the least
// recently used goes when another comes. Single fields are always kept.
const maxCombined = 8

// kept is an order with the terms that it is in.
type kept struct {
	terms    []ordering.Term
	order    order
	used     *atomic.Int64 // the collection's clock when it was last asked for
	rehearse bool          // taking a key may run a record's own methods
}

// canonical brings terms into the one form that serves them and their mirror:
// no field twice, nothing behind the id, the leading term ascending. desc says
// that the order is to be read backwards. Since ties break by id in the
// direction of the leading term, an id that only says so is dropped, and the
// empty result is the order by id. buf is written to only if terms need change.
func canonical(buf, terms []ordering.Term, id string) (canon []ordering.Term, desc bool) {
	if len(terms) == 0 {
		return nil, false
	}
	desc = terms[0].Desc
	if len(terms) == 1 && terms[0].Field != id && !desc {
		return terms, false
	}
	for _, t := range terms {
		if t.Field == id {
			if t.Desc != desc {
				buf = append(buf, ordering.Desc(id))
			}
			break
		}
		t.Desc = t.Desc != desc
		if !slices.ContainsFunc(buf, func(u ordering.Term) bool { return u.Field == t.Field }) {
			buf = append(buf, t)
		}
	}
	return buf, desc
}

func find(orders []kept, terms []ordering.Term) *kept {
	for i := range orders {
		if slices.Equal(orders[i].terms, terms) {
			return &orders[i]
		}
	}
	return nil
}

// evict drops the least recently used combination if there is one too many.
func evict(orders []kept) []kept {
	combined, oldest := 0, -1
	for i, k := range orders {
		if len(k.terms) == 1 {
			continue
		}
		combined++
		if oldest < 0 || k.used.Load() < orders[oldest].used.Load() {
			oldest = i
		}
	}
	if combined <= maxCombined {
		return orders
	}
	return slices.Delete(slices.Clone(orders), oldest, oldest+1)
}
