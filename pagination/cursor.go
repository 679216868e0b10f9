package pagination

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Cursors divides lists into pages that begin after a position of the order, as
// CursorPagination of DRF does. Records that are inserted or deleted before the position do
// not move the page. The zero value is ready to use: the parameter cursor has the cursor of a
// page of 21 records.
//
// A page of n records needs the n+1 records that its [Place] describes. In SQL, for a list that
// is ordered by created and has the size n:
//
//	SELECT … WHERE created > $1 ORDER BY created, id LIMIT n+1 OFFSET $2
//
// There is no count: the last of these records, if there is one, only shows that there is a
// next page.
//
// In DRF, the first field of the order should be neither null nor equal in many records: a cursor
// counts at most 1000 records that are equal, and some links back leave out or repeat equal records.
// [Neighbours] marks such places as Inexact. A program that can resume after any record of its own
// replaces them by places with a Token. [Requested] accepts any position and
// any token in a cursor: the caller checks them.
type Cursors struct {
	// Limits bounds the size of pages. A request determines it only if Size is set.
	Limits Limits
	// Cursor is the query parameter that holds the cursor. If empty, it is cursor.
	Cursor string
	// Size is the query parameter that holds the size of the page, such as page_size. If
	// empty, all pages have the default size.
	Size string
}

// maxOffset is the largest offset of a cursor. DRF has it too.
const maxOffset = 1000

func (c Cursors) traits() Traits {
	return c.Limits.bounding(Traits{Place: c.cursor(), Size: c.Size, Members: counted()[1:], About: "Where the page begins, as in links.", NoPage: "Invalid cursor"})
}

func (c Cursors) bounded(l Limits) Style {
	c.Limits = l
	return c
}

func (c Cursors) place(q Query, _ int) (p Place, ok bool) {
	text, _ := q.Get(c.cursor())
	p, ok = parseCursor(text)
	if len(text) > 1 && (text[:1] == tokenOn || text[:1] == tokenBack) {
		p, ok = Place{Token: text[1:], Reverse: text[:1] == tokenBack}, true
	}
	p.Limit = c.Limits.requested(q, c.Size)
	return p, ok
}

// A cursor with a token begins with one of these, which no cursor of DRF does: as base64 it is not
// ASCII.
const tokenOn, tokenBack = "n", "p"

// parseCursor parses the text of a cursor, which is the base64 of a query with an offset o, a
// direction r and a position p. Characters that base64 does not have are ignored, and so is
// what follows the padding. Empty text is that of the first page. ok is false if the text is invalid.
func parseCursor(text string) (p Place, ok bool) {
	raw, ok := decodeBase64(text)
	if !ok {
		return Place{}, false
	}
	values := map[string]string{"o": "0", "r": "0"}
	for _, pair := range slices.Backward(ParseQuery(raw).pairs) {
		values[pair[0]] = pair[1] // the first counts
	}
	offset, isNumber := parsePython(values["o"])
	reverse, isDirection := parsePython(values["r"])
	if !isNumber || !isDirection || offset < 0 {
		return Place{}, false
	}
	position, positioned := values["p"]
	return Place{Window: Window{Offset: min(offset, maxOffset)}, Position: position, Positioned: positioned, Reverse: reverse != 0}, true
}

// cursor returns the text of the cursor as it is in links before they are escaped. It is empty
// for the first page.
func (p Place) cursor() string {
	if p.Token != "" {
		return map[bool]string{false: tokenOn, true: tokenBack}[p.Reverse] + p.Token
	}
	var pairs []pair
	if p.Offset != 0 {
		pairs = append(pairs, pair{"o", strconv.Itoa(p.Offset)})
	}
	if p.Reverse {
		pairs = append(pairs, pair{"r", "1"})
	}
	if p.Positioned {
		pairs = append(pairs, pair{"p", p.Position})
	}
	raw := appendPairs(nil, pairs)
	return base64.StdEncoding.EncodeToString(raw[:max(len(raw)-1, 0)])
}

func (c Cursors) neighbours(p Place, count int, position func(i int) string) (next, previous Place) {
	size := p.Limit
	page := min(count, size)
	if count > size {
		next = p
		next.Offset += size
		next.Inexact = p.Token != ""
		from := func(i int) string { return position(page - 1 - i) }
		if same := shared(page, position(size), from); same < page {
			next = Place{Window: Window{size, same}, Position: from(same), Positioned: true, Reverse: p.Reverse}
		}
		next.Inexact = next.Inexact || next.Offset > maxOffset
	}
	if p.Positioned || p.Offset > 0 || p.Token != "" {
		previous = Place{Window: Window{Limit: size}, Position: p.Position, Positioned: p.Positioned, Reverse: !p.Reverse}
		same := 0 // the position is before the whole page
		if page > 0 && (p.Offset > 0 || p.Token != "") {
			same = shared(page, position(0), position)
		}
		switch {
		case page == 0:
			previous.Inexact = p.Positioned // there may be records at the position
		case same < page:
			previous.Offset, previous.Position, previous.Positioned = same, position(same), true
			previous.Inexact = same > maxOffset
		case count > size:
			previous.Position, previous.Positioned, previous.Inexact = position(size), true, true
		default:
			previous.Offset, previous.Position, previous.Positioned = size, "", false
			previous.Inexact = page < size || size > maxOffset
		}
	}
	if p.Reverse {
		next, previous = previous, next
	}
	return next, previous
}

// shared returns how many of the first n positions are equal to edge.
func shared(n int, edge string, position func(i int) string) (same int) {
	for same < n && position(same) == edge {
		same++
	}
	return same
}

// appendLink leaves the size that of q.
func (c Cursors) appendLink(dst []byte, q Query, to Place) []byte {
	return appendLink(dst, q, ownPair{name: c.cursor(), text: to.cursor(), isText: true, set: true})
}

func (c Cursors) cursor() string { return cmp.Or(c.Cursor, "cursor") }

// decodeBase64 decodes ASCII text as b64decode of Python does.
func decodeBase64(text string) (decoded string, ok bool) {
	var digits []byte
	pads := 0
	for _, c := range []byte(text) {
		switch {
		case c >= utf8.RuneSelf:
			return "", false
		case c == '=' && len(digits)%4 >= 2:
			pads++
		case len(digits)%4+pads >= 4: // after the padding
		case isAlphanumeric(c), c == '+', c == '/':
			digits, pads = append(digits, c), 0
		}
	}
	if n := len(digits) % 4; n != 0 && n+pads < 4 {
		return "", false
	}
	raw, err := base64.RawStdEncoding.DecodeString(string(digits))
	decoded = string(raw)
	return decoded, err == nil && isASCII(decoded)
}
