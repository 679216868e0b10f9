// Client prints all records of a collection of a running service, one JSON object per
// line. Package walk, in examples/internal, reads them.
//
//	go run ./examples/backlist &
//	go run ./examples/client -url http://127.0.0.1:8080 events
//	go run ./examples/client -url http://127.0.0.1:8080 -root /v1/ stories
//
// If it cannot read all records, it prints none and fails.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/examples/internal/walk"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, http.DefaultClient, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, client *http.Client, args []string, out io.Writer) error {
	set := flag.NewFlagSet("client", flag.ContinueOnError)
	set.SetOutput(io.Discard) // the caller prints the error
	base := set.String("url", "http://127.0.0.1:8080", "`URL` of the service, without its root")
	root := set.String("root", "/api/", "`path` of the root listing")
	timeout := set.Duration("timeout", time.Minute, "time limit for all requests together")
	if err := flags.Parse(set, args, out); err != nil {
		return err
	}
	if set.NArg() != 1 {
		return errors.New("usage: client [-url URL] [-root /api/] [-timeout 1m] collection")
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	service := walk.Service{Client: client, Root: strings.TrimRight(*base, "/") + *root}
	records, err := service.All(ctx, set.Arg(0))
	if err != nil {
		return err
	}
	lines := bufio.NewWriter(out)
	for _, r := range records {
		lines.Write(r.JSON)
		lines.WriteByte('\n')
	}
	return lines.Flush()
}
