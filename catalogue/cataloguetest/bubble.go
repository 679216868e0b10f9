package cataloguetest

import (
	"errors"
	"time"
)

// Errors of houses that are made on one side of a synctest bubble and used on the other.
// Without them, the runtime would end the process, because channels of a bubble must not
// be used from outside it.
var (
	errMadeOutside = errors.New("cataloguetest: the house was made outside the synctest bubble in which it is used; make it inside the bubble, with the T that synctest.Test passes to its function")
	errMadeInside  = errors.New("cataloguetest: the house was made inside a synctest bubble and is used outside of it; make it with the T that synctest.Test passes to its function, and use it only inside the bubble")
)

// inBubble reports whether the calling goroutine is in a bubble of testing/synctest. The
// times that time.Now returns there have no monotonic clock reading, so removing it does
// not change them. Unlike the date, this is true however long the bubble sleeps.
func inBubble() bool {
	now := time.Now()
	return now == now.Round(0)
}

// A side is one of the sides of a synctest bubble.
type side bool

// thisSide returns the side on which the calling goroutine is.
func thisSide() side { return side(inBubble()) }

// check returns an error unless the calling goroutine is on that side.
func (made side) check() error {
	switch {
	case made == thisSide():
		return nil
	case bool(made):
		return errMadeInside
	}
	return errMadeOutside
}
