package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sort"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// ErrInvalidToken is returned by queries with a token that is damaged or of another query.
var ErrInvalidToken = errors.New("invalid token")

// A position is a place in the order of a selection: after an entry with certain keys and id,
// which need not exist. It is itself the selection of that entry, with a condition for each field
// of the order, including the id, and those conditions of the original selection that permit one
// value.
type position struct{ selection }

func (at *position) key(field string) sortkey.Key { return at.on(field).Ranges[0].From }

// keyOf returns the key of a field, which may be the id.
func (typ *Type) keyOf(field string, e *Entry) sortkey.Key {
	if field == typ.ID {
		return sortkey.Int(int64(e.ID))
	}
	f, _ := typ.Field(field)
	return f.Key(e)
}

// compare compares an entry with the position by canonical terms.
func (at *position) compare(typ *Type, terms []ordering.Term, e *Entry) int {
	for i := 0; ; i++ {
		t := typ.termAt(terms, i)
		c := typ.keyOf(t.Field, e).Compare(at.key(t.Field))
		switch {
		case c != 0 && t.Desc:
			return -c
		case c != 0 || t.Field == typ.ID:
			return c
		}
	}
}

// passed returns the number of entries of a plan up to a position, in the direction in which it
// reads them. It takes one search for each run or, if the sequence is not an index, O(log n)
// keys.
func (p *plan) passed(at *position, terms []ordering.Term) (n int) {
	switch x := p.sequence.(type) {
	case interface{ passed(rest string, id int) int }:
		var rest []byte
		for _, t := range terms[min(p.fixed, len(terms)):] {
			rest = appendKey(rest, at.key(t.Field), t.Desc)
		}
		id, _ := at.key(p.state.typ.ID).AsInt()
		return x.passed(string(rest), int(id))
	case index:
		rank := 0
		p.state.ranges(&at.selection, &route{terms: terms, by: len(terms) + 1}, false, func(from, to bound) bool {
			if p.backwards {
				to = from
			}
			rank = x.rank(to)
			return true
		})
		for _, sp := range p.spans {
			n += min(max(rank-sp.start, 0), sp.end-sp.start)
		}
		if p.backwards {
			n = p.count - n
		}
		return n
	}
	return sort.Search(p.count, func(i int) bool {
		c := at.compare(p.state.typ, terms, p.some(i, 1).At(0))
		return c > 0 && !p.backwards || c < 0 && p.backwards
	})
}

// The parts of a token are the identity of its query, the keys of the order with their lengths,
// and a checksum of both.
const (
	identityLen = 8
	checksumLen = 4
)

// identity identifies the order and the conditions of a selection, in any order. The function
// match cannot be identified, only whether there is one.
func (sel *selection) identity() []byte {
	if sel.hash != nil {
		return sel.hash
	}
	where := sel.where
	if len(where) > 1 {
		where = slices.Clone(where)
		slices.SortFunc(where, func(a, b Condition) int { return cmp.Compare(a.Field, b.Field) })
	}
	var room [256]byte
	text := append(room[:0], bits(sel.desc, sel.match != nil))
	for _, t := range sel.terms {
		text = append(append(append(text, bits(t.Desc, true)), t.Field...), 0)
	}
	for _, c := range where {
		text = binary.AppendUvarint(append(append(append(text, 0), c.Field...), 0), uint64(len(c.Ranges)))
		for _, r := range c.Ranges {
			text = append(r.To.Append(r.From.Append(text)), bits(r.FromExcluded, r.ToIncluded))
		}
	}
	sum := sha256.Sum256(text)
	sel.hash = sum[:identityLen:identityLen]
	return sel.hash
}

// bits returns two bits that are set if a and b are.
func bits(a, b bool) (n byte) {
	if a {
		n = 1
	}
	if b {
		n |= 2
	}
	return n
}

// token returns the text of the position after an entry. If the type has a key, the position is
// after all entries with the key, since another entry may have it later, with any id.
func (sel *selection) token(typ *Type, e *Entry) string {
	var room [256]byte
	raw := append(room[:0], sel.identity()...)
	for _, t := range sel.terms {
		k := typ.keyOf(t.Field, e)
		if t.Field == typ.ID && typ.Key != "" {
			k = sortkey.Int(0)
			if t.Desc == sel.desc {
				k = sortkey.Int(beforeNext)
			}
		}
		key, _ := k.AppendBinary(nil) // never fails
		raw = append(binary.AppendUvarint(raw, uint64(len(key))), key...)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// parseToken returns the position of a token. The error wraps [ErrInvalidToken]. If there are no
// records, it returns nil: a selection of open ones has lost its terms and conditions.
func (sel *selection) parseToken(token string, empty bool) (at *position, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	end := len(raw) - checksumLen
	switch {
	case err != nil || end < identityLen || crc32.ChecksumIEEE(raw[:end]) != binary.BigEndian.Uint32(raw[end:]):
		return nil, fmt.Errorf("%w: it is incomplete or altered", ErrInvalidToken)
	case empty:
		return nil, nil
	case !bytes.Equal(raw[:identityLen], sel.identity()):
		return nil, fmt.Errorf("%w: it is of another query: the order and the conditions must be the same", ErrInvalidToken)
	}
	at = &position{selection{where: make([]Condition, 0, len(sel.terms)+len(sel.where))}}
	rest, ranges := raw[identityLen:end], make([]ordering.Range, len(sel.terms))
	for i, t := range sel.terms {
		var k sortkey.Key
		n, size := binary.Uvarint(rest)
		if rest = rest[max(size, 0):]; size <= 0 || n > uint64(len(rest)) || k.UnmarshalBinary(rest[:n]) != nil {
			return nil, fmt.Errorf("%w: it is incomplete", ErrInvalidToken)
		}
		ranges[i] = ordering.Range{From: k, To: k, ToIncluded: true}
		at.where = append(at.where, Condition{t.Field, ranges[i : i+1 : i+1]})
		rest = rest[n:]
	}
	for _, c := range sel.where {
		if c.one() && at.on(c.Field) == nil {
			at.where = append(at.where, c)
		}
	}
	return at, nil
}

// after returns at most n entries after a position, which may be nil, and the token of the next
// ones. It filters the entries that follow until there are enough. If n is not positive, it
// returns all. The error is ctx.Err().
func (p plan) after(ctx context.Context, n int, start *position) (list []*Entry, next string, err error) {
	typ, sel, terms := p.state.typ, &p.selection, p.terms
	if p.unsorted {
		if p, err = p.filtered(ctx, p.count, true); err == nil {
			err = p.sort(ctx, 0)
		}
		if err != nil {
			return nil, "", err
		}
		terms = sel.terms
	}
	at := 0
	if n <= 0 {
		n = math.MaxInt
	}
	if start != nil {
		at = p.passed(start, terms)
	}
	var matches func(*Entry) bool
	if !p.direct() {
		matches = typ.matcher(p.left(), sel.match)
	}
	list = make([]*Entry, 0, min(n, p.count-at, between))
	for step := min(n, between-1) + 1; at < p.count && err == nil; at, step = at+step, between {
		for _, e := range p.some(at, step).All() {
			switch {
			case matches != nil && !matches(e):
			case len(list) == n:
				return list, sel.token(typ, list[n-1]), nil
			default:
				list = append(list, e)
			}
		}
		err = ctx.Err()
	}
	return list, "", err
}
