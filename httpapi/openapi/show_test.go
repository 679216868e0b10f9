package openapi

import (
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

// songs returns a catalogue of songs, which are shown with their singers.
func songs(t *testing.T) *catalogue.Catalogue {
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
		return songListed{s.ID, s.Title}, nil
	}
	c, err := catalogue.New(singers, catalogue.ShowInLists(catalogue.Show(songs, show, singers), list))
	must(t, err)
	return c
}

// Responses have what is shown, requests what is written. Members that no request can write are read-only.
func TestShown(t *testing.T) {
	c := songs(t)
	d := documentOf(t, c, httpapi.Options{Authorizer: httpapi.AllowAll}, Options{})
	for name, want := range map[string]string{
		"Song": `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"title":{"type":"string"},` +
			`"singer":{"readOnly":true,"oneOf":[{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"name":{"type":"string"}},"required":["id","name"]},{"type":"null"}]},` +
			`"words":{"type":"array","readOnly":true,"items":{"type":"integer","format":"int64"}}},"required":["id","title","singer","words"]}`,
		"SongInLists": `{"type":"object","properties":{"id":{"type":"integer","format":"int64"},"title":{"type":"string"}},"required":["id","title"]}`,
		"NewSong": `{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":40},` +
			`"singerId":{"description":"The id of a record of the collection singers.","type":"integer","format":"int64"}},"required":["title","singerId"]}`,
	} {
		equal(t, name, want, compactJSON(t, d.Components.Schemas[name]))
	}
	if page := string(d.Components.Schemas["SongPage"]); !strings.Contains(page, `#/components/schemas/SongInLists"`) {
		t.Errorf("a page is %s", page)
	}
}
