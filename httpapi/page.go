package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// A page is a page of a collection, in any style.
type page struct {
	pagination.Place
	next, previous pagination.Place // without a Limit if there are none
	count          int
	records        [][]byte

	field *schema.Field // the first of the order, unless pages are counted
}

// turn sets the records of a page that were read in its direction, with one more.
func (p *page) turn(read [][]byte) {
	p.records = slices.Clone(read[:min(p.Limit, len(read))])
	if p.Reverse {
		slices.Reverse(p.records)
	}
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
	end := "]}"
	if v.route.is.Members == nil { // a bare list
		end = "]"
	}
	e := envelope{head: head, records: p.records, end: end, size: len(head) + size + len(end)}
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

// appendLink appends the JSON of a link, which needs no escaping, or null if there is no such page.
func (v *view) appendLink(dst []byte, to pagination.Place) []byte {
	if to.Limit == 0 {
		return append(dst, "null"...)
	}
	dst = v.origin.AppendURL(append(dst, '"'), v.route.link)
	return append(pagination.AppendLink(dst, v.style, v.query, to), '"')
}

// indentBy indents the body by n spaces for each level. As [wire.Indent], it changes nothing
// if a record is not JSON or the body would be too long.
func (e *envelope) indentBy(n int) {
	indent := strings.Repeat(" ", n)
	levels, end := len(e.end), strings.Join(strings.Split(e.end, ""), "\n") // one for each closing bracket
	line := "\n" + strings.Repeat(indent, levels)
	head := bytes.TrimSuffix(wire.Indent(append(e.head, e.end...), indent), []byte(end))
	if len(e.records) > 0 {
		end = "\n" + strings.Repeat(indent, levels-1) + end
	}
	size := len(head) + max(len(e.records)-1, 0) + len(e.records)*len(line) + len(end)
	for _, record := range e.records {
		if !json.Valid(record) {
			return
		}
		size += wire.IndentedLen(record, n, levels)
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
			_ = json.Indent(&indented, record, e.line[1:], e.indent) // the record is valid
			record = bytes.TrimRight(indented.Bytes(), " \t\r\n")    // Indent keeps that of an encoder
		}
		_, _ = out.Write(record)
	}
	_, _ = out.WriteString(e.end)
	return out.Flush()
}

// chunkSize is the size of the parts in which a page is written. Only long links or a single
// record make a part larger.
const chunkSize = 32 << 10
