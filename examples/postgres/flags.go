package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// config holds the values of the flags.
type config struct {
	store   pgstore.Options
	addr    string
	load    string
	save    string
	check   bool
	token   string
	indexes []index
}

// index is an index to create.
type index struct {
	key   string
	terms []ordering.Term
}

// parse parses the flags. If help is requested, it prints the usage and returns
// flag.ErrHelp.
func parse(args []string, stderr io.Writer) (*config, error) {
	var c config
	flags := flag.NewFlagSet("postgres", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.store.Primary, "primary", "", "write to the database with this `DSN`")
	flags.StringVar(&c.store.Replica, "replica", "", "read from the standby with this `DSN`")
	flags.IntVar(&c.store.MaxConns, "conns", 0, "open at most `N` connections to each server (default 8)")
	flags.DurationVar(&c.store.Timeout, "timeout", 0, "time limit for each query of a request (default 5s)")
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port; if empty, do not serve")
	flags.StringVar(&c.load, "load", "", "replace all records with those of a JSON `file`")
	flags.StringVar(&c.save, "save", "", "write all records to a JSON `file`")
	flags.BoolVar(&c.check, "check", false, "check all rows and counts")
	flags.StringVar(&c.token, "token", "", "permit posts with this bearer `token`")
	flags.Func("index", "create an index for `collection:ordering`, such as books:name, unless it exists; may be repeated", c.addIndex)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return &c, nil
}

func (c *config) addIndex(text string) error {
	key, by, _ := strings.Cut(text, ":")
	documented, err := resources.New()
	if err != nil {
		return err
	}
	if _, err := documented.Collection(key); err != nil {
		return fmt.Errorf("unknown collection %q", key)
	}
	terms := ordering.Parse(by, nil)
	if terms == nil {
		return errors.New("no field to order by")
	}
	c.indexes = append(c.indexes, index{key, terms})
	return nil
}

// authorizer returns the authorizer for posts, or nil if they are refused.
func (c *config) authorizer() httpapi.Authorizer {
	if c.token == "" {
		return nil
	}
	return httpapi.Bearer(c.token)
}
