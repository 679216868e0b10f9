// Shop serves the collections of a small shop, as Django REST framework serves them: with
// nested objects, rules, references by name, and records that are addressed by a slug or a UUID.
//
//	go run ./examples/shop -open &
//	curl 'http://127.0.0.1:8080/api/products/?category__name__icontains=home&ordering=-price'
//
// shop.go has the collections. The flag -data loads records from a file. Writes are refused
// without -open or -token. With -now, new records are created at that time, for tests. With
// -framework 3.18, responses are those of version 3.18 of the framework.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// config holds the values of the flags.
type config struct {
	addr    string
	data    string
	open    bool
	token   string
	browse  bool
	baseURL string
	now     func() time.Time
	version schema.Framework
}

func main() {
	c, err := parse(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shop:", err)
		os.Exit(2)
	}
	if err := run(c); err != nil {
		log.Fatal(err)
	}
}

// parse parses the flags. If help is requested, it prints the usage to stdout and returns
// flag.ErrHelp.
func parse(args []string, stdout io.Writer) (config, error) {
	var c config
	set := flag.NewFlagSet("shop", flag.ContinueOnError)
	set.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	set.StringVar(&c.data, "data", "", "load the records from a JSON `file`")
	set.BoolVar(&c.open, "open", false, "permit all writes")
	set.StringVar(&c.token, "token", "", "permit writes with \"Authorization: Bearer `T`\"")
	set.BoolVar(&c.browse, "browse", true, "send pages to browsers; -browse=false sends JSON")
	set.StringVar(&c.baseURL, "base-url", "", "begin links with `URL`, for use behind a proxy")
	flags.Framework(set, &c.version, "UTC")
	set.Func("now", "create records at this `time`, such as 2026-01-02T03:04:05.678Z", func(text string) error {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return errors.New("want a time such as 2026-01-02T03:04:05Z")
		}
		c.now = func() time.Time { return at }
		return nil
	})
	if err := flags.Parse(set, args, stdout); err != nil {
		return c, err
	}
	switch {
	case set.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case c.open && c.token != "":
		return c, errors.New("-open and -token cannot be combined")
	}
	return c, nil
}

// run serves the shop until a signal.
func run(c config) error {
	cat, err := newCatalogue(c.now)
	if err != nil {
		return err
	}
	if c.data != "" {
		shown := progress.Loading(os.Stderr, c.data)
		err := cat.LoadFile(c.data, catalogue.LoadOptions{})
		if shown.Stop(); err != nil {
			return err
		}
	}
	handler, err := newHandler(cat, c)
	if err != nil {
		return err
	}
	listener, err := server.Listen("-addr", c.addr)
	if err != nil {
		return err
	}
	fmt.Printf("serving http://%s/api/\n", listener.Addr())
	return server.Serve(context.Background(), listener, &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second})
}

// newHandler returns the handler of the collections, with pages for browsers if the flag is set.
func newHandler(cat *catalogue.Catalogue, c config) (http.Handler, error) {
	opts := httpapi.Options{
		BaseURL:   c.baseURL,
		Framework: c.version,
		OnError:   func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL.Path, err) },
	}
	about := browse.Options{Title: "Shop"}
	switch {
	case c.open:
		opts.Authorizer = httpapi.AllowAll
	case c.token != "":
		opts.Authorizer, about.Scheme = httpapi.Bearer(c.token), "Bearer"
	}
	api, err := httpapi.New(cat, opts)
	if err != nil || !c.browse {
		return api, err
	}
	return browse.New(api, about)
}
