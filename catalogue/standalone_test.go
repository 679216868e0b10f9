package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

type film struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func films(t *testing.T, records ...film) *catalogue.Collection[film] {
	t.Helper()
	c := mustCollection[film](t, catalogue.Options{Name: "films", History: 10})
	must(t, c.ReplaceAll(slices.Values(records)))
	return c
}

// TestSaveAndLoadOfCollection checks the documented forms, and that ids that were used
// are not assigned again after loading.
func TestSaveAndLoadOfCollection(t *testing.T) {
	for _, row := range []struct {
		reason string
		change func(c *catalogue.Collection[film])
		want   string
		next   int // the id that is assigned next
	}{
		{"empty", func(c *catalogue.Collection[film]) { must(t, c.ReplaceAll(nil)) }, "[]\n", 1},
		{"records", func(*catalogue.Collection[film]) {}, "[\n{\"id\":1,\"name\":\"a\"},\n{\"id\":5,\"name\":\"b\"}]\n", 6},
		{"the highest id was deleted", func(c *catalogue.Collection[film]) { must(t, c.Delete(5)) },
			"{\"$lastId\":5,\"results\":[\n{\"id\":1,\"name\":\"a\"}]}\n", 6},
	} {
		c := films(t, film{1, "a"}, film{5, "b"})
		row.change(c)
		var saved strings.Builder
		must(t, c.Save(&saved))
		equal(t, row.reason, row.want, saved.String())
		loaded := films(t)
		must(t, loaded.Load(strings.NewReader(saved.String()), catalogue.LoadOptions{}))
		equal(t, fmt.Sprintf("%s: loaded", row.reason), slices.Collect(c.All()), slices.Collect(loaded.All()))
		if id, err := loaded.Insert(film{}); id != row.next || err != nil {
			t.Errorf("%s: the next id is %d, %v; want %d", row.reason, id, err, row.next)
		}
	}
}

func TestLoadOfCollectionRefuses(t *testing.T) {
	for _, row := range []struct{ reason, text, want string }{
		{"an unknown member", `[{"id":1,"title":"a"}]`, `films: cannot load: record 1 (line 1): title: is unknown: want one of id, name`},
		{"a last id that is not positive", `{"$lastId":0,"results":[]}`, `films: cannot load: $lastId: invalid id: want a positive integer`},
		{"a last id that is not a number", `{"$lastId":"7","results":[]}`, `$lastId`},
		{"no array", `{"films":[]}`, "want an array of records, or an object whose results are one"},
		{"broken JSON", `[{"id":1}`, "unexpected end: line 1 column 10"},
	} {
		c := films(t, film{3, "old"})
		err := c.Load(strings.NewReader(row.text), catalogue.LoadOptions{})
		if !errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.reason, err, row.want)
		}
		equal(t, row.reason, []film{{3, "old"}}, slices.Collect(c.All()))
	}
}

// A grade is a, b or c.
type grade string

var errNoGrade = errors.New("is no grade")

func (g *grade) UnmarshalText(text []byte) error {
	if *g = grade(text); *g < "a" || *g > "c" {
		return fmt.Errorf("%s %w", text, errNoGrade)
	}
	return nil
}

// TestErrorOfMethod checks that the error of UnmarshalText is wrapped when a file is loaded,
// and that its text is the message about a posted record.
func TestErrorOfMethod(t *testing.T) {
	type pupil struct {
		ID     int              `json:"id"`
		Grade  grade            `json:"grade" backlist:"default=\"a\""`
		Grades map[string]grade `json:"grades"`
	}
	cat := mustCatalogue(t, catalogue.DefineBare[pupil]("pupils", catalogue.Options{}))
	c := collectionOf(t, cat, "pupils")
	for members, want := range map[string]string{
		`"grade":"z"`:         `{"grade":["z is no grade"]}`,
		`"grades":{"x":"z"}`:  `{"grades":{"x":["z is no grade"]}}`,
		`"grades":{"x":[]}`:   `{"grades":{"x":["Not a valid string."]}}`,
		`"grades":{"x":null}`: `{"grades":{"x":["This field may not be null."]}}`,
	} {
		var invalid schema.FieldErrors
		if _, err := c.Create(t.Context(), []byte(`{`+members+`}`), schema.Record{}); !errors.As(err, &invalid) {
			t.Errorf("posted %s: %v, want FieldErrors", members, err)
		} else if got, _ := json.Marshal(invalid); string(got) != want {
			t.Errorf("posted %s: %s, want %s", members, got, want)
		}
		err := c.Load(strings.NewReader(`[{"id":1,`+members+`}]`), catalogue.LoadOptions{})
		if errors.Is(err, errNoGrade) != strings.Contains(want, "no grade") {
			t.Errorf("loaded %s: %v", members, err)
		}
	}
}

func TestLoadRefusesParts(t *testing.T) {
	type pair struct {
		ID   int       `json:"id"`
		Of   [2]int    `json:"of"`
		Nums []int     `json:"nums"`
		All  []*[1]int `json:"all"`

		Name  string    `json:"name"`
		Live  bool      `json:"live"`
		Small int8      `json:"small"`
		At    time.Time `json:"at"`
		Grade *grade    `json:"grade"`
		Raw   []byte    `json:"raw"`
		Size  struct {
			W float64 `json:"w"`
		} `json:"size"`
	}
	c := collectionOf(t, mustCatalogue(t, catalogue.DefineBare[pair]("pairs", catalogue.Options{})), "pairs")
	for _, row := range []struct{ record, want, reason string }{
		{`"of":[1]`, "at least 2 elements", "an array with too few elements"},
		{`"of":[1,2,3]`, "no more than 2 elements", "an array with too many elements"},
		{`"nums":[1,null]`, "nums: 1: must not be null", "null in a list of integers"},
		{`"all":[null,[]]`, "1: Ensure this field has at least 1 elements", "an array in a list"},
		{`"nums":["abc"]`, `record 1 (line 2): nums: 0: want an integer, not "abc"`, "text in a list of integers"},
		{`"name":5`, `record 1 (line 2): name: want a string, not 5`, "a number as text"},
		{`"name":["` + strings.Repeat("é", 40) + `"]`, `name: want a string, not ["` + strings.Repeat("é", 29) + "…", "a long list as text"},
		{`"live":"true"`, `live: want true or false, not "true"`, "text as a boolean"},
		{`"small":300`, "small: want a number that int8 can hold, not 300", "a number out of range"},
		{`"small":1.5`, "small: want an integer, not 1.5", "a fraction"},
		{`"size":[1]`, "size: want an object, not [1]", "a list as a struct"},
		{`"size":{"w":"x"}`, `size: w: want a number, not "x"`, "text as a number in a struct"},
		{`"at":"today"`, `at: want a date-time such as "2006-01-02T15:04:05Z", not "today"`, "a word as a time"},
		{`"grade":"z"`, "grade: z is no grade", "text that UnmarshalText refuses"},
		{`"grade":5`, "grade: want a string, not 5", "a number for UnmarshalText"},
		{`"nums":5`, "nums: want a list, not 5", "a number as a list"},
		{`"raw":"!"`, `raw: want a string in base64, not "!"`, "text that is not base64"},
		{`"of":[1,2],"nums":[],"all":[null,[1]]`, "", "valid"},
	} {
		err := c.Load(strings.NewReader("[\n"+`{"id":1,`+row.record+`}]`), catalogue.LoadOptions{})
		if (err == nil) != (row.want == "") || err != nil && (!errors.Is(err, catalogue.ErrInvalidData) || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: %v, want %q", row.reason, err, row.want)
		}
	}
}

func TestLoadSkipsUnknownMembers(t *testing.T) {
	skip := catalogue.LoadOptions{SkipUnknown: true}
	c := films(t)
	must(t, c.Load(strings.NewReader(`[{"id":1,"title":{"x":[1]},"name":"a"},{"name":"b","id":2}]`), skip))
	equal(t, "the result", []film{{1, "a"}, {2, "b"}}, slices.Collect(c.All()))
	if err := c.Load(strings.NewReader(`[{"id":1,"name":5}]`), skip); !errors.Is(err, catalogue.ErrInvalidData) {
		t.Errorf("a number as a name: %v", err)
	}
	if err := c.Load(strings.NewReader(`[{"id":1,"x":1,"x":2}]`), skip); !errors.Is(err, catalogue.ErrInvalidData) {
		t.Errorf("a repeated unknown member: %v, want ErrInvalidData", err)
	}

	cat := mustNew()
	checkAtEnd(t, cat)
	text := `{"magazines":[{"id":1}],"$lastIds":[{"collection":"magazines","id":7}],"social-links":[{"id":1,"title":"t","url":"http://x.example","logo":null,"type":"web","author":1,"rank":3}],
		"books":[{"id":1,"any":"member"}]}`
	if err := cat.Load(strings.NewReader(text), catalogue.LoadOptions{}); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("an unknown collection: %v", err)
	}
	must(t, cat.Load(strings.NewReader(text), skip))
	link := mustHave(mustIn(resources.SocialLinks, cat).Get(1))
	if want := (resources.SocialLink{ID: 1, Title: "t", URL: "http://x.example", Type: "web", Author: 1}); !cmp.Equal(link, want) {
		t.Errorf("loaded %+v, want %+v", link, want)
	}
	books := mustIn(resources.Records("books"), cat)
	if book, err := books.Get(1); book.String() != `{"id":1,"any":"member"}` || err != nil {
		t.Errorf("an open record lost members: %v, %v", book, err)
	}
}

type (
	writesOnly struct {
		ID int `json:"id"`
	}
	writesText struct {
		ID int `json:"id"`
	}
	readsText struct {
		ID int `json:"id"`
	}
	bothText struct {
		ID int `json:"id"`
	}
	unknownWord struct {
		ID    int    `json:"id"`
		Title string `json:"title" backlist:"nonsense"`
	}
	misspelled struct {
		ID    int    `json:"id"`
		Price string `json:"price" backlist:"decimal=8.2,unqiue"`
	}
	priced struct {
		ID    int    `json:"id"`
		Code  string `json:"code" backlist:"unique"`
		Price string `json:"price" backlist:"decimal=8.2,unique"`
		Size  int    `json:"size" backlist:"min=0,default=1"`
	}
)

func (writesOnly) MarshalJSON() ([]byte, error)  { return []byte(`{"id":1}`), nil }
func (*writesText) MarshalText() ([]byte, error) { return []byte("1"), nil }
func (*readsText) UnmarshalText([]byte) error    { return nil }
func (*bothText) MarshalText() ([]byte, error)   { return nil, nil }
func (*bothText) UnmarshalText([]byte) error     { return nil }

// TestTagsOfStandaloneCollections: unique and decimal have an effect, the other words are
// for requests.
func TestTagsOfStandaloneCollections(t *testing.T) {
	c := mustCollection[priced](t, catalogue.Options{Unique: [][]string{{"code"}}})
	must(t, second(c.Insert(priced{Code: "a", Price: "9.50"})))
	must(t, second(c.Insert(priced{Code: "b", Price: "10.00", Size: -1})))
	for _, r := range []priced{{Code: "a", Price: "1.00"}, {Code: "c", Price: "10.0"}} {
		if _, err := c.Insert(r); !errors.Is(err, catalogue.ErrDuplicate) {
			t.Errorf("Insert(%v) = %v, want ErrDuplicate", r, err)
		}
	}
	page, err := c.Page(pagination.Window{}, ordering.Asc("price"))
	if err != nil || len(page.Records) != 2 || page.Records[0].Price != "9.50" {
		t.Errorf("by price: %v, %v", page, err)
	}
}
