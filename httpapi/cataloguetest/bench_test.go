package cataloguetest

import (
	"io"
	"net/http"
	"testing"
)

// BenchmarkTest measures a whole test: a server, one request and the cleanup.
func BenchmarkTest(b *testing.B) {
	const path = "/api/events/?ordering=-start_date&limit=21"
	get := func(client *http.Client, base string) {
		resp, err := client.Get(base + path)
		if err != nil {
			b.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); err != nil || n < 5000 {
			b.Fatal(n, err)
		}
	}
	for name, opts := range map[string]Options{"server=in-process": {}, "server=loopback": {Loopback: true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &recorder{TB: b}
				server := NewWith(t, opts)
				get(server.Client, server.URL)
				t.end()
			}
		})
	}
	b.Run("server=new-alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t := &recorder{TB: b}
			New(t)
			t.end()
		}
	})
	b.Run("server=second-request", func(b *testing.B) {
		server := New(b)
		b.ReportAllocs()
		for b.Loop() {
			get(server.Client, server.URL)
		}
	})
}
