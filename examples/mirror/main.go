// Mirror writes the records of a running service as JSON, in the format of
// Catalogue.Load and of the flag -data of serve. It is an example of package
// httpapi/client.
//
//	go run ./examples/mirror -url http://127.0.0.1:8080 >house.json
//	go run ./examples/mirror -url https://shop.example -token s3cret books authors >house.json
//
// It reads the named collections, or all 39, and sends at most five requests per second
// by default. It writes the records of a collection only if it has verified that none is
// missing, and reports the result for each collection on standard error.
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
	exitFailed  = 1 // a collection could not be read and is empty in the output
	exitMisused = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	service, keys, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "mirror:", err)
		return exitMisused
	}
	house := catalogue.New()
	report, failed := client.Import(ctx, house, service, keys...)
	fmt.Fprint(stderr, report)
	if err := house.Save(stdout); err != nil {
		fmt.Fprintln(stderr, "mirror:", err)
		return exitFailed
	}
	if failed != nil {
		return exitFailed
	}
	return exitOK
}

// parse returns a client configured by the flags, and the other arguments, which are
// keys of collections.
func parse(args []string, stderr io.Writer) (*client.Client, []string, error) {
	opts := client.Options{Header: http.Header{}}
	flags := flag.NewFlagSet("mirror", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints errors in one line
	flags.StringVar(&opts.BaseURL, "url", "", "`URL` of the service, without its root /api/")
	flags.StringVar(&opts.Root, "root", "/api/", "`path` of the root listing")
	flags.Float64Var(&opts.Rate, "rate", 5, "send at most `N` requests per second; negative means no limit")
	flags.Func("token", "send \"Authorization: Bearer `T`\"", func(token string) error {
		opts.Header.Set("Authorization", "Bearer "+token)
		return nil
	})
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stderr)
		flags.Usage()
	}
	if err != nil {
		return nil, nil, err
	}
	service, err := client.New(opts)
	return service, flags.Args(), err
}
