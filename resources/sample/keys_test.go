package sample_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources/sample"
)

// TestKeysCoverDecimals checks that Keys has a function for every member that holds
// decimals as text, and for no other.
func TestKeysCoverDecimals(t *testing.T) {
	decimal := regexp.MustCompile(`^"-?[0-9]+\.[0-9]+"$`)
	house := sample.New(sample.Options{})
	want := map[string]bool{}
	for _, d := range schema.Descriptions() {
		for _, r := range house.Records(d.Key) {
			for name, value := range r.All() {
				if decimal.MatchString(value) {
					want[ordering.Snake(name)] = true
				}
			}
		}
	}
	var got []string
	for _, k := range sample.Keys() {
		name, key, ok := k.ForText()
		if !ok || key("9.90").Compare(key("100.00")) >= 0 {
			t.Errorf("%s is not sorted by value", name)
		}
		got = append(got, name)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("members with decimals (-want +got):\n%s", diff)
	}
}
