package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// config holds the values of the flags.
type config struct {
	addr    string
	data    string
	open    bool
	token   string
	baseURL string
	limits  pagination.Limits
	openapi string
	version string         // of OpenAPI
	sample  sample.Options // of the generated records
	browse  bool
}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	flags.StringVar(&c.data, "data", "", "serve the records of a JSON `file`, an object that maps keys of collections to arrays of records; by default records are generated")
	flags.Uint64Var(&c.sample.Seed, "seed", 0, "generate records from the seed `N`")
	flags.Func("events", "generate `N` events (default 300)", size(&c.sample.Events))
	flags.Func("labels", "generate `N` labels (default 24)", size(&c.sample.Labels))
	flags.Func("authors", "generate `N` authors (default 60)", size(&c.sample.Authors))
	flags.Func("social-links", "generate `N` social links (default 80; 0 without authors)", size(&c.sample.SocialLinks))
	flags.Func("books", "generate `N` books (default 200)", size(&c.sample.Books))
	flags.Func("others", "generate `N` records of each other collection (default 12)", size(&c.sample.Others))
	plain := flags.Bool("plain", false, "generate records without oddities such as repeated slugs and null logos")
	flags.BoolVar(&c.open, "open", false, "permit all posts")
	flags.Func("token", "permit posts with \"Authorization: Bearer `T`\"", c.setToken)
	flags.StringVar(&c.baseURL, "base-url", "", "begin links with `URL`, for use behind a proxy; by default links begin with the URL of the request")
	flags.BoolVar(&c.browse, "browse", true, "send HTML pages to browsers; with -browse=false they receive JSON")
	flags.IntVar(&c.limits.Max, "max-limit", 1000, "limit pages to `N` records; negative means no limit")
	flags.StringVar(&c.openapi, "openapi", "", "write the OpenAPI document to `file`, or to standard output if it is -, and exit")
	flags.StringVar(&c.version, "openapi-version", "3.1", "describe the service in OpenAPI `version` 3.1 or 3.0")

	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.Usage()
		return c, err
	}
	if err != nil {
		return c, err
	}
	if *plain {
		c.sample.Without = sample.AllOddities
	}
	return c, c.check(flags.Args())
}

// size returns a function that parses a number of records for [sample.Options].
func size(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil || n < 0:
			return errors.New("want a number of records")
		case n == 0:
			n = -1 // 0 would mean the default
		}
		*to = n
		return nil
	}
}

// setToken sets the token. It refuses invalid tokens, such as an empty shell variable.
func (c *config) setToken(token string) error {
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return errors.New("want a token without white space")
	}
	c.token = token
	return nil
}

// check returns an error for an invalid combination of flags.
func (c config) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case c.data != "" && c.sample != (sample.Options{}):
		return errors.New("-data cannot be combined with the flags for generated records")
	case c.open && c.token != "":
		return errors.New("-open and -token cannot be combined")
	case c.limits.Max == 0:
		return errors.New("-max-limit 0 is invalid; negative means no limit")
	}
	return nil
}

// scheme returns the scheme of the credentials for posts, or "" if none are needed.
func (c config) scheme() string {
	if c.token != "" {
		return "Bearer"
	}
	return ""
}

// authorizer returns the authorizer for posts, or nil if they are refused.
func (c config) authorizer() httpapi.Authorizer {
	switch {
	case c.open:
		return httpapi.AllowAll
	case c.token != "":
		return httpapi.Bearer(c.token)
	}
	return nil
}
