package sample

import "math/bits"

// An rng is a SplitMix64 generator (Steele, Lea, Flood: "Fast splittable pseudorandom
// number generators", 2014). Package math/rand does not promise the same numbers for a
// seed in every Go version.
type rng struct{ state uint64 }

// stream returns the random numbers of one record, independent of all others.
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

// below returns a number from 0 up to but not including n, which must be positive. Its
// bias is less than n in 2⁶⁴, which is negligible.
func (r *rng) below(n int) int {
	high, _ := bits.Mul64(r.next(), uint64(n))
	return int(high)
}

// between returns a number from low to high, inclusive.
func (r *rng) between(low, high int) int { return low + r.below(high-low+1) }

// oneIn reports true with probability 1/n.
func (r *rng) oneIn(n int) bool { return r.below(n) == 0 }

// pick returns a random element of a list, which must not be empty.
func pick[T any](r *rng, list []T) T { return list[r.below(len(list))] }

// hex returns n hexadecimal digits.
func (r *rng) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[r.below(16)]
	}
	return string(b)
}
