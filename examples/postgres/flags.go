package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// config is what the flags say.
type config struct {
	store   pgstore.Options
	addr    string
	load    string
	save    string
	check   bool
	token   string
	indexes []index
}

// index is one to be made.
type index struct {
	key   string
	terms []ordering.Term
}

// parse reads the flags. Asked for help, it prints that and returns flag.ErrHelp.
func parse(args []string, stderr io.Writer) (*config, error) {
	var c config
	flags := flag.NewFlagSet("postgres", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.store.Primary, "primary", "", "`DSN` of the database that is written to")
	flags.StringVar(&c.store.Replica, "replica", "", "`DSN` of a standby that is read from")
	flags.IntVar(&c.store.MaxConns, "conns", 0, "at most `N` connections to each (default 8)")
	flags.DurationVar(&c.store.Timeout, "timeout", 0, "for each thing that a request asks of the database (default 5s)")
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`host:port` to serve at; port 0 takes a free one, empty serves nothing")
	flags.StringVar(&c.load, "load", "", "put the records of this JSON `file` in the place of what is there")
	flags.StringVar(&c.save, "save", "", "write everything to a JSON `file`")
	flags.BoolVar(&c.check, "check", false, "look whether each row and each count is right")
	flags.StringVar(&c.token, "token", "", "let who has this bearer `token` write")
	flags.Func("index", "make an index for `collection:ordering`, such as books:name, unless there is one; may be repeated", c.addIndex)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("what is %q? There are only flags", flags.Arg(0))
	}
	return &c, nil
}

func (c *config) addIndex(text string) error {
	key, by, _ := strings.Cut(text, ":")
	if _, ok := resources.Lookup(key); !ok {
		return fmt.Errorf("there is no collection %q", key)
	}
	terms, err := ordering.ParseStrict(by, nil)
	if err != nil {
		return err
	}
	c.indexes = append(c.indexes, index{key, terms})
	return nil
}

// authorizer lets nobody write but who has the token.
func (c *config) authorizer() httpapi.Authorizer {
	if c.token == "" {
		return nil
	}
	return httpapi.Bearer(c.token)
}
