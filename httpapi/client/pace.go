package client

import (
	"context"
	"sync"
	"time"
)

// pace enforces a minimum interval between requests.
type pace struct {
	every time.Duration // zero means no limit

	mu   sync.Mutex
	next time.Time // earliest time of the next request
}

// wait blocks until the next request may be sent, or returns the error of ctx. It
// does not reserve a time in advance, so a canceled wait delays no other request.
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

// turn returns 0 if a request may be sent now, or else how long to wait before
// trying again.
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

// sleep waits for d. It returns the error of ctx as soon as ctx is done.
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
