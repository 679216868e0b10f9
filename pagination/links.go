package pagination

import "strconv"

// Links returns the URLs of the pages after and before a window of a list of count
// records. A URL is "" if there is no such page; its JSON in an [Envelope] is null.
//
// The base is the URL of the list without query and fragment. It is copied unchanged, so the
// links are absolute if base is. The links contain the parameters of q, the query of the
// request, encoded as by [Query.Encode]. The page's limit and offset replace the ones in q.
//
// A link to the first page has no offset. The previous page of a window past the end
// starts one limit before it and may be past the end too, as in DRF. A window with a
// Limit of zero or less has no links. A negative count counts as 0.
//
// A short link takes one allocation. O(len) to encode, plus O(n log² n) to sort n pairs.
func Links(base string, q Query, w Window, count int) (next, previous string) {
	var room [256]byte
	if link, ok := AppendNext(room[:0], base, q, w, count); ok {
		next = string(link)
	}
	if link, ok := AppendPrevious(room[:0], base, q, w); ok {
		previous = string(link)
	}
	return next, previous
}

// AppendNext appends the URL of the page after the window to dst and returns the
// extended slice and true. The URL is the one that [Links] returns. If there is no such
// page, AppendNext returns dst unchanged and false. It does not allocate if dst has
// room for the link and q has few pairs.
func AppendNext(dst []byte, base string, q Query, w Window, count int) ([]byte, bool) {
	offset, ok := w.next(count)
	if !ok {
		return dst, false
	}
	return appendLink(dst, base, q, w.Limit, offset), true
}

// AppendPrevious appends the URL of the page before the window to dst and returns the
// extended slice and true. The URL is the one that [Links] returns. If there is no such
// page, AppendPrevious returns dst unchanged and false. It does not allocate if dst has
// room for the link and q has few pairs.
//
// The page before a window past the end may be past the end too, so that AppendPrevious
// needs no count.
func AppendPrevious(dst []byte, base string, q Query, w Window) ([]byte, bool) {
	offset, ok := w.previous()
	if !ok {
		return dst, false
	}
	return appendLink(dst, base, q, w.Limit, offset), true
}

func appendLink(dst []byte, base string, q Query, limit, offset int) []byte {
	var room [fewPairs]pair
	before, rest := cut(q.sorted(room[:0]), limitName)
	between, after := cut(rest, offsetName)

	dst = append(dst, base...)
	dst = append(dst, '?')
	dst = appendPairs(dst, before)
	dst = appendNumber(dst, limitName, limit)
	dst = appendPairs(dst, between)
	if offset > 0 {
		dst = appendNumber(dst, offsetName, offset)
	}
	dst = appendPairs(dst, after)
	return dst[:len(dst)-1] // without the last '&'
}

// appendNumber appends "name=n&".
func appendNumber(dst []byte, name string, n int) []byte {
	dst = append(dst, name...)
	dst = append(dst, '=')
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, '&')
}

// cut returns the sorted pairs before and after those with the given name.
func cut(pairs []pair, name string) (before, after []pair) {
	start := 0
	for start < len(pairs) && pairs[start].name < name {
		start++
	}
	end := start
	for end < len(pairs) && pairs[end].name == name {
		end++
	}
	return pairs[:start], pairs[end:]
}
