package pagination

// A Window is a part of a list: at most Limit items after the first Offset items.
// The zero Window is the whole list.
//
// A Limit of zero or less means no limit, and a negative Offset counts as 0. A Window
// without a limit has no next or previous link. The methods of [Limits] return only
// windows with a positive Limit and an Offset of at least 0.
type Window struct {
	Limit, Offset int
}

// Bounds returns the indexes of the window's items in a list of count items: from
// start up to but not including end. It guarantees 0 <= start <= end <= count. If
// Offset is past the end of the list, both are count. A negative count counts as 0.
// O(1).
func (w Window) Bounds(count int) (start, end int) {
	count = max(count, 0)
	start = min(max(w.Offset, 0), count)
	if w.Limit <= 0 {
		return start, count
	}
	// start+w.Limit may overflow, count-start cannot.
	return start, start + min(w.Limit, count-start)
}

// next returns the offset of the page after w, if there is one.
func (w Window) next(count int) (offset int, ok bool) {
	offset = max(w.Offset, 0)
	if w.Limit <= 0 || max(count, 0)-offset <= w.Limit {
		return 0, false
	}
	return offset + w.Limit, true
}

// previous returns the offset of the page before w, if there is one. It ignores the
// count: the page before a window far past the end may be past the end too, as in DRF.
func (w Window) previous() (offset int, ok bool) {
	if w.Limit <= 0 || w.Offset <= 0 {
		return 0, false
	}
	return max(w.Offset-w.Limit, 0), true
}

// Slice returns the items inside the window. The result shares memory with items but
// has no spare capacity, so appending to it does not overwrite items. If items is nil,
// Slice returns nil. Otherwise a window past the end yields an empty slice. O(1).
func Slice[T any](items []T, w Window) []T {
	start, end := w.Bounds(len(items))
	return items[start:end:end]
}
