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

// config is what the flags say.
type config struct {
	addr    string
	data    string
	open    bool
	token   string
	baseURL string
	limits  pagination.Limits
	openapi string
	made    sample.Options // of the house that is made up
	browse  bool
}

// parse reads the flags. Asked for help, it prints that to stdout and returns
// flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to print, in one line
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 takes a free one")
	flags.StringVar(&c.data, "data", "", "JSON `file` of the house: an object of collection key to records; made up if not given")
	flags.Uint64Var(&c.made.Seed, "seed", 0, "make up house number `N`: another for each")
	flags.Func("events", "make up `N` events (default 300)", size(&c.made.Events))
	flags.Func("labels", "make up `N` labels (default 24)", size(&c.made.Labels))
	flags.Func("authors", "make up `N` authors (default 60)", size(&c.made.Authors))
	flags.Func("social-links", "make up `N` social links (default 80; none without authors)", size(&c.made.SocialLinks))
	flags.Func("books", "make up `N` books (default 200)", size(&c.made.Books))
	flags.Func("others", "make up `N` records of each other collection (default 12)", size(&c.made.Others))
	plain := flags.Bool("plain", false, "make it up without what is odd: shared slugs, null logos, midnights and so on")
	flags.BoolVar(&c.open, "open", false, "let anybody post")
	flags.Func("token", "let those post who send \"Authorization: Bearer `T`\"", c.setToken)
	flags.StringVar(&c.baseURL, "base-url", "", "`URL` that links begin with, for use behind a proxy; else that of the request")
	flags.BoolVar(&c.browse, "browse", true, "show browsers pages to click through; -browse=false gives them JSON too")
	flags.IntVar(&c.limits.Max, "max-limit", 1000, "most records `N` on a page; less than 0 is no maximum")
	flags.StringVar(&c.openapi, "openapi", "", "write what would be served to `file` in OpenAPI 3.1, - is standard output, and serve nothing")

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
		c.made.Without = sample.AllOddities
	}
	return c, c.check(flags.Args())
}

// size sets the number of records to make up, as the options of a sample want it.
func size(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		switch {
		case err != nil || n < 0:
			return errors.New("want a number of records")
		case n == 0:
			n = -1 // 0 is the default there
		}
		*to = n
		return nil
	}
}

// setToken refuses what can be no token, such as an unset variable of a shell.
func (c *config) setToken(token string) error {
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return errors.New("want a token without white space")
	}
	c.token = token
	return nil
}

// check finds what is wrong though each flag by itself is right.
func (c config) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case c.data != "" && c.made != (sample.Options{}):
		return errors.New("-data and what is said of a house to make up exclude each other")
	case c.open && c.token != "":
		return errors.New("-open and -token exclude each other")
	case c.limits.Max == 0:
		return errors.New("-max-limit 0 leaves no records; less than 0 is no maximum")
	}
	return nil
}

// scheme is that of the credentials that authorizer asks for.
func (c config) scheme() string {
	if c.token != "" {
		return "Bearer"
	}
	return ""
}

// authorizer says who may post; nil is nobody.
func (c config) authorizer() httpapi.Authorizer {
	switch {
	case c.open:
		return httpapi.AllowAll
	case c.token != "":
		return httpapi.Bearer(c.token)
	}
	return nil
}
