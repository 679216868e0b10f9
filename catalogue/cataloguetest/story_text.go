package cataloguetest

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
)

// report describes a finding: the mistake, the story, the requests, and a test that shows
// it.
func (x *explorer) report(f *finding) string {
	var out strings.Builder
	fmt.Fprintf(&out, "cataloguetest: Explore: the client %s", f.problem.text)
	if f.problem.remedy != "" {
		fmt.Fprintf(&out, ": %s", f.problem.remedy)
	}
	if cause := f.cause(); cause != nil {
		fmt.Fprintf(&out, "\nIf the client is not meant to handle this, set Exploration.Except to []string{%q}, with the events that it already has.", cause.name)
	}
	fmt.Fprintf(&out, "\nThe story%s", f.of)
	if f.runs > 0 {
		fmt.Fprintf(&out, ", reduced in %d runs", f.runs)
	}
	fmt.Fprintf(&out, ": %s\n%s", f.story, Result{Requests: f.requests}.requests())
	fmt.Fprintf(&out, "A file of a test that shows it, where %s is the client:\n\n%s", x.name, x.test(f))
	return out.String()
}

// test returns the file of a test that shows a finding in a house.
func (x *explorer) test(f *finding) string {
	code := x.function(f)
	statements := regexp.MustCompile(`(?m)^//.*`).ReplaceAllString(code, "")
	imports := func(prefix string, paths ...string) (lines string) {
		for _, p := range paths {
			if regexp.MustCompile(`\b` + path.Base(p) + `\.[A-Z]`).MatchString(statements) {
				lines += fmt.Sprintf("\t%q\n", prefix+p)
			}
		}
		return lines
	}
	standard := imports("", "context", "slices", "strings", "testing", "testing/synctest", "time")
	others := imports("github.com/gobacklist/backlist/", "catalogue", "catalogue/cataloguetest", "pagination")
	return fmt.Sprintf("package client_test\n\nimport (\n%s\n%s)\n\n%s", standard, others, code)
}

// function returns the function of the test.
func (x *explorer) function(f *finding) string {
	lines := []string{
		fmt.Sprintf("// TestStory is the smallest form found of the story%s of cataloguetest.Explore.", f.of),
		"// The client " + f.problem.text + ".",
		"func TestStory(t *testing.T) {",
		fmt.Sprintf("\tvar %s cataloguetest.%s // set it to the client", x.name, capitalized(x.name)),
	}
	if x.own {
		lines = append(lines, "\tvar original *catalogue.Catalogue // set it to the Catalogue of the Exploration")
	}
	lines = append(lines, "\tsynctest.Test(t, func(t *testing.T) {")
	for _, line := range x.body(f.ended) {
		lines = append(lines, "\t\t"+line)
	}
	return strings.Join(append(lines, "\t})", "}"), "\n") + "\n"
}

// capitalized returns the name of the type of a client.
func capitalized(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// body returns the statements of the test.
func (x *explorer) body(e *ended) []string {
	options := []string{"Secure: true"}
	if x.own {
		options = append(options, "Catalogue: original.Clone()")
	}
	if root := x.data.paths.root; root != "/api/" {
		options = append(options, fmt.Sprintf("Root: %q", root))
	}
	options = append(options, fmt.Sprintf("Limits: pagination.Limits{Default: %d, Max: %[1]d}", e.limit))
	before := newState(len(e.data.ids), e.records)
	lines := []string{
		fmt.Sprintf("house := cataloguetest.NewWith(t, cataloguetest.Options{%s})", strings.Join(options, ", ")),
		e.data.keepCode(before),
	}
	states := e.states(before)
	for i, st := range e.steps {
		selected := st.where()
		where := "cataloguetest." + selected.text()
		if st.kind.write != nil {
			lines = append(lines, fmt.Sprintf("house.Break(%s, cataloguetest.Do(func() { %s })) // %s", where, e.data.writeCode(states[i]), st.kind.name))
			continue
		}
		for _, fault := range st.kind.faults(st.arg) {
			lines = append(lines, fmt.Sprintf("house.Break(%s, %s)", where, fault.call.code()))
		}
	}
	lines = append(lines,
		fmt.Sprintf("ctx, cancel := context.WithTimeout(t.Context(), %s+time.Nanosecond)", durationCode(x.timeout-time.Nanosecond)),
		"defer cancel()")
	return append(lines, x.code(e)...)
}

// keepCode returns the statement that keeps the records of a state.
func (d *dataset) keepCode(s state) string {
	arguments := []string{fmt.Sprintf("%q", d.key)}
	for _, i := range s.indexes(true) {
		arguments = append(arguments, fmt.Sprint(d.ids[i]))
	}
	return "house.Keep(" + strings.Join(arguments, ", ") + ")"
}

// writeCode returns the statement of the write that leads to a state.
func (d *dataset) writeCode(s state) string {
	if s.contents == nil {
		return d.keepCode(s)
	}
	return fmt.Sprintf("house.Swap(%q, %d, %d)", d.key, d.ids[s.swapped[0]], d.ids[s.swapped[1]])
}
