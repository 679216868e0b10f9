// Backlist serves the catalogue of a publishing house, with generated records or those of
// a file. It is a fake of the service for programs in any language, for pages in a
// browser, and for tests.
//
//	go install github.com/gobacklist/backlist/examples/backlist@latest
//	backlist -open &
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//
// Browsers receive HTML pages, and other clients JSON. The OpenAPI document is served
// at /openapi.json, and -openapi writes it to a file. Writes are refused without -open or
// -token. The flag -cors permits pages of other origins to send requests.
//
// # Records
//
// Package sample generates the records. The flag -seed selects other records, and -events and
// similar flags set their number. With -data, the records are those of a file of [catalogue.Catalogue.SaveFile].
//
// With -save, the records are written to a file every 10 seconds, or as often as
// -save-every says, if they have changed, and when the program ends after an interrupt or
// SIGTERM. The file is replaced completely or not at all. It may be that of -data. Generated
// records do not replace a file that exists.
//
// A request reads and writes the records that are current when it arrives. A reset replaces
// these records: requests that arrived before it finish on the old ones, and their writes are
// discarded with the old records, as if they came before it. Every other write that was
// answered is read by each later request and is in each later file.
//
// # Faults
//
// The flags -delay and -fail apply faults of package cataloguetest to requests:
//
//	backlist -delay 200ms -fail 'GET /api/events/ 503 10%' -fail 'POST cut nth=2'
//
// A fault is written as
//
//	[METHOD] [PATH] NAME [ARGUMENT ...] [SHARE%] [nth=N] [after=N] [offset=N] [seed=N]
//
// The path is as in [cataloguetest.Match]: the whole path, or a pattern of [http.ServeMux]
// such as /api/{$}. A share is a percentage of the requests, nth=2 selects the second
// request, after=1 skips the first, offset=21 selects the page that begins there, and seed
// determines which requests belong to a share. These are the names and arguments, with the
// function of package cataloguetest that documents each:
//
//	503                            Status; any status from 200
//	503 "busy"                     with a body in quotes or back quotes
//	unavailable 5s                 Unavailable: 503 with Retry-After
//	header Retry-After 5           Header; without a value, the header is removed
//	delay 2s                       Delay
//	slow 100 50ms                  Throttle: 100 bytes, a pause, and so on
//	cut                            ResetConnection: no response
//	cut-after 100                  ResetAfter 100 bytes of the body
//	truncate 100                   Truncate: a body of 100 bytes
//	browsable-api                  BrowsableAPI: HTML for format=api
//	next-is-self                   NextIsSelf
//	next-cycle                     Page: the next link leads to the first page
//	next-host elsewhere.example    Page: the next link leads to another host
//	next-scheme ftp                Page: the next link has another scheme
//	empty-page-with-next           Page: no records, and a link to the next page
//	missing-row, repeated-row      MissingRow, RepeatedRow
//	count-shrinks 1                Page: each count is less than the one before
//
// # Houses for tests
//
// The flag -control opens a second, loopback address, which takes HTTP requests with JSON.
// A house is a copy of the records with faults and a log of its own. A test suite creates a
// house for each test, reaches it below /houses/NAME/api/ or with the header
// X-Backlist-House, breaks it, reads the log of its requests, and removes it. README.md has
// the requests, and examples/python and examples/typescript a test suite each.
//
// # Signals
//
// After an interrupt or SIGTERM, backlist waits at most 30 seconds for running requests. A
// second signal ends it immediately, without saving.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // for example, the port is in use
	exitMisused = 2 // a flag or a file is invalid
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run serves until ctx is done and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return fail(stderr, err, exitMisused)
	}
	p, err := newProgram(ctx, c, log.New(stderr, "backlist: ", log.LstdFlags))
	if err != nil {
		return fail(stderr, err, exitMisused)
	}
	if c.openapi != "" {
		if err := writeDocument(c.openapi, p.document, stdout); err != nil {
			return fail(stderr, err, exitFailed)
		}
		return exitOK
	}
	listeners, err := p.listen(stdout)
	if err != nil {
		return fail(stderr, err, listenCode(err))
	}
	if err := p.serve(ctx, listeners); err != nil {
		return fail(stderr, err, exitFailed)
	}
	return exitOK
}

func fail(stderr io.Writer, err error, code int) int {
	fmt.Fprintln(stderr, "backlist:", err)
	return code
}

// listenCode returns the exit code for an error of net.Listen: exitFailed if the
// system refuses the address, exitMisused if the address is invalid.
func listenCode(err error) int {
	var refused *os.SyscallError
	if errors.As(err, &refused) {
		return exitFailed
	}
	return exitMisused
}

// writeDocument writes the OpenAPI document to a file, or to stdout for "-".
func writeDocument(file string, document *openapi.Document, stdout io.Writer) error {
	if file != "-" {
		return os.WriteFile(file, document.JSON(), 0o644)
	}
	_, err := stdout.Write(document.JSON())
	return err
}
