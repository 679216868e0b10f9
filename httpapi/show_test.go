package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A singer has songs, which are shown with the name of the singer.
type (
	singer struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
		Age  int    `json:"age"`
	}
	song struct {
		ID     int    `json:"id"`
		Title  string `json:"title" backlist:"maxlength=9"`
		Singer int    `json:"singer" backlist:"refers=singers,write=singer_id"`
	}
	songShown struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Singer string `json:"singer"`
	}
)

// errOfShow is the error of showing a song with the title "error".
var errOfShow = errors.New("the function that shows songs")

// newSongs returns a handler of a singer and three songs.
func newSongs(t *testing.T, opts Options) (h *Handler, c *catalogue.Catalogue) {
	t.Helper()
	singers, songs := catalogue.Define[singer]("singers", catalogue.Options{}), catalogue.Define[song]("songs", catalogue.Options{})
	show := func(at *catalogue.Catalogue, s *song) (songShown, error) {
		switch s.Title {
		case "error":
			return songShown{}, errors.Join(errOfShow, catalogue.ErrNotFound, Forbidden(""))
		case "panic":
			panic(errOfShow)
		}
		all, err := singers.In(at)
		if err != nil {
			return songShown{}, err
		}
		by, err := all.Get(s.Singer)
		return songShown{s.ID, s.Title, by.Name}, err
	}
	c, err := catalogue.New(singers, catalogue.Show(songs, show, singers))
	must(t, err)
	must(t, c.Load(strings.NewReader(`{"singers":[{"id":1,"name":"Nina","age":3}],
		"songs":[{"id":1,"title":"Sea","singer":1},{"id":2,"title":"Air","singer":1},{"id":3,"title":"Ice","singer":1}]}`), catalogue.LoadOptions{}))
	opts.Authorizer, opts.ETags = AllowAll, true
	h, err = New(c, opts)
	must(t, err)
	return h, c
}

// TestTagsOfShown checks that equal tags mean equal responses: a page's is that of all that it may show, a
// record's that of what it shows.
func TestTagsOfShown(t *testing.T) {
	h, _ := newSongs(t, Options{})
	page, record := call{target: "/api/songs/"}, call{target: "/api/songs/1/"}
	status := func(c call, method, tag string) int {
		c.method, c.header = method, http.Header{"If-None-Match": {tag}}
		if method != "GET" {
			c.header, c.body = http.Header{"If-Match": {tag}}, `{"title":"Fog"}`
		}
		return c.do(h).Status
	}
	ofPage, ofRecord := tagOf(t, h, page), tagOf(t, h, record)
	for _, step := range []struct {
		reason, target, body string
		page, record         int
	}{
		{"nothing has changed", "", "", 304, 304},
		{"a member that is not shown: the page may show it", "/api/singers/1/", `{"age":4}`, 200, 304},
		{"a member of another record that is shown", "/api/singers/1/", `{"name":"Odetta"}`, 200, 200},
	} {
		if step.target != "" {
			code, text := send(h, "PATCH", step.target, step.body)
			equal(t, step.reason+": "+text, http.StatusOK, code)
		}
		equal(t, step.reason+": the page", step.page, status(page, "GET", ofPage))
		equal(t, step.reason+": the record", step.record, status(record, "GET", ofRecord))
	}
	equal(t, "a PATCH of what has been shown otherwise", http.StatusPreconditionFailed, status(record, "PATCH", ofRecord))
	equal(t, "a PATCH of what is shown", http.StatusOK, status(record, "PATCH", tagOf(t, h, record)))
	equal(t, "what it shows", `{"id":1,"title":"Fog","singer":"Odetta"}`, get(h, "/api/songs/1/").Body)
}

// TestFailuresOfShown checks that an error or a panic of a function that shows a record is the 500 of its
// request, whatever it wraps, and that a write before it stays.
func TestFailuresOfShown(t *testing.T) {
	for _, title := range []string{"error", "panic"} {
		var reported error
		h, c := newSongs(t, Options{OnError: func(_ *http.Request, err error) { reported = err }})
		for _, step := range []struct {
			method, target, body string
			want                 int
		}{
			{"PATCH", "/api/songs/1/", `{"title":"` + title + `"}`, 500},
			{"GET", "/api/songs/1/", "", 500},
			{"GET", "/api/songs/", "", 500},
			{"HEAD", "/api/songs/1/", "", 500},
			{"GET", "/api/songs/2/", "", 200},
			{"GET", "/api/songs/?offset=1", "", 200},
			{"POST", "/api/songs/", `{"title":"` + title + `","singerId":1}`, 500},
			{"PATCH", "/api/songs/1/", `{"title":"Sea"}`, 500}, // a request finds a record as it is shown
			{"DELETE", "/api/songs/4/", "", 500},
		} {
			reported = nil
			code, text := send(h, step.method, step.target, step.body)
			if code != step.want || (reported != nil) != (code == 500) || reported != nil && !strings.Contains(reported.Error(), errOfShow.Error()) {
				t.Errorf("%s: %s %s: %d %s with the error %v, want %d", title, step.method, step.target, code, text, reported, step.want)
			}
		}
		must(t, c.Check())
		songs, err := c.Collection("songs")
		must(t, err)
		equal(t, title+": the songs that are stored", 4, songs.Count())
	}
}

// A panic under the lock of a writer, in a precondition that needs what is shown, leaves the collection usable.
func TestPanicOfShownInPrecondition(t *testing.T) {
	h, c := newSongs(t, Options{OnError: func(*http.Request, error) {}})
	songs, err := c.Collection("songs")
	must(t, err)
	_, err = songs.Create(context.Background(), []byte(`{"title":"error","singerId":1}`), schema.Record{})
	if err == nil {
		t.Fatal("no error")
	}
	r := httptest.NewRequest("DELETE", "/api/songs/4/", nil)
	r.Header.Set("If-Match", `"x"`)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	equal(t, "the status", 500, w.Code)
	code, _ := send(h, "PATCH", "/api/songs/1/", `{"title":"Fog"}`)
	equal(t, "a write after it", 200, code)
}
