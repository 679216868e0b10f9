package cataloguetest

import (
	"fmt"
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
	fmt.Fprintf(&out, "\nThe story%s", f.of)
	if f.runs > 0 {
		fmt.Fprintf(&out, ", reduced in %d runs", f.runs)
	}
	fmt.Fprintf(&out, ": %s\n%s", f.story, Result{Requests: f.requests}.requests())
	fmt.Fprintf(&out, "A test that shows it, where %s is the client:\n\n%s", x.name, x.test(f))
	return out.String()
}

// test returns a test that shows a finding in a house.
func (x *explorer) test(f *finding) string {
	lines := []string{
		fmt.Sprintf("// TestStory is the smallest form found of the story%s of cataloguetest.Explore.", f.of),
		"// The client " + f.problem.text + ".",
		"func TestStory(t *testing.T) {",
		"\tsynctest.Test(t, func(t *testing.T) {",
	}
	for _, line := range x.body(f.ended) {
		lines = append(lines, "\t\t"+line)
	}
	return strings.Join(append(lines, "\t})", "}"), "\n") + "\n"
}

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
