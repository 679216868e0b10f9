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
	Slug        string          `json:"slug" backlist:"slug"`
	Summary     string          `json:"summary" backlist:"blank"`
	Description string          `json:"description" backlist:"blank"` // HTML fragment
	Location    string          `json:"location" backlist:"blank"`
	StartDate   schema.DateTime `json:"startDate"`
	EndDate     schema.DateTime `json:"endDate"` // may be on a later day
	Published   bool            `json:"published"`
	Poster      string          `json:"poster" backlist:"url,blank"`       // URL or empty
	PosterWebp  string          `json:"posterWebp" backlist:"url,blank"`   // URL or empty
	Labels      []int           `json:"labels" backlist:"refers=labels"`   // ids of labels
	Authors     []int           `json:"authors" backlist:"refers=authors"` // ids of authors
}

// A Label is a publishing imprint. A nil pointer is null in JSON.
type Label struct {
	ID             int      `json:"id"`
	Name           string   `json:"name" backlist:"readonly"`
	Slug           string   `json:"slug" backlist:"slug,readonly"`
	Enabled        bool     `json:"enabled" backlist:"readonly"`
	CatchPhrase    string   `json:"catchPhrase" backlist:"blank,readonly"`
	Description    string   `json:"description" backlist:"blank,readonly"`
	CatchLines     []string `json:"catchLines" backlist:"readonly"` // may contain duplicates
	Users          []int    `json:"users" backlist:"readonly"`      // ids of users
	Logo           string   `json:"logo" backlist:"url,readonly"`
	LogoBig        string   `json:"logoBig" backlist:"url,readonly"`
	Emblem         string   `json:"emblem" backlist:"url,readonly"`
	LogoFooter     *string  `json:"logoFooter" backlist:"url,readonly"`
	LogoWebp       string   `json:"logoWebp" backlist:"url,readonly"`
	LogoBigWebp    string   `json:"logoBigWebp" backlist:"url,readonly"`
	EmblemWebp     string   `json:"emblemWebp" backlist:"url,readonly"`
	LogoFooterWebp *string  `json:"logoFooterWebp" backlist:"url,readonly"`
	FacebookPage   *string  `json:"facebookPage" backlist:"url,readonly"`
	BlueskyPage    *string  `json:"blueskyPage" backlist:"url,readonly"`
	LinkedinPage   *string  `json:"linkedinPage" backlist:"url,readonly"`
	InstagramPage  *string  `json:"instagramPage" backlist:"url,readonly"`

	// The messages are null or any other JSON value; the document does not say
	// which. Nil messages are null.
	GlobalMessage   json.RawMessage `json:"globalMessage" backlist:"readonly"`
	CheckoutMessage json.RawMessage `json:"checkoutMessage" backlist:"readonly"`

	// Whether features of the site are enabled.
	FeatureCrowdfunding bool `json:"featureCrowdfunding" backlist:"readonly"`
	FeatureProjects     bool `json:"featureProjects" backlist:"readonly"`
	FeatureLibrary      bool `json:"featureLibrary" backlist:"readonly"`
	FeatureExternals    bool `json:"featureExternals" backlist:"readonly"`
	FeatureShop         bool `json:"featureShop" backlist:"readonly"`
	FeatureAuthors      bool `json:"featureAuthors" backlist:"readonly"`
	FeatureAbout        bool `json:"featureAbout" backlist:"readonly"`
	FeatureCart         bool `json:"featureCart" backlist:"readonly"`
	FeatureBookseller   bool `json:"featureBookseller" backlist:"readonly"`
	FeatureEvents       bool `json:"featureEvents" backlist:"readonly"`
}

// A SocialLink is a link to an author's page on another site.
type SocialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url" backlist:"url"`        // not unique
	Logo   *string `json:"logo" backlist:"url,blank"` // URL, or nil for null
	Type   string  `json:"type"`                      // such as instagram
	Author int     `json:"author" backlist:"refers=authors"`
}
