package httpapi

import (
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// askAfter makes v.q ask for the records of a page that begins at a place, and one more. It reports
// whether the place can exist.
func (v *view) askAfter(p *page) (ok bool) {
	q := &v.q
	if len(q.Terms) == 0 {
		q.Terms = defaultOrder(v.route.about)
	}
	p.field = v.route.positioned(q.Terms[0].Field)
	at := p.Place
	at.Limit = min(p.Limit, math.MaxInt-1) + 1
	ok = true
	switch {
	case at.Token != "":
		at.Token, ok = v.unseal(at.Token)
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

// link sets the places of the pages beside the one that has been read. They are as in Django REST
// framework, unless those have other records than the ones that follow.
func (v *view) link(p *page, list catalogue.Listing) (err error) {
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
			*to = pagination.Place{Window: pagination.Window{Limit: to.Limit}, Token: v.seal(list.Token(i)), Reverse: to.Reverse}
		default: // there may be records at the position
			v.q.Place.Window, v.q.Place.Reverse = pagination.Window{Limit: 1}, to.Reverse
			before, err1 := v.route.all.List(v.r.Context(), v.q)
			v.q.Place.Positioned = false
			end, err2 := v.route.all.List(v.r.Context(), v.q)
			if !slices.EqualFunc(before.Records, end.Records, bytes.Equal) {
				*to = pagination.Place{Window: to.Window, Reverse: to.Reverse}
			}
			err = cmp.Or(err1, err2)
		}
	}
	return err
}

// seal returns a token as links have it, for the list, the filter and the order of the request. Equal
// tokens have equal texts, so that pages with equal tags do.
func (v *view) seal(token string) string {
	aead, about := v.sealing()
	sum := sha256.Sum256(append(about, token...))
	nonce := sum[:aead.NonceSize():aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(token), nil))
}

// unseal returns the token that links have as text. ok is false if it is that of another query.
func (v *view) unseal(text string) (token string, ok bool) {
	aead, _ := v.sealing()
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < aead.NonceSize() {
		return "", false
	}
	plain, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], nil)
	return string(plain), err == nil
}

// sealing returns the cipher of the tokens of the request, and the text that its key is made of. This is
// secret if the order has a field that records do not show; otherwise all handlers have the same.
func (v *view) sealing() (aead cipher.AEAD, about []byte) {
	secret := ""
	if slices.ContainsFunc(v.q.Terms, func(t ordering.Term) bool { return v.route.positioned(t.Field) == nil }) {
		secret = v.handler.opts.ETagKey
	}
	about = fmt.Appendf(nil, "%q %q %q %q %q", secret, v.route.path, ordering.Format(v.q.Terms), v.requested(), v.q.Filter.Search)
	key := sha256.Sum256(about)
	block, _ := aes.NewCipher(key[:]) // fails for other lengths of keys, and NewGCM for other blocks
	aead, _ = cipher.NewGCM(block)
	return aead, about
}
