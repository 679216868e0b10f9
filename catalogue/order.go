package catalogue

import (
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// Orderings of several terms are kept up to this number and about this many
// bytes for each record, of their items and keys; the least recently used go
// when another comes, which itself is kept whatever its size. Single fields are
// always kept.
const (
	maxCombined  = 8
	maxPerRecord = 512
)

// kept is an order with the terms that it is in. Those of live tables are
// written to; those of a snapshot are forks that nobody writes to any more.
type kept struct {
	terms     []ordering.Term
	order     order
	shared    order         // of live tables: a fork for snapshots, nil if the order was written to since
	upTo      int           // the number of the last change that is in it
	perRecord int           // of a combination: about how many bytes it takes for each record
	used      *atomic.Int64 // the collection's clock when it was last asked for
	rehearse  bool          // taking a key may run a record's own methods
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

// find gives the place of an order among others, or -1.
func find(orders []kept, terms []ordering.Term) int {
	for i := range orders {
		if slices.Equal(orders[i].terms, terms) {
			return i
		}
	}
	return -1
}

// evict drops the least recently used combinations if there are too many, but
// never the last.
func evict(orders []kept) []kept {
	for {
		combined, bytes, oldest := 0, 0, -1
		for i, k := range orders {
			if len(k.terms) == 1 {
				continue
			}
			combined++
			bytes += k.perRecord
			if oldest < 0 || k.used.Load() < orders[oldest].used.Load() {
				oldest = i
			}
		}
		if combined <= 1 || combined <= maxCombined && bytes <= maxPerRecord {
			return orders
		}
		orders = slices.Delete(slices.Clone(orders), oldest, oldest+1)
	}
}
