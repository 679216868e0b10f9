package resources

// A SocialLink is an author's link to a page elsewhere.
type SocialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // several records may hold the same
	Logo   *string `json:"logo"` // URL, or nil, which is written null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}

// wireSocialLink is a SocialLink without methods, for encoding/json to walk.
type wireSocialLink SocialLink

// Clone is a deep copy. O(1).
func (s SocialLink) Clone() SocialLink {
	s.Logo = cloned(s.Logo)
	return s
}

// MarshalJSON writes the link as the service does; it gives no error. Text that
// is not UTF-8 is written with U+FFFD in place of the bad bytes. O(size).
func (s SocialLink) MarshalJSON() ([]byte, error) {
	return encode(wireSocialLink(s))
}

// UnmarshalJSON reads a link as MarshalJSON writes it, by the rules of
// [Event.UnmarshalJSON]; logo may be null. O(size).
func (s *SocialLink) UnmarshalJSON(data []byte) error {
	wire := wireSocialLink(s.Clone())
	if err := decodeStrict(data, socialLinkFields(), &wire); err != nil {
		return err
	}
	*s = SocialLink(wire)
	return nil
}
