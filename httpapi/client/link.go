package client

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// question is what the URL of a page asks for.
type question struct {
	list   string // the URL without what is below and without format
	window pagination.Window
}

var errNotAbsolute = errors.New("want an absolute URL without user")

// parseQuestion takes the URL of a page apart, as the service does.
func parseQuestion(raw string) (question, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return question{}, err
	}
	if u.Scheme == "" || u.Host == "" || u.User != nil {
		return question{}, errNotAbsolute
	}
	query := u.Query()
	for _, name := range []string{"limit", "offset", "format"} {
		query.Del(name)
	}
	return question{
		list:   u.Scheme + "://" + host(u) + u.EscapedPath() + "?" + query.Encode(),
		window: pagination.Limits{Max: -1}.Window(pagination.ParseQuery(u.RawQuery)),
	}, nil
}

// host is the host with its port, unless that goes without saying.
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
