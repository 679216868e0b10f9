// Mirror writes the records of a running service as JSON, in the format of
// Catalogue.Load and of the flag -data of examples/backlist. It is an example of package
// httpapi/client.
//
//	go run ./examples/mirror -url http://127.0.0.1:8080 -o house.json
//	go run ./examples/mirror -url https://shop.example -token s3cret books authors >house.json
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

	"github.com/gobacklist/backlist/catalogue"
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
	house, err := collections(ctx, c.options, c.keys)
	if err != nil {
		fmt.Fprintln(stderr, "mirror:", err)
		return exitFailed
	}
	report, err := client.Import(ctx, house, c.service)
	fmt.Fprint(stderr, report)
	if err == nil {
		err = c.save(house, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "mirror: nothing is written:", err)
		return exitFailed
	}
	return exitOK
}

// A config holds the values of the arguments.
type config struct {
	options client.Options
	service *client.Client
	output  string // a file; empty: standard output
	keys    []string
}

func parse(args []string, stderr io.Writer) (c config, err error) {
	c.options.Header = http.Header{}
	flags := flag.NewFlagSet("mirror", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&c.options.BaseURL, "url", "", "`URL` of the service, without its root /api/")
	flags.StringVar(&c.options.Root, "root", "/api/", "`path` of the root listing")
	flags.Float64Var(&c.options.Rate, "rate", 5, "send at most `N` requests per second; negative means no limit")
	flags.StringVar(&c.output, "o", "", "write the records to `FILE` instead of standard output")
	flags.Func("token", "send \"Authorization: Bearer `T`\"", func(token string) error {
		c.options.Header.Set("Authorization", "Bearer "+token)
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
	c.service, err = client.New(c.options)
	return c, err
}

// save writes the records.
func (c config) save(house *catalogue.Catalogue, stdout io.Writer) error {
	if c.output != "" {
		return house.SaveFile(c.output)
	}
	return house.Save(stdout)
}
