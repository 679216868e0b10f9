package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
	"strings"

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
func (sel *selection) keyOf(typ *Type, field string, e *Entry) sortkey.Key {
	if field == typ.ID {
		return sortkey.Int(int64(e.ID))
	}
	if related := sel.related[field]; related != nil {
		return related().Key(e)
	}
	f, _ := typ.Field(field)
	return f.Key(e)
}

// compare compares an entry of a selection with the position, in reading direction.
func (at *position) compare(typ *Type, sel *selection, e *Entry) int {
	for _, t := range sel.order {
		if c := sel.keyOf(typ, t.Field, e).Compare(at.key(t.Field)); c != 0 {
			if t.Desc {
				return -c
			}
			return c
		}
	}
	return 0
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
		next := p.some(i, 1)
		return at.compare(p.state.typ, &p.selection, next.At(0)) > 0
	})
}

// The parts of a token are the identity of its query, the keys of the order with their lengths,
// and a checksum of both.
const (
	identityLen = 8
	checksumLen = 4
)

// Of a text of more than maxText bytes, a token of a place has the beginning, and the byte short, which
// no text has: it is after all texts that begin so.
const (
	maxText = 512
	short   = "\xff"
)

// identity identifies the order and the conditions of a selection, in any order. The function
// match cannot be identified, only whether there is one. That of a place is the order alone: each
// page can have conditions of its own, and be read in both directions.
func (sel *selection) identity() []byte {
	if sel.hash != nil {
		return sel.hash
	}
	var room [256]byte
	text := append(room[:0], bits(sel.place != nil, sel.match != nil && sel.place == nil))
	for _, t := range sel.order {
		text = append(append(append(text, bits(t.Desc != sel.reversed(), true)), t.Field...), 0)
	}
	var where []Condition
	if sel.place == nil {
		where = slices.Clone(sel.where)
		slices.SortFunc(where, func(a, b Condition) int { return cmp.Compare(a.Field, b.Field) })
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

func (sel *selection) reversed() bool { return sel.place != nil && sel.place.Reverse }

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
	for i, t := range sel.order {
		if typ.isSettled(sel.order, i) {
			break
		}
		k := sel.keyOf(typ, t.Field, e)
		if text, ok := k.AsText(); ok && sel.place != nil && t.Field != typ.Key && len(text) > maxText {
			k = sortkey.Text(text[:maxText] + short)
		}
		key, _ := k.AppendBinary(nil) // never fails
		raw = append(binary.AppendUvarint(raw, uint64(len(key))), key...)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// isSettled reports whether a term is the id after the key.
func (typ *Type) isSettled(order []ordering.Term, i int) bool {
	return typ.Key != "" && order[i].Field == typ.ID && i > 0 && order[i-1].Field == typ.Key
}

// parseToken returns the position of a token. The error wraps [ErrInvalidToken]. If there are no
// records, it returns nil: a selection of open ones has lost its terms and conditions.
func (s *State) parseToken(sel *selection, token string) (at *position, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	end := len(raw) - checksumLen
	switch {
	case err != nil || end < identityLen || crc32.ChecksumIEEE(raw[:end]) != binary.BigEndian.Uint32(raw[end:]):
		return nil, fmt.Errorf("%w: it is incomplete or altered", ErrInvalidToken)
	case s.Len() == 0:
		return nil, nil
	case !bytes.Equal(raw[:identityLen], sel.identity()):
		return nil, fmt.Errorf("%w: it is of another query: the order and the conditions must be the same", ErrInvalidToken)
	}
	keys := make([]sortkey.Key, len(sel.order))
	rest, shortened := raw[identityLen:end], false
	for i, t := range sel.order {
		k := &keys[i]
		if s.typ.isSettled(sel.order, i) {
			if *k = sortkey.Int(0); !t.Desc {
				*k = sortkey.Int(beforeNext)
			}
			break
		}
		n, size := binary.Uvarint(rest)
		if rest = rest[max(size, 0):]; size <= 0 || n > uint64(len(rest)) || k.UnmarshalBinary(rest[:n]) != nil {
			return nil, fmt.Errorf("%w: it is incomplete", ErrInvalidToken)
		}
		rest = rest[n:]
		if text, ok := k.AsText(); ok && strings.HasSuffix(text, short) {
			if shortened = true; !t.Desc { // all records whose text begins so follow
				*k = sortkey.Text(strings.TrimSuffix(text, short))
			}
		}
	}
	if shortened {
		s.lengthen(sel, keys, token)
	}
	at = &position{selection{where: make([]Condition, 0, len(keys)+len(sel.where))}}
	for i, k := range keys {
		at.where = append(at.where, Condition{sel.order[i].Field, only(k)})
	}
	for _, c := range sel.where {
		if c.one() && at.on(c.Field) == nil {
			at.where = append(at.where, c)
		}
	}
	return at, nil
}

// only returns the range of one key.
func only(k sortkey.Key) []ordering.Range {
	return []ordering.Range{{From: k, To: k, ToIncluded: true}}
}

// lengthen replaces the keys of a token by those of its entry, if that still has them.
func (s *State) lengthen(sel *selection, keys []sortkey.Key, token string) {
	i := slices.IndexFunc(sel.order, func(t ordering.Term) bool { return t.Field == s.typ.ID })
	var e *Entry
	if id, ok := keys[i].AsInt(); s.typ.isSettled(sel.order, i) {
		i--
		e = s.Holder(s.typ.Key, keys[i])
	} else if ok {
		e = s.Get(int(id))
	}
	if e != nil && sel.token(s.typ, e) == token {
		for i, t := range sel.order[:i] {
			keys[i] = sel.keyOf(s.typ, t.Field, e)
		}
	}
}
