// Package service is a program that serves the collections of a catalogue as Django REST framework
// serves them, for examples that differ only in their collections.
package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

// A Service is a program.
type Service struct {
	Title   string // of its pages; in lower case, the name of the program
	New     func(now func() time.Time) (*catalogue.Catalogue, error)
	Records string // JSON of the records without the flag -data, or ""
	Forms   bool   // bodies may be forms, as with the default parsers of the framework

	// Options, if not nil, changes the options of the handler. Their Authorizer is that of the flags:
	// nil if nobody may write. Served, if not nil, returns what the handler serves, in that order,
	// given the collections of the catalogue in theirs: restricted or described otherwise, or more.
	Options func(opts *httpapi.Options)
	Served  func(all []httpapi.Collection) []httpapi.Collection
}

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

// Main runs the program with the arguments of the process, until a signal.
func (s Service) Main() {
	c, err := s.parse(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", strings.ToLower(s.Title), err)
		os.Exit(2)
	}
	if err := s.run(c); err != nil {
		log.Fatal(err)
	}
}

// parse parses the flags. If help is requested, it prints the usage to stdout and returns
// flag.ErrHelp.
func (s Service) parse(args []string, stdout io.Writer) (config, error) {
	var c config
	set := flag.NewFlagSet(strings.ToLower(s.Title), flag.ContinueOnError)
	set.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	set.StringVar(&c.data, "data", "", "load the records from a JSON `file`, in place of those of the program")
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

// run serves the collections until a signal.
func (s Service) run(c config) error {
	listener, err := server.Listen("-addr", c.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	starting := &server.Starting{Board: &progress.Board{Writer: os.Stderr}}
	wait := server.Begin(listener, &http.Server{Handler: starting, ReadHeaderTimeout: 5 * time.Second})
	handler, err := s.handler(c, starting.Board)
	if err != nil {
		return err
	}
	ctx, stop := server.Catch(context.Background())
	defer stop()
	starting.Set(handler)
	fmt.Printf("serving http://%s/api/\n", listener.Addr())
	return wait(ctx)
}

// Handler returns the handler that the program serves if it has the arguments.
func (s Service) Handler(args ...string) (http.Handler, error) {
	c, err := s.parse(args, io.Discard)
	if err != nil {
		return nil, err
	}
	return s.handler(c, io.Discard)
}

// handler returns the handler of the collections, with the records of the file and with pages for
// browsers if the flags are set, and of the OpenAPI document. It shows its progress on output.
func (s Service) handler(c config, output io.Writer) (http.Handler, error) {
	cat, err := s.New(c.now)
	if err != nil {
		return nil, err
	}
	switch {
	case c.data != "":
		shown := progress.Loading(output, c.data)
		err = cat.LoadFile(c.data, catalogue.LoadOptions{})
		shown.Stop()
	case s.Records != "":
		err = cat.Load(strings.NewReader(s.Records), catalogue.LoadOptions{Validate: true, References: true})
	}
	if err != nil {
		return nil, err
	}
	opts := httpapi.Options{
		BaseURL:   c.baseURL,
		Framework: c.version,
		Forms:     s.Forms,
		OnError:   func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL.Path, err) },
	}
	scheme := ""
	switch {
	case c.open:
		opts.Authorizer = httpapi.AllowAll
	case c.token != "":
		scheme = "Bearer"
		opts.Authorizer = httpapi.Bearer(c.token)
	}
	if s.Options != nil {
		s.Options(&opts)
	}
	var all []httpapi.Collection
	for _, m := range cat.All() {
		all = append(all, m)
	}
	if s.Served != nil {
		all = s.Served(all)
	}
	api, err := httpapi.NewHandler(all, opts)
	if err != nil {
		return nil, err
	}
	document, err := openapi.New(api, openapi.Options{Title: s.Title, Scheme: scheme})
	if err != nil {
		return nil, err
	}
	var pages http.Handler = api
	if c.browse {
		if pages, err = browse.New(api, browse.Options{Title: s.Title, Scheme: scheme, OpenAPI: "../openapi.json"}); err != nil {
			return nil, err
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Location", "api/") // relative, so that it is valid behind a proxy
			w.WriteHeader(http.StatusFound)
		case "/openapi.json":
			document.ServeHTTP(w, r)
		default:
			pages.ServeHTTP(w, r)
		}
	}), nil
}
