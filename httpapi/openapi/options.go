package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Options configures a [Document]. The zero value is ready to use.
type Options struct {
	// Title is the title of the API. If empty, it is "Catalogue of a publishing house",
	// or "Catalogue" if none of the house's collections is served.
	Title string
	// Version is the version of the API. If empty, it is "1".
	Version string
	// Description is a description of the API in Markdown. If empty, it describes pages.
	Description string

	// OpenAPI is the version of OpenAPI in which the document is written, "3.1" or
	// "3.0". If empty, it is "3.1". Both versions describe the same service.
	OpenAPI string

	// Server is the part of the service's URLs before the root's path: a URL
	// ("https://x.example/shop"), or the path that the handler is mounted at
	// ("/shop"), relative to the host that serves the document. Trailing slashes are
	// ignored. If empty, the BaseURL of the handler is used. If that is empty too,
	// the server is the host that serves the document.
	Server string

	// Scheme is the authentication scheme that requests to write use in the Authorization
	// header: Bearer, or the one passed to [httpapi.Token]. With
	// [httpapi.Options.AuthorizeReads] all requests use it. If empty, the document
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
	case o.OpenAPI != "" && o.OpenAPI != version31 && o.OpenAPI != version30:
		return o, fmt.Errorf("%w: OpenAPI %q is neither %q nor %q", httpapi.ErrInvalidConfig, o.OpenAPI, version31, version30)
	}
	o.Title = cmp.Or(o.Title, defaultTitle(h))
	o.Version = cmp.Or(o.Version, "1")
	o.Description = cmp.Or(o.Description, defaultDescription)
	o.OpenAPI = cmp.Or(o.OpenAPI, version31)
	o.Server = cmp.Or(strings.TrimRight(cmp.Or(o.Server, h.BaseURL()), "/"), "/")
	return o, nil
}

const defaultDescription = "Collections of records, which are read in pages. A page has at most `limit` records after the first `offset` ones, " +
	"the number of all records, and the URLs of the next and the previous page."

func defaultTitle(h *httpapi.Handler) string {
	for _, s := range h.Served() {
		if _, documented := schema.Lookup(s.Description.Key); documented {
			return "Catalogue of a publishing house"
		}
	}
	return "Catalogue"
}
