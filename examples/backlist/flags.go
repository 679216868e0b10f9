package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
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
	seed    uint64         // of the generated records
	sizes   map[string]int // of them by key; empty: of each collection without a flag
	browse  bool

	cors      []string // origins
	save      string
	saveEvery time.Duration
	faults    []fault
	control   string
}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	flags := c.flags()
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return c, err
	}
	if err != nil {
		return c, err
	}
	return c, c.check(flags.Args())
}

// flags returns the flags, which set c. The text usage describes them.
func (c *config) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("backlist", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "")
	flags.StringVar(&c.baseURL, "base-url", "", "")
	flags.Func("cors", "", c.addOrigins)
	flags.BoolVar(&c.browse, "browse", true, "")
	flags.IntVar(&c.limits.Max, "max-limit", 1000, "")
	flags.StringVar(&c.openapi, "openapi", "", "")
	flags.StringVar(&c.version, "openapi-version", "3.1", "")

	flags.StringVar(&c.data, "data", "", "")
	flags.Func("save", "", nonEmpty(&c.save))
	flags.DurationVar(&c.saveEvery, "save-every", defaultSaveEvery, "")
	flags.Uint64Var(&c.seed, "seed", 0, "")
	for _, key := range sizeFlags {
		flags.Func(key, "", c.size(key))
	}
	flags.Func("others", "", c.size(""))

	flags.BoolVar(&c.open, "open", false, "")
	flags.Func("token", "", c.setToken)

	flags.Func("delay", "", c.addDelay)
	flags.Func("fail", "", c.addFault)
	flags.Func("control", "", nonEmpty(&c.control))
	return flags
}

// sizeFlags are the collections whose size has a flag of its own.
var sizeFlags = [...]string{"events", "labels", "authors", "social-links", "books"}

// defaultSaveEvery is the default of -save-every.
const defaultSaveEvery = 10 * time.Second

// nonEmpty returns a function that sets a text. It refuses an empty shell variable.
func nonEmpty(to *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return errors.New("want a value")
		}
		*to = s
		return nil
	}
}

// addDelay adds a delay of all requests.
func (c *config) addDelay(text string) error {
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		return errors.New("want a time such as 200ms or 2s")
	}
	return c.addFault("delay " + text)
}

// addFault adds a fault in text form.
func (c *config) addFault(text string) error {
	f, err := parseFault(text)
	c.faults = append(c.faults, f)
	return err
}

// size returns a function that parses the number of records of a collection or, if the key
// is empty, of each collection without a flag.
func (c *config) size(key string) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return errors.New("want a number of records")
		}
		if c.sizes == nil {
			c.sizes = map[string]int{}
		}
		c.sizes[key] = n
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
	case c.data != "" && (c.seed != 0 || c.sizes != nil):
		return errors.New("-data cannot be combined with the flags for generated records")
	case c.open && c.token != "":
		return errors.New("-open and -token cannot be combined")
	case c.saveEvery < 0:
		return fmt.Errorf("-save-every %v is negative; 0 saves only at the end", c.saveEvery)
	case c.saveEvery != defaultSaveEvery && c.save == "":
		return errors.New("-save-every needs -save")
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
