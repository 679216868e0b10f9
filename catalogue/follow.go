package catalogue

import "context"

// glance is what came after a revision, up to another.
type glance struct {
	runs [][]event
	now  uint64
}

func (g glance) len() (n int) {
	for _, run := range g.runs {
		n += len(run)
	}
	return n
}

func (g glance) events(yield func(*event) bool) {
	for _, run := range g.runs {
		for i := range run {
			if !yield(&run[i]) {
				return
			}
		}
	}
}

// glance looks at the history. If that is asked for and nothing came after the
// revision it gives a channel that is closed when something may have.
func (c *store) glance(revision uint64, wait bool) (g glance, wake <-chan struct{}, err error) {
	if c.feed == nil {
		return g, nil, c.shape.errorf("%w", ErrNoHistory)
	}
	c.state.Lock()
	h, now := c.feed.kept, c.live.revision
	if wait && h.ends(revision) {
		wake = c.feed.waiting()
	}
	c.state.Unlock()
	switch {
	case revision > now:
		return g, nil, c.shape.errorf("%w: %d, it is at %d", ErrRevision, revision, now)
	case revision < h.from:
		return g, nil, c.shape.errorf("%w: revision %d was asked for, changes are kept from %d on", ErrHistory, revision, h.from)
	}
	return glance{h.after(revision), now}, wake, nil
}

// follow is glance when something came after the revision, or ctx's error.
func (c *store) follow(ctx context.Context, revision uint64) (glance, error) {
	for {
		g, wake, err := c.glance(revision, true)
		if err != nil || wake == nil {
			return g, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return g, ctx.Err()
		}
	}
}
