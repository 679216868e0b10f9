package pagination

// Window is the part of a list that is asked for: at most Limit records, after
// Offset records have been skipped.
//
// [Limits] only makes windows with a positive Limit and an Offset that is not
// negative. In a Window made otherwise a Limit of zero or less asks for an empty
// page, which has no links, and a negative Offset counts as 0. The zero Window
// is such an empty page.
type Window struct {
	Limit, Offset int
}

// Bounds tells which part of a list of count records the window shows: those
// from index start up to and without end. Always 0 <= start <= end <= count,
// whatever the window; a negative count counts as 0. Behind the end of the list
// start and end are both count. Bounds costs O(1).
func (w Window) Bounds(count int) (start, end int) {
	count = max(count, 0)
	start = min(max(w.Offset, 0), count)
	// Not min(start+limit, count): the sum may overflow, the difference cannot.
	end = start + min(max(w.Limit, 0), count-start)
	return start, end
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
