package crash_test

import (
	"fmt"
	"time"
)

// stats counts what clients did.
type stats struct {
	pages       int // all are checked
	untagged    int // pages without an entity tag
	unavailable int // responses of 503
	failed      int // requests without a response

	writes   int // that took effect
	unknown  int // writes without a known outcome
	negative int // writes that had no effect

	rounds        int
	leaders       int           // killed
	checked       int           // operations that porcupine checked
	slowest       time.Duration // the longest check
	seenLater     int           // writes of unknown outcome whose effect was seen
	seenNextRound int           // of these, in a later round

	lastRead, lastWrite         time.Time
	withoutReads, withoutWrites time.Duration // the longest times without a response
	recovery                    time.Duration // the longest time from a start to a page
}

// count counts the outcome of a write.
func (s *stats) count(w *write) {
	switch w.outcome {
	case stored:
		s.writes++
	case unknown:
		s.unknown++
	default:
		s.negative++
	}
}

// resume begins to measure the times without responses.
func (s *stats) resume() { s.lastRead, s.lastWrite = time.Now(), time.Now() }

// answered records a successful response.
func (s *stats) answered(method string) {
	last, longest := &s.lastWrite, &s.withoutWrites
	if method == "GET" {
		last, longest = &s.lastRead, &s.withoutReads
	}
	now := time.Now()
	*longest = max(*longest, now.Sub(*last))
	*last = now
}

func (s *stats) String() string {
	return fmt.Sprintf("%d rounds, %d of which killed the leader; %d pages checked (%d without a tag); %d writes stored, %d without effect, %d unknown, "+
		"of which %d were seen, %d of them in a later round; %d responses of 503, %d requests without a response; "+
		"porcupine checked %d operations, at most %v for a round; at most %v without a read, %v without a write, %v from a start to a page",
		s.rounds, s.leaders, s.pages, s.untagged, s.writes, s.negative, s.unknown, s.seenLater, s.seenNextRound, s.unavailable, s.failed,
		s.checked, s.slowest.Round(time.Millisecond), s.withoutReads.Round(time.Millisecond), s.withoutWrites.Round(time.Millisecond), s.recovery.Round(time.Millisecond))
}
