package httpapi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A page is a page of a collection, in any style.
type page struct {
	pagination.Place
	next, previous pagination.Place // without a Limit if there are none
	count          int              // -1 if it is not sent
	records        [][]byte

	field *schema.Field // the first of the order, unless pages are counted
}

// ask adds the page that the request asks for to a query. If there can be no such page, it sends
// a response and returns false.
func (v *view) ask(q *catalogue.Query) (p page, ok bool) {
	is := pagination.TraitsOf(v.style)
	p.Place, ok = pagination.Requested(v.style, v.query, math.MaxInt)
	q.Window = p.Window
	if ok && !is.Counted {
		ok = v.askAfter(&p, q)
	}
	if !ok {
		v.fail(http.StatusNotFound, is.NoPage)
	}
	return p, ok
}

// askAfter makes q ask for the records of a page that begins at a place, and one more. It reports
// whether the place can exist.
func (v *view) askAfter(p *page, q *catalogue.Query) (ok bool) {
	if len(q.Terms) == 0 {
		q.Terms = v.route.defaultOrder()
	}
	p.field = v.route.positioned(q.Terms[0].Field)
	at := p.Place
	at.Limit = min(p.Limit, math.MaxInt-1) + 1
	ok = true
	switch {
	case at.Token != "":
		at.Token, ok = v.unseal(q, at.Token)
	case at.Positioned:
		at.Position, ok = p.field.ParsePosition(at.Position, v.handler.opts.Framework)
	}
	q.Place = &at
	return ok
}

// A position of more than maxPosition bytes would make links too long. The text of one that cannot be
// in cursors begins with noPosition.
const (
	maxPosition = 1024
	noPosition  = "\x00"
)

// positions returns the function that returns the texts of the positions of records in cursors. Of
// values that the order calls equal, those next to each other have the text of the first.
func positions(of *schema.Field, as schema.Framework, list catalogue.Listing) func(i int) string {
	last, text := -1, ""
	return func(i int) string {
		if last >= 0 && list.Keys[i].Compare(list.Keys[last]) == 0 {
			return text
		}
		r, _ := schema.ParseKeyed(list.Records[i])
		json, _ := r.Get(of.Name)
		last, text = i, of.Position(json)
		value, ok := of.ParsePosition(text, as)
		if !ok || len(text) > maxPosition || of.SortKey(value).Compare(list.Keys[i]) != 0 { // null, for one
			text = noPosition + strconv.Itoa(i)
		}
		return text
	}
}

// link sets the places of the pages beside the one that q has read. They are as in Django REST
// framework, unless those have other records than the ones that follow.
func (v *view) link(p *page, q catalogue.Query, list catalogue.Listing) (err error) {
	p.next, p.previous = pagination.Neighbours(v.style, p.Place, len(list.Records), positions(p.field, v.handler.opts.Framework, list))
	last := min(p.Limit, len(list.Records)) - 1
	for _, to := range [...]*pagination.Place{&p.next, &p.previous} {
		i := 0
		if to.Reverse == p.Reverse {
			i = last
		}
		switch {
		case to.Limit == 0 || !to.Inexact && !strings.HasPrefix(to.Position, noPosition):
		case last >= 0:
			*to = pagination.Place{Window: pagination.Window{Limit: to.Limit}, Token: v.seal(&q, list.Token(i)), Reverse: to.Reverse}
		default:
			if to.Positioned, err = v.hasSameStart(q, *to); !to.Positioned {
				to.Position = ""
			}
		}
	}
	return err
}

// hasSameStart reports whether the page at the position of q begins as the one at the end of the
// list does, so that no record is at the position.
func (v *view) hasSameStart(q catalogue.Query, to pagination.Place) (same bool, err error) {
	var first [2][]byte
	for i, positioned := range [...]bool{false, true} {
		q.Place = &pagination.Place{Window: pagination.Window{Limit: 1}, Position: q.Place.Position, Positioned: positioned, Reverse: to.Reverse}
		list, err := v.route.all.List(v.r.Context(), q)
		if err != nil {
			return false, err
		}
		if len(list.Records) > 0 {
			first[i] = list.Records[0]
		}
	}
	return bytes.Equal(first[0], first[1]), nil
}

// seal returns a token as links have it. It is of the list, the order and the filter of a query. If
// the order has a field that records do not show, it is encrypted, with [Options.ETagKey].
func (v *view) seal(q *catalogue.Query, token string) string {
	sum := v.sum(q, token)
	return base64.RawURLEncoding.EncodeToString(append(sum[:], v.crypt(q, sum, token)...))
}

// unseal returns the token that links have as text. ok is false if it is that of another query.
func (v *view) unseal(q *catalogue.Query, text string) (token string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	var sum [aes.BlockSize]byte
	if n := copy(sum[:], raw); err != nil || n < len(sum) {
		return "", false
	}
	token = string(v.crypt(q, sum, string(raw[len(sum):])))
	return token, sum == v.sum(q, token)
}

// sum returns a checksum of a query and a token. It is the start of the key stream, so it must be
// secret what it is the sum of: see crypt.
func (v *view) sum(q *catalogue.Query, token string) [aes.BlockSize]byte {
	key := ""
	if v.route.hidesOrder(q.Terms) {
		key = v.handler.opts.ETagKey
	}
	h := hmac.New(sha256.New, []byte("cursor "+key))
	fmt.Fprintf(h, "%q %q %q %q %s", v.route.path, ordering.Format(q.Terms), q.Filter.Tests[len(v.rows):], q.Filter.Search, token)
	return [aes.BlockSize]byte(h.Sum(nil))
}

// crypt encrypts or decrypts a token, unless records show all fields of the order.
func (v *view) crypt(q *catalogue.Query, sum [aes.BlockSize]byte, token string) []byte {
	text := []byte(token)
	if v.route.hidesOrder(q.Terms) {
		key := sha256.Sum256([]byte("cursor " + v.handler.opts.ETagKey))
		block, _ := aes.NewCipher(key[:]) // fails for other lengths
		cipher.NewCTR(block, sum[:]).XORKeyStream(text, text)
	}
	return text
}

// hidesOrder reports whether an order has a field that records do not show.
func (r *route) hidesOrder(terms []ordering.Term) bool {
	return slices.ContainsFunc(terms, func(t ordering.Term) bool { return r.positioned(t.Field) == nil })
}

// lastReads is how often the last page is read while the number of records changes.
const lastReads = 3

// read reads the page and finds its neighbours. It returns the terms of the list. ok is false if
// there is no such page.
func (v *view) read(p *page, q catalogue.Query) (terms []ordering.Term, ok bool, err error) {
	counted := pagination.TraitsOf(v.style).Counted
	var list catalogue.Listing
	for n := range lastReads {
		if list, err = v.route.all.List(v.r.Context(), q); errors.Is(err, catalogue.ErrInvalidToken) {
			return nil, false, nil
		} else if err != nil {
			return nil, false, err
		}
		if !counted {
			break
		}
		at, ok := pagination.Requested(v.style, v.query, list.Count)
		if !ok {
			return nil, false, nil
		}
		if at == p.Place || n == lastReads-1 {
			break
		}
		p.Place, q.Window = at, at.Window // of the last page, whose number is known now
	}
	p.count, p.records = list.Count, list.Records
	if counted {
		p.next, p.previous = pagination.Neighbours(v.style, p.Place, list.Count, nil)
		return list.Terms, true, nil
	}
	p.turn(list.Records)
	return list.Terms, true, v.link(p, q, list)
}

// turn sets the records of a page that were read in its direction, with one more.
func (p *page) turn(read [][]byte) {
	p.count, p.records = -1, slices.Clone(read[:min(p.Limit, len(read))])
	if p.Reverse {
		slices.Reverse(p.records)
	}
}

// appendLink appends the JSON of a link, which needs no escaping, or null if there is no such page.
func (v *view) appendLink(dst []byte, to pagination.Place) []byte {
	if to.Limit == 0 {
		return append(dst, "null"...)
	}
	dst = v.origin.AppendURL(append(dst, '"'), v.route.link)
	return append(pagination.AppendLink(dst, v.style, v.query, to), '"')
}
