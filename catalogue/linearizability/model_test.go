package linearizability_test

import (
	"fmt"
	"hash/maphash"
	"maps"

	"github.com/anishathalye/porcupine"

	"github.com/gobacklist/backlist/catalogue/internal/model"
)

// An input is an operation of a history. Its output is the result as text.
type input struct {
	op   model.Op
	text string // of op
	last bool   // no other operation ends after it
}

// A world is a state in porcupine's search, with the results of the operations that were
// tried in it. All worlds of a search are different.
type world struct {
	model.World
	sum   uint64
	tried map[string]step // by the text of the operation
}

type step struct {
	to     *world
	result uint64 // a hash, because a result can be long
}

// A search holds the worlds that porcupine meets while it checks one history. Package
// model computes a result once for each world, although porcupine asks many times.
type search struct {
	seed   maphash.Seed
	worlds map[uint64]*world // by their sums; equal sums count as equal worlds
	sums   map[*model.State]uint64
	final  model.World // after the last operation
}

func newSearch() *search {
	return &search{maphash.MakeSeed(), map[uint64]*world{}, map[*model.State]uint64{}, nil}
}

// world returns the world that is equal to w.
func (s *search) world(w model.World) *world {
	var sum uint64
	for at, state := range w {
		if _, known := s.sums[state]; !known {
			s.sums[state] = state.Sum(s.seed)
		}
		sum += maphash.Comparable(s.seed, at) * (s.sums[state] | 1)
	}
	if s.worlds[sum] == nil {
		s.worlds[sum] = &world{w, sum, map[string]step{}}
	}
	return s.worlds[sum]
}

func (s *search) step(w *world, in input, result string) (bool, *world) {
	tried, ok := w.tried[in.text]
	if !ok {
		next, result := w.Do(in.op)
		tried = step{w, maphash.String(s.seed, result)}
		if !maps.Equal(next, w.World) {
			tried.to = s.world(next)
		}
		w.tried[in.text] = tried
	}
	if tried.result != maphash.String(s.seed, result) {
		return false, w
	}
	if in.last {
		s.final = tried.to.World
	}
	return true, tried.to
}

// porcupine returns the model for porcupine, with an initial state.
func (s *search) porcupine(from model.World) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return s.world(from) },
		Step: func(w, in, out any) (bool, any) {
			ok, next := s.step(w.(*world), in.(input), out.(string))
			return ok, next
		},
		Equal:             func(a, b any) bool { return a == b },
		Hash:              func(w any) uint64 { return w.(*world).sum },
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%s -> %s", in.(input).text, out) },
		DescribeState: func(w any) (text string) {
			for at := range w.(*world).World {
				_, all := w.(*world).Do(model.Op{On: at.Copy, In: at.Key, Verb: "page", Terms: "id"})
				text += fmt.Sprintf("%v: %s\n", at, all)
			}
			return text
		},
	}
}
