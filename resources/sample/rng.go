package sample

import "math/bits"

// rng is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", 2014). It is written out here because what math/rand gives for a
// seed may change from one Go version to the next, and the records with it.
type rng struct{ state uint64 }

// stream is the random numbers of one record, unrelated to those of any other.
func stream(seed uint64, key string, id int) *rng {
	r := &rng{seed}
	for i := range len(key) {
		r.state = r.next() ^ uint64(key[i])
	}
	r.state = r.next() ^ uint64(id)
	return r
}

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a number from 0 up to and without n, which is 1 or more. It favours
// some by less than n in 2⁶⁴, which no one will see.
func (r *rng) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// between is a number from low to high, both included.
func (r *rng) between(low, high int) int { return low + r.below(high-low+1) }

// oneIn is true once in n times.
func (r *rng) oneIn(n int) bool { return r.below(n) == 0 }

// pick is one of a list that is not empty.
func pick[T any](r *rng, list []T) T { return list[r.below(len(list))] }
