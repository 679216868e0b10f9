package catalogue

import "iter"

// merged yields the items of a few sorted parts in order. O(items × parts).
func merged[T any](parts [][]T, less func(a, b T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			first := -1
			for i, part := range parts {
				if len(part) > 0 && (first < 0 || less(part[0], parts[first][0])) {
					first = i
				}
			}
			if first < 0 || !yield(parts[first][0]) {
				return
			}
			parts[first] = parts[first][1:]
		}
	}
}
