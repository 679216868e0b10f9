package httpapi

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
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
	order, _ := v.query.Get("ordering")
	if strings.Count(order, ",") >= maxTerms {
		v.fail(http.StatusBadRequest, fmt.Sprintf("Too many terms in the ordering: at most %d are allowed.", maxTerms))
		return
	}
	filter, ok := v.filter()
	if !ok {
		return
	}
	terms, known := v.route.orders[order]
	if !known {
		terms = wire.Terms(*v.route.about, order, v.route.sorts)
	}
	q := catalogue.Query{Filter: filter, Terms: terms}
	if t := wire.TallyOf(v.r.Context()); t != nil {
		v.tally(t, q)
		return
	}
	p, ok := v.ask(&q)
	if !ok {
		return
	}
	if v.seen != nil {
		v.seen.Window, v.seen.Ordering = p.Window, slices.Clone(terms)
	}
	if v.findTag(filter, q.Terms); v.sentInstead() {
		return
	}
	terms, ok, err := v.read(&p, q) // of the list
	if err != nil {
		v.failWith(err)
		return
	}
	if !ok {
		v.fail(http.StatusNotFound, pagination.TraitsOf(v.style).NoPage)
		return
	}
	if v.confirmTag(); v.sentInstead() {
		return
	}
	if v.seen != nil {
		v.seen.Window, v.seen.Count = p.Window, p.count
		if p.field == nil { // otherwise the order may be reversed
			v.seen.Ordering = terms
		}
	}
	v.sendPage(&p)
}

// tally sets the records of a query and the numbers of records that a tally asks for.
func (v *view) tally(t *wire.Tally, q catalogue.Query) {
	ctx := v.r.Context()
	groups := make([][]schema.Test, len(t.Selections))
	for i, params := range t.Selections {
		selected, err := v.route.about.Filter(ctx, func(name string) []string { return params[name] }, v.route.checks)
		if err != nil {
			v.failBecause(err, ifFields)
			return
		}
		groups[i] = selected.Tests
	}
	counts, err := v.route.count(ctx, q.Filter, groups)
	if err == nil && t.First > 0 {
		q.Window.Limit = t.First
		var list catalogue.Listing
		list, err = v.route.all.List(ctx, q)
		t.Records, t.Count = list.Records, list.Count
	}
	if err != nil {
		v.failWith(err)
		return
	}
	t.Counts = counts
	v.begin(http.StatusNoContent, 0)
}

// count counts as [Counter] does. It lists a record of each group if the collection is none.
func (r *route) count(ctx context.Context, filter schema.Filter, groups [][]schema.Test) (counts []int, err error) {
	if r.counter != nil {
		return r.counter.Count(ctx, filter, groups)
	}
	for _, tests := range groups {
		q := catalogue.Query{Filter: filter, Window: pagination.Window{Limit: 1}}
		q.Filter.Tests = slices.Concat(filter.Tests, tests)
		list, err := r.all.List(ctx, q)
		if err != nil {
			return nil, err
		}
		counts = append(counts, list.Count)
	}
	return counts, nil
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
	if v.findTag(schema.Filter{}, nil); v.sentInstead() {
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
	dst = append(dst, '{')
	if p.count >= 0 {
		dst = append(dst, `"count":`...)
		dst = append(strconv.AppendInt(dst, int64(p.count), 10), ',')
	}
	dst = v.appendLink(append(dst, `"next":`...), p.next)
	dst = v.appendLink(append(dst, `,"previous":`...), p.previous)
	return append(dst, `,"results":[`...)
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
	_, _ = out.Write(e.head)
	var indented bytes.Buffer
	for i, record := range e.records {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.WriteString(e.line)
		if e.indent != "" {
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
