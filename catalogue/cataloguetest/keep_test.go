package cataloguetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// names returns the ids and names of a collection's records in the order of their ids.
func names(t *testing.T, house *cataloguetest.House, path string) (all []string) {
	t.Helper()
	for _, r := range page(t, house, path+"?ordering=id&limit=1000").Records {
		name, _ := r.Get("name")
		all = append(all, fmt.Sprint(r.ID, " ", name))
	}
	return all
}

func TestKeep(t *testing.T) {
	house := cataloguetest.New(t)
	all := names(t, house, "/api/labels/")
	tests := []struct {
		reason string
		ids    []int
		want   []string
	}{
		{"some, in any order", []int{3, 1}, []string{all[0], all[2]}},
		{"one that was removed returns", []int{2}, []string{all[1]}},
		{"none", nil, nil},
	}
	for _, tt := range tests {
		house.Keep("labels", tt.ids...)
		if diff := cmp.Diff(tt.want, names(t, house, "/api/labels/")); diff != "" {
			t.Errorf("%s: Keep(%v) (-want +got):\n%s", tt.reason, tt.ids, diff)
		}
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

func TestKeepErrors(t *testing.T) {
	tests := []struct {
		reason     string
		collection string
		ids        []int
		want       string
	}{
		{"unknown collection", "label", []int{1}, `"label": did you mean labels?`},
		{"unknown id", "labels", []int{1, 100000}, "100000"},
		{"an id twice", "labels", []int{1, 1}, "1"},
	}
	for _, tt := range tests {
		got := failureOf(t, func(tb testing.TB) {
			house := cataloguetest.New(tb)
			before := names(t, house, "/api/labels/")
			house.Keep(tt.collection, tt.ids...)
			if diff := cmp.Diff(before, names(t, house, "/api/labels/")); diff != "" {
				t.Errorf("%s: records changed (-before +after):\n%s", tt.reason, diff)
			}
		})
		if !strings.Contains(got, "Keep: ") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: reported %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// TestKeepReport checks that the report of a test that fails does not list the records that
// the test has removed before its first request.
func TestKeepReport(t *testing.T) {
	for _, after := range []bool{false, true} {
		var r *recorder
		got := failureOf(t, func(tb testing.TB) {
			r = tb.(*recorder)
			house := cataloguetest.New(tb)
			if after {
				getAll(tb, house, "/api/labels/")
			}
			house.Keep("labels", 1)
			tb.Errorf("failed")
		})
		logged := strings.Contains(strings.Join(r.logs, "\n"), "only in want")
		if got != "failed" || logged != after {
			t.Errorf("after the first request %t: %q, logged the records removed: %t", after, got, logged)
		}
	}
}

func TestSwap(t *testing.T) {
	house := cataloguetest.New(t)
	house.Keep("labels", 1, 2, 3)
	before := names(t, house, "/api/labels/")
	_, first, _ := strings.Cut(before[0], " ")
	_, third, _ := strings.Cut(before[2], " ")
	house.Swap("labels", 1, 3)
	if diff := cmp.Diff([]string{"1 " + third, before[1], "3 " + first}, names(t, house, "/api/labels/")); diff != "" {
		t.Errorf("after Swap (-want +got):\n%s", diff)
	}
	house.Swap("labels", 3, 1)
	if diff := cmp.Diff(before, names(t, house, "/api/labels/")); diff != "" {
		t.Errorf("after the second Swap (-want +got):\n%s", diff)
	}
	if err := house.Catalogue.Check(); err != nil {
		t.Error(err)
	}
	for _, ids := range [][2]int{{1, 4}, {4, 1}} { // 4 is not kept
		got := failureOf(t, func(tb testing.TB) {
			house := cataloguetest.New(tb)
			house.Keep("labels", 1, 2, 3)
			house.Swap("labels", ids[0], ids[1])
		})
		if !strings.Contains(got, "Swap: ") || !strings.Contains(got, ": 4") {
			t.Errorf("Swap(%v): reported %q, want the missing id", ids, got)
		}
	}
}

// TestDo checks that a write between two pages is seen by the second.
func TestDo(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Limits: pagination.Limits{Default: 2, Max: 2}})
	house.Keep("labels", 1, 2, 3, 4)
	b := house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Do(func() { house.Keep("labels", 2, 3, 4) }))
	first := page(t, house, "/api/labels/?ordering=id&limit=100")
	second := page(t, house, "/api/labels/?ordering=id&offset=2")
	var got []int
	for _, r := range append(first.Records, second.Records...) {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff([]int{1, 2, 4}, got); diff != "" || second.Count != 3 || b.Count() != 1 {
		t.Errorf("count %d, %d calls, ids (-want +got):\n%s", second.Count, b.Count(), diff)
	}
}

// TestDoPanics checks that a panic cuts the connection, and that a later request is served.
func TestDoPanics(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{Nth: 1}, cataloguetest.Do(func() { panic(http.ErrAbortHandler) }))
	if resp, err := house.Client.Get(house.URL + "/api/labels/"); err == nil {
		resp.Body.Close()
		t.Error("no error")
	}
	if status, _ := get(t, house, "/api/labels/"); status != http.StatusOK {
		t.Errorf("status %d, want 200", status)
	}
	got := failureOf(t, func(tb testing.TB) {
		cataloguetest.New(tb).Break(cataloguetest.Where{}, cataloguetest.Do(nil))
	})
	if !strings.Contains(got, "Do: nil function") {
		t.Errorf("nil: reported %q", got)
	}
}
