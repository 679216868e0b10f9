// Films serves three collections of its own: directors, films and screenings, which refer
// to each other. It is an example of a whole program.
//
//	go run ./examples/films -token s3cret -file films.json &
//	curl 'http://127.0.0.1:8080/v1/films/?minutes__gte=90&search=hitchcock'
//
// Browsers receive pages, and other clients JSON. README.md has more requests.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/films/collections"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

const root = "/v1/"

// config holds the values of the flags.
type config struct {
	addr   string
	file   string
	size   int // of the generated films; 0: none are generated
	token  string
	browse bool
}

func main() {
	c, err := parse(os.Args[1:], os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "films:", err)
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
	set := flag.NewFlagSet("films", flag.ContinueOnError)
	set.StringVar(&c.addr, "addr", "127.0.0.1:8080", "listen on `host:port`; port 0 chooses a free port")
	set.StringVar(&c.file, "file", "", "load the records from a JSON `file`, which is created if there is none, and save them at the end")
	set.IntVar(&c.size, "records", 0, "generate `N` films, with directors and screenings, instead of the 11 to begin with")
	set.StringVar(&c.token, "token", "", "permit writes with \"Authorization: Bearer `T`\"; without a token there are none")
	set.BoolVar(&c.browse, "browse", true, "send pages to browsers; -browse=false sends JSON")
	if err := flags.Parse(set, args, stdout); err != nil {
		return c, err
	}
	switch {
	case set.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case c.size < 0:
		return c, errors.New("-records must not be negative")
	case c.size > 0 && c.file != "":
		return c, errors.New("-records and -file cannot be combined")
	}
	return c, nil
}

// run serves the films until a signal, and then saves them. While it generates or
// loads films, requests are answered with 503.
func run(c config) error {
	cat, err := collections.New()
	if err != nil {
		return err
	}
	starting := &server.Starting{Board: &progress.Board{Writer: os.Stderr}}
	listener, err := server.Listen("-addr", c.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	wait := server.Begin(listener, &http.Server{
		Handler:           starting,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
	})
	serving := fmt.Sprintf("serving http://%s%s\n", listener.Addr(), root)
	if c.size > 0 {
		fmt.Print(serving)
		err = collections.Generate(cat, c.size, starting.Board)
	} else {
		err = load(cat, c.file, starting.Board)
	}
	if err != nil {
		return err
	}
	handler, err := newHandler(cat, c.token, c.browse)
	if err != nil {
		return err
	}
	ctx, stop := server.Catch(context.Background())
	defer stop()
	if starting.Set(handler); c.size > 0 {
		serving = "ready\n"
	}
	fmt.Print(serving)
	err = wait(ctx)
	if c.file != "" {
		err = errors.Join(err, cat.SaveFile(c.file))
	}
	return err
}

// records are the films to begin with.
//
//go:embed records.json
var records string

// load fills the collections from a file. If none exists yet, it creates it with records. It
// shows on output that it is loading, if that is a terminal.
func load(cat *catalogue.Catalogue, file string, output io.Writer) error {
	if file == "" {
		return cat.Load(strings.NewReader(records), catalogue.LoadOptions{})
	}
	shown := progress.Loading(output, file)
	defer shown.Stop()
	err := cat.LoadFile(file, catalogue.LoadOptions{Validate: true, References: true})
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := load(cat, "", output); err != nil {
		return err
	}
	return cat.SaveFile(file)
}

// newHandler returns the handler of the collections, with pages for browsers if pages is
// set, and of the OpenAPI document.
func newHandler(cat *catalogue.Catalogue, token string, pages bool) (http.Handler, error) {
	api, err := httpapi.New(cat, httpapi.Options{
		Root:       root,
		Authorizer: httpapi.Bearer(token),
		ETags:      true,
		OnError:    func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL.Path, err) },
	})
	if err != nil {
		return nil, err
	}
	document, err := openapi.New(api, openapi.Options{Title: "Films", Scheme: "Bearer"})
	if err != nil {
		return nil, err
	}
	var handler http.Handler = api
	if pages {
		about := browse.Options{Title: "Films", OpenAPI: "../openapi.json"}
		if token != "" {
			about.Scheme = "Bearer" // visitors can sign in
		}
		if handler, err = browse.New(api, about); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	mux.Handle("GET /openapi.json", document)
	mux.Handle("GET /{$}", http.RedirectHandler(root, http.StatusFound))
	return mux, httpapi.Mount(mux, "", handler)
}
