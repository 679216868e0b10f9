package browse

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

type person struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

// A word has no page, and a label of its own.
type word struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	InUse string `json:"inUse"`
}

type note struct {
	ID     int    `json:"id"`
	Author *int   `json:"author" backlist:"refers=people"`
	Editor *int   `json:"editor" backlist:"refers=people"`
	Words  []int  `json:"words" backlist:"refers=words"`
	Pages  *int   `json:"pages"`
	Said   string `json:"said"`
}

// threeNames are records whose names are markup, blank or in a field that is a label.
const threeNames = `{"people":[{"id":1,"name":"Ana"},{"id":2,"name":"<i>Ugo"},{"id":3,"name":" "}],
	"words":[{"id":1,"title":"x","inUse":"a"},{"id":2,"title":"x","inUse":"<b>"},{"id":3,"title":"x","inUse":""},{"id":4,"title":"x","inUse":"d"}],
	"notes":[{"id":1,"author":1,"editor":2,"words":[2,1,3,4],"pages":7,"said":"Yes"},{"id":2,"author":1,"editor":3,"words":[],"pages":null,"said":"No"}]}`

// notePages returns pages of notes, which refer to people by two fields and to words, and a
// function that returns the number of requests for one person.
func notePages(t *testing.T, records string) (http.Handler, func() int) {
	t.Helper()
	cat, err := catalogue.New(
		catalogue.Define[person]("people", catalogue.Options{}),
		catalogue.Define[word]("words", catalogue.Options{Description: &schema.Description{Actions: schema.List, Label: "in_use"}}),
		catalogue.Define[note]("notes", catalogue.Options{Description: &schema.Description{Filters: []string{"author", "words"}}}),
	)
	must(t, err)
	must(t, cat.Load(strings.NewReader(records), catalogue.LoadOptions{}))
	requests := 0
	var all []httpapi.Collection
	for _, c := range cat.All() {
		all = append(all, got{c, &requests})
	}
	h, err := httpapi.NewHandler(all, httpapi.Options{})
	must(t, err)
	return browsing(t, h, Options{}), func() int { return requests }
}

// A got counts the records that are requested by their ids.
type got struct {
	catalogue.AnyCollection
	requests *int
}

func (c got) Get(ctx context.Context, segment string, filter schema.Filter) ([]byte, error) {
	*c.requests++
	return c.AnyCollection.Get(ctx, segment, filter)
}

// A read counts the records that a collection lists.
type read struct {
	catalogue.AnyCollection
	records *int
}

func (c read) List(ctx context.Context, q catalogue.Query) (catalogue.Listing, error) {
	list, err := c.AnyCollection.List(ctx, q)
	*c.records += len(list.Records)
	return list, err
}

// Whatever the style of pages is, a page shows the same names, choices and numbers, and reads as many
// records.
func TestStyles(t *testing.T) {
	cat, err := catalogue.New(
		catalogue.Define[person]("people", catalogue.Options{}),
		catalogue.Define[word]("words", catalogue.Options{Description: &schema.Description{Actions: schema.List, Label: "in_use"}}),
		catalogue.Define[note]("notes", catalogue.Options{Description: &schema.Description{Filters: []string{"author", "words"}}}),
	)
	must(t, err)
	var people, words, notes []string
	for i := 1; i <= 40; i++ {
		people = append(people, fmt.Sprintf(`{"id":%d,"name":"P%d"}`, i, i))
		notes = append(notes, fmt.Sprintf(`{"id":%d,"author":%d,"editor":null,"words":[%d],"pages":1,"said":"S%d"}`, i, 40, 3*i, i))
	}
	for i := 1; i <= 120; i++ {
		words = append(words, fmt.Sprintf(`{"id":%d,"title":"x","inUse":"w%d"}`, i, i))
	}
	must(t, cat.Load(strings.NewReader(`{"people":[`+strings.Join(people, ",")+`],"words":[`+strings.Join(words, ",")+`],"notes":[`+strings.Join(notes, ",")+`]}`), catalogue.LoadOptions{}))
	for _, style := range []pagination.Style{
		nil, pagination.Limits{Max: 25}, pagination.Numbers{}, pagination.Numbers{Size: "page_size"}, pagination.Numbers{Page: "page[number]"}, pagination.Cursors{},
	} {
		records := 0
		var all []httpapi.Collection
		for _, c := range cat.All() {
			all = append(all, read{c, &records})
		}
		handler, err := httpapi.NewHandler(all, httpapi.Options{Pages: style, Authorizer: httpapi.AllowAll})
		must(t, err)
		h := browsing(t, handler, Options{})
		for _, test := range []struct {
			target, shows string
			records       int // of the page, with one more for a cursor, people for names and choices, and words for names
		}{
			{"/api/", "Notes 40 records People 40 records Words 120 records", 3},
			{"/api/notes/", "S21", 22 + 40 + 120},
			{"/api/notes/", " 3 P40 w9 – 1 S3 ", 22 + 40 + 120},
			{"/api/notes/?_method=POST", "P40", 22 + 40 + 120},
			{"/api/people/40/", "Notes, author 40 Note 1 Note 2 Note 3 Note 4 Note 5", 5},
		} {
			records = 0
			page := get(h, test.target)
			if !strings.Contains(page.text, test.shows) || records > test.records {
				t.Errorf("%#v: %s reads %d records, want at most %d, and shows no %q: %.900s", style, test.target, records, test.records, test.shows, page.text)
			}
		}
	}
}

// A record whose name is a time is called by the time that people read.
func TestNameThatIsATime(t *testing.T) {
	h, _ := notePages(t, `{"people":[{"id":1,"name":"2026-05-10T18:00:00+02:00"}],"notes":[{"id":1,"author":1,"editor":null,"words":[],"pages":null,"said":"x"}]}`)
	const want = "10 May 2026, 16:00 UTC"
	if title := get(h, "/api/people/1/").find("h1", "", ""); title[0].text != want {
		t.Errorf("the title is %s, want %s", title[0].text, want)
	}
	if page := get(h, "/api/notes/"); !strings.Contains(page.text, want) {
		t.Errorf("a reference is not %s in %s", want, page.text)
	}
}

// A page requests at most maxAsked records for their names.
func TestManyNames(t *testing.T) {
	var people, notes, words []string
	for i := 1; i <= 151; i++ {
		people = append(people, fmt.Sprintf(`{"id":%d,"name":"P%d"}`, i, i))
		words = append(words, fmt.Sprintf(`{"id":%d,"title":"x","inUse":"w%d"}`, i, i))
		notes = append(notes, fmt.Sprintf(`{"id":%d,"author":%d,"editor":null,"words":[%d],"pages":1,"said":""}`, i, i, i))
	}
	h, requests := notePages(t, `{"people":[`+strings.Join(people, ",")+`],"words":[`+strings.Join(words, ",")+`],"notes":[`+strings.Join(notes, ",")+`]}`)
	page := get(h, "/api/notes/?limit=60")
	if requests() != 10 || !strings.Contains(page.text, " P60 ") || !strings.Contains(page.text, " w60 ") {
		t.Errorf("%d requests for 60 names, of which 50 are those of the first page: %s", requests(), page.text)
	}
	before := requests()
	page = get(h, "/api/notes/?limit=1000&ordering=-id")
	if got := requests() - before; got != maxAsked || !strings.Contains(page.text, " P52 ") || !strings.Contains(page.text, " P1 ") || !strings.Contains(page.text, " 51 51 w51 – ") {
		t.Errorf("%d requests for 151 names, want %d", got, maxAsked)
	}
	if len(page.find("option", "value", "60")) != 0 {
		t.Error("the form offers 151 words")
	}
}

type ticket struct {
	ID     int      `json:"id"`
	Team   string   `json:"team"`
	Number string   `json:"number"`
	Level  int      `json:"level" backlist:"choices=1|2,labels=Low|High!"`
	Kinds  []string `json:"kinds" backlist:"item.choices=a|b,item.labels=Bug|Wish"`
	Steps  []struct {
		Level int `json:"level" backlist:"choices=1|2,labels=Low|High!"`
	} `json:"steps"`
}

// Pages show the labels of choices, and a record by the number that is unique in a team. A CSV file has
// the values.
func TestLabels(t *testing.T) {
	cat, err := catalogue.New(catalogue.Define[ticket]("tickets", catalogue.Options{Description: &schema.Description{
		Unique: [][]string{{"team", "number"}}, Filters: []string{"level", "level__in", "number", "importance"},
		Parameters: map[string]string{"importance": "level"},
	}}))
	must(t, err)
	must(t, cat.Load(strings.NewReader(`{"tickets":[{"id":1,"team":"x","number":"A-1","level":2,"kinds":["b","a"],"steps":[{"level":2}]},{"id":2,"team":"y","number":"A-2","level":1,"kinds":[],"steps":[]}]}`), catalogue.LoadOptions{}))
	h, err := httpapi.New(cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	must(t, err)
	pages := browsing(t, h, Options{})
	for _, test := range []struct{ reason, target, shows string }{
		{"a table and a facet", "/api/tickets/", "Level Low 1 High! 1 Links in the header order the records. Number⇅ Level⇅ Team⇅ Kinds⇅ Steps⇅ ID▲ A-1 High! x Wish, Bug 1 item 1"},
		{"a chip", "/api/tickets/?level=2", "Level: High! ×"},
		{"a chip of a parameter with a name of its own", "/api/tickets/?importance=2", "Level: High! ×"},
		{"two in a chip", "/api/tickets/?level__in=2,1", "Level one of High!, Low ×"},
		{"a record", "/api/tickets/1/", "Level High! Kinds Wish, Bug Steps Level High!"},
		{"a form", "/api/tickets/1/?_method=PATCH", "Low High!"},
		{"a file", "/api/tickets/?_export=csv", `1,x,A-1,2,"[""b"",""a""]","[{""level"":2}]"`},
	} {
		page := get(pages, test.target)
		if h1 := page.find("h1", "", ""); test.reason == "a record" && h1[0].text != "A-1" || !strings.Contains(page.text, test.shows) {
			t.Errorf("%s: no %q in %s", test.reason, test.shows, page.text)
		}
	}
}
