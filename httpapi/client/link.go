package client

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// pageURL is the parsed URL of a page.
type pageURL struct {
	list   string // the URL without limit, offset and format
	window pagination.Window
}

var errNotAbsolute = errors.New("want an absolute URL without user")

// parsePageURL parses the URL of a page as the service does.
func parsePageURL(raw string) (pageURL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return pageURL{}, err
	}
	if u.Scheme == "" || u.Host == "" || u.User != nil {
		return pageURL{}, errNotAbsolute
	}
	query, others := pagination.ParseQuery(u.RawQuery), url.Values{}
	for name, value := range query.All() {
		if name != "limit" && name != "offset" && name != "format" {
			others.Add(name, value)
		}
	}
	return pageURL{
		list:   u.Scheme + "://" + host(u) + u.EscapedPath() + "?" + others.Encode(),
		window: pagination.Limits{Max: -1}.Window(query),
	}, nil
}

// host returns the host of u with its port, unless that is the scheme's default.
func host(u *url.URL) string {
	name := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		return strings.TrimSuffix(name, ":80")
	case "https":
		return strings.TrimSuffix(name, ":443")
	}
	return name
}
