package resources

// A SocialLink is a link to an author's page on another site.
type SocialLink struct {
	ID     int     `json:"id"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`  // not unique
	Logo   *string `json:"logo"` // URL, or nil for null
	Type   string  `json:"type"` // such as instagram
	Author int     `json:"author"`
}
