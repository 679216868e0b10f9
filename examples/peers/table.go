package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// table is the output: sections of lines with the same columns.
type table struct{ sections []section }

type section struct {
	title string
	peers []string // the columns after the goal
	lines []line
}

// line is one measurement.
type line struct {
	what  string
	value string
	ratio float64 // compared with the goal; NaN if there is none
	goal  goal
	peers []string
}

// goal is a bound for a ratio or for a figure. The zero goal means no goal.
type goal struct {
	bound   float64
	atLeast bool
	than    string // the column that the library is compared with; if empty, the bound is for its own figure
	inverse bool   // the ratio is the figure of that column to the library's
}

func atMost(bound float64, than string) goal { return goal{bound: bound, than: than} }

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

func (t *table) add(s section) { t.sections = append(t.sections, s) }

// versus returns a line with the time of the first column, and the times of the
// others as multiples of it.
func versus(what string, names []string, times [][]float64, g goal) line {
	l := line{what: what, value: duration(median(times[0])), ratio: g.ratio(names, times), goal: g}
	for _, other := range times[1:] {
		l.peers = append(l.peers, multiple(ratio(other, times[0])))
	}
	return l
}

// values returns a line with the figure of each column.
func values(what string, names []string, all [][]float64, format func(float64) string, g goal) line {
	l := line{what: what, value: format(median(all[0])), ratio: g.ratio(names, all), goal: g}
	for _, other := range all[1:] {
		l.peers = append(l.peers, format(median(other)))
	}
	return l
}

// own returns a line of ratios, each between two figures of the same column.
func own(what string, ratios []float64, g goal) line {
	l := line{what: what, value: multiple(ratios[0]), ratio: ratios[0], goal: g}
	for _, r := range ratios[1:] {
		l.peers = append(l.peers, multiple(r))
	}
	return l
}

// withoutLastPeer removes the last column, which the section does not have.
func (l line) withoutLastPeer() line {
	l.peers = l.peers[:len(l.peers)-1]
	return l
}

// ratio returns the ratio that is compared with the bound: the first column to the
// column g.than, or the first column itself if g.than is empty. An inverse goal has the
// opposite ratio. The ratio is NaN if there is no such column.
func (g goal) ratio(names []string, all [][]float64) float64 {
	if g.than == "" {
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

const (
	whatWidth = 47
	cellWidth = 10
	peerWidth = 9
)

// WriteTo prints the table.
func (t *table) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	for _, s := range t.sections {
		s.write(&b)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (s section) write(b *strings.Builder) {
	row := func(what, value, ratio, than, goal, verdict string, peers []string) {
		var r strings.Builder
		r.WriteString(left(what, whatWidth))
		r.WriteString(right(value, cellWidth))
		r.WriteString(right(ratio, cellWidth) + " " + left(than, 7))
		r.WriteString(left(goal, 8) + left(verdict, 7))
		for _, p := range peers {
			r.WriteString(" " + right(p, peerWidth-1))
		}
		fmt.Fprintln(b, strings.TrimRight(r.String(), " "))
	}
	fmt.Fprintln(b)
	row(s.title, "backlist", "ratio", "to", "goal", "", s.peers)
	for _, l := range s.lines {
		ratio := ""
		if l.goal.bound != 0 && !math.IsNaN(l.ratio) {
			ratio = l.goal.format(l.ratio)
		}
		row("  "+l.what, l.value, ratio, l.goal.than, l.goal.String(), l.goal.verdict(l.ratio), l.peers)
	}
}

func left(s string, width int) string { return s + spaces(width-utf8.RuneCountInString(s)) }

func right(s string, width int) string { return spaces(width-utf8.RuneCountInString(s)) + s }

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

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
		return thousands(int(math.Round(x)))
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
