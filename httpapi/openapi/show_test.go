package openapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// A singer has songs, which are read with the singer.
type (
	singer struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	song struct {
		ID     int    `json:"id"`
		Title  string `json:"title" backlist:"maxlength=40"`
		Singer int    `json:"singer" backlist:"refers=singers,write=singer_id"`
	}
	songShown struct {
		ID     int     `json:"id"`
		Title  string  `json:"title"`
		Singer *singer `json:"singer"`
		Words  []int   `json:"words"`
	}
	songListed struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
)

// songs returns a catalogue of a singer and a song, if there are to be records.
func songs(t *testing.T, some bool) *catalogue.Catalogue {
	t.Helper()
	singers, songs := catalogue.Define[singer]("singers", catalogue.Options{}), catalogue.Define[song]("songs", catalogue.Options{})
	show := func(at *catalogue.Catalogue, s *song) (songShown, error) {
		all, err := singers.In(at)
		if err != nil {
			return songShown{}, err
		}
		by, err := all.Get(s.Singer)
		return songShown{ID: s.ID, Title: s.Title, Singer: &by}, err
	}
	list := func(_ *catalogue.Catalogue, s *song) (songListed, error) {
		if s.Title == "panic" {
			panic("the function of a list")
		}
		return songListed{s.ID, s.Title}, nil
	}
	c, err := catalogue.New(singers, catalogue.ShowInLists(catalogue.Show(songs, show, singers), list))
	must(t, err)
	if some {
		must(t, c.Load(strings.NewReader(`{"singers":[{"id":3,"name":"Nina"}],"songs":[{"id":7,"title":"Sea","singer":3}]}`), catalogue.LoadOptions{}))
	}
	return c
}

// Responses have what is shown, requests what is written. Members that no request can write are read-only.
func TestShown(t *testing.T) {
	c := songs(t, true)
	d := documentOf(t, c, httpapi.Options{Authorizer: httpapi.AllowAll}, Options{})
	for name, want := range map[string]string{
		"Song": `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"title":{"type":"string"},` +
			`"singer":{"readOnly":true,"oneOf":[{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"name":{"type":"string"}},"required":["id","name"]},{"type":"null"}]},` +
			`"words":{"type":"array","readOnly":true,"items":{"type":"integer","format":"int64"}}},"required":["id","title","singer","words"],` +
			`"examples":[{"id":7,"title":"Sea","singer":{"id":3,"name":"Nina"},"words":[]}]}`,
		"SongInLists": `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"title":{"type":"string"}},"required":["id","title"]}`,
		"NewSong": `{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":40},` +
			`"singerId":{"description":"The id of a record of the collection singers.","type":"integer","format":"int64"}},"required":["title","singerId"],` +
			`"examples":[{"title":"Sea","singerId":3}]}`,
	} {
		equal(t, name, want, compactJSON(t, d.Components.Schemas[name]))
	}
	if page := string(d.Components.Schemas["SongPage"]); !strings.Contains(page, `#/components/schemas/SongInLists"`) {
		t.Errorf("a page is %s", page)
	}
	h, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/api/songs/", strings.NewReader(d.exampleOf(t, "NewSong")))
	r.Header.Set("Content-Type", "application/json")
	if h.ServeHTTP(w, r); w.Code != http.StatusCreated {
		t.Errorf("the example of a body: %d %s", w.Code, w.Body)
	}
}

// Without a record that can be shown, an example is made up if all of its parts are known.
func TestShownWithoutRecords(t *testing.T) {
	broken := songs(t, true)
	of, err := broken.Collection("songs")
	must(t, err)
	_, err = of.Update(t.Context(), "7", catalogue.Edit{Body: []byte(`{"title":"panic"}`), Partial: true})
	must(t, err)
	for reason, c := range map[string]*catalogue.Catalogue{"no records": songs(t, false), "a function that panics": broken} {
		d := documentOf(t, c, httpapi.Options{Authorizer: httpapi.AllowAll}, Options{})
		if s := string(d.Components.Schemas["Song"]); !strings.Contains(s, `"words"`) || strings.Contains(s, "examples") && !strings.Contains(s, `"name":`) {
			t.Errorf("%s: %s", reason, s)
		}
	}
}
