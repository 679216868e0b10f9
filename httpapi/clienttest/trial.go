package clienttest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// A problem is what a client did wrong in a scenario. The zero value means that there was no
// mistake.
type problem struct {
	kind   problemKind
	text   string // continues "the client"
	remedy string // what to do
}

// A problemKind is a kind of mistake. A scenario is reduced only to scenarios with the same.
type problemKind string

const (
	blocked     problemKind = "blocked"
	panicked    problemKind = "panicked"
	exited      problemKind = "exited"
	otherOrigin problemKind = "request to another host"
	endless     problemKind = "endless requests"
	busy        problemKind = "requests without waiting"
	late        problemKind = "late"
	unclosed    problemKind = "unclosed body"
	unprovoked  problemKind = "unprovoked error"
	repeated    problemKind = "repeated record"
	unknown     problemKind = "unknown record"
	missing     problemKind = "missing record"
)

// rank is smaller if the client has returned wrong records and no error.
func (k problemKind) rank() int {
	if slices.Contains([]problemKind{repeated, unknown, missing}, k) {
		return 0
	}
	return 1
}

// A trial is a run of a client through a scenario.
type trial struct {
	scenario
	data *dataset
	truth

	outcome
	late     bool // it returned after the grace period
	requests []string
	problem  problem
	happened []bool // which steps have changed a response or the records
}

// An outcome is the outcome of a call to a client.
type outcome struct {
	ids      []string
	err      error
	failure  string // if it did not return normally
	panicked bool   // that is why
}

// start calls a client in a goroutine of its own, because the client may end that.
func (fetch textFetch) start(ctx context.Context, transport http.RoundTripper, url string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		o := outcome{failure: "ended its goroutine, as t.Fatal does, instead of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				o.failure, o.panicked = fmt.Sprintf("panicked (%v)", reason), true
			}
			done <- o
		}()
		o.ids, o.err = fetch(ctx, &http.Client{Transport: transport}, url)
		o.failure = ""
	}()
	return done
}

// truth is what exists, and has existed, in the collection.
type truth struct {
	mu         sync.Mutex
	state      state
	throughout state // the records that have always existed
	ever       state
	deleted    bool // the first record of a page was
}

// note records the new state of the collection.
func (tr *truth) note(s state) {
	tr.state = s
	for i, present := range s {
		tr.throughout[i] = tr.throughout[i] && present
		tr.ever[i] = tr.ever[i] || present
	}
}
