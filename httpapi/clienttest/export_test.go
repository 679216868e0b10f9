package clienttest

import (
	"context"
	"net/http"
	"testing"
)

// A Finding is the mistake that an exploration has found.
type Finding struct {
	Kind      string
	Scenario  string
	Report    string
	Scenarios int // before it was found
	Runs      int // to reduce it
	Requests  int // of the reduced scenario, or until its last step if they are endless
}

// Search returns what Explore finds, or nil.
func Search(t *testing.T, fetch Fetch, opts Options) *Finding {
	return search(t, opts, fetchSubject(fetch))
}

// SearchCreate returns what ExploreCreate finds, or nil.
func SearchCreate(t *testing.T, create func(context.Context, *http.Client, string) (int, error), opts Options) *Finding {
	return search(t, opts, createSubject(create))
}

func search(t *testing.T, opts Options, s subject) *Finding {
	t.Helper()
	x, err := newExplorer(opts, s)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	found := x.search(t, opts, 1)
	if found == nil {
		return nil
	}
	f := found[0]
	requests := len(f.requests)
	if f.problem.kind == endless {
		requests = 1
		for _, st := range f.steps {
			requests = max(requests, st.at)
		}
	}
	return &Finding{string(f.problem.kind), f.scenario.String(), x.report(f), f.scenarios, f.runs, requests}
}

// A Result is the result of one situation. An empty problem is none.
type Result struct{ Situation, Problem string }

// Verify returns the results of VerifyClient, or the error with which it fails the test.
func Verify(fetch Fetch, opts Options) (all []Result, err error) {
	v, err := newVerification(fetch, opts)
	if err != nil {
		return nil, err
	}
	for _, s := range v.situations {
		r, err := v.run(s)
		if err != nil {
			return nil, err
		}
		all = append(all, Result{r.situation, r.problem})
		if r.skipsOthers() {
			break
		}
	}
	return all, nil
}
