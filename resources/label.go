package resources

import "encoding/json"

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
