package pagination

// A Window is a part of a list: at most Limit items after the first Offset items.
// The zero Window is the whole list.
//
// A Limit that is zero or negative means no limit, and a negative Offset counts
// as 0. A Window without a limit has no next or previous link. [Limits] makes only
// windows with a positive Limit and an Offset of at least 0.
type Window struct {
	Limit, Offset int
}

// Bounds returns the indexes of the window's items in a list of count items: from
// start up to but not including end. For every window 0 <= start <= end <= count
// holds. For an Offset past the end of the list both are count. A negative
// count counts as 0. O(1).
func (w Window) Bounds(count int) (start, end int) {
	count = max(count, 0)
	start = min(max(w.Offset, 0), count)
	if w.Limit <= 0 {
		return start, count
	}
	// Not min(start+limit, count): the sum may overflow, the difference cannot.
	return start, start + min(w.Limit, count-start)
}

// next is the offset of the page behind w, if there is such a page.
func (w Window) next(count int) (offset int, ok bool) {
	offset = max(w.Offset, 0)
	if w.Limit <= 0 || max(count, 0)-offset <= w.Limit {
		return 0, false
	}
	return offset + w.Limit, true
}

// previous is the offset of the page before w, if there is such a page. It
// knows no count: before a window far behind the end lies another one of those,
// as in DRF.
func (w Window) previous() (offset int, ok bool) {
	if w.Limit <= 0 || w.Offset <= 0 {
		return 0, false
	}
	return max(w.Offset-w.Limit, 0), true
}

// Slice returns the items that the window shows. The result shares memory with
// items, but has no capacity left, so appending to it does not write on items.
// Of nil items it returns nil; a window without records gives an empty slice.
// Slice costs O(1).
func Slice[T any](items []T, w Window) []T {
	start, end := w.Bounds(len(items))
	return items[start:end:end]
}
