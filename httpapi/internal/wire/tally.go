package wire

import (
	"context"
	"net/url"
)

// A Tally asks a handler for numbers of records, with a GET of a list whose context has it. The
// handler responds without a page.
type Tally struct {
	Selections []url.Values // parameters of filters, in addition to those of the request
	Counts     []int        // set by the handler: the records of each selection
}

type tallyKey struct{}

// WithTally returns a context that has a tally.
func WithTally(ctx context.Context, t *Tally) context.Context {
	return context.WithValue(ctx, tallyKey{}, t)
}

// TallyOf returns the tally of a context, or nil.
func TallyOf(ctx context.Context) *Tally {
	t, _ := ctx.Value(tallyKey{}).(*Tally)
	return t
}
