package catalogue

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/pagination"
)

// BenchmarkReaders compares the pages per second of one goroutine with those of two.
func BenchmarkReaders(b *testing.B) {
	const n = 100_000
	house, _ := benchHouse(b, n)
	for _, readers := range []int{1, 2} {
		b.Run(map[int]string{1: "one", 2: "two"}[readers], func(b *testing.B) {
			var all sync.WaitGroup
			for r := range readers {
				all.Go(func() { readPages(b, house, n, b.N, uint64(r)) })
			}
			all.Wait()
			b.ReportMetric(float64(readers*b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

// readPages reads pages at random offsets and returns how long each took.
func readPages(b *testing.B, house *Catalogue, n, times int, seed uint64) []time.Duration {
	offsets := rand.New(rand.NewPCG(seed, 2))
	took := make([]time.Duration, times)
	for i := range took {
		w := pagination.Window{Limit: benchLimit, Offset: offsets.IntN(n - benchLimit)}
		start := time.Now()
		if _, err := house.Events().View(w); err != nil {
			b.Error(err)
			break
		}
		took[i] = time.Since(start)
	}
	return took
}

// BenchmarkPageDuringWrites reports the median and the 99th percentile of the time of a
// page: without a writer, during a thousand updates a second, and during as many updates
// as a writer can do.
func BenchmarkPageDuringWrites(b *testing.B) {
	const n = 100_000
	house, _ := benchHouse(b, n)
	for _, row := range []struct {
		name  string
		pause time.Duration // between two writes; negative for no writer
	}{{"none", -1}, {"paced", time.Millisecond}, {"unpaced", 0}} {
		b.Run(row.name, func(b *testing.B) {
			var stop atomic.Bool
			var writer sync.WaitGroup
			if row.pause >= 0 {
				writer.Go(func() { writeUntil(b, house, n, row.pause, &stop) })
			}
			took := readPages(b, house, n, b.N, 1)
			stop.Store(true)
			writer.Wait()
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2]), "p50-ns")
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
}

func writeUntil(b *testing.B, house *Catalogue, n int, pause time.Duration, stop *atomic.Bool) {
	for i := 0; !stop.Load(); i++ {
		err := house.Events().Update(1+i*7919%n, startEarlier)
		if err != nil {
			b.Error(err)
			return
		}
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}
