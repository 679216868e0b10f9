package httpapi

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/pagination"
)

// maxTerms is the maximum number of terms in an ordering, including unknown and empty ones.
const maxTerms = 100

// list sends a page of the collection, or the root listing.
func (v *view) list() {
	if v.route.collection == nil {
		v.sendRoot()
		return
	}
	if !v.selected() {
		return
	}
	p, ok := v.ask()
	if !ok {
		return
	}
	if v.findTag(); v.sentInstead() {
		return
	}
	ok, err := v.read(&p)
	if err != nil {
		v.failBecause(err, 0)
		return
	}
	if !ok {
		v.fail(http.StatusNotFound, v.route.is.NoPage)
		return
	}
	if v.confirmTag(); v.sentInstead() {
		return
	}
	v.sendPage(&p)
}

// selected sets v.q to the records that the request for a list selects, in their order. It sends a
// response to an error and then returns false.
func (v *view) selected() bool {
	order, _ := v.query.Get("ordering")
	if strings.Count(order, ",") >= maxTerms {
		v.fail(http.StatusBadRequest, fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", maxTerms))
		return false
	}
	terms, known := v.route.orders[order]
	if !known {
		terms = wire.Terms(*v.route.about, order, v.route.sorts)
	}
	v.q.Terms = terms
	return v.filter()
}

// Counts, First and All are what pages and exports read of what the request selects, as [wire.Selection]
// says.
func (v *view) Counts(of []url.Values) (counts []int, err error) {
	groups := make([][]schema.Test, len(of))
	for i, params := range of {
		selected, err := v.route.about.Filter(v.r.Context(), func(name string) []string { return params[name] }, v.route.checks)
		if err != nil {
			v.failBecause(err, ifFields)
			return nil, nil
		}
		groups[i] = selected.Tests
		if err := v.see(selected.Tests); err != nil {
			return nil, err
		}
	}
	if v.route.counter != nil && len(groups) > 0 {
		return v.route.counter.Count(v.r.Context(), v.q.Filter, groups)
	}
	counts = make([]int, len(groups))
	for i, tests := range groups { // a record of each is listed
		one := *v
		one.q.Filter.Tests = slices.Concat(v.q.Filter.Tests, tests)
		if _, counts[i], err = one.First(1); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func (v *view) First(n int) (records [][]byte, count int, err error) {
	q := v.q
	q.Window.Limit = n
	list, err := v.route.all.List(v.r.Context(), q)
	return list.Records, list.Count, err
}

// All yields records one by one only from a catalogue: a type that embeds its collection may select among
// those that it lists.
func (v *view) All() (records iter.Seq2[[]byte, error], described bool) {
	if own, ok := v.route.all.(catalogue.AnyCollection); ok {
		return own.All(v.r.Context(), v.q), v.route.described()
	}
	list, _, err := v.First(math.MaxInt)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, record := range list {
			if !yield(record, nil) {
				return
			}
		}
	}, false
}

// described reports whether all members of the records are known to be fields of the description: those
// of structs of a catalogue, whose JSON is that of encoding/json.
func (r *route) described() bool {
	own, ok := r.all.(catalogue.AnyCollection)
	if !ok || reflect.PointerTo(own.RecordType()).Implements(reflect.TypeFor[json.Marshaler]()) {
		return false
	}
	members, _ := jsonmember.Of(own.RecordType())
	return !slices.ContainsFunc(members, func(m jsonmember.Member) bool {
		return !slices.ContainsFunc(r.about.Fields, func(f schema.Field) bool { return f.Name == m.Name })
	})
}

// sendPage sends a page. It is written in chunks, because a body in one piece would stay in
// memory until a slow client has read it. Allocating their buffer would be most of the cost of
// a page.
func (v *view) sendPage(p *page) {
	out, ok := v.handler.writers.Get().(*bufio.Writer)
	if !ok {
		out = bufio.NewWriterSize(nil, chunkSize)
	}
	out.Reset(v.w)
	body := v.newEnvelope(out.AvailableBuffer(), p)
	if !v.begin(http.StatusOK, body.size) || body.write(out) == nil { // otherwise net/http may still read the chunk of a reset HTTP/2 stream
		out.Reset(nil)
		v.handler.writers.Put(out)
	}
}

// sendRoot sends the URLs of the collections. As in Django REST framework, they have the
// format of the request.
func (v *view) sendRoot() {
	if v.findTag(); v.sentInstead() {
		return
	}
	query := ""
	if format, ok := v.query.Get("format"); ok {
		query = "format=" + format
	}
	body := []byte("{")
	for i, r := range v.handler.collections {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, wire.Quote(r.key)+`:"`...)
		body = v.origin.AppendURL(body, r.link)
		if q := cmp.Or(r.about.Query, query); q != "" {
			body = append(body, "?"+q...)
		}
		body = append(body, '"')
	}
	v.write(http.StatusOK, append(body, '}'))
}

// envelope is the JSON of a page.
type envelope struct {
	head    []byte
	records [][]byte
	line    string // what precedes a record, except for a comma
	end     string
	size    int    // of the whole
	indent  string // of a level, or ""; records are at the second
}

// newEnvelope returns a page, indented if the client requests that. Its head is appended to
// dst.
func (v *view) newEnvelope(dst []byte, p *page) envelope {
	size := max(len(p.records)-1, 0) // commas
	for _, record := range p.records {
		size += len(record)
	}
	head := v.appendHead(dst, p)
	e := envelope{head: head, records: p.records, end: "]}", size: len(head) + size + len("]}")}
	if v.indent > 0 {
		e.indentBy(v.indent)
	}
	return e
}

// appendHead appends the JSON of a page up to its records.
func (v *view) appendHead(dst []byte, p *page) []byte {
	before := byte('{')
	for _, name := range v.route.is.Members {
		dst = append(append(append(dst, before, '"'), name...), '"', ':')
		before = ','
		switch name {
		case "count":
			dst = strconv.AppendInt(dst, int64(p.count), 10)
		case "next":
			dst = v.appendLink(dst, p.next)
		case "previous":
			dst = v.appendLink(dst, p.previous)
		}
	}
	return append(dst, '[')
}

// indentBy indents the body by n spaces for each level. As [wire.Indent], it changes nothing
// if a record is not JSON or the body would be too long.
func (e *envelope) indentBy(n int) {
	indent := strings.Repeat(" ", n)
	line, end := "\n"+indent+indent, "]\n}"
	head := bytes.TrimSuffix(wire.Indent(append(e.head, e.end...), indent), []byte(end))
	if len(e.records) > 0 {
		end = "\n" + indent + end
	}
	size := len(head) + max(len(e.records)-1, 0) + len(e.records)*len(line) + len(end)
	for _, record := range e.records {
		if !json.Valid(record) {
			return
		}
		size += wire.IndentedLen(record, n, 2)
	}
	if size > wire.MaxIndented(e.size) {
		return
	}
	e.head, e.line, e.end, e.size, e.indent = append(e.head[:0], head...), line, end, size, indent
}

// write writes the page. It returns the first error, which out keeps.
func (e *envelope) write(out *bufio.Writer) error {
	if e.indent == "" && e.size <= out.Available() { // as most pages, which take half of the instructions in one piece
		for i, record := range e.records {
			if i > 0 {
				e.head = append(e.head, ',')
			}
			e.head = append(e.head, record...)
		}
		e.records = nil
	}
	_, _ = out.Write(e.head)
	var indented bytes.Buffer
	for i, record := range e.records {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		if e.indent != "" {
			_, _ = out.WriteString(e.line)
			indented.Reset()
			_ = json.Indent(&indented, record, e.indent+e.indent, e.indent) // the record is valid
			record = bytes.TrimRight(indented.Bytes(), " \t\r\n")           // Indent keeps that of an encoder
		}
		_, _ = out.Write(record)
	}
	_, _ = out.WriteString(e.end)
	return out.Flush()
}

// chunkSize is the size of the parts in which a page is written. Only long links or a single
// record make a part larger.
const chunkSize = 32 << 10

// A page is a page of a collection, in any style.
type page struct {
	pagination.Place
	next, previous pagination.Place // without a Limit if there are none
	count          int
	records        [][]byte

	field *schema.Field // the first of the order, unless pages are counted
}

// ask sets the window and the place of v.q to the requested page. If there can be no such page, it
// sends a response and returns false.
func (v *view) ask() (p page, ok bool) {
	is := &v.route.is
	p.Place, ok = pagination.Requested(v.style, v.query, math.MaxInt)
	v.q.Window = p.Window
	if ok && !is.Counted {
		ok = v.askAfter(&p)
	}
	if !ok {
		v.fail(http.StatusNotFound, is.NoPage)
	}
	return p, ok
}

// askAfter makes v.q ask for the records of a page that begins at a place, and one more. It reports
// whether the place can exist.
func (v *view) askAfter(p *page) (ok bool) {
	q := &v.q
	if len(q.Terms) == 0 {
		q.Terms = v.route.defaultOrder()
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

// lastReads is how often the last page is read while the number of records changes.
const lastReads = 3

// read reads the page and finds its neighbours. ok is false if there is no such page.
func (v *view) read(p *page) (ok bool, err error) {
	counted := v.route.is.Counted
	var list catalogue.Listing
	for n := range lastReads {
		if list, err = v.route.all.List(v.r.Context(), v.q); errors.Is(err, catalogue.ErrInvalidToken) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		if !counted || v.route.is.Anywhere { // the place does not depend on the count
			break
		}
		at, ok := pagination.Requested(v.style, v.query, list.Count)
		if !ok {
			return false, nil
		}
		if at == p.Place || n == lastReads-1 {
			break
		}
		p.Place, v.q.Window = at, at.Window // of the last page, whose number is known now
	}
	p.count, p.records = list.Count, list.Records
	if counted {
		p.next, p.previous = pagination.Neighbours(v.style, p.Place, list.Count, nil)
		return true, nil
	}
	p.turn(list.Records)
	return true, v.link(p, list)
}

// turn sets the records of a page that were read in its direction, with one more.
func (p *page) turn(read [][]byte) {
	p.records = slices.Clone(read[:min(p.Limit, len(read))])
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
