package client

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// question is what the URL of a page asks for.
type question struct {
	list   string // the URL without what is below and without format
	window pagination.Window
}

var errNotAbsolute = errors.New("want an absolute URL without user")

// parseQuestion takes the URL of a page apart, as the service does, but for a
// query that cannot be read without doubt: what net/url would drop may be a filter.
func parseQuestion(raw string) (question, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return question{}, err
	}
	if u.Scheme == "" || u.Host == "" || u.User != nil {
		return question{}, errNotAbsolute
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return question{}, err
	}
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

// collectionOf is the key of the collection whose list that of a question is, the
// whole of it.
func collectionOf(list string) (key string, ok bool) {
	u, err := url.Parse(list)
	if err != nil {
		return "", false
	}
	for name := range u.Query() {
		if name != "ordering" {
			return "", false
		}
	}
	all := resources.Descriptions()
	i := slices.IndexFunc(all, func(c resources.Description) bool { return strings.HasSuffix(u.Path, "/api/"+c.Segment+"/") })
	if i < 0 {
		return "", false
	}
	return all[i].Key, true
}
