package catalogue_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

type checkedPost struct {
	ID   int   `json:"id"`
	Tags []int `json:"tags" backlist:"refers=tags"`
	Best int   `json:"best" backlist:"refers=tags"`
}

// newChecked returns the tags 1, 2 and 3. A list of post 1 refers to 1, and another field
// to 3.
func newChecked(t *testing.T) (catalogue.AnyCollection, *catalogue.Collection[film], *catalogue.Collection[checkedPost]) {
	t.Helper()
	about := catalogue.Options{Description: &schema.Description{}}
	tags, posts := catalogue.Define[film]("tags", about), catalogue.Define[checkedPost]("posts", about)
	cat := mustCatalogue(t, tags, posts)
	const data = `{"tags":[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}],"posts":[{"id":1,"tags":[1],"best":3}]}`
	must(t, cat.Load(strings.NewReader(data), catalogue.LoadOptions{}))
	encoded := collectionOf(t, cat, "tags")
	typed := mustIn(tags, cat)
	from := mustIn(posts, cat)
	t.Cleanup(func() {
	})
	return encoded, typed, from
}

var errRefused = errors.New("refused")

// TestUpdateIf checks that the check is called with the stored record, before the body is
// validated, and that its error is returned.
func TestUpdateIf(t *testing.T) {
	c, typed, _ := newChecked(t)
	for _, body := range []string{`{"name":"x"}`, `{"name":1e999}`, "{"} {
		if _, err := c.Update(t.Context(), "1", catalogue.Edit{Body: []byte(body), Partial: true, Precondition: func(record []byte) error {
			if string(record) != `{"id":1,"name":"a"}` {
				t.Errorf("check is called with %s", record)
			}
			return errRefused
		}}); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v, want the error of the check", body, err)
		}
	}
	if r, err := typed.Get(1); err != nil || r.Name != "a" || typed.Snapshot().Revision() != 1 {
		t.Errorf("after refused updates: %+v, revision %d (%v)", r, typed.Snapshot().Revision(), err)
	}
	if _, err := c.Update(t.Context(), "9", catalogue.Edit{Body: []byte("{}"), Partial: true, Precondition: func([]byte) error { return errRefused }}); !errors.Is(err, catalogue.ErrNotFound) {
		t.Errorf("no record: %v, want ErrNotFound", err)
	}
	if got, err := c.Update(t.Context(), "1", catalogue.Edit{Body: []byte(`{"name":"x"}`), Partial: true, Precondition: func([]byte) error { return nil }}); err != nil || string(got) != `{"id":1,"name":"x"}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestDeleteIf checks that nothing changes if the check returns an error, and that a record
// to which others refer fails first.
func TestDeleteIf(t *testing.T) {
	c, typed, posts := newChecked(t)
	refuse := func([]byte) error { return errRefused }
	for id, want := range map[int]error{1: errRefused, 2: errRefused, 3: catalogue.ErrReferenced, 9: catalogue.ErrNotFound} {
		if err := c.Delete(t.Context(), strconv.Itoa(id), schema.Filter{}, refuse); !errors.Is(err, want) {
			t.Errorf("id %d: %v, want %v", id, err, want)
		}
	}
	if p, err := posts.Get(1); err != nil || len(p.Tags) != 1 || typed.Count() != 3 {
		t.Errorf("after refused deletions: %+v (%v) and %d tags", p, err, typed.Count())
	}
	if err := c.Delete(t.Context(), "1", schema.Filter{}, func([]byte) error { return nil }); err != nil || typed.Count() != 2 {
		t.Errorf("%v and %d tags, want 2", err, typed.Count())
	}
}

// TestDeleteIfExcludesWrites checks that writes to the collection wait for the condition of
// a Delete, so the condition holds at the instant of the deletion.
func TestDeleteIfExcludesWrites(t *testing.T) {
	c, typed, _ := newChecked(t)
	updated := make(chan error, 2)
	calls := 0
	err := c.Delete(t.Context(), "1", schema.Filter{}, func(record []byte) error {
		calls++
		go func() {
			_, err := c.Update(context.Background(), "1", catalogue.Edit{Body: []byte(`{"name":"x"}`), Partial: true})
			updated <- err
		}()
		go func() { updated <- typed.Update(1, func(*film) error { return nil }) }()
		select {
		case err := <-updated:
			t.Errorf("Update returned %v during Delete", err)
			updated <- err
		case <-time.After(50 * time.Millisecond): // they wait
		}
		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%v after %d calls of the condition, want 1", err, calls)
	}
	for range 2 {
		if err := <-updated; !errors.Is(err, catalogue.ErrNotFound) {
			t.Errorf("Update: %v, want ErrNotFound", err)
		}
	}
}
