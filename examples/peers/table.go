package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// section is a part of the table whose lines have the same columns.
type section struct {
	title string
	names []string // of the columns; the first is the library
	lines []line
}

// line is one measurement.
type line struct {
	what  string
	cells []string // by column
	ratio float64  // compared with the goal; NaN if none exists
	goal  goal
}

// goal is a bound for a ratio or for a figure. The zero goal means no goal.
type goal struct {
	bound   float64
	atLeast bool
	than    string // the column that the library is compared with
	own     bool   // the bound is for the library's own figure
	inverse bool   // the ratio is the figure of that column to the library's
}

func atMost(bound float64, than string) goal { return goal{bound: bound, than: than} }

// ownAtMost returns a goal for the library's own figure, a ratio to what than names.
func ownAtMost(bound float64, than string) goal { return goal{bound: bound, than: than, own: true} }

// timesFaster returns the goal that the library is faster than a column by a factor.
func timesFaster(factor float64, than string) goal {
	return goal{bound: factor, atLeast: true, than: than, inverse: true}
}

func (g goal) String() string {
	switch {
	case g.bound == 0:
		return ""
	case g.atLeast:
		return "≥ " + g.format(g.bound)
	}
	return "≤ " + g.format(g.bound)
}

// format formats a ratio, or a number of bytes.
func (g goal) format(x float64) string {
	if g.bound >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// verdict compares the ratio, rounded as it is printed, with the bound.
func (g goal) verdict(ratio float64) string {
	ratio = math.Round(ratio*100) / 100
	switch {
	case g.bound == 0 || math.IsNaN(ratio):
		return ""
	case g.atLeast && ratio >= g.bound, !g.atLeast && ratio <= g.bound:
		return "met"
	}
	return "MISSED"
}

// ratio returns the ratio that is compared with the bound. It is NaN if there is no
// such column.
func (g goal) ratio(names []string, all [][]float64) float64 {
	if g.own {
		return median(all[0])
	}
	i := slices.Index(names, g.than)
	switch {
	case i < 0:
		return math.NaN()
	case g.inverse:
		return ratio(all[i], all[0])
	}
	return ratio(all[0], all[i])
}

// times adds a line with the time of the first column, and the times of the others as
// multiples of it. The names of the columns that the section does not have follow.
func (s *section) times(what string, times [][]float64, g goal, hidden ...string) {
	cells := []string{duration(median(times[0]))}
	for _, column := range times[1 : len(times)-len(hidden)] {
		cells = append(cells, multiple(ratio(column, times[0])))
	}
	names := slices.Concat(s.names[:len(cells)], hidden)
	s.lines = append(s.lines, line{what, cells, g.ratio(names, times), g})
}

// values adds a line with the figure of each column.
func (s *section) values(what string, all [][]float64, format func(float64) string, g goal) {
	cells := each(all, func(column []float64) string { return format(median(column)) })
	s.lines = append(s.lines, line{what, cells, g.ratio(s.names, all), g})
}

func (s *section) String() string {
	var b strings.Builder
	row := func(what, ratio, than, goal, verdict string, cells []string) {
		r := fmt.Sprintf("%-47s%10s%10s %-7s%-8s%-7s", what, cells[0], ratio, than, goal, verdict)
		for _, cell := range cells[1:] {
			r += fmt.Sprintf(" %8s", cell)
		}
		fmt.Fprintln(&b, strings.TrimRight(r, " "))
	}
	fmt.Fprintln(&b)
	row(s.title, "ratio", "to", "goal", "", s.names)
	for _, l := range s.lines {
		ratio := ""
		if l.goal.bound != 0 && !math.IsNaN(l.ratio) {
			ratio = l.goal.format(l.ratio)
		}
		row("  "+l.what, ratio, l.goal.than, l.goal.String(), l.goal.verdict(l.ratio), l.cells)
	}
	return b.String()
}

// duration formats nanoseconds with three digits.
func duration(ns float64) string {
	switch d := time.Duration(ns); {
	case math.IsNaN(ns):
		return "-"
	case d >= time.Second:
		return digits(ns/1e9) + " s"
	case d >= time.Millisecond:
		return digits(ns/1e6) + " ms"
	case d >= time.Microsecond:
		return digits(ns/1e3) + " µs"
	}
	return digits(ns) + " ns"
}

func multiple(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return digits(x) + "×"
}

// digits formats a number with three digits, or with all digits before the point.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return whole(x)
	case x >= 9.995:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// whole formats a number without a fraction.
func whole(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return thousands(int(math.Round(x)))
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
