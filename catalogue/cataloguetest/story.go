package cataloguetest

import (
	"fmt"
	"math/rand/v2"
)

// A story is what happens at a service while a client uses it once.
type story struct {
	records int // of the collection at the start
	limit   int // default and maximum limit of a page
	steps   []step
}

// A step is one event of a story.
type step struct {
	kind kind
	at   int  // number of the request at which it happens, from 1
	rest bool // it happens at all later requests, too
	arg  int  // of the kind, from 0 to 255
}

const (
	maxSteps   = 3
	maxAt      = 64
	leastLimit = 2 // less is no page size that clients must handle
	mostLimit  = 10
	storyStart = 2 // bytes before the first step
	stepSize   = 3 // bytes of a step
)

// A script decodes stories. All bytes are a story, so that a fuzzer can change them.
type script struct {
	kinds   []kind
	records int // maximum at the start
}

// decode returns the story that some bytes encode: the number of records, the limit, and
// three bytes for each step. Missing bytes are 0. A step that no client could handle
// together with those before it is left out.
func (sc *script) decode(text []byte) story {
	byteAt := func(i int) int {
		if i < len(text) {
			return int(text[i])
		}
		return 0
	}
	s := story{records: byteAt(0) % (sc.records + 1), limit: leastLimit + byteAt(1)%(mostLimit-leastLimit+1)}
	for i := storyStart; i < len(text) && len(s.steps) < maxSteps && len(sc.kinds) > 0; i += stepSize {
		st := step{
			kind: sc.kinds[byteAt(i)%len(sc.kinds)],
			at:   1 + byteAt(i+1)&0x7f%maxAt,
			rest: byteAt(i+1) >= 0x80,
			arg:  byteAt(i + 2),
		}
		if st.kind.write != nil {
			st.rest = false
		}
		if s.permits(st) {
			s.steps = append(s.steps, st)
		}
	}
	return s
}

// permits reports whether a step can be added. A page that is wrong cannot be told from a
// page that is right after a write, nor from another one that is wrong to match it. So
// stories with such a page have only one, and no writes.
func (s *story) permits(st step) bool {
	for _, other := range s.steps {
		if st.kind.lie && (other.kind.lie || other.kind.write != nil) || st.kind.write != nil && other.kind.lie {
			return false
		}
	}
	return true
}

// generate returns the bytes of a story. They depend only on the seed and the script.
func (sc *script) generate(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x5701))
	records, limit := rng.IntN(sc.records+1), rng.IntN(mostLimit-leastLimit+1)
	text := []byte{byte(records), byte(limit)}
	requests := records/(leastLimit+limit) + 2 // about as many as a client sends
	var of []int                               // the kinds of the story: one class, or all
	class := rng.IntN(4)
	for i, k := range sc.kinds {
		if class == 3 || class == k.class() {
			of = append(of, i)
		}
	}
	for n := rng.IntN(maxSteps + 1); n > 0 && len(of) > 0; n-- {
		at := byte(min(rng.IntN(requests), maxAt-1))
		if rng.IntN(4) == 0 {
			at |= 0x80
		}
		text = append(text, byte(of[rng.IntN(len(of))]), at, byte(rng.IntN(256)))
	}
	return text
}

// String describes the story in one line.
func (s story) String() string {
	text := fmt.Sprintf("%d records in pages of %d", s.records, s.limit)
	for _, st := range s.steps {
		text += fmt.Sprintf("; request %d", st.at)
		if st.rest {
			text += " and later"
		}
		text += ": " + st.kind.name
	}
	return text
}
