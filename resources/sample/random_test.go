package sample

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSplitMix64 uses the test vectors of other implementations of SplitMix64.
func TestSplitMix64(t *testing.T) {
	tests := []struct {
		seed uint64
		want []uint64
	}{
		{0, []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f}},
		{1234567, []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821}},
	}
	for _, tt := range tests {
		r := rng{tt.seed}
		var got []uint64
		for range tt.want {
			got = append(got, r.next())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("seed %d (-want +got):\n%s", tt.seed, diff)
		}
	}
}

func TestBetween(t *testing.T) {
	r := stream(1, "books", 7)
	seen := map[int]bool{}
	for range 10_000 {
		n := r.between(-2, 3)
		if n < -2 || n > 3 {
			t.Fatalf("between(-2, 3) = %d", n)
		}
		seen[n] = true
	}
	if len(seen) != 6 {
		t.Errorf("between(-2, 3) returned only %v in 10,000 calls", seen)
	}
	if n := r.below(1); n != 0 {
		t.Errorf("below(1) = %d, want 0", n)
	}
}

func TestStreamsDiffer(t *testing.T) {
	first := map[uint64]string{}
	for _, seed := range []uint64{0, 1, 1 << 63} {
		for _, key := range []string{"books", "items", "itemVariants"} {
			for id := 1; id <= 100; id++ {
				n := stream(seed, key, id).next()
				if other, twice := first[n]; twice {
					t.Fatalf("seed %d, %s %d begins like one of %s", seed, key, id, other)
				}
				first[n] = key
			}
		}
	}
}

func TestIndexOfIsInverseOfIDAt(t *testing.T) {
	last := 0
	for n := range 1000 {
		id := idAt(n)
		if id <= last {
			t.Fatalf("idAt(%d) = %d after %d", n, id, last)
		}
		if got := indexOf(id); got != n {
			t.Fatalf("indexOf(%d) = %d, want %d", id, got, n)
		}
		last = id
	}
}
