package resources

import (
	"encoding/json"

	"github.com/gobacklist/backlist/catalogue/schema"
)

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

// A Label is a publishing imprint. A nil pointer is null in JSON.
type Label struct {
	ID             int      `json:"id"`
	Name           string   `json:"name"`
	Slug           string   `json:"slug"`
	Enabled        bool     `json:"enabled"`
	CatchPhrase    string   `json:"catchPhrase"`
	Description    string   `json:"description"`
	CatchLines     []string `json:"catchLines"` // may contain duplicates
	Users          []int    `json:"users"`      // ids of users
	Logo           string   `json:"logo"`
	LogoBig        string   `json:"logoBig"`
	Emblem         string   `json:"emblem"`
	LogoFooter     *string  `json:"logoFooter"`
	LogoWebp       string   `json:"logoWebp"`
	LogoBigWebp    string   `json:"logoBigWebp"`
	EmblemWebp     string   `json:"emblemWebp"`
	LogoFooterWebp *string  `json:"logoFooterWebp"`
	FacebookPage   *string  `json:"facebookPage"`
	BlueskyPage    *string  `json:"blueskyPage"`
	LinkedinPage   *string  `json:"linkedinPage"`
	InstagramPage  *string  `json:"instagramPage"`

	// The messages are null or any other JSON value; the document does not say
	// which. Nil messages are null.
	GlobalMessage   json.RawMessage `json:"globalMessage"`
	CheckoutMessage json.RawMessage `json:"checkoutMessage"`

	// Whether features of the site are enabled.
	FeatureCrowdfunding bool `json:"featureCrowdfunding"`
	FeatureProjects     bool `json:"featureProjects"`
	FeatureLibrary      bool `json:"featureLibrary"`
	FeatureExternals    bool `json:"featureExternals"`
	FeatureShop         bool `json:"featureShop"`
	FeatureAuthors      bool `json:"featureAuthors"`
	FeatureAbout        bool `json:"featureAbout"`
	FeatureCart         bool `json:"featureCart"`
	FeatureBookseller   bool `json:"featureBookseller"`
	FeatureEvents       bool `json:"featureEvents"`
}

// A SocialLink is a link to an author's page on another site.
type SocialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // not unique
	Logo   *string `json:"logo"` // URL, or nil for null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}
