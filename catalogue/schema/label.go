package schema

import (
	"encoding/json"
	"fmt"
)

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
	// which. Nil and empty messages are null.
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

// wireLabel is a Label without methods, for encoding/json.
type wireLabel Label

// Clone returns a deep copy of the label. Nil lists become empty, as in JSON. Nil
// pointers and messages remain nil. O(size of the lists and messages).
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

// MarshalJSON returns the JSON of the label as the service writes it. Nil lists are [],
// nil pointers and messages are null. Invalid UTF-8 becomes U+FFFD. MarshalJSON returns
// an error wrapping [ErrInvalid] that names the message if a message is not valid JSON.
// O(size).
func (l Label) MarshalJSON() ([]byte, error) {
	l = l.Clone()
	if err := l.tidy(); err != nil {
		return nil, err
	}
	return encode(wireLabel(l))
}

// UnmarshalJSON parses the JSON of a label by the rules of [Event.UnmarshalJSON], except
// that the members that can be null in the document may be null. O(size).
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

// tidy converts the messages to the form that the service writes.
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

// message returns a copy of a JSON value, or nil if it is null or empty.
func message(text json.RawMessage) json.RawMessage {
	if len(text) == 0 || string(text) == "null" {
		return nil
	}
	return copied(text)
}
