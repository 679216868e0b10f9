package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A table has the costs of rows, counted with some versions of Go and valgrind.
type table struct {
	versions string
	rows     []cost
}

// A cost is what one run of a row costs.
type cost struct {
	name                             string
	instructions, allocations, bytes float64
}

// readTable reads a table. A file that does not exist has none.
func readTable(file string) (t table) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return t
	}
	check(err)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch columns := strings.Fields(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case t.versions == "":
			t.versions = line
		default:
			if len(columns) < 4 {
				check(fmt.Errorf("%s: %q is no row", file, line))
			}
			name, numbers := columns[:len(columns)-3], columns[len(columns)-3:]
			c := cost{name: strings.Join(name, " ")}
			_, err := fmt.Sscan(strings.Join(numbers, " "), &c.instructions, &c.allocations, &c.bytes)
			check(err)
			t.rows = append(t.rows, c)
		}
	}
	return t
}

// write writes a table to a file.
func (t table) write(file string) error {
	var b strings.Builder
	b.WriteString("# What operations cost: instructions, allocations and bytes. go run ./.ci/cost -record writes this file.\n")
	fmt.Fprintf(&b, "%s\n\n", t.versions)
	for _, c := range t.rows {
		fmt.Fprintf(&b, "%-50s %10.0f %9.2f %9.0f\n", c.name, c.instructions, c.allocations, c.bytes)
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

// row returns the cost of a row. ok is false if the table does not have it.
func (t table) row(name string) (c cost, ok bool) {
	i := slices.IndexFunc(t.rows, func(c cost) bool { return c.name == name })
	if i < 0 {
		return c, false
	}
	return t.rows[i], true
}

// exceededBy returns the names of the rows of another table that exceed this one, or are not in it.
func (t table) exceededBy(now table) (names []string) {
	for _, c := range now.rows {
		if recorded, ok := t.row(c.name); !ok || c.exceeds(recorded) {
			names = append(names, c.name)
		}
	}
	return names
}

// exceeds reports whether a row costs more than its record tolerates. Allocations that happen in
// some runs only, such as those of a tree that grows, do not count.
func (c cost) exceeds(recorded cost) bool {
	return c.instructions > recorded.instructions*(1+tolerance)+1 ||
		c.allocations > recorded.allocations*(1+tolerance)+0.1 ||
		c.bytes > recorded.bytes*(1+tolerance)+8
}

// lower replaces the costs of rows by lower ones.
func (t table) lower(again []cost) {
	for i, c := range again {
		r := &t.rows[i]
		r.instructions, r.allocations, r.bytes = min(r.instructions, c.instructions), min(r.allocations, c.allocations), min(r.bytes, c.bytes)
	}
}

// updated returns the table after the rows of another one have been counted.
func (t table) updated(now table) table {
	t.versions, t.rows = now.versions, slices.Clone(t.rows)
	for _, c := range now.rows {
		if i := slices.IndexFunc(t.rows, func(old cost) bool { return old.name == c.name }); i >= 0 {
			t.rows[i] = c
		} else {
			t.rows = append(t.rows, c)
		}
	}
	return t
}

// compare prints the rows of another table and by how much they differ from this one.
func (t table) compare(w io.Writer, now table) {
	fmt.Fprintf(w, "%-50s %12s %7s %11s %9s\n", "", "instructions", "", "allocations", "bytes")
	for _, c := range now.rows {
		difference := "new"
		if recorded, ok := t.row(c.name); ok {
			difference = fmt.Sprintf("%+.1f%%", 100*(c.instructions/recorded.instructions-1))
		}
		fmt.Fprintf(w, "%-50s %12.0f %7s %11.2f %9.0f\n", c.name, c.instructions, difference, c.allocations, c.bytes)
	}
}
