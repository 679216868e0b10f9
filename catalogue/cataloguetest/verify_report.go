package cataloguetest

import (
	"errors"
	"fmt"
	"strings"
)

// A Report is what [CheckClient] found.
type Report struct {
	Results []Result // one for each pathology, in the order in which they were run
}

// A Result is how a client stood one pathology.
type Result struct {
	// Pathology is its name, such as "next-is-self".
	Pathology string
	// Problem says in one sentence what was wrong and what to do about it. Empty:
	// the client has passed.
	Problem string
	// Requests are what the client asked, in order, each in a line with what
	// came of it: "GET /api/events/?offset=10: 200 OK".
	Requests []string
}

// String is a line for each pathology, and below those that were not passed what
// was asked.
func (r Report) String() string {
	var out strings.Builder
	for _, result := range r.Results {
		if result.Problem == "" {
			fmt.Fprintf(&out, "ok   %s\n", result.Pathology)
			continue
		}
		fmt.Fprintf(&out, "FAIL %s: %s\n%s", result.Pathology, result.Problem, result.requests())
	}
	return out.String()
}

// err joins the problems.
func (r Report) err() error {
	var all []error
	for _, result := range r.Results {
		if result.Problem != "" {
			all = append(all, fmt.Errorf("cataloguetest: %s: %w: %s", result.Pathology, ErrClientFailed, result.Problem))
		}
	}
	return errors.Join(all...)
}

// requests lists what was asked, shortened in the middle, a line each.
func (r Result) requests() string {
	const front, back = 6, 2
	lines := r.Requests
	if skipped := len(lines) - front - back; skipped > 1 {
		lines = append(append(lines[:front:front], fmt.Sprintf("… %d more …", skipped)), lines[len(lines)-back:]...)
	}
	if len(lines) == 0 {
		lines = []string{"nothing was asked with the client that Fetch was given"}
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}
