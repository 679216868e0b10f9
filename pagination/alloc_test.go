package pagination_test

import (
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
)

const (
	base  = "https://host.example/api/events/"
	short = "format=json&limit=21&offset=42&ordering=-start_date"
)

// serve processes a query as a server does for each request.
func serve(dst []byte, raw string) []byte {
	q := pagination.ParseQuery(raw)
	q.Get("format")
	q.Get("ordering")
	q.Get("search")
	w := pagination.Limits{}.Window(q)
	dst, _ = pagination.AppendNext(dst, base, q, w, 90)
	dst, _ = pagination.AppendPrevious(dst, base, q, w, 90)
	return dst
}

func TestAllocations(t *testing.T) {
	dst := make([]byte, 0, 1024)
	for _, tt := range []struct {
		reason string
		want   float64
		run    func()
	}{
		{"pairs only", 1, func() { serve(dst, short) }},
		{"empty query", 0, func() { serve(dst, "") }},
		{"pairs and one decoded value", 2, func() { serve(dst, "limit=21&ordering=-start_date%2Cname") }},
		{"pairs and two links", 3, func() {
			q := pagination.ParseQuery(short)
			pagination.Links(base, q, pagination.Window{Limit: 21, Offset: 42}, 90)
		}},
		{"invalid numbers", 0, func() { pagination.Limits{}.Parse("x", "999999999999999999999") }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.run); got > tt.want {
				t.Errorf("got %v allocations, want at most %v", got, tt.want)
			}
		})
	}
}

func BenchmarkRequest(b *testing.B) {
	for _, bb := range []struct{ name, raw string }{
		{"empty", ""},
		{"short", short},
		{"escaped", "format=json&limit=21&offset=42&ordering=-start_date%2Cname&q=caff%C3%A8+nero"},
		{"latin1", "limit=21&offset=42&q=caff\xe8"},
		{"1000pairs", strings.Repeat("b=2&a=1&", 500)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			dst := make([]byte, 0, 1<<16)
			b.ReportAllocs()
			for b.Loop() {
				serve(dst, bb.raw)
			}
		})
	}
}

func BenchmarkParseQuery(b *testing.B) {
	for _, bb := range []struct{ name, raw string }{
		{"short", short},
		{"1MBpairs", strings.Repeat("a&", 1<<19)},
		{"1MBseparators", strings.Repeat("&", 1<<20)},
		{"1MBescapes", strings.Repeat("%FF", 1<<20/3)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.raw)))
			b.ReportAllocs()
			for b.Loop() {
				pagination.ParseQuery(bb.raw)
			}
		})
	}
}
