package clienttest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// A trial is a run of a client through a situation.
type trial struct {
	situation
	data       *dataset
	injections []*cataloguetest.Injection

	mu         sync.Mutex
	throughout []int // indexes in data of the records that have always existed
	ever       []int // and of those that have existed at some time
	deleted    bool  // the first record of the first page was

	outcome
	late      bool // it returned after the grace period
	reordered bool // concurrent requests or responses were
	requests  []string
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

// serve returns the service of a situation. It is called outside the bubble: what is made
// there may be used inside as well, but not the other way round.
func (e *trial) serve() (*cataloguetest.Server, error) {
	for i := range e.records {
		if 2*e.records <= len(e.data.ids) { // every second one, so that others can be inserted between them
			i = 2*i + 1
		}
		e.throughout = append(e.throughout, i)
	}
	e.ever = slices.Clone(e.throughout)
	c := e.data.catalogue.Clone()
	if err := e.data.write(c, e.throughout); err != nil {
		return nil, err
	}
	server, err := e.data.serve(c)
	if err != nil {
		return nil, err
	}
	match := cataloguetest.Match{Method: http.MethodGet, Collection: e.data.about.Key, Nth: e.at, Times: e.times}
	for _, fault := range e.faults {
		e.injections = append(e.injections, server.Inject(match, fault))
	}
	if e.deletes {
		match.Nth = 1
		server.Inject(match, cataloguetest.Page(func(_ *http.Request, page *envelope) { e.write(c, page) }))
	}
	return server, nil
}

// write deletes the first record of a page and, if the situation has it, inserts the last one that can be.
func (e *trial) write(c *catalogue.Catalogue, page *envelope) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(page.Records) == 0 {
		return
	}
	first := slices.Index(e.data.ids, e.data.idOf(page.Records[0]))
	e.throughout, e.deleted = slices.DeleteFunc(e.throughout, func(i int) bool { return i == first }), true
	now := slices.Clone(e.throughout)
	if last := len(e.data.ids) - 1; e.inserts {
		now, e.ever = append(now, last), append(e.ever, last)
	}
	_ = e.data.write(c, now) // the records were in the collection before
}

// gravest returns the gravest problem of a trial.
func (e *trial) gravest(violation problem, bodies string) problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.panicked:
		return problem{e.failure, remedyPanic}
	case e.failure != "" && violation.text == "":
		return problem{text: e.failure}
	case violation.remedy == remedyBusy:
		return violation
	case violation.text != "":
		return problem{violation.text, e.remedyOr(violation.remedy)}
	case e.late:
		return problem{"did not return in time after the end of its context", remedyContext}
	case e.cancelled && e.err == nil:
		return problem{fmt.Sprintf("returned %d records and no error", len(e.ids)), remedyContext}
	case e.err != nil && !e.cancelled && !e.happened():
		return problem{fmt.Sprintf("returned an error although nothing is wrong (%s)", truncateText(e.err.Error())), e.remedyOr(remedyLinks)}
	}
	if p := e.judge(); p.text != "" {
		return p
	}
	if bodies != "" {
		return problem{bodies, remedyClose}
	}
	return problem{}
}

// happened reports whether a response or the records have been changed.
func (e *trial) happened() bool {
	return e.deleted || slices.ContainsFunc(e.injections, func(j *cataloguetest.Injection) bool { return j.Count() > 0 })
}

// remedyOr returns the remedy of the situation, or otherwise if what that is about has not happened.
func (e *trial) remedyOr(otherwise string) string {
	if e.reordered || e.happened() {
		return e.remedy
	}
	return otherwise
}

// judge compares the ids that a client has returned with the records that existed.
func (e *trial) judge() problem {
	if e.err != nil {
		return problem{}
	}
	name := e.data.about.Identity().Name
	returned := map[int]bool{}
	for _, id := range e.ids {
		switch i := slices.Index(e.data.ids, id); {
		case !slices.Contains(e.ever, i):
			return problem{fmt.Sprintf("returned a record with the %s %q, which was never in the collection %s, and no error", name, id, e.data.about.Key), remedyIDs}
		case returned[i]:
			return problem{fmt.Sprintf("returned the record with the %s %q twice and no error", name, id), e.remedyOr(remedyRepeated)}
		default:
			returned[i] = true
		}
	}
	for _, i := range e.throughout {
		if !returned[i] {
			return problem{fmt.Sprintf("returned %d of at least %d records, without the one with the %s %q, and no error", len(e.ids), len(e.throughout), name, e.data.ids[i]), e.remedyOr(remedyLinks)}
		}
	}
	return problem{}
}
