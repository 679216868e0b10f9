package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// config holds the values of the flags.
type config struct {
	addr       string
	data       string
	authorizer httpapi.Authorizer // nil if writes are refused
	baseURL    string
	browse     bool             // browsers receive HTML pages
	now        func() time.Time // nil means the current time
}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("films", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	flags.StringVar(&c.data, "data", "", "serve the records of a JSON `file`, an object that maps directors, genres and films to arrays of records")
	open := flags.Bool("open", false, "permit all writes")
	flags.Func("token", "permit writes with \"Authorization: Bearer `T`\"", func(token string) error {
		if token == "" || strings.ContainsAny(token, " \t\r\n") { // such as an empty shell variable
			return errors.New("want a token without white space")
		}
		c.authorizer = httpapi.Bearer(token)
		return nil
	})
	flags.StringVar(&c.baseURL, "base-url", "", "begin links with `URL`, for use behind a proxy; by default links begin with the URL of the request")
	flags.BoolVar(&c.browse, "browse", true, "send HTML pages to browsers; -browse=false sends JSON")
	flags.Func("now", "create films at the fixed `time`, such as 2026-01-02T03:04:05Z", func(text string) error {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return errors.New("want a time like 2026-01-02T03:04:05Z")
		}
		c.now = func() time.Time { return at }
		return nil
	})
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(stdout)
		flags.Usage()
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *open && c.authorizer != nil:
		err = errors.New("-open and -token cannot be combined")
	case *open:
		c.authorizer = httpapi.AllowAll
	}
	return c, err
}
