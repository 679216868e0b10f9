package cataloguetest

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// An outcome is the outcome of a call to Fetch.
type outcome struct {
	ids     []int
	err     error
	failure string // if it did not return normally
	deleted int    // id of a record that was deleted meanwhile, or 0
}

// run runs the client through one pathology. It returns an error if the service
// could not be started.
func (v *verification) run(p pathology) (Result, error) {
	s, err := v.start(p)
	if err != nil {
		return Result{}, err
	}
	defer s.close()
	ctx, cancel := context.WithTimeout(context.Background(), v.timeout)
	defer cancel()
	if p.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, p.timeout)
		defer cancel()
	}
	if p.cancelled {
		cancel()
	}
	g, err := newGuard(s, p.requestLimit(), cancel)
	if err != nil {
		return Result{}, err
	}
	o := v.call(ctx, g, s.url)
	o.deleted = s.deleted()
	requests, violation := g.close()
	result := Result{Pathology: p.name, Requests: requests, Problem: v.problem(p, o, g, violation)}
	if n := len(v.pathologies) - 1; v.skipsOthers(result) && n > 0 {
		result.Problem += fmt.Sprintf(" (%d other pathologies are skipped, since nothing is wrong in this one)", n)
	}
	return result, nil
}

// simplest is the name of the first pathology.
const simplest = "several-pages"

// skipsOthers reports whether the other pathologies are skipped after a result.
func (v *verification) skipsOthers(r Result) bool { return r.Pathology == simplest && r.Problem != "" }

// problem returns what the client did wrong and how to fix it, or "" if nothing. Of several
// problems it returns the gravest.
func (v *verification) problem(p pathology, o outcome, g *guard, violation string) string {
	problem := violation
	if o.failure != "" || violation == "" {
		problem = v.judge(p, o)
	}
	switch {
	case problem == "":
		return g.bodies.problem()
	case o.failure == "" && violation == "":
		if other := v.otherCollection(p, o.ids, g.requested()); other != "" {
			return other
		}
	}
	return problem + ": " + p.remedy
}

// call calls Fetch and waits for it until the grace period after the end of its
// context.
func (v *verification) call(ctx context.Context, g *guard, url string) outcome {
	done := make(chan outcome, 1)
	go func() {
		o := outcome{failure: "ended its goroutine, as t.Fatal does, instead of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				o.failure = fmt.Sprintf("panicked: %v", reason)
			}
			done <- o
		}()
		o.ids, o.err = v.fetch(ctx, &http.Client{Transport: g}, url)
		o.failure = ""
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	timer := time.NewTimer(v.grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o
	case <-timer.C:
		return outcome{failure: fmt.Sprintf("did not return within %v after the end of its context", v.grace)}
	}
}
