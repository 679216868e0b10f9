package model

import (
	"cmp"
	"strings"
	"testing"
)

// TestCompare tests the comparison of values. Each row has values in ascending order;
// equal values are joined by '='.
func TestCompare(t *testing.T) {
	for _, row := range []struct {
		reason string
		values string
	}{
		{"kinds", `false true -1 "a" [] {} null`},
		{"numbers by exact value",
			`-1e400 -1 -1e-400 0=-0 1e-400 0.1=0.10 1=1.0=10e-1 9007199254740992 9007199254740993 1e400`},
		{"text by bytes", `"" "Z" "a" "a\u0000" "a\u0000b" "ab" "é" "日"`},
		{"lists element by element", `[] [false] [1]=[1.0] [1,2] [2] ["a"] ["a",""] [[]] [{}] [null]`},
		{"objects by their JSON", `{"a":1.0} {"a":10} {"a":1} {"b":0} {}`},
	} {
		rank := map[string]int{}
		for i, group := range strings.Fields(row.values) {
			for v := range strings.SplitSeq(group, "=") {
				rank[v] = i
			}
		}
		for a, i := range rank {
			for b, j := range rank {
				if got := valueOf(a).compare(valueOf(b)); got != cmp.Compare(i, j) {
					t.Errorf("%s: %s compared with %s is %d, want %d", row.reason, a, b, got, cmp.Compare(i, j))
				}
			}
		}
	}
}
