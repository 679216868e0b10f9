package catalogue

import (
	"encoding/json"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// The tests of this package have record types like those of package resources, which imports
// it, so that only tests of package catalogue_test can import that.

type event struct {
	ID          int             `json:"id"`
	Name        string          `json:"name"`
	Slug        string          `json:"slug"`
	Summary     string          `json:"summary"`
	Description string          `json:"description"` // HTML fragment
	Location    string          `json:"location"`
	StartDate   schema.DateTime `json:"startDate"`
	EndDate     schema.DateTime `json:"endDate"` // may be on a later day
	Published   bool            `json:"published"`
	Poster      string          `json:"poster"`     // URL or empty
	PosterWebp  string          `json:"posterWebp"` // URL or empty
	Labels      []int           `json:"labels"`     // ids of labels
	Authors     []int           `json:"authors"`    // ids of authors
}

// A label has members of each kind that labels have.
type label struct {
	ID            int             `json:"id"`
	Name          string          `json:"name"`
	Enabled       bool            `json:"enabled"`
	CatchLines    []string        `json:"catchLines"` // may contain duplicates
	Users         []int           `json:"users"`      // ids of users
	LogoFooter    *string         `json:"logoFooter"`
	GlobalMessage json.RawMessage `json:"globalMessage"` // null or any other JSON value
}

type socialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // not unique
	Logo   *string `json:"logo"` // URL, or nil for null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}

var (
	definedEvents = Define[event]("events", Options{StrictLoad: true, Description: &schema.Description{
		Actions: schema.List | schema.Create, Ordering: []ordering.Term{ordering.Asc("start_date")}, Fields: eventFields(),
	}})
	definedLabels = Define[label]("labels", Options{StrictLoad: true, Description: &schema.Description{Actions: schema.List, Fields: labelFields()}})
	definedLinks  = Define[socialLink]("social-links", Options{StrictLoad: true, Description: &schema.Description{
		Actions: schema.List | schema.Create, Fields: socialLinkFields(),
	}})
	definedAuthors = Define[schema.Record]("authors", Options{})
	definedBooks   = Define[schema.Record]("books", Options{})
)

// newPublisher returns an empty catalogue of events, labels, links, authors and books.
// Other definitions replace those with their keys.
func newPublisher(definitions ...AnyDefinition) *Catalogue {
	all := []AnyDefinition{definedEvents, definedLabels, definedLinks, definedAuthors, definedBooks}
	for _, d := range definitions {
		for i := range all {
			if all[i].Key() == d.Key() {
				all[i] = d
			}
		}
	}
	c, err := New(all...)
	if err != nil {
		panic(err)
	}
	return c
}

// mustIn returns d's collection in c.
func mustIn[T any](d Definition[T], c *Catalogue) *Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}

func eventFields() []schema.Field {
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "name", Kind: schema.Text, Required: true},
		{Name: "slug", Kind: schema.Slug, Required: true},
		{Name: "summary", Kind: schema.Text, Blank: true, Default: `""`},
		{Name: "description", Kind: schema.Text, Blank: true, Default: `""`},
		{Name: "location", Kind: schema.Text, Blank: true, Default: `""`},
		{Name: "startDate", Kind: schema.Timestamp, Required: true},
		{Name: "endDate", Kind: schema.Timestamp, Required: true},
		{Name: "published", Kind: schema.Boolean, Default: `false`},
		{Name: "poster", Kind: schema.URL, Blank: true, Default: `""`},
		{Name: "posterWebp", Kind: schema.URL, Blank: true, Default: `""`},
		{Name: "labels", Kind: schema.References, Refers: "labels", Default: `[]`},
		{Name: "authors", Kind: schema.References, Refers: "authors", Default: `[]`},
	}
}

func socialLinkFields() []schema.Field {
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "title", Kind: schema.Text, Required: true},
		{Name: "url", Kind: schema.URL, Required: true},
		{Name: "logo", Kind: schema.URL, Nullable: true, Blank: true, Default: `null`},
		{Name: "type", Kind: schema.Text, Required: true},
		{Name: "author", Kind: schema.Reference, Required: true, Refers: "authors"},
	}
}

func labelFields() []schema.Field {
	return []schema.Field{
		{Name: "id", Kind: schema.Integer, ReadOnly: true},
		{Name: "name", Kind: schema.Text, ReadOnly: true},
		{Name: "enabled", Kind: schema.Boolean, ReadOnly: true},
		{Name: "catchLines", Kind: schema.TextList, ReadOnly: true},
		{Name: "users", Kind: schema.References, ReadOnly: true},
		{Name: "logoFooter", Kind: schema.URL, Nullable: true, ReadOnly: true},
		{Name: "globalMessage", Kind: schema.JSON, Nullable: true, ReadOnly: true},
	}
}

// listed returns the parts of a list.
func listed(list List, err error) (count int, records [][]byte, _ error) {
	return list.Count, list.Records, err
}
