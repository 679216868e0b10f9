package store

import (
	"bytes"
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
// whether there is one or not. It has the encoded key of each field of the order, of which the id
// is one, and those of the conditions that permit one value.
type position map[string][]byte

// keyOf returns the encoded key of a field, which may be the id.
func (typ *Type) keyOf(field string, e *Entry) []byte {
	if field == typ.ID {
		return sortkey.Int(int64(e.ID)).Append(nil)
	}
	f, _ := typ.Field(field)
	return f.Key(e).Append(nil)
}

// compare compares an entry with a position by terms, of which the id is the last.
func (at position) compare(typ *Type, terms []ordering.Term, e *Entry) int {
	for i := 0; ; i++ {
		t := typ.termAt(terms, i)
		c := bytes.Compare(typ.keyOf(t.Field, e), at[t.Field])
		switch {
		case c != 0 && t.Desc:
			return -c
		case c != 0 || t.Field == typ.ID:
			return c
		}
	}
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
	var parts []string
	for _, c := range sel.where {
		part := append([]byte(c.Field), 0)
		for _, r := range c.Ranges {
			part = fmt.Appendf(r.To.Append(r.From.Append(part)), "%t%t", r.FromExcluded, r.ToIncluded)
		}
		parts = append(parts, string(part))
	}
	slices.Sort(parts)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %s %t %t", parts, ordering.Format(sel.terms), sel.desc, sel.match != nil))
	return sum[:identityLen]
}

// token returns the text of the position after an entry.
func (sel *selection) token(typ *Type, e *Entry) string {
	raw := sel.identity()
	for _, t := range sel.terms {
		key := typ.keyOf(t.Field, e)
		raw = append(binary.AppendUvarint(raw, uint64(len(key))), key...)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// parseToken returns the position of a token. The error wraps [ErrInvalidToken]. If there are
// no records, a selection of open ones has lost its conditions, so it is not compared.
func (sel *selection) parseToken(token string, empty bool) (at position, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	end := len(raw) - checksumLen
	switch {
	case err != nil || end < identityLen || crc32.ChecksumIEEE(raw[:end]) != binary.BigEndian.Uint32(raw[end:]):
		return nil, fmt.Errorf("%w: it is incomplete or altered", ErrInvalidToken)
	case !empty && !bytes.Equal(raw[:identityLen], sel.identity()):
		return nil, fmt.Errorf("%w: it is of another query: the order and the conditions must be the same", ErrInvalidToken)
	}
	at = position{}
	for _, c := range sel.where {
		if c.one() {
			at[c.Field] = c.Ranges[0].From.Append(nil)
		}
	}
	rest := raw[identityLen:end]
	for _, t := range sel.terms {
		n, size := binary.Uvarint(rest)
		if rest = rest[max(size, 0):]; size <= 0 || n > uint64(len(rest)) {
			return nil, fmt.Errorf("%w: it is incomplete", ErrInvalidToken)
		}
		at[t.Field], rest = rest[:n], rest[n:]
	}
	return at, nil
}

// after returns the entries after the token of a query, at most as many as its window has, and
// the token of the next ones. It searches the order for the position of the token and filters
// the entries that follow until there are enough. The error is ctx.Err().
func (p plan) after(ctx context.Context, q *Query, start position) (a Answer, err error) {
	typ, sel := p.state.typ, &p.selection
	terms, backwards := p.terms, p.backwards // of all entries that are read, including those that are filtered
	if p.unsorted || p.merged {
		terms, backwards = sel.terms, sel.desc
	}
	if p.unsorted {
		if p, err = p.filtered(ctx); err == nil {
			err = p.sort(ctx)
		}
		if err != nil {
			return Answer{}, err
		}
	}
	at, n := 0, q.Window.Limit
	if n <= 0 {
		n = math.MaxInt
	}
	if start != nil {
		at = sort.Search(p.count, func(i int) bool {
			c := start.compare(typ, terms, p.some(i, 1).At(0))
			return c > 0 && !backwards || c < 0 && backwards
		})
	}
	matches := typ.matcher(p.left(), sel.match)
	var list []*Entry
	for step := min(n, between-1) + 1; at < p.count && err == nil; at, step = at+step, between {
		for _, e := range p.some(at, step).All() {
			switch {
			case !matches(e):
			case len(list) == n:
				return Answer{Entries: Entries{head: list}, Next: sel.token(typ, list[n-1])}, nil
			default:
				list = append(list, e)
			}
		}
		err = ctx.Err()
	}
	return Answer{Entries: Entries{head: list}}, err
}
