package client

import (
	"context"
	"sync"
	"time"
)

// pace keeps requests apart.
type pace struct {
	every time.Duration // 0: no bound

	mu   sync.Mutex
	next time.Time // no request before it
}

// wait returns when the next request may be sent, or with ctx's error.
func (p *pace) wait(ctx context.Context) error {
	if p.every <= 0 {
		return ctx.Err()
	}
	p.mu.Lock()
	now := time.Now()
	turn := now
	if p.next.After(now) {
		turn = p.next
	}
	p.next = turn.Add(p.every)
	p.mu.Unlock()
	return sleep(ctx, turn.Sub(now))
}

// sleep waits, or returns ctx's error as soon as it is done.
func sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
