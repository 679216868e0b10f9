// Command mirror writes the records of a live service as the JSON that serve -data
// and catalogue.Load read.
//
//	go run ./examples/mirror -url http://127.0.0.1:8080 >house.json
//	go run ./examples/mirror -url https://shop.example -token s3cret books authors >house.json
//
// It only reads, gently, and writes the collections of which it has proven that
// none of the records is missing; what became of each stands on the standard error.
// Without names it asks for all 39.
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
	exitFailed  = 1 // something could not be read, and is empty in what is written
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

// parse reads the flags, and whose names stand behind them.
func parse(args []string, stderr io.Writer) (*client.Client, []string, error) {
	opts := client.Options{Header: http.Header{}}
	flags := flag.NewFlagSet("mirror", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to print, in one line
	flags.StringVar(&opts.BaseURL, "url", "", "`URL` of the service, less /api/")
	flags.Float64Var(&opts.Rate, "rate", 5, "most requests `N` a second; less than 0 is no bound")
	flags.Func("token", "read with \"Authorization: Bearer `T`\"", func(token string) error {
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
