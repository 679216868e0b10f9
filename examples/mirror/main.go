// Mirror writes the records of a running service as JSON, in the format of
// Catalogue.Load and of the flag -data of examples/backlist. It is an example of package
// httpapi/client.
//
//	go run ./examples/backlist -token s3cret &
//	go run ./examples/mirror -url http://127.0.0.1:8080 -rate 100 -o house.json
//	go run ./examples/mirror -url http://127.0.0.1:8080 -token s3cret books authors >some.json
//
// It reads the named collections, or all that the root listing of the service has, and
// sends at most five requests per second by default. It verifies that no record is missing,
// and reports the result for each collection on standard error. If a collection cannot be
// read, it writes no records at all. A file is replaced completely or not at all.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // a collection could not be read, or the output not be written
	exitMisused = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "mirror:", err)
		return exitMisused
	}
	into, err := collections(ctx, c.service, c.keys)
	if err != nil {
		fmt.Fprintln(stderr, "mirror:", err)
		return exitFailed
	}
	imported, err := client.Import(ctx, into, c.service)
	report(stderr, imported)
	if err == nil {
		err = c.save(into, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "mirror: nothing is written:", err)
		return exitFailed
	}
	return exitOK
}

// A config holds the values of the arguments.
type config struct {
	service *client.Client
	output  string // a file; empty: standard output
	keys    []string
}

func parse(args []string, stderr io.Writer) (c config, err error) {
	options := client.Options{Header: http.Header{}}
	flags := flag.NewFlagSet("mirror", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&options.BaseURL, "url", "", "`URL` of the service, without its root /api/")
	flags.StringVar(&options.Root, "root", "/api/", "`path` of the root listing")
	flags.Float64Var(&options.Rate, "rate", 5, "send at most `N` requests per second; negative means no limit")
	flags.StringVar(&c.output, "o", "", "write the records to `FILE` instead of standard output")
	flags.Func("token", "send \"Authorization: Bearer `T`\"", func(token string) error {
		options.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stderr)
		flags.Usage()
	}
	if err != nil {
		return c, err
	}
	c.keys = flags.Args()
	c.service, err = client.New(options)
	return c, err
}

// save writes the records.
func (c config) save(records *catalogue.Catalogue, stdout io.Writer) error {
	if c.output != "" {
		return records.SaveFile(c.output)
	}
	return records.Save(stdout)
}

// collections returns an empty catalogue with the named collections, or with all that the
// root listing of the service has.
func collections(ctx context.Context, service *client.Client, keys []string) (*catalogue.Catalogue, error) {
	if len(keys) == 0 {
		var err error
		if keys, err = service.Keys(ctx); err != nil {
			return nil, err
		}
		if len(keys) == 0 {
			return nil, errors.New("the root listing has no collections")
		}
	}
	var definitions []catalogue.AnyDefinition
	for _, key := range keys {
		definitions = append(definitions, catalogue.Define[schema.Record](key, catalogue.Options{}))
	}
	return catalogue.New(definitions...)
}

// report writes a line for each collection that was tried.
func report(w io.Writer, imported []client.Imported) {
	for _, c := range imported {
		if c.Err != nil {
			fmt.Fprintf(w, "%s: not loaded: %s\n", c.Collection, strings.TrimPrefix(c.Err.Error(), c.Collection+": "))
			continue
		}
		fmt.Fprintf(w, "%s: records %d, pages %d, from %s\n", c.Collection, c.Records, c.Pages, c.From)
	}
}
