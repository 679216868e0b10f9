package openapi

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
)

// Options say what the handler itself does not know. The zero value is good.
type Options struct {
	// Title names the interface. Empty: "Catalogue of a publishing house".
	Title string
	// Version is that of the interface, in the program's own counting. Empty: "1".
	Version string
	// Description is a text in Markdown. Empty: none.
	Description string

	// Server is what stands in front of /api/: a URL ("https://x.example/shop"), or
	// a path, the prefix that the handler is mounted with ("/shop"), which is then on
	// the host that the document came from. Slashes at its end do not count. Empty:
	// the BaseURL of the handler, or if that is empty too, nothing.
	Server string

	// Scheme is the scheme in the header Authorization by which the handler's
	// authorizer knows who may post: Bearer, or what [httpapi.Token] was given.
	// Empty: nothing is said of credentials.
	Scheme string
}

// defaults gives the options with which the document is made.
func (o Options) defaults(baseURL string) (Options, error) {
	server, err := url.Parse(o.Server)
	switch {
	case err != nil:
		return o, fmt.Errorf("%w: Server: %v", httpapi.ErrInvalidConfig, err)
	case server.RawQuery != "" || strings.ContainsAny(o.Server, "?#{}"):
		return o, fmt.Errorf("%w: Server %q is more than a URL's beginning", httpapi.ErrInvalidConfig, o.Server)
	case o.Server != "" && server.Scheme == "" && (server.Host != "" || !strings.HasPrefix(o.Server, "/")):
		return o, fmt.Errorf("%w: Server %q is neither a URL nor a path from the root", httpapi.ErrInvalidConfig, o.Server)
	case server.Scheme != "" && (server.Scheme != "http" && server.Scheme != "https" || server.Host == ""):
		return o, fmt.Errorf("%w: Server %q is no http or https URL", httpapi.ErrInvalidConfig, o.Server)
	case strings.ContainsAny(o.Scheme, " \t\r\n"):
		return o, fmt.Errorf("%w: Scheme %q has white space", httpapi.ErrInvalidConfig, o.Scheme)
	}
	o.Title = cmp.Or(o.Title, "Catalogue of a publishing house")
	o.Version = cmp.Or(o.Version, "1")
	o.Server = strings.TrimRight(cmp.Or(o.Server, baseURL), "/")
	return o, nil
}
