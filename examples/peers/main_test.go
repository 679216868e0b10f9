package main

import (
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuick runs all measurements and checks the sections of the table, not times.
func TestQuick(t *testing.T) {
	var out strings.Builder
	if err := run([]string{"-quick", "-rounds", "1"}, nil, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ALL AT ONCE, 1,100 RECORDS", "bytes a record", "READS, 1,100 RECORDS", "page by -name, random",
		"last page ÷ first", "WRITES, 1,100 RECORDS", "batch of 1,000 updates", "two readers at once",
		"LoadFile", "memcpy", "BESIDE A WRITER AT FULL SPEED, 1,100 RECORDS", "99.9th percentile",
		"A STRUCT WITHOUT CLONE, 1,100 RECORDS", "allocations of a copy", "SMALL RECORDS, 2,000 OF THEM",
		"HTTP, 1,100 RECORDS", "offset 990", "RANGES OF 1,100 RECORDS", "count, random ranges",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "NaN") {
		t.Errorf("NaN in\n%s", out.String())
	}
}

func TestInvalidFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "-1"}, {"-rounds", "x"}, {"-plot", "x", "-before", "y"}, {"quick"}, {"-unknown"}} {
		if err := run(args, nil, io.Discard, io.Discard); err == nil {
			t.Errorf("run(%q) = nil, want an error", args)
		}
	}
}

func TestMedianAndRatio(t *testing.T) {
	for _, row := range []struct {
		reason string
		all    []float64
		want   float64
	}{
		{"odd number of values", []float64{9, 1, 5}, 5},
		{"even number of values", []float64{4, 1, 2, 100}, 3},
		{"one value", []float64{7}, 7},
	} {
		if diff := cmp.Diff(row.want, median(row.all)); diff != "" {
			t.Errorf("%s: %s", row.reason, diff)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Errorf("median(nil) = %v, want NaN", median(nil))
	}
	if diff := cmp.Diff(2.0, ratio([]float64{20, 2, 6}, []float64{10, 1})); diff != "" {
		t.Error(diff)
	}
}

func TestTable(t *testing.T) {
	tab := table{}
	tab.add(section{title: "SOME", peers: []string{"this", "that"}, lines: []line{
		versus("just met", []string{"", "this", "that"}, [][]float64{{100}, {50}, nil}, atMost(2, "this")),
		versus("no goal", []string{"", "this", "that"}, [][]float64{{1500}, {3e6}, {1.5e9}}, goal{}),
		values("no such column", []string{"", "this", "that"}, [][]float64{{1}, {2}, nil}, whole, atMost(1, "before")),
		values("its own figure", []string{"", "this", "that"}, [][]float64{{1, 3}, {2}, {7}}, digits, atMost(1.5, "")),
		versus("times faster", []string{"", "this", "that"}, [][]float64{{100}, {150}, {99_000}}, timesFaster(1000, "that")),
		own("at least", []float64{1.85, math.NaN(), 2}, goal{bound: 1.9, atLeast: true, than: "one"}),
	}})
	var out strings.Builder
	if _, err := tab.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, l := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		got = append(got, strings.Fields(l))
	}
	want := [][]string{
		strings.Fields("SOME backlist ratio to goal this that"),
		strings.Fields("just met 100 ns 2.00 this ≤ 2.00 met 0.50× -"),
		strings.Fields("no goal 1.50 µs 2,000× 1,000,000×"),
		strings.Fields("no such column 1 before ≤ 1.00 2 -"),
		strings.Fields("its own figure 2.00 2.00 ≤ 1.50 MISSED 2.00 7.00"),
		strings.Fields("times faster 100 ns 990 that ≥ 1000 MISSED 1.50× 990×"),
		strings.Fields("at least 1.85× 1.85 one ≥ 1.90 MISSED - 2.00×"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
