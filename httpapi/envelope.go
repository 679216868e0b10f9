package httpapi

import (
	"slices"
	"strconv"
	"sync"

	"github.com/gobacklist/backlist/pagination"
)

// The constant parts of a page.
const (
	envelopeCount    = `{"count":`
	envelopeNext     = `,"next":`
	envelopePrevious = `,"previous":`
	envelopeResults  = `,"results":[`
	envelopeEnd      = `]}`
)

// appendEnvelope appends the JSON of a page. Links need no escaping in JSON.
func (v *view) appendEnvelope(dst []byte, w pagination.Window, count int, records [][]byte) []byte {
	size := 512 // enough for everything but the records, unless the links are long
	for _, record := range records {
		size += len(record) + len(",")
	}
	dst = slices.Grow(dst, size)
	dst = append(dst, envelopeCount...)
	dst = strconv.AppendInt(dst, int64(count), 10)
	dst = append(dst, envelopeNext...)
	dst = v.appendPageLink(dst, pagination.AppendNext, w, count)
	dst = append(dst, envelopePrevious...)
	dst = v.appendPageLink(dst, pagination.AppendPrevious, w, count)
	dst = append(dst, envelopeResults...)
	for i, record := range records {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, record...)
	}
	return append(dst, envelopeEnd...)
}

// A linkAppender is pagination.AppendNext or AppendPrevious.
type linkAppender func(dst []byte, base string, q pagination.Query, w pagination.Window, count int) ([]byte, bool)

// appendPageLink appends a link in quotes, or null.
func (v *view) appendPageLink(dst []byte, link linkAppender, w pagination.Window, count int) []byte {
	linked, ok := link(v.origin.AppendURL(append(dst, '"'), v.route.path), "", v.query, w, count)
	if !ok {
		return append(dst, "null"...)
	}
	return append(linked, '"')
}

// maxPooled is the maximum capacity of a buffer that is reused.
const maxPooled = 1 << 20

// buffers is a pool of byte buffers. Without it, allocating the body would be most of the
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
