package main

import (
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func titles(table string) (all []string) {
	for _, l := range strings.Split(table, "\n") {
		if title, _, ok := strings.Cut(l, "  backlist"); ok {
			all = append(all, strings.TrimSpace(title))
		}
	}
	return all
}

// TestCommands runs the commands of the README and of the package comment with few records,
// and checks the headings and some rows, not times.
func TestCommands(t *testing.T) {
	if _, err := exec.LookPath("wrk"); err != nil {
		t.Skip(err)
	}
	finding := []string{
		"ONE OF 1,100 RECORDS", "RANGES OF 1,100 RECORDS",
		"ONE OF 1,100 RECORDS, A WRITE BEFORE EACH", "RANGES OF 1,100 RECORDS, A WRITE BEFORE EACH",
	}
	every := []string{
		"ALL AT ONCE, 1,100 RECORDS", "READS, 1,100 RECORDS", "last page ÷ first, beside itself",
		"BESIDE A WRITER AT FULL SPEED, 1,100 RECORDS", "BESIDE ITSELF, 1,100 RECORDS", "WRITES, 1,100 RECORDS",
		"A STRUCT WITHOUT CLONE, 1,100 RECORDS",
	}
	http := []string{"REQUESTS A SECOND, 1,100 RECORDS", "PAGES AND SEARCHES, 11,000 RECORDS"}
	every = append(append(every, finding...), http...)
	type expected struct{ titles, rows []string }
	all := expected{every, []string{
		"LoadFile", "page by -name, random", "envelope as JSON by date, first (hot)", "99.9th percentile",
		"two readers at once ÷ one", "control: two loops that only spin ÷ one", "batch of 1,000 updates",
		"allocations of a copy", "count, random ranges", "insert, unread", "?offset=990",
	}}
	want := map[string]expected{
		"go run .":            all,
		"go run . -only find": {finding, []string{"a copy by slug", "first page of a prefix"}},
		"go run . -only file": {[]string{"A FILE OF 0 MB, 1,100 RECORDS"}, []string{"start to the first answer", "the most memory by then"}},
		"go run . -only http": {http, []string{"PATCH /films/77/", "with one search in 100", "99th percentile"}},
	}
	for _, file := range []string{"README.md", "main.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var commands []string
		for _, match := range regexp.MustCompile(`(?m)^(?://\t)?(go run .*?) +#`).FindAllStringSubmatch(string(source), -1) {
			commands = append(commands, match[1])
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(commands))); diff != "" {
			t.Errorf("commands of %s: -want +got\n%s", file, diff)
		}
	}
	for command, want := range want {
		var out strings.Builder
		if err := run(append(strings.Fields(command)[3:], "-quick", "-rounds", "1"), &out, io.Discard); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.titles, titles(out.String())); diff != "" {
			t.Errorf("%s: %s", command, diff)
		}
		for _, row := range want.rows {
			if !strings.Contains(out.String(), row) {
				t.Errorf("%s: no %q in\n%s", command, row, out.String())
			}
		}
		if strings.Contains(out.String(), "NaN") {
			t.Errorf("%s: NaN in\n%s", command, out.String())
		}
	}
}

func TestInvalidFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "-1"}, {"-rounds", "x"}, {"quick"}, {"-unknown"}, {"-only", "x"}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
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

// TestSpin checks that the control takes time in proportion to its operations: a loop
// that the compiler removes would take none.
func TestSpin(t *testing.T) {
	few, many := spin(1000), spin(100_000)
	if few <= 0 || many < 10*few {
		t.Errorf("1,000 operations took %v, 100,000 took %v", few, many)
	}
}

func TestTable(t *testing.T) {
	s := section{title: "SOME", names: []string{"backlist", "this", "that"}}
	s.times("just met", [][]float64{{100}, {50}, nil}, atMost(2, "this"))
	s.times("no goal", [][]float64{{1500}, {3e6}, {1.5e9}}, goal{})
	s.times("hidden column", [][]float64{{100}, {50}}, atMost(1, "memcpy"), "memcpy")
	s.values("no such column", [][]float64{{1}, {2}, nil}, whole, atMost(1, "before"))
	s.values("its own figure", [][]float64{{1, 3}, {2}, {7}}, digits, ownAtMost(1.5, ""))
	s.times("times faster", [][]float64{{100}, {150}, {99_000}}, timesFaster(1000, "that"))
	atLeast := goal{bound: 1.9, atLeast: true, than: "one", own: true}
	s.values("at least", [][]float64{{1.85}, {math.NaN()}, {2}}, multiple, atLeast)
	var got []string
	for _, l := range strings.Split(strings.TrimSpace(s.String()), "\n") {
		got = append(got, strings.Join(strings.Fields(l), " "))
	}
	want := []string{
		"SOME backlist ratio to goal this that",
		"just met 100 ns 2.00 this ≤ 2.00 met 0.50× -",
		"no goal 1.50 µs 2,000× 1,000,000×",
		"hidden column 100 ns 2.00 memcpy ≤ 1.00 MISSED",
		"no such column 1 before ≤ 1.00 2 -",
		"its own figure 2.00 2.00 ≤ 1.50 MISSED 2.00 7.00",
		"times faster 100 ns 990 that ≥ 1000 MISSED 1.50× 990×",
		"at least 1.85× 1.85 one ≥ 1.90 MISSED - 2.00×",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
