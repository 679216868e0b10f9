package main

import (
	"fmt"
	"io"
	"os"
)

// plotted is the number of records of the plot.
const plotted = 100_000

// plotDepth measures a page by date at increasing depths and plots the times.
func plotDepth(s setup, path string, progress io.Writer) error {
	n := min(plotted, s.sizes[len(s.sizes)-1])
	fmt.Fprintf(progress, "pages of %s records at several depths ...\n", thousands(n))
	d := newData(n)
	stores := s.newStores(len(d.records))
	defer closeAll(stores)
	for _, st := range stores {
		st.load(d.records)
	}
	if err := agree(stores, d); err != nil {
		return err
	}
	c := chart{curves: make([]curve, len(stores)), records: n}
	for i, st := range stores {
		c.curves[i].name = st.name()
	}
	var rows [][]work // measured together, so that depths can be compared
	for _, offset := range depths(n) {
		rows = append(rows, each(stores, func(st store) work { return viewing(st, byStart, always(offset)) }))
	}
	times := s.timeRows(rows, unbounded)
	for i, offset := range depths(n) {
		for j := range stores {
			c.curves[j].points = append(c.curves[j].points, point{float64(offset), median(times[i][j])})
		}
	}
	return os.WriteFile(path, c.svg(), 0o644)
}

// depths returns the offsets 10, 30, 100, 300 and so on, and that of the last page.
func depths(n int) []int {
	var all []int
	for ten := 10; ten < n-pageSize; ten *= 10 {
		all = append(all, ten)
		if 3*ten < n-pageSize {
			all = append(all, 3*ten)
		}
	}
	return append(all, n-pageSize)
}
