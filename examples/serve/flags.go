package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// config is what the flags say.
type config struct {
	addr    string
	data    string
	open    bool
	token   string
	baseURL string
	limits  pagination.Limits
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
	flags.BoolVar(&c.open, "open", false, "let anybody post")
	flags.Func("token", "let those post who send \"Authorization: Bearer `T`\"", c.setToken)
	flags.StringVar(&c.baseURL, "base-url", "", "`URL` that links begin with, for use behind a proxy; else that of the request")
	flags.BoolVar(&c.browse, "browse", true, "show browsers pages to click through; -browse=false gives them JSON too")
	flags.IntVar(&c.limits.Max, "max-limit", 1000, "most records `N` on a page; less than 0 is no maximum")

	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stdout)
		flags.Usage()
		return c, err
	}
	if err != nil {
		return c, err
	}
	return c, c.check(flags.Args())
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
	case c.open && c.token != "":
		return errors.New("-open and -token exclude each other")
	case c.limits.Max == 0:
		return errors.New("-max-limit 0 leaves no records; less than 0 is no maximum")
	}
	return nil
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
