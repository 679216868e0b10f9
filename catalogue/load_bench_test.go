package catalogue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A dated is a record with a time of type D.
type dated[D any] struct {
	ID      int     `json:"id"`
	Title   string  `json:"title"`
	Genre   string  `json:"genre"`
	Year    int     `json:"year"`
	Rating  float64 `json:"rating"`
	InStock bool    `json:"inStock"`
	Added   D       `json:"added"`
	Tags    []int   `json:"tags"`
}

// BenchmarkLoadFile loads 20,000 records. It reports the time of LoadFile as a multiple of
// that of json.Unmarshal for the same bytes.
func BenchmarkLoadFile(b *testing.B) {
	var none catalogue.LoadOptions
	b.Run("time.Time", func(b *testing.B) { benchLoadFile(b, func(t time.Time) time.Time { return t }, none) })
	b.Run("DateTime", func(b *testing.B) { benchLoadFile(b, schema.At, none) })
	b.Run("validated", func(b *testing.B) { benchLoadFile(b, schema.At, catalogue.LoadOptions{Validate: true}) })
}

func benchLoadFile[D any](b *testing.B, date func(time.Time) D, opts catalogue.LoadOptions) {
	records := make([]dated[D], 20_000)
	for i := range records {
		added := time.Date(2026, 5, 10, 18, 0, i%60, i%3*1000, time.FixedZone("", 3600*(i%4)))
		records[i] = dated[D]{i + 1, fmt.Sprint("The Book ", i), fmt.Sprint("genre ", i%20), 1900 + i%120, float64(i%50) / 10, i%2 == 0, date(added), []int{i % 7, i % 11}}
	}
	data, err := json.Marshal(map[string]any{"results": records})
	must(b, err)
	path := filepath.Join(b.TempDir(), "books.json")
	must(b, os.WriteFile(path, data, 0o600))
	c := mustCollection[dated[D]](b, catalogue.Options{})
	var load, unmarshal time.Duration
	for b.Loop() {
		start := time.Now()
		must(b, c.LoadFile(path, opts))
		load += time.Since(start)
		start = time.Now()
		var read struct{ Results []dated[D] }
		must(b, json.Unmarshal(data, &read))
		unmarshal += time.Since(start)
	}
	b.ReportMetric(float64(load.Nanoseconds())/float64(b.N*len(records)), "ns/record")
	b.ReportMetric(float64(load)/float64(unmarshal), "x-json")
}
