package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// A singer has songs, which are shown with the singer, and in lists without.
type (
	singer struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	song struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Length int    `json:"length"`
		Singer int    `json:"singer" backlist:"refers=singers,write=singer_id"`
	}
	songShown struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Singer singer `json:"singer"`
		Others []int  `json:"others" backlist:"refers=songs"`
	}
	songListed struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
		By    string `json:"by"`
	}
)

// newSongs returns pages of two singers and two songs, and the songs.
func newSongs(t *testing.T, wrap func(httpapi.Collection) httpapi.Collection) (http.Handler, catalogue.AnyCollection) {
	t.Helper()
	singers, songs := catalogue.Define[singer]("singers", catalogue.Options{}), catalogue.Define[song]("songs", catalogue.Options{})
	show := func(at *catalogue.Catalogue, s *song) (songShown, error) {
		all, err := singers.In(at)
		if err != nil {
			return songShown{}, err
		}
		by, err := all.Get(s.Singer)
		return songShown{s.ID, s.Title, by, []int{3 - s.ID}}, err
	}
	list := func(at *catalogue.Catalogue, s *song) (songListed, error) {
		shown, err := show(at, s)
		return songListed{s.ID, s.Title, shown.Singer.Name}, err
	}
	c, err := catalogue.New(singers, catalogue.ShowInLists(catalogue.Show(songs, show, singers), list, singers))
	must(t, err)
	must(t, c.Load(strings.NewReader(`{"singers":[{"id":1,"name":"Nina"},{"id":2,"name":"Odetta"}],
		"songs":[{"id":1,"title":"Sea","length":99,"singer":2},{"id":2,"title":"Air","length":98,"singer":1}]}`), catalogue.LoadOptions{}))
	ofSingers, err1 := c.Collection("singers")
	ofSongs, err2 := c.Collection("songs")
	h, err := httpapi.NewHandler([]httpapi.Collection{ofSingers, wrap(ofSongs)}, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	must(t, err1, err2, err)
	pages, err := New(h, Options{})
	must(t, err)
	return pages, ofSongs
}

// Pages and files have what is shown. A form has what is stored, under the names that its request has.
func TestShown(t *testing.T) {
	for reason, wrap := range map[string]func(httpapi.Collection) httpapi.Collection{
		"a collection": func(c httpapi.Collection) httpapi.Collection { return c },
		"another path": func(c httpapi.Collection) httpapi.Collection { return httpapi.Describe(c, c.Description()) },
	} {
		h, songs := newSongs(t, wrap)
		list := get(h, "/api/songs/")
		for _, want := range []string{"By", "Odetta", "Sea"} {
			if !strings.Contains(list.text, want) {
				t.Errorf("%s: the list has no %q: %s", reason, want, list.text)
			}
		}
		if strings.Contains(list.text, "99") {
			t.Errorf("%s: the list has the length: %s", reason, list.text)
		}
		page := get(h, "/api/songs/1/")
		if !strings.Contains(page.text, "Odetta") || len(page.find("a", "href", "../../songs/2/")) != 1 {
			t.Errorf("%s: the page of a song has no singer or no link to the other song: %s", reason, page.text)
		}
		equal(t, reason+": a file", "id,title,by\r\n1,Sea,Odetta\r\n2,Air,Nina\r\n", strings.ReplaceAll(strings.ReplaceAll(get(h, "/api/songs/?_export=csv").body, "\r", ""), "\n", "\r\n"))
		const target = "/api/songs/1/?_method=PATCH"
		form := get(h, target)
		values := form.formValues("form", nil)
		equal(t, reason+": what the form has", [3]string{"Sea", "99", "2"}, [3]string{values.Get("title"), values.Get("length"), values.Get("singerId")})
		values.Set("singerId", "1")
		values.Set("length", "100")
		action := form.one(t, "form", "method", "post").attrs["action"]
		res := do(h, formRequest("/api/songs/1/"+action[strings.IndexByte(action, '?'):], values.Encode()))
		equal(t, reason+": the status of the form", http.StatusSeeOther, res.status)
		stored, err := songs.Stored(t.Context(), "1")
		must(t, err)
		equal(t, reason+": what is stored", `{"id":1,"title":"Sea","length":100,"singer":1}`, string(stored))
		res = do(h, formRequest("/api/songs/?_method=POST", "title=Ice&length=3&singerId=7"))
		if res.status != http.StatusBadRequest || !strings.Contains(res.text, "object does not exist") {
			t.Errorf("%s: a form with an unknown singer: %d %s", reason, res.status, res.text)
		}
		res = do(h, formRequest("/api/songs/?_method=POST", "title=Ice&length=3&singerId=2"))
		equal(t, reason+": the status of a form for a new song", http.StatusSeeOther, res.status)
		record, err := songs.Get(t.Context(), "3", schema.Filter{})
		must(t, err)
		equal(t, reason+": a new song", `{"id":3,"title":"Ice","singer":{"id":2,"name":"Odetta"},"others":[0]}`, string(record))
	}
}
