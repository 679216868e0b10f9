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

// wait returns when the next request may be sent, or with ctx's error. A turn is
// taken when it has come and not before: who gives up leaves none unused.
func (p *pace) wait(ctx context.Context) error {
	if p.every <= 0 {
		return ctx.Err()
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		d := p.turn()
		if d <= 0 {
			return nil
		}
		if err := sleep(ctx, d); err != nil {
			return err
		}
	}
}

// turn takes the next turn if it has come, else says how far it is away.
func (p *pace) turn() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if d := p.next.Sub(now); d > 0 {
		return d
	}
	p.next = now.Add(p.every)
	return 0
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
