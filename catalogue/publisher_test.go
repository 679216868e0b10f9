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
	definedEvents = Define[event]("events", Options{StrictLoad: true, Ordering: []ordering.Term{ordering.Asc("start_date")}})
	definedLabels = Define[label]("labels", Options{StrictLoad: true})
	definedLinks  = Define[socialLink]("social-links", Options{StrictLoad: true})
)

// mustIn returns d's collection in c.
func mustIn[T any](d Definition[T], c *Catalogue) *Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}

func listed(list Listing, err error) (count int, records [][]byte, _ error) {
	return list.Count, list.Records, err
}
