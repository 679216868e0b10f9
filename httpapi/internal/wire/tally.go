package wire

import (
	"context"
	"iter"
	"net/url"
)

// A Tally asks a handler for numbers of records, and for the first of them, with a GET of a list
// whose context has it. The handler responds without a page, whatever the style of pages is.
type Tally struct {
	Selections []url.Values // parameters of filters, in addition to those of the request
	Counts     []int        // set by the handler: the records of each selection

	First   int      // how many records of the request to read, or 0
	Records [][]byte // set by the handler if First is positive: these records
	Count   int      // and the number of all

	// All, if not nil, is called with all records of the request, in its order and of one instant.
	// described reports whether all their members are known to be fields of the description.
	All func(records iter.Seq2[[]byte, error], described bool) error
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
