package linearizability_test

import "sync/atomic"

// A clock numbers the calls and the returns of operations in the order in which they
// happen. The clock of the machine would not do: on a virtual machine, the clocks of two
// processors may differ by more than the duration of an operation.
type clock struct{ last atomic.Int64 }

// next returns a number greater than all that were returned before. For the race
// detector, it does not synchronize the goroutines that call it, because that would hide
// data races between their operations.
func (c *clock) next() int64 {
	ignoreSynchronization(true)
	defer ignoreSynchronization(false)
	return c.last.Add(1)
}
