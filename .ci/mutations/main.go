// Mutations checks that the tests detect faults. Its list, mutations.txt, has small changes
// of the code of the module, each of which is a fault that a review could miss. For each
// change it runs the tests of a package with the change in an overlay, so that no file is
// modified, and reports the first test that fails. A test that hangs or panics fails too.
// Tests may be rewritten or removed as long as they still detect all these faults.
//
// Run mutations in the root of the module:
//
//	go run .ci/mutations/main.go [-run regexp] [-p n] [-list] [-check]
//
// The whole list takes about half an hour on two cores. With -check, which takes seconds,
// it runs no tests, but checks that each text to replace occurs exactly once and that the
// result compiles. With -list it prints the names. With -run it considers only the mutations
// whose name or file matches. The exit status is 1 if a mutation does not apply or survives
// unexpectedly.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const list = ".ci/mutations/mutations.txt"

// timeout is the time after which the tests of a package count as hanging.
const timeout = 4 * time.Minute

// A mutation is a change of one file.
type mutation struct {
	name     string
	line     int // of the name in the list
	file     string
	old, new []string
	tests    []string // arguments of go test, in the order of the runs
	survives string   // why no test detects the mutation
}

func main() {
	log.SetFlags(0)
	run := flag.String("run", "", "consider only the mutations whose name or file matches `regexp`")
	parallel := flag.Int("p", 1, "test `n` mutations at a time")
	names := flag.Bool("list", false, "print the names")
	check := flag.Bool("check", false, "check that the mutations apply and compile, without running tests")
	flag.Parse()
	pattern, err := regexp.Compile(*run)
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		log.Fatal(err)
	}
	all, err := parse(string(text))
	if err != nil {
		log.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(m mutation) bool {
		return !pattern.MatchString(m.name) && !pattern.MatchString(m.file)
	})
	var ok bool
	switch {
	case *names:
		for _, m := range all {
			fmt.Printf("%s: %s\n", m.file, m.name)
		}
		return
	case *check:
		ok, err = compileAll(all)
	default:
		ok, err = testAll(all, max(*parallel, 1))
	}
	if err != nil {
		log.Fatal(err)
	}
	if !ok {
		os.Exit(1)
	}
}

// parse reads a list. The beginning of mutations.txt describes the form.
func parse(text string) (all []mutation, err error) {
	defaults := map[string][]string{} // tests by directory
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		fail := func(format string, args ...any) ([]mutation, error) {
			return nil, fmt.Errorf("%s:%d: "+format, append([]any{list, i + 1}, args...)...)
		}
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch {
		case line == "" || line[0] == '#':
			continue
		case word == "tests":
			directory, arguments, _ := strings.Cut(rest, ": ")
			defaults[directory] = append(defaults[directory], arguments)
			continue
		case word == "==":
			if rest == "" || seen[rest] {
				return fail("the name %q is empty or repeated", rest)
			}
			seen[rest] = true
			all = append(all, mutation{name: rest, line: i + 1})
			continue
		case len(all) == 0:
			return fail("%q comes before the first mutation", word)
		}
		switch m := &all[len(all)-1]; word {
		case "file":
			m.file = rest
		case "-":
			m.old = append(m.old, rest)
		case "+":
			m.new = append(m.new, rest)
		case "test":
			m.tests = append(m.tests, rest)
		case "survives":
			m.survives = rest
		default:
			return fail("unknown word %q", word)
		}
	}
	for i := range all {
		m := &all[i]
		if m.tests == nil {
			m.tests = defaults[path.Dir(m.file)]
		}
		if m.old == nil || m.tests == nil {
			return nil, fmt.Errorf("%s:%d: %s: there are no lines to replace, or no tests", list, m.line, m.name)
		}
	}
	return all, nil
}

// apply returns the text of the file with the change. White space around the lines
// does not matter.
func (m mutation) apply() ([]byte, error) {
	text, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	quoted := make([]string, len(m.old))
	for i, line := range m.old {
		quoted[i] = regexp.QuoteMeta(line)
	}
	places := regexp.MustCompile(strings.Join(quoted, `\s*\n\s*`)).FindAllIndex(text, -1)
	if len(places) != 1 {
		return nil, fmt.Errorf("%s contains the text to replace %d times, want once", m.file, len(places))
	}
	start, end := places[0][0], places[0][1]
	return slices.Concat(text[:start], []byte(strings.Join(m.new, "\n")), text[end:]), nil
}

// compileAll applies and type-checks all mutations, and reports whether there was no error.
func compileAll(all []mutation) (ok bool, err error) {
	c, err := newChecker()
	if err != nil {
		return false, err
	}
	ok = true
	for _, m := range all {
		if err := c.check(m); err != nil {
			ok = false
			fmt.Printf("%s:%d: %s: %v\n", list, m.line, m.name, err)
		}
	}
	fmt.Printf("%d mutations\n", len(all))
	return ok, nil
}

// A checker type-checks the packages of the module. That takes much less time than
// compiling them.
type checker struct {
	fset     *token.FileSet
	packages map[string]goPackage // by directory, relative to the root
	imports  types.Importer
}

type goPackage struct {
	Dir, ImportPath, Export string
	Standard                bool
	GoFiles                 []string
}

func newChecker() (*checker, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,Standard,GoFiles", "./...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	c := &checker{fset: token.NewFileSet(), packages: map[string]goPackage{}}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[p.ImportPath] = p.Export
		if directory, err := filepath.Rel(root, p.Dir); err == nil && !p.Standard {
			c.packages[filepath.ToSlash(directory)] = p
		}
	}
	c.imports = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return c, nil
}

// check applies a mutation and type-checks its package.
func (c *checker) check(m mutation) error {
	changed, err := m.apply()
	if err != nil {
		return err
	}
	p := c.packages[path.Dir(m.file)]
	var files []*ast.File
	for _, name := range p.GoFiles {
		var text any // nil: that of the file
		if name == path.Base(m.file) {
			text = changed
		}
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	config := types.Config{Importer: c.imports}
	_, err = config.Check(p.ImportPath, c.fset, files, nil)
	return err
}

// testAll tests mutations, n at a time, and reports whether only those survived that the
// list says do.
func testAll(all []mutation, n int) (ok bool, err error) {
	directory, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(directory)
	var (
		mu       sync.Mutex // guards the following and the output
		failures int
		killed   int
		workers  sync.WaitGroup
		next     = make(chan int)
	)
	for range n {
		workers.Go(func() {
			for i := range next {
				m, start := all[i], time.Now()
				by, err := m.test(filepath.Join(directory, fmt.Sprint(i)))
				mu.Lock()
				result, detail := "killed", by
				switch {
				case err != nil:
					result, detail = "error", err.Error()
					failures++
				case by == "" && m.survives != "":
					result, detail = "survived", "as expected: "+m.survives
				case by == "":
					result, detail = "survived", strings.Join(m.tests, ", then ")
					failures++
				default:
					killed++
					if m.survives != "" {
						detail += ", although the list says that it survives"
					}
				}
				fmt.Printf("%-8s  %s: %s: %s (%.0fs)\n", result, m.file, m.name, detail, time.Since(start).Seconds())
				mu.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	fmt.Printf("%d of %d mutations killed, %d unexpected results\n", killed, len(all), failures)
	return failures == 0, nil
}

// test runs the tests of a mutation until one fails. It returns the package and the name of
// that test, or "" if all pass. It writes its files to a new directory.
func (m mutation) test(directory string) (by string, err error) {
	changed, err := m.apply()
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	mutated, overlay := filepath.Join(directory, filepath.Base(m.file)), filepath.Join(directory, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return "", err
	}
	err = cmp.Or(os.Mkdir(directory, 0o777), os.WriteFile(mutated, changed, 0o666), os.WriteFile(overlay, replace, 0o666))
	if err != nil {
		return "", err
	}
	for _, arguments := range m.tests {
		// The tests have the time limit; the command includes compiling them.
		ctx, cancel := context.WithTimeout(context.Background(), 4*timeout)
		defer cancel()
		flags := []string{"test", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-count=1", "-failfast",
			"-timeout", timeout.String()}
		command := exec.CommandContext(ctx, "go", append(flags, strings.Fields(arguments)...)...)
		command.Env, command.WaitDelay = append(os.Environ(), "BACKLIST_LONG=1"), time.Second
		out, err := command.CombinedOutput()
		switch {
		case err == nil:
		case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
			return "", fmt.Errorf("it does not compile:\n%s", out)
		default:
			return arguments + ": " + failure(string(out)), nil
		}
	}
	return "", nil
}

// failed matches a line that tells why tests fail, best first.
var failed = [...]*regexp.Regexp{
	regexp.MustCompile(`(?m)^panic: test timed out.*\n(?:\s+running tests:\n\s+)?(\S+)`),
	regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`),
	regexp.MustCompile(`(?m)^((?:panic|fatal error): .*)`),
	regexp.MustCompile(`(?m)^(.+)`),
}

// failure returns the name of the first failed test in the output of go test, or else a
// line that describes the failure.
func failure(out string) string {
	for i, re := range failed {
		if found := re.FindStringSubmatch(out); found != nil {
			if i == 0 {
				return found[1] + " hangs"
			}
			return found[1]
		}
	}
	return "no output"
}
