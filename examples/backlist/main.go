// Backlist serves the collections of any JSON file, or the catalogue of a publishing house, with
// generated records or those of a file. It is a fake of the service for programs in any language,
// for pages in a browser, and for tests.
//
// # A JSON file
//
// With the name of a file, as in backlist db.json, it serves the lists of objects in the file, each as
// a collection of /api/, with filters, orders, a search and paths for records, and prints what it
// has found. README.md says what it infers. Flags can follow the name. When the file changes, the new one is
// served. With -save, the records are written back when the program ends, in the form of the file, if requests
// have changed them. With -go, the collections are printed as Go code.
//
// # The catalogue service
//
//	go install github.com/gobacklist/backlist/examples/backlist@latest
//	backlist -open &
//	curl 'http://127.0.0.1:8080/api/events/?ordering=-start_date&limit=2'
//	curl 'http://127.0.0.1:8080/v1/stories/?genre=crime&pages__lte=9&search=fleuve'
//
// The documented service is at /api/. The same collections are at /v1/, with two that have
// filters, a search and paths for records. Browsers receive HTML pages, and other clients
// JSON. The OpenAPI document of /api/ is served at /openapi.json. Writes are refused without
// -open or -token. The flag -cors permits pages of other origins to send requests.
//
// # Records
//
// Package sample generates the records. The flag -seed selects other records, and -events and
// similar flags set their number. With -data, the records are those of a file of
// [catalogue.Catalogue.SaveFile].
//
// With -import, they are read from a running service, whose root listing is at the URL, or at
// /api/ if the URL has no path. It may be another backlist. The program prints the number of
// records of each collection, and ends if one cannot be read.
//
// With -save, the records are written to a file when the program starts, and when it ends
// after a signal. The file is replaced completely or not at all. It may be that
// of -data. Generated records do not replace a file that exists. If the file has changed when the
// program ends, because an editor or another program has written it, it stays as it is: the records are
// in a new file beside it, which the program names, and the exit code is 1.
//
// # Faults
//
// The flags -delay and -fail apply faults of package cataloguetest to requests:
//
//	backlist -delay 200ms -fail 'GET /api/events/ 503 10%' -fail 'POST cut nth=2' &
//
// A fault is written as
//
//	[METHOD] [PATH] NAME [ARGUMENT ...] [SHARE%] [nth=N] [times=N]
//
// The path is as in [cataloguetest.Match]: the whole path, or a pattern of [path.Match]
// such as /api/*/. A share is a percentage of the requests, nth=2 selects the second
// request, and times=2 selects two. These are the names and arguments, with the
// function of package cataloguetest that documents each:
//
//	503                            Status; any status from 200
//	503 "busy"                     with a body in quotes or back quotes
//	rate-limit 5s                  RateLimit: 429 with Retry-After, for 5s
//	late cut                       Late: another fault, after the write of the request
//	header Retry-After 5           Header; without a value, the header is removed
//	delay 2s                       Delay
//	cut                            ResetConnection: no response
//	cut-after 100                  ResetAfter 100 bytes of the body
//	stall-after 100                Stall after 100 bytes of the body, until the client disconnects
//	truncate 100                   Truncate: a body of 100 bytes
//
// and these for the pages of /api/:
//
//	next-is-self                   NextIsSelf
//	next-host elsewhere.example    Page: the next link leads to another host
//	missing-row, repeated-row      MissingRow, RepeatedRow
//
// # Tests
//
// The flag -control opens a second address, which must be loopback. A test suite uses it to
// add faults, to read the log of the requests, and to restore the records of the start.
// README.md has the requests, and examples/python and examples/typescript a test suite each.
//
// # Signals
//
// After an interrupt, SIGTERM, or SIGHUP, which the end of a terminal sends, backlist waits at most ten
// seconds for running requests. With nohup it ignores SIGHUP. A
// second signal ends it immediately, without saving, as does the first one before it serves.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/server"
)

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1 // for example, the port is in use
	exitMisused = 2 // a flag or a file is invalid
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run serves until ctx is done or the program receives a signal, and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	fail := func(code int, err error) int {
		fmt.Fprintln(stderr, "backlist:", err)
		if errors.Is(err, errImport) {
			return exitFailed
		}
		return code
	}
	if err != nil {
		return fail(exitMisused, err)
	}
	starting := &server.Starting{Board: &progress.Board{Writer: stderr}}
	var l net.Listener
	var wait func(context.Context) error
	if !c.code {
		if l, err = server.Listen("-addr", c.addr); err != nil {
			return fail(exitFailed, err)
		}
		defer l.Close()
		wait = server.Begin(l, &http.Server{Handler: allowOrigins(c.cors, starting), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute})
	}
	p, err := newProgram(ctx, c, log.New(starting.Board, "backlist: ", log.LstdFlags))
	switch {
	case err != nil:
		return fail(exitMisused, err)
	case c.code:
		return p.printCode(stdout, stderr)
	}
	ctx, stop := server.Catch(ctx)
	defer stop()
	starting.Set(p)
	if err := p.run(ctx, l.Addr().String(), wait, stdout); err != nil {
		return fail(exitFailed, err)
	}
	return exitOK
}

// printCode prints the collections of the file as Go code, and returns the exit code.
func (p *program) printCode(stdout, stderr io.Writer) int {
	name := strings.ToLower(strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, strings.TrimSuffix(filepath.Base(p.file), ".json")))
	if token.IsKeyword(name) || name == "" {
		name = "records"
	}
	if err := p.current.Load().read.Go(stdout, name); err != nil {
		fmt.Fprintln(stderr, "backlist:", err)
		return exitFailed
	}
	return exitOK
}

// run runs until wait returns, which serves at an address, and saves the records.
func (p *program) run(ctx context.Context, addr string, wait func(context.Context) error, stdout io.Writer) error {
	output := fmt.Sprintf("serving http://%s/api/\n", addr)
	if p.control != "" {
		control, err := listenLoopback(p.control)
		if err != nil {
			return fmt.Errorf("-control: %w", err)
		}
		output += fmt.Sprintf("control http://%s/\n", control.Addr())
		s := &http.Server{Handler: newControl(p), ReadHeaderTimeout: 5 * time.Second}
		defer s.Close()
		go func() { _ = s.Serve(control) }()
	}
	_, _, writes := p.writes()
	found := fmt.Sprintf("Stories and series at http://%s/v1/ can be filtered and searched.", addr)
	if read := p.current.Load().read; read != nil {
		root := "http://" + addr + "/api/"
		found = strings.TrimSuffix(read.Found(root), "\n")
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		go p.follow(ctx, root, stdout)
	}
	fmt.Fprintf(stdout, "%s%s %s\n", output, found, writes)
	err := wait(ctx)
	if p.save != "" {
		err = errors.Join(err, p.saveAtEnd())
	}
	return err
}
