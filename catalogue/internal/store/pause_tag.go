//go:build backlist_pause

package store

import (
	"math/rand/v2"
	"time"
)

// pause sometimes waits, as if the goroutine were preempted.
func pause() {
	if rand.IntN(4) == 0 {
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	}
}
