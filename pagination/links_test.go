package pagination_test

import (
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func TestAppendNextAndPrevious(t *testing.T) {
	q := pagination.ParseQuery("q=1")
	w := pagination.Window{Limit: 10, Offset: 20}
	dst := []byte("to: ")

	next, ok := pagination.AppendNext(dst, "/b", q, w, 60)
	if diff := cmp.Diff("to: /b?limit=10&offset=30&q=1", string(next)); diff != "" || !ok {
		t.Errorf("AppendNext: %t (-want +got):\n%s", ok, diff)
	}
	previous, ok := pagination.AppendPrevious(dst, "/b", q, w)
	if diff := cmp.Diff("to: /b?limit=10&offset=10&q=1", string(previous)); diff != "" || !ok {
		t.Errorf("AppendPrevious: %t (-want +got):\n%s", ok, diff)
	}
	if got, ok := pagination.AppendNext(dst, "/b", q, w, 30); ok || string(got) != "to: " {
		t.Errorf("AppendNext on the last page = %q, %t", got, ok)
	}
	if got, ok := pagination.AppendPrevious(dst, "/b", q, pagination.Window{Limit: 10}); ok || string(got) != "to: " {
		t.Errorf("AppendPrevious on the first page = %q, %t", got, ok)
	}
}

// TestLinksDoNotModifyTheQuery uses a query from several goroutines, for the race
// detector.
func TestLinksDoNotModifyTheQuery(t *testing.T) {
	q := pagination.ParseQuery("b=1&limit=2&a=3&b=4&offset=5")
	done := make(chan string)
	for range 4 {
		go func() {
			next, _ := pagination.Links("", q, pagination.Window{Limit: 7, Offset: 7}, 60)
			b, _ := q.Get("b")
			done <- next + " " + b
		}()
	}
	for range 4 {
		if diff := cmp.Diff("?a=3&b=1&b=4&limit=7&offset=14 4", <-done); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
