package cataloguetest

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// outcome is how a call to Fetch ended.
type outcome struct {
	ids     []int
	err     error
	fault   string // how it ended otherwise
	deleted int    // id of a record that was deleted meanwhile, 0 for none
}

// run leads the client through one pathology. The error says that there could be
// no service.
func (v *verification) run(p pathology) (Result, error) {
	s, err := v.open(p)
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
	g, err := newGuard(s, p.requests(), cancel)
	if err != nil {
		return Result{}, err
	}
	o := v.call(ctx, g, s.url)
	o.deleted = s.deleted()
	requests, breach := g.close()
	result := Result{Pathology: p.name, Requests: requests, Problem: breach}
	if o.fault != "" || breach == "" {
		result.Problem = v.judge(p, o)
	}
	if result.Problem != "" {
		result.Problem += ": " + p.advice
	}
	return result, nil
}

// call calls Fetch, and waits for it no longer than it may take.
func (v *verification) call(ctx context.Context, g *guard, url string) outcome {
	done := make(chan outcome, 1)
	go func() {
		o := outcome{fault: "ended its goroutine, as t.Fatal does, in place of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				o.fault = fmt.Sprintf("panicked: %v", reason)
			}
			done <- o
		}()
		o.ids, o.err = v.fetch(ctx, &http.Client{Transport: g}, url)
		o.fault = ""
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	late := time.NewTimer(v.grace)
	defer late.Stop()
	select {
	case o := <-done:
		return o
	case <-late.C:
		return outcome{fault: fmt.Sprintf("had not returned %v after its context ended", v.grace)}
	}
}
