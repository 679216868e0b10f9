package cataloguetest

import "testing"

// A Finding is the mistake that an exploration has found.
type Finding struct {
	Kind     string
	Story    string
	Report   string
	Stories  int // before it was found
	Runs     int // to reduce it
	Requests int // of the reduced story, or until its last step if they are endless
}

// Search returns what Explore finds, or nil.
func Search(t *testing.T, fetch Fetch, opts Exploration) *Finding {
	return search(t, opts, fetchSubject(fetch))
}

// SearchCreate returns what ExploreCreate finds, or nil.
func SearchCreate(t *testing.T, create Create, opts Exploration) *Finding {
	return search(t, opts, createSubject(create))
}

func search(t *testing.T, opts Exploration, s subject) *Finding {
	t.Helper()
	x, err := newExplorer(opts, s)
	if err != nil {
		t.Fatal(err)
	}
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
	return &Finding{string(f.problem.kind), f.story.String(), x.report(f), f.stories, f.runs, requests}
}
