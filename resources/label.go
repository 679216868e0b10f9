package resources

import (
	"encoding/json"
	"fmt"
)

// A Label is a publishing imprint. Pointers are nil where the service writes
// null.
type Label struct {
	ID             int      `json:"id"`
	Name           string   `json:"name"`
	Slug           string   `json:"slug"`
	Enabled        bool     `json:"enabled"`
	CatchPhrase    string   `json:"catchPhrase"`
	Description    string   `json:"description"`
	CatchLines     []string `json:"catchLines"` // may hold repeats
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

	// The document does not say what these hold when they are not null: any
	// JSON value. Nil and empty are null.
	GlobalMessage   json.RawMessage `json:"globalMessage"`
	CheckoutMessage json.RawMessage `json:"checkoutMessage"`

	// Switches for features of the site.
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

// wireLabel is a Label without methods, for encoding/json to walk.
type wireLabel Label

// Clone is a deep copy. Nil lists become empty, as they are written; nil
// pointers and messages stay nil. O(size of lists and messages).
func (l Label) Clone() Label {
	l.CatchLines = copied(l.CatchLines)
	l.Users = copied(l.Users)
	l.LogoFooter = cloned(l.LogoFooter)
	l.LogoFooterWebp = cloned(l.LogoFooterWebp)
	l.FacebookPage = cloned(l.FacebookPage)
	l.BlueskyPage = cloned(l.BlueskyPage)
	l.LinkedinPage = cloned(l.LinkedinPage)
	l.InstagramPage = cloned(l.InstagramPage)
	l.GlobalMessage = message(l.GlobalMessage)
	l.CheckoutMessage = message(l.CheckoutMessage)
	return l
}

// MarshalJSON writes the label as the service does; nil lists are written [],
// nil pointers and messages null. A message that is no JSON value is an error
// that names it and matches [ErrInvalid]. Text that is not UTF-8 is written
// with U+FFFD in place of the bad bytes. O(size).
func (l Label) MarshalJSON() ([]byte, error) {
	l = l.Clone()
	if err := l.tidy(); err != nil {
		return nil, err
	}
	return encode(wireLabel(l))
}

// UnmarshalJSON reads a label as MarshalJSON writes it, by the rules of
// [Event.UnmarshalJSON], but for the members the document lets be null: those
// may be null. O(size).
func (l *Label) UnmarshalJSON(data []byte) error {
	wire := wireLabel(l.Clone())
	if err := decodeStrict(data, labelFields(), &wire); err != nil {
		return err
	}
	read := Label(wire)
	if err := read.tidy(); err != nil {
		return err
	}
	*l = read
	return nil
}

// tidy brings the messages into the form the service writes.
func (l *Label) tidy() error {
	for _, m := range []struct {
		name string
		text *json.RawMessage
	}{{"globalMessage", &l.GlobalMessage}, {"checkoutMessage", &l.CheckoutMessage}} {
		if *m.text == nil {
			continue
		}
		text, err := canonical(*m.text)
		if err != nil {
			return fmt.Errorf("%w label: %s: %w", ErrInvalid, m.name, err)
		}
		*m.text = message(text)
	}
	return nil
}

// message copies a JSON value, with nil for null and for nothing.
func message(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	return copied(text)
}
