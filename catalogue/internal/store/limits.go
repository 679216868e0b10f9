package store

import (
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// A client that may read a collection can request any ordering. These limits bound
// the memory and the work for such requests.
const (
	// maxCombined is the largest number of multi-field indexes. Together they take
	// at most maxPerRecord bytes for each record. The least recently used one is
	// dropped first.
	maxCombined = 8

	// maxPerRecord is the largest average size in bytes of the keys of a
	// single-field index, and of the keys and items of a multi-field index. An
	// ordering with larger keys has no index; see sortCache.
	maxPerRecord = 512

	// itemSize is the approximate size in bytes of an item with its share of the
	// node.
	itemSize = 36

	// maxSorts is the largest number of concurrent sorts by one term, and that of
	// concurrent sorts by several terms.
	maxSorts = 4
)

// maxKeys returns the largest size in bytes of the keys of an index of n entries.
// For a multi-field index it leaves room for the items, which evict also counts.
// Otherwise evict could drop a new index before the reader that waits for it uses
// it, and the reader would build it again and again.
func maxKeys(n int, terms []ordering.Term) int {
	if len(terms) > 1 {
		return (maxPerRecord - itemSize) * n
	}
	return maxPerRecord * n
}

// evict drops indexes until all limits are met. O(indexes).
func (s *State) evict() {
	n := s.Len()
	for {
		combined, bytes, oldest := 0, 0, -1
		for i := range s.indexes {
			x := &s.indexes[i]
			if x.unique {
				continue
			}
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
