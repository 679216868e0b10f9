package resources

import "github.com/gobacklist/backlist/catalogue/schema"

// An Event is a public appearance, such as a signing session. Slugs are not unique.
//
// The JSON of an Event in a collection has [] for nil lists, and offsets of dates as they
// were. [encoding/json.Marshal] writes null for nil lists. The dates of the zero Event are
// January 1, year 1.
type Event struct {
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
