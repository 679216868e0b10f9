package recipes

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/ordering"
)

// TestList walks through records by page tokens while records before them are inserted.
func TestList(t *testing.T) {
	notes, err := catalogue.NewCollection[note](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"b", "d", "c", "e"} {
		if _, err := notes.Insert(note{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	byTitle := ordering.Asc("title")
	var titles []string
	r := ListRequest{PageSize: 3}
	for more := true; more; more = r.PageToken != "" {
		page, err := List(notes.Where(), r, byTitle)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range page.Items {
			titles = append(titles, n.Title)
		}
		if _, err := notes.Insert(note{Title: "a"}); err != nil {
			t.Fatal(err)
		}
		r.PageToken = page.NextPageToken
	}
	if diff := cmp.Diff([]string{"b", "c", "d", "e"}, titles); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	for reason, r := range map[string]ListRequest{"no token of List": {PageToken: "x"}, "a negative size": {PageSize: -1, PageToken: "x"}} {
		if _, err := List(notes.Where(), r, byTitle); !errors.Is(err, catalogue.ErrInvalidToken) {
			t.Errorf("%s: error %v, want ErrInvalidToken", reason, err)
		}
	}
	page, err := List(notes.Where(), ListRequest{PageSize: 1}, byTitle)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := List(notes.Where(), ListRequest{PageToken: page.NextPageToken}, ordering.Desc("title")); !errors.Is(err, catalogue.ErrInvalidToken) {
		t.Errorf("the token of another order: error %v, want ErrInvalidToken", err)
	}
}
