package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// list sends a page of the collection, or the root listing.
func (v *view) list() {
	if v.route.collection == nil {
		v.sendRoot()
		return
	}
	order, _ := v.query.Get("ordering")
	if strings.Count(order, ",") >= maxTerms {
		v.fail(http.StatusBadRequest, fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", maxTerms))
		return
	}
	params := v.params()
	filter, ok := v.filter(params)
	if !ok {
		return
	}
	q := catalogue.Query{Filter: filter, Window: v.handler.limits.Window(v.query), Terms: ordering.Parse(order, v.route.sorts)}
	if v.handler.tags && v.hasPage(params) {
		v.sendNotModifiedPage(q.Window, q.Terms)
		return
	}
	list, err := v.route.collection.List(v.r.Context(), q)
	if err != nil {
		v.failWith(err)
		return
	}
	if v.handler.tags {
		v.confirmTag()
		switch v.readStatus() {
		case http.StatusNotModified:
			v.sendNotModifiedPage(q.Window, list.Terms)
			return
		case http.StatusPreconditionFailed:
			v.fail(http.StatusPreconditionFailed, detailIfMatch)
			return
		}
	}
	v.sendPage(q.Window, list)
}

// sendNotModifiedPage sends a 304 for a page.
func (v *view) sendNotModifiedPage(w pagination.Window, terms []ordering.Term) {
	if v.seen != nil {
		v.seen.Window, v.seen.Ordering = w, terms
	}
	v.sendNotModified()
}

// sendPage sends a page.
func (v *view) sendPage(w pagination.Window, list catalogue.List) {
	buffer := v.handler.buffers.get()
	page := v.newEnvelope(*buffer, w, list.Count, list.Records)
	if v.seen != nil {
		v.seen.Window, v.seen.Ordering, v.seen.Count = w, list.Terms, list.Count
	}
	if !v.begin(http.StatusOK, page.size) || page.write(v.w) == nil { // otherwise net/http may still read the chunk of a reset HTTP/2 stream
		*buffer = page.chunk
		v.handler.buffers.put(buffer)
	}
}

// sendRoot sends the URLs of the collections. As in Django REST framework, they have the
// format of the request.
func (v *view) sendRoot() {
	if v.handler.tags {
		v.findTag(nil)
		if v.sentInstead() {
			return
		}
	}
	query := ""
	if format, ok := v.query.Get("format"); ok {
		query = "format=" + format
	}
	var room [256]byte
	v.write(http.StatusOK, bytes.Join(v.handler.root[query], v.origin.AppendURL(room[:0], "")))
}

// rootBody is the body of the root, split where its links begin.
type rootBody [][]byte

// newRootBodies returns the bodies of the root, by the query of those links for which the
// description of the collection has none.
func newRootBodies(collections []*route) map[string]rootBody {
	bodies := map[string]rootBody{}
	for _, query := range []string{"", "format=", "format=json", "format=api"} {
		bodies[query] = newRootBody(collections, query)
	}
	return bodies
}

// newRootBody returns a body that lists the collections.
func newRootBody(collections []*route, query string) rootBody {
	var body rootBody
	part := "{"
	for i, r := range collections {
		if i > 0 {
			part += ","
		}
		body = append(body, []byte(part+wire.Quote(r.key)+`:"`))
		part = r.link
		if q := cmp.Or(r.about.Query, query); q != "" {
			part += "?" + q
		}
		part += `"`
	}
	return append(body, []byte(part+"}"))
}

// The constant parts of a page.
const (
	envelopeCount    = `{"count":`
	envelopeNext     = `,"next":`
	envelopePrevious = `,"previous":`
	envelopeResults  = `,"results":[`
	envelopeEnd      = `]}`
)

// envelope is the JSON of a page. It is written in chunks, because a body in one piece
// would stay in memory until a slow client has read it.
type envelope struct {
	chunk   []byte // beginning of the body
	records [][]byte
	line    string // what precedes a record, except for a comma
	end     string
	size    int // of the whole body

	scratch *bytes.Buffer // of one record; nil if the body is compact
	indent  string        // of a level; records are at the second
}

// newEnvelope returns a page, indented if the client requests that. Its chunk begins in dst.
func (v *view) newEnvelope(dst []byte, w pagination.Window, count int, records [][]byte) envelope {
	size := max(len(records)-1, 0) // commas
	for _, record := range records {
		size += len(record)
	}
	const head = 512 // unless the links are long
	dst = v.appendHead(slices.Grow(dst, min(head+size, chunkSize)), w, count)
	e := envelope{chunk: dst, records: records, end: envelopeEnd, size: len(dst) + size + len(envelopeEnd)}
	if v.indent > 0 {
		e.indentBy(v.indent)
	}
	return e
}

// appendHead appends the JSON of a page up to its records. Links need no escaping in JSON.
func (v *view) appendHead(dst []byte, w pagination.Window, count int) []byte {
	dst = append(dst, envelopeCount...)
	dst = strconv.AppendInt(dst, int64(count), 10)
	dst = append(dst, envelopeNext...)
	next, ok := pagination.AppendNext(v.origin.AppendURL(append(dst, '"'), v.route.link), "", v.query, w, count)
	dst = endLink(dst, next, ok)
	dst = append(dst, envelopePrevious...)
	previous, ok := pagination.AppendPrevious(v.origin.AppendURL(append(dst, '"'), v.route.link), "", v.query, w)
	dst = endLink(dst, previous, ok)
	return append(dst, envelopeResults...)
}

// indentBy indents the body by n spaces for each level. As [wire.Indent], it changes nothing
// if a record is not JSON or the body would be too long.
func (e *envelope) indentBy(n int) {
	indent := strings.Repeat(" ", n)
	line, end := "\n"+indent+indent, "]\n}"
	head := bytes.TrimSuffix(wire.Indent(append(e.chunk, e.end...), indent), []byte(end))
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
	e.chunk, e.line, e.end, e.size = append(e.chunk[:0], head...), line, end, size
	e.scratch, e.indent = new(bytes.Buffer), indent
}

// indented returns a record with indentation. It is valid until the next call.
func (e *envelope) indented(record []byte) []byte {
	e.scratch.Reset()
	_ = json.Indent(e.scratch, record, e.indent+e.indent, e.indent) // the record is valid
	return bytes.TrimRight(e.scratch.Bytes(), " \t\r\n")            // Indent keeps that of an encoder
}

// write writes the body. It ends at the first error of w.
func (e *envelope) write(w io.Writer) (err error) {
	chunk := e.chunk // a local variable is faster
	for i, text := range e.records {
		if e.scratch != nil {
			text = e.indented(text)
		}
		if len(chunk)+e.room(text) > chunkSize {
			if chunk, err = flush(w, chunk); err != nil {
				return err
			}
		}
		if e.room(text) <= chunkSize {
			chunk = e.appendRecord(chunk, i, text)
			continue
		}
		if _, err = flush(w, e.appendRecord(chunk, i, nil)); err != nil {
			return err
		}
		if _, err = w.Write(text); err != nil { // without a copy
			return err
		}
	}
	if len(chunk)+len(e.end) > chunkSize {
		if chunk, err = flush(w, chunk); err != nil {
			return err
		}
	}
	_, err = flush(w, append(chunk, e.end...))
	return err
}

// room returns how many bytes a record and what precedes it need.
func (e *envelope) room(text []byte) int { return len(",") + len(e.line) + len(text) }

// appendRecord appends what precedes the record i, and its text.
func (e *envelope) appendRecord(dst []byte, i int, text []byte) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if e.line != "" {
		dst = append(dst, e.line...)
	}
	return append(dst, text...)
}

// flush writes a chunk, unless it is empty, and returns it without content.
func flush(w io.Writer, chunk []byte) ([]byte, error) {
	if len(chunk) == 0 {
		return chunk, nil
	}
	_, err := w.Write(chunk)
	return chunk[:0], err
}

// endLink returns the link, which has been appended to dst, with a quote at its end. If
// there is no link, it appends null to dst.
func endLink(dst, link []byte, ok bool) []byte {
	if !ok {
		return append(dst, "null"...)
	}
	return append(link, '"')
}

// chunkSize is the maximum size of a part of a page that is copied before it is written.
// Only long links or a single record make a part larger.
const chunkSize = 32 << 10

// maxPooled is the maximum capacity of a buffer that is reused: the capacity of a chunk and
// what append adds.
const maxPooled = 2 * chunkSize

// buffers is a pool of byte buffers. Without it, allocating the chunk would be most of the
// cost of a page.
type buffers struct{ pool sync.Pool }

// get returns an empty buffer.
func (b *buffers) get() *[]byte {
	if buffer, ok := b.pool.Get().(*[]byte); ok {
		return buffer
	}
	return new([]byte)
}

// put returns a buffer to the pool. It must not be used afterwards.
func (b *buffers) put(buffer *[]byte) {
	if cap(*buffer) <= maxPooled {
		*buffer = (*buffer)[:0]
		b.pool.Put(buffer)
	}
}
