package origin

import (
	"fmt"
	"net/url"
	"strings"
)

// parseBaseURL parses a base URL. It returns the zero Origin if text is empty.
func parseBaseURL(text string) (Origin, error) {
	if text == "" {
		return Origin{}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return Origin{}, fmt.Errorf("BaseURL: %v", err)
	}
	if fault := baseURLFault(u, text); fault != "" {
		return Origin{}, fmt.Errorf("BaseURL %q %s", text, fault)
	}
	path := EscapePath(u.EscapedPath())
	return Origin{u.Scheme, u.Host, strings.TrimRight(path, "/")}, nil
}

// baseURLFault returns an error text if u is not a base URL, or "".
func baseURLFault(u *url.URL, text string) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "is not an absolute http or https URL"
	case u.User != nil:
		return "has user information"
	case strings.Contains(text, "?"):
		return "has a query"
	case strings.Contains(text, "#"):
		return "has a fragment"
	case !validHost(u.Host):
		return "has an invalid host"
	}
	return ""
}
