package pagination

import "strconv"

// Links returns the URLs of the pages behind and before a window on a list of
// count records, or "" where the service says null: behind the last record, and
// before the first.
//
// base is the URL of the list without query and fragment; it is written as it is,
// so the links are absolute if base is. q is the query of the request: its
// parameters stay, encoded as by [Query.Encode], and limit and offset are set from
// the window, once, however often they stand in q.
//
// A link to the first page has no offset. The previous page of a window behind the
// end is one limit before it, and may well be behind the end too; so it is in DRF.
// A window with a Limit of zero or less has no links, and a negative count counts
// as 0.
//
// The cost is that of [Query.Encode], twice, with one allocation for each link of
// at most 256 bytes and 16 parameters.
func Links(base string, q Query, w Window, count int) (next, previous string) {
	var room [256]byte
	if link, ok := AppendNext(room[:0], base, q, w, count); ok {
		next = string(link)
	}
	if link, ok := AppendPrevious(room[:0], base, q, w, count); ok {
		previous = string(link)
	}
	return next, previous
}

// AppendNext appends the URL of the page behind the window to dst, as [Links]
// makes it. If there is no such page it returns dst as it is, and false. It does
// not allocate if dst has room for the link and q has at most 16 pairs.
func AppendNext(dst []byte, base string, q Query, w Window, count int) ([]byte, bool) {
	offset, ok := w.next(count)
	if !ok {
		return dst, false
	}
	return appendLink(dst, base, q, w.Limit, offset), true
}

// AppendPrevious appends the URL of the page before the window to dst, as [Links]
// makes it. If there is no such page it returns dst as it is, and false. The count
// does not matter to it; it is there so that both are called alike. It does not
// allocate if dst has room for the link and q has at most 16 pairs.
func AppendPrevious(dst []byte, base string, q Query, w Window, count int) ([]byte, bool) {
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
	return dst[:len(dst)-1] // less the last '&'
}

// appendNumber appends "name=n&".
func appendNumber(dst []byte, name string, n int) []byte {
	dst = append(dst, name...)
	dst = append(dst, '=')
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, '&')
}

// cut splits sorted pairs at those with the given name, and leaves these out.
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
