package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// Options configures a [Document]. The zero value is ready to use.
type Options struct {
	// Title is the title of the API. If empty, it is "Catalogue of a publishing house",
	// or "Catalogue" if none of the house's collections is served.
	Title string
	// Version is the version of the API. If empty, it is "1".
	Version string
	// Description is a description of the API in Markdown. If empty, it is omitted.
	Description string

	// Server is the part of the service's URLs before the root's path: a URL
	// ("https://x.example/shop"), or the path that the handler is mounted at
	// ("/shop"), relative to the host that serves the document. Trailing slashes are
	// ignored. If empty, the BaseURL of the handler is used. If that is empty too,
	// the document names no server.
	Server string

	// Scheme is the authentication scheme that requests to write use in the Authorization
	// header: Bearer, or the one passed to [httpapi.Token]. If empty, the document
	// describes no credentials.
	Scheme string
}

// defaults validates the options and returns a copy with defaults filled in.
func (o Options) defaults(h *httpapi.Handler) (Options, error) {
	server, err := url.Parse(o.Server)
	switch {
	case err != nil:
		return o, fmt.Errorf("%w: Server: %v", httpapi.ErrInvalidConfig, err)
	case server.RawQuery != "" || strings.ContainsAny(o.Server, "?#{}"):
		return o, fmt.Errorf("%w: Server %q has a query, a fragment or a template", httpapi.ErrInvalidConfig, o.Server)
	case o.Server != "" && server.Scheme == "" && (server.Host != "" || !strings.HasPrefix(o.Server, "/")):
		return o, fmt.Errorf("%w: Server %q is neither a URL nor an absolute path", httpapi.ErrInvalidConfig, o.Server)
	case server.Scheme != "" && (server.Scheme != "http" && server.Scheme != "https" || server.Host == ""):
		return o, fmt.Errorf("%w: Server %q is not an http or https URL", httpapi.ErrInvalidConfig, o.Server)
	case strings.ContainsAny(o.Scheme, " \t\r\n"):
		return o, fmt.Errorf("%w: Scheme %q contains white space", httpapi.ErrInvalidConfig, o.Scheme)
	}
	o.Title = cmp.Or(o.Title, defaultTitle(h))
	o.Version = cmp.Or(o.Version, "1")
	o.Server = strings.TrimRight(cmp.Or(o.Server, h.BaseURL()), "/")
	return o, nil
}

func defaultTitle(h *httpapi.Handler) string {
	for _, s := range h.Served() {
		if _, documented := resources.Lookup(s.Description.Key); documented {
			return "Catalogue of a publishing house"
		}
	}
	return "Catalogue"
}
