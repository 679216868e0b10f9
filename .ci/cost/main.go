// Cost counts what operations of the library cost: instructions, under valgrind, allocations and
// bytes. It compares them with .ci/cost/record.txt and exits with status 1 if a row is more than
// 3 % above its record. Times differ between machines and between runs; the instructions of a row
// differ by less than 1 %. Run cost in the root of the module:
//
//	go run ./.ci/cost [-record] [-run regexp] [-keep directory]
//
// With -record it records what it counts. With -run it counts only the rows whose group or name
// matches. With -keep it leaves the files of callgrind in a directory, which show where the
// instructions of a row are spent:
//
//	callgrind_annotate --inclusive=yes FILE
//
// The record belongs to one version of Go and one of valgrind. With others, cost prints what it
// counts and does not judge.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const recordFile = ".ci/cost/record.txt"

// tolerance is by how much a row may exceed its record.
const tolerance = 0.03

var groups = []group{
	{"reads", reads}, {"writes", writes}, {"mixed", mixed}, {"files", files}, {"documents", documents}, {"requests", requests}, {"clients", clients},
}

func main() {
	log.SetFlags(0)
	record := flag.Bool("record", false, "record what is counted")
	pattern := flag.String("run", "", "count only the rows whose group or name matches the `regexp`")
	keep := flag.String("keep", "", "leave the files of callgrind in a `directory`")
	part := flag.String("measure", "", "measure a `group` in this process, as cost does under valgrind")
	flag.Parse()
	selected, err := regexp.Compile(*pattern)
	check(err)
	if *part != "" {
		i := slices.IndexFunc(groups, func(g group) bool { return g.name == *part })
		groups[i].measure(func(row string) bool { return selected.MatchString(*part + ": " + row) })
		return
	}
	before := readTable(recordFile)
	now := table{versions: versions()}
	judged := now.versions == before.versions
	now.rows = count(*keep, selected)
	if judged && !*record && len(before.exceededBy(now)) > 0 {
		fmt.Println("Some rows exceed the record. All are counted again, and the lower count is that of a row.")
		now.lower(count(*keep, selected))
	}
	before.compare(os.Stdout, now)
	switch exceeded := before.exceededBy(now); {
	case *record:
		if *pattern != "" && judged {
			now = before.updated(now)
		}
		check(now.write(recordFile))
	case !judged:
		fmt.Printf("The record is of %s: these counts of %s are not judged.\n", before.versions, now.versions)
	case len(exceeded) > 0:
		fmt.Printf("%d rows exceed the record by more than %v %%: %s.\n", len(exceeded), 100*tolerance, strings.Join(exceeded, ", "))
		fmt.Println("If that is intended, record them with go run ./.ci/cost -record, and say why in the commit.")
		os.Exit(1)
	}
}

// versions returns the versions on which counts depend.
func versions() string {
	valgrind, err := exec.Command("valgrind", "--version").Output()
	check(err)
	return fmt.Sprintf("%s %s/%s %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.TrimSpace(string(valgrind)))
}

// count counts the rows that are selected, and leaves the files of callgrind in a directory unless
// that is "".
func count(dir string, selected *regexp.Regexp) (rows []cost) {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "cost")
		check(err)
		defer os.RemoveAll(temporary)
		dir = temporary
	}
	check(os.MkdirAll(dir, 0o777))
	dir, err := filepath.Abs(dir)
	check(err)
	program := filepath.Join(dir, "cost")
	build(program, "./.ci/cost")
	jobs := []func() []cost{}
	for _, g := range groups {
		jobs = append(jobs, func() []cost { return g.count(program, selected) })
	}
	for _, path := range []string{"catalogue", "httpapi"} {
		if name := "start of a program that imports " + path; selected.MatchString("start: " + name) {
			jobs = append(jobs, func() []cost { return []cost{countStart(dir, name, path)} })
		}
	}
	counted := make([][]cost, len(jobs))
	next := make(chan int)
	var working sync.WaitGroup
	for range runtime.NumCPU() {
		working.Go(func() {
			for i := range next {
				counted[i] = jobs[i]()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	working.Wait()
	return slices.Concat(counted...)
}

// build builds a program that is the same on each machine.
func build(program, source string) {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, source)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=", "GOEXPERIMENT=", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	check(cmd.Run())
}
