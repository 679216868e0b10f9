package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
)

// chart is a plot of the cost of a page against its depth, on logarithmic axes. The
// first curve is drawn bold.
type chart struct {
	curves  []curve
	records int
}

type curve struct {
	name   string
	points []point
}

type point struct{ depth, ns float64 }

// The drawing area in the picture, in pixels.
const (
	width, height = 760, 440
	plotLeft      = 76
	plotRight     = 640
	plotTop       = 64
	plotBottom    = 380
	labelGap      = 17 // least distance of two labels
)

// style returns the style sheet, with colours for light and dark pages.
func style() []byte {
	light := []string{"#0969da", "#6e7781", "#1a7f37", "#cf222e", "#bc4c00", "#8250df", "#9a6700"}
	dark := []string{"#4493f8", "#9198a1", "#3fb950", "#f85149", "#f0883e", "#ab7df8", "#d29922"}
	var b bytes.Buffer
	b.WriteString(`<style>
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a }
text.title { font-size: 16px; font-weight: 600; fill: #1f2328 }
text.c0 { font-weight: 700 }
line { stroke: #8c959f; stroke-opacity: .3 }
polyline { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round }
polyline.c0 { stroke-width: 4 }
`)
	colours(&b, light)
	b.WriteString("@media (prefers-color-scheme: dark) {\ntext { fill: #9198a1 }\ntext.title { fill: #f0f6fc }\n")
	colours(&b, dark)
	b.WriteString("}\n</style>\n")
	return b.Bytes()
}

func colours(b *bytes.Buffer, all []string) {
	for i, colour := range all {
		fmt.Fprintf(b, "polyline.c%d { stroke: %s } text.c%d { fill: %s }\n", i, colour, i, colour)
	}
}

// svg draws the chart.
func (c chart) svg() []byte {
	var b bytes.Buffer
	a := c.axes()
	title := fmt.Sprintf("A page of %d from %s records, by date", pageSize, thousands(c.records))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", width, height, title)
	fmt.Fprintf(&b, "<title>%s: time against depth</title>\n%s", title, style())
	fmt.Fprintf(&b, `<text class="title" x="%d" y="26">%s</text>`+"\n", plotLeft, title)
	fmt.Fprintf(&b, `<text x="%d" y="48">time for a page, against how many records lie before it</text>`+"\n", plotLeft)
	a.grid(&b)
	for i := len(c.curves) - 1; i >= 0; i-- { // the first curve is on top
		c.curves[i].draw(&b, a, i)
	}
	c.labels(&b, a)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// axes map powers of ten to the drawing area.
type axes struct{ depth0, depth1, time0, time1 float64 } // exponents

func (c chart) axes() axes {
	a := axes{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for _, cv := range c.curves {
		for _, p := range cv.points {
			x, y := math.Log10(p.depth), math.Log10(p.ns)
			a.depth0, a.depth1 = min(a.depth0, math.Floor(x)), max(a.depth1, x)
			a.time0, a.time1 = min(a.time0, math.Floor(y)), max(a.time1, math.Ceil(y))
		}
	}
	a.depth1, a.time1 = max(a.depth1, a.depth0+1), max(a.time1, a.time0+1)
	return a
}

func (a axes) place(p point) (x, y float64) { return a.x(math.Log10(p.depth)), a.y(math.Log10(p.ns)) }

func (a axes) x(exponent float64) float64 {
	return plotLeft + (plotRight-plotLeft)*(exponent-a.depth0)/(a.depth1-a.depth0)
}

func (a axes) y(exponent float64) float64 {
	return plotBottom - (plotBottom-plotTop)*(exponent-a.time0)/(a.time1-a.time0)
}

// grid draws a line and a label for every power of ten.
func (a axes) grid(b *bytes.Buffer) {
	units := []string{"1 ns", "10 ns", "100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"}
	for e := a.time0; e <= a.time1; e++ {
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`+"\n", plotLeft, a.y(e), plotRight, a.y(e))
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-8, a.y(e)+4, units[int(e)])
	}
	for e := a.depth0; e <= a.depth1+0.01; e++ {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", a.x(e), plotBottom+20, thousands(int(math.Pow(10, e))))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">records before the page</text>`+"\n", (plotLeft+plotRight)/2, plotBottom+44)
}

func (cv curve) draw(b *bytes.Buffer, a axes, i int) {
	fmt.Fprintf(b, `<polyline class="c%d" points="`, i)
	for _, p := range cv.points {
		x, y := a.place(p)
		fmt.Fprintf(b, "%.1f,%.1f ", x, y)
	}
	b.WriteString(`"/>` + "\n")
}

// labels writes the name of each curve at its end, without overlaps.
func (c chart) labels(b *bytes.Buffer, a axes) {
	type label struct {
		curve int
		y     float64
	}
	var all []label
	for i, cv := range c.curves {
		_, y := a.place(cv.points[len(cv.points)-1])
		all = append(all, label{i, y})
	}
	slices.SortFunc(all, func(p, q label) int { return cmp.Compare(q.y, p.y) }) // the lowest first
	for i := range all[1:] {
		all[i+1].y = min(all[i+1].y, all[i].y-labelGap)
	}
	for _, l := range all {
		fmt.Fprintf(b, `<text class="c%d" x="%d" y="%.1f">%s</text>`+"\n", l.curve, plotRight+10, l.y+4, c.curves[l.curve].name)
	}
}
