package clienttest

import (
	"fmt"
	"strings"
)

// report describes a finding: the mistake, the scenario, the requests, and a test that repeats
// it.
func (x *explorer) report(f *finding) string {
	var out strings.Builder
	fmt.Fprintf(&out, "clienttest: %s: the client %s", x.function, f.problem.text)
	if f.problem.remedy != "" {
		fmt.Fprintf(&out, ": %s", f.problem.remedy)
	}
	if cause := f.cause(); cause != nil {
		fmt.Fprintf(&out, "\nIf the client is not meant to handle this, set Options.Skip to []string{%q}, with the events that it already has.", cause.name)
	}
	fmt.Fprintf(&out, "\nThe scenario%s", f.of)
	if f.runs > 0 {
		fmt.Fprintf(&out, ", reduced in %d runs", f.runs)
	}
	fmt.Fprintf(&out, ": %s\n%s", f.scenario, formatRequests(f.requests))
	fmt.Fprintf(&out, "A test that repeats it, where %s is the client:\n\n%s", x.name, x.test(f))
	return out.String()
}

// test returns a test that repeats the scenario of a finding.
func (x *explorer) test(f *finding) string {
	var out strings.Builder
	option := func(set bool, format string, value any) {
		if set {
			fmt.Fprintf(&out, "\t\t"+format+"\n", value)
		}
	}
	fmt.Fprintf(&out, "// TestScenario: the client %s.\n", f.problem.text)
	fmt.Fprintf(&out, "func TestScenario(t *testing.T) {\n\tclienttest.%s(t, %s, clienttest.Options{\n", x.function, x.name)
	option(true, "Collection: %q,", x.data.key)
	option(x.opts.Catalogue != nil, "Catalogue: %s,", "original, // set it to the Catalogue of the Options")
	option(x.opts.Root != "", "Root: %q,", x.opts.Root)
	option(x.opts.Timeout > 0, "Timeout: %d,", x.opts.Timeout)
	option(len(x.opts.Skip) > 0, "Skip: %#v,", x.opts.Skip)
	encoded := strings.Trim(strings.ReplaceAll(fmt.Sprint(x.script.encode(f.scenario)), " ", ", "), "[]")
	option(true, "Scenario: []byte{%s", encoded+"}, // "+f.scenario.String())
	out.WriteString("\t})\n}\n")
	return out.String()
}

// formatRequests lists requests, one per line, without those in the middle.
func formatRequests(lines []string) string {
	const front, back = 6, 2
	if skipped := len(lines) - front - back; skipped > 1 {
		lines = append(append(lines[:front:front], fmt.Sprintf("… %d more …", skipped)), lines[len(lines)-back:]...)
	}
	if len(lines) == 0 {
		lines = []string{"no requests were sent with the client passed to Fetch"}
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}
