package wire

import (
	"net/http"
	"slices"
	"testing"
)

// Names are added once, and values that other responses share are not modified.
func TestAddVary(t *testing.T) {
	shared := make([]string, 1, 2)
	shared[0] = "Accept"
	for _, tt := range []struct {
		reason string
		before []string
		names  []string
		want   []string
	}{
		{"none", nil, shared, []string{"Accept"}},
		{"another one", []string{"Cookie"}, shared, []string{"Cookie", "Accept"}},
		{"after shared ones", shared, []string{"Cookie"}, []string{"Accept", "Cookie"}},
		{"in another case, among others", []string{"Cookie, accept"}, shared, []string{"Cookie, accept"}},
		{"all", []string{"*"}, shared, []string{"*"}},
		{"two in one value", []string{"Accept"}, []string{"Authorization, Accept"}, []string{"Authorization, Accept"}},
		{"one of two, beside another", []string{"Origin, Accept"}, []string{"Cookie, Accept"}, []string{"Origin, Accept", "Cookie"}},
		{"one of two", []string{"Accept"}, []string{"Accept", "Cookie"}, []string{"Accept", "Cookie"}},
	} {
		h := http.Header{}
		if tt.before != nil {
			h["Vary"] = tt.before
		}
		if AddVary(h, tt.names); !slices.Equal(h["Vary"], tt.want) {
			t.Errorf("%s: %q, want %q", tt.reason, h["Vary"], tt.want)
		}
		if shared[:2][1] != "" {
			t.Fatalf("%s: shared values are modified", tt.reason)
		}
	}
}
