package store

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// Anybody who may read a collection can ask for any ordering. These bounds keep
// the memory and the work of that small.
const (
	// maxCombined is how many indexes of several terms are kept. They take at
	// most maxPerRecord bytes for each record together; the least recently used
	// is dropped first.
	maxCombined = 8

	// maxPerRecord is also how many bytes for each record the keys of an index of
	// one term may take, or one of several terms with its items. An ordering with
	// longer keys has no index: see ownSequences.
	maxPerRecord = 512

	// itemSize is about what an item takes, with its share of the node.
	itemSize = 36

	// maxSorts is how many orderings of one term, and of several, are sorted at once.
	maxSorts = 4
)

// maxKeys returns how many bytes the keys of an index of n entries may take. It
// leaves room for the items that evict counts, or an index of several terms that is
// built would be dropped at once, and built again for as long as a reader waits.
func maxKeys(n int, terms []ordering.Term) int {
	if len(terms) > 1 {
		return (maxPerRecord - itemSize) * n
	}
	return maxPerRecord * n
}

// evict drops the indexes that are beyond the bounds. O(indexes).
func (s *State) evict() {
	n := s.Len()
	for {
		combined, bytes, oldest := 0, 0, -1
		for i := range s.indexes {
			x := &s.indexes[i]
			if x.keySize() > maxKeys(n, x.terms) {
				oldest, combined = i, maxCombined+1
				break
			}
			if len(x.terms) == 1 {
				continue
			}
			combined++
			bytes += itemSize*n + x.keySize()
			if oldest < 0 || x.used.Load() < s.indexes[oldest].used.Load() {
				oldest = i
			}
		}
		if combined <= maxCombined && bytes <= maxPerRecord*n {
			return
		}
		s.indexes = slices.Delete(s.indexes, oldest, oldest+1)
	}
}
