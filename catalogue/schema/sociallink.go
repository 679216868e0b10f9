package schema

// A SocialLink is a link to an author's page on another site.
type SocialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // not unique
	Logo   *string `json:"logo"` // URL, or nil for null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}

// wireSocialLink is a SocialLink without methods, for encoding/json.
type wireSocialLink SocialLink

// Clone returns a deep copy of the link. O(1).
func (s SocialLink) Clone() SocialLink {
	s.Logo = cloned(s.Logo)
	return s
}

// MarshalJSON returns the JSON of the link as the service writes it. Invalid UTF-8
// becomes U+FFFD. The error is always nil. O(size).
func (s SocialLink) MarshalJSON() ([]byte, error) {
	return encode(wireSocialLink(s))
}

// UnmarshalJSON parses the JSON of a link by the rules of [Event.UnmarshalJSON], except
// that logo may be null. O(size).
func (s *SocialLink) UnmarshalJSON(data []byte) error {
	wire := wireSocialLink(s.Clone())
	if err := decodeStrict(data, socialLinkFields(), &wire); err != nil {
		return err
	}
	*s = SocialLink(wire)
	return nil
}
