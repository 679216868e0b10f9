package store

import "slices"

// Anybody who may read a collection can ask for any ordering. These bounds keep
// the memory and the work of that small.
const (
	// maxCombined is how many indexes of several terms are kept. They take at
	// most maxPerRecord bytes for each record together; the least recently used
	// is dropped first.
	maxCombined = 8

	// maxPerRecord is also how many bytes for each record the keys of one index
	// may take. An ordering with longer keys has no index: see ownSequences.
	maxPerRecord = 512

	// itemSize is about what an item takes, with its share of the node.
	itemSize = 36

	// maxSorts is how many orderings of one term, and of several, are sorted at once.
	maxSorts = 4
)

// maxKeys returns how many bytes the keys of one index of n entries may take.
func maxKeys(n int) int { return maxPerRecord * n }

// evict drops the indexes that are beyond the bounds. O(indexes).
func (s *State) evict() {
	n := s.Len()
	for {
		combined, bytes, oldest := 0, 0, -1
		for i := range s.indexes {
			x := &s.indexes[i]
			if x.keySize() > maxKeys(n) {
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
		if combined <= maxCombined && bytes <= maxKeys(n) {
			return
		}
		s.indexes = slices.Delete(s.indexes, oldest, oldest+1)
	}
}
