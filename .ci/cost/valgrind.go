package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// callgrind runs a program under callgrind, whose files begin with a name, and returns its output.
//
// The program has one processor and no collector. Its environment is that of each machine: Go uses
// no instruction that not every processor has, and the scheduler sends no signals.
func callgrind(file string, args ...string) (stdout, stderr []byte) {
	var out, errs bytes.Buffer
	cmd := exec.Command("valgrind", append([]string{"-q", "--tool=callgrind", "--callgrind-out-file=" + file}, args...)...)
	cmd.Dir = filepath.Dir(file)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=cpu.all=off,asyncpreemptoff=1"}
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		log.Fatalf("cost: %s: %v\n%s%s", strings.Join(args, " "), err, &out, &errs)
	}
	return out.Bytes(), errs.Bytes()
}

// count counts the rows of a group that are selected.
func (g group) count(program string, selected *regexp.Regexp) (rows []cost) {
	file := filepath.Join(filepath.Dir(program), g.name)
	out, _ := callgrind(file, "--instr-atstart=no", program, "-measure="+g.name, "-run="+selected.String())
	dump := 0
	for line := range bytes.Lines(out) {
		var c counted
		check(json.Unmarshal(line, &c))
		var totals []float64
		dump += first
		for range samples {
			dump++
			totals = append(totals, instructionsIn(fmt.Sprintf("%s.%d", file, dump)))
		}
		if runs := float64(c.Runs * c.Per); selected.MatchString(g.name + ": " + c.Row) {
			rows = append(rows, cost{c.Row, middle(totals) / runs, middle(c.Allocations) / runs, middle(c.Bytes) / runs})
		}
	}
	return rows
}

// countStart counts the start of a program that imports a package, from its first instruction to
// its end.
func countStart(dir, name, path string) cost {
	const text = `package main

import (
	"runtime"

	_ "github.com/gobacklist/backlist/%s"
)

func main() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	println(m.Mallocs, m.TotalAlloc)
}
`
	source, program, file := filepath.Join(dir, path+".go"), filepath.Join(dir, path), filepath.Join(dir, "start."+path)
	check(os.WriteFile(source, fmt.Appendf(nil, text, path), 0o666))
	build(program, source)
	c := cost{name: name, allocations: math.Inf(1), bytes: math.Inf(1)}
	var totals []float64
	for range samples {
		_, errs := callgrind(file, program)
		var allocations, bytes float64
		_, err := fmt.Sscan(string(errs), &allocations, &bytes)
		check(err)
		// The least counts: in some runs the scheduler starts one thread more.
		c.allocations, c.bytes = min(c.allocations, allocations), min(c.bytes, bytes)
		totals = append(totals, instructionsIn(file))
	}
	c.instructions = middle(totals)
	return c
}

// instructionsIn returns the number of instructions in a file of callgrind.
func instructionsIn(file string) float64 {
	f, err := os.Open(file)
	check(err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "totals: "); ok {
			n, err := strconv.ParseFloat(text, 64)
			check(err)
			return n
		}
	}
	check(fmt.Errorf("%s has no total", file), lines.Err())
	return 0
}

// middle returns the median of an odd number of values.
func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
