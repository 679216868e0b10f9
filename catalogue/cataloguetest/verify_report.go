package cataloguetest

import (
	"errors"
	"fmt"
	"strings"
)

// A Report is the result of [CheckClient].
type Report struct {
	Results []Result // one for each pathology that was run, in their order
}

// A Result is the result of one pathology.
type Result struct {
	// Pathology is its name, such as "next-is-self".
	Pathology string
	// Problem describes in one sentence what the client did wrong and how to fix it.
	// It is empty if the client passed.
	Problem string
	// Requests are the requests of the client in order, each with its outcome, such
	// as "GET /api/events/?offset=10: 200 OK".
	Requests []string
}

// String returns a line for each pathology. The requests follow if the client
// failed.
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

// requests lists the requests, one per line, without those in the middle.
func (r Result) requests() string {
	const front, back = 6, 2
	lines := r.Requests
	if skipped := len(lines) - front - back; skipped > 1 {
		lines = append(append(lines[:front:front], fmt.Sprintf("… %d more …", skipped)), lines[len(lines)-back:]...)
	}
	if len(lines) == 0 {
		lines = []string{"no requests were sent with the client passed to Fetch"}
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}
