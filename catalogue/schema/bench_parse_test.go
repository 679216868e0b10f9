package schema_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkParseRecord parses the open records of a sample house with ParseRecord and
// with json.Unmarshal. It also reports the median ratio of the two times.
func BenchmarkParseRecord(b *testing.B) {
	house := sample.New(sample.Options{})
	var texts [][]byte
	size := 0
	for _, d := range schema.Descriptions() {
		for _, r := range house.Records(d.Key) {
			texts = append(texts, r.AppendJSON(nil))
			size += len(texts[len(texts)-1])
		}
	}
	each := func(b *testing.B, read func([]byte) error) time.Duration {
		start := time.Now()
		for _, text := range texts {
			if err := read(text); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	record := func(text []byte) error { _, err := schema.ParseRecord(text); return err }
	plain := func(text []byte) error { var m map[string]any; return json.Unmarshal(text, &m) }
	for name, read := range map[string]func([]byte) error{"record": record, "map": plain} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				each(b, read)
			}
			b.ReportMetric(float64(len(texts)), "records/op")
		})
	}
	b.Run("ratio", func(b *testing.B) {
		var ratios []float64
		for b.Loop() {
			ratios = append(ratios, float64(each(b, record))/float64(each(b, plain)))
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "record/map")
	})
}
