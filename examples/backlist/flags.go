package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	_ "time/tzdata" // for -framework, whatever the system has

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// config holds the values of the flags.
type config struct {
	addr    string
	baseURL string
	cors    []string // origins
	open    bool
	token   string
	browse  bool
	limits  pagination.Limits
	style   string // of pages
	version schema.Framework

	file   string            // whose collections are served instead of those of the documented service
	id     map[string]string // names of ids by collection; "" for all others
	refers map[string]string // collections to which members refer
	code   bool              // print Go code
	data   string
	from   string // URL of a root listing to import
	save   string
	back   bool           // save to file
	seed   uint64         // of the generated records
	sizes  map[string]int // numbers of them by key; others is that of each collection without a flag

	faults  []string // in text form
	control string
}

// sizeFlags are the collections whose size has a flag of its own.
var sizeFlags = [...]string{"events", "labels", "authors", "social-links", "books"}

// parse parses the flags. If help is requested, it prints the usage to stdout and
// returns flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	c := config{sizes: map[string]int{}, id: map[string]string{}, refers: map[string]string{}}
	set := flag.NewFlagSet("backlist [FILE.json]", flag.ContinueOnError)
	set.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `HOST:PORT`; port 0 is a free one")
	set.StringVar(&c.baseURL, "base-url", "", "begin links with `URL`, for use behind a proxy")
	set.Func("cors", "let pages of these `ORIGIN,...` send requests; * for all pages", c.addOrigins)
	set.BoolVar(&c.open, "open", false, "permit all writes")
	set.StringVar(&c.token, "token", "", "permit writes with \"Authorization: Bearer `T`\"")
	set.BoolVar(&c.browse, "browse", true, "send HTML pages to browsers; -browse=false sends JSON")
	set.IntVar(&c.limits.Max, "max-limit", 1000, "largest page `N`; negative means no limit")
	flags.Framework(set, &c.version, "Europe/Rome") // as the documented service

	set.StringVar(&c.style, "pages", "offsets", "divide lists by limit and offset, by `STYLE` numbers, or by cursors")

	set.Func("id", "take the member `[COLLECTION=]NAME` of the JSON file as the id", func(text string) error {
		collection, name, both := strings.Cut(text, "=")
		if !both {
			collection, name = "", text
		}
		c.id[collection] = name
		return nil
	})
	set.Func("refers", "`[COLLECTION.]MEMBER=COLLECTION` makes a member of the JSON file a reference; without a value it is none", func(text string) error {
		name, collection, both := strings.Cut(text, "=")
		if !both {
			return errors.New("want a member and a collection, as in author=users")
		}
		c.refers[name] = collection
		return nil
	})
	set.BoolVar(&c.code, "go", false, "print the collections of the JSON file as Go code, and end")
	set.StringVar(&c.data, "data", "", "serve the records of a JSON `FILE` instead of generated ones")
	set.StringVar(&c.from, "import", "", "serve the records of the running service at `URL` instead of generated ones")
	set.Func("save", "write the records to a `FILE` at the start and the end; those of a JSON file at the end, to it or to FILE", func(text string) error {
		c.save, c.back = text, text == ""
		return nil
	})
	set.Uint64Var(&c.seed, "seed", 0, "generate other records, for each `N`")
	for _, key := range sizeFlags {
		set.Func(key, "generate `N` records of this collection", c.size(key))
	}
	set.Func("others", "generate `N` records of each other collection of /api/", c.size("others"))

	set.Func("delay", "delay all responses by a `TIME` such as 200ms", func(text string) error {
		if _, err := flags.Duration(text); err != nil {
			return err
		}
		return c.addFault("delay " + text)
	})
	set.Func("fail", "add a `FAULT` such as 'GET /api/events/ 503 10%'; see go doc ./examples/backlist", c.addFault)
	set.StringVar(&c.control, "control", "", "serve the control of tests at `HOST:PORT`, a loopback address")
	if err := flags.Parse(set, saving(args), stdout); err != nil {
		return c, translated(err)
	}
	if c.file = set.Arg(0); c.file != "" { // flags can follow
		if err := flags.Parse(set, set.Args()[1:], stdout); err != nil {
			return c, translated(err)
		}
	}
	if c.back {
		c.save = c.file
	}
	return c, c.check(set.Args())
}

// translated returns an error of flags with what a flag of json-server is here.
func translated(err error) error {
	for _, flag := range [...]struct{ name, here string }{
		{"-port", "write -addr 127.0.0.1:PORT"},
		{"-host", "write -addr HOST:PORT"},
		{"-watch", "a file is always watched"},
	} {
		if strings.HasPrefix(err.Error(), "unknown flag "+flag.name+":") {
			return fmt.Errorf("unknown flag %s: %s", flag.name, flag.here)
		}
	}
	return err
}

// saving returns arguments in which -save without a value has an empty one.
func saving(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.TrimPrefix(arg, "-") == "-save" || arg == "-save" {
			if i+1 == len(args) || strings.HasPrefix(args[i+1], "-") {
				args[i] = "-save="
			}
		}
	}
	return args
}

// addFault adds a fault in text form.
func (c *config) addFault(text string) error {
	c.faults = append(c.faults, text)
	_, err := parseFault(text)
	return err
}

// size returns a function that parses the number of records of a collection.
func (c *config) size(key string) func(string) error {
	return func(text string) error {
		n, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return errors.New("want a number of records")
		}
		c.sizes[key] = int(n)
		return nil
	}
}

// check returns an error for an invalid combination of flags.
func (c config) check(rest []string) error {
	switch {
	case len(rest) > 0 && rest[0] != c.file:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case c.file != "" && (c.data != "" || c.from != "" || c.seed != 0 || len(c.sizes) > 0):
		return fmt.Errorf("%s cannot be combined with -data, -import and the flags for generated records", c.file)
	case c.file == "" && (c.code || len(c.id)+len(c.refers) > 0):
		return errors.New("-go, -id and -refers are for a JSON file")
	case c.back && c.file == "":
		return errors.New("flag needs an argument: -save")
	case c.data != "" && (c.seed != 0 || len(c.sizes) > 0):
		return errors.New("-data cannot be combined with the flags for generated records")
	case c.data != "" && c.from != "":
		return errors.New("-import and -data cannot be combined")
	case c.from != "" && (c.seed != 0 || len(c.sizes) > 0):
		return errors.New("-import cannot be combined with the flags for generated records")
	case c.open && c.token != "":
		return errors.New("-open and -token cannot be combined")
	case c.limits.Max == 0:
		return errors.New("-max-limit 0 is invalid; negative means no limit")
	}
	_, err := c.pages()
	return err
}

// pages returns the style of pages, whose parameters have the names that the framework suggests.
func (c config) pages() (pagination.Style, error) {
	const size = "page_size"
	switch c.style {
	case "offsets":
		return c.limits, nil
	case "numbers":
		return pagination.Numbers{Limits: c.limits, Size: size}, nil
	case "cursors":
		return pagination.Cursors{Limits: c.limits, Size: size}, nil
	}
	return nil, fmt.Errorf("-pages %s: want offsets, numbers or cursors", c.style)
}

// writes returns the authorizer of writes, which is nil if they are refused, the scheme of
// the credentials that they need, if any, and a sentence about them.
func (c config) writes() (authorizer httpapi.Authorizer, scheme, sentence string) {
	switch {
	case c.open:
		return httpapi.AllowAll, "", "All writes are permitted."
	case c.token != "":
		return httpapi.Bearer(c.token), "Bearer", "Writes need the token."
	}
	return nil, "", "Writes are refused; -open permits them."
}
