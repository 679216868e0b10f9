package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi/openapi"
)

// A program is a run of backlist.
type program struct {
	config
	errorLog *log.Logger
	document *openapi.Document
	houses   *houses
	saver    *saver // nil without -save
}

// newProgram loads the records. Its errors are those of the flags and of the file.
func newProgram(ctx context.Context, c config, errorLog *log.Logger) (*program, error) {
	p := &program{config: c, errorLog: errorLog}
	records, err := load(c)
	if err != nil {
		return nil, err
	}
	s := &service{config: c, errorLog: errorLog}
	api, err := s.api(records, "")
	if err != nil {
		return nil, err
	}
	if p.document, err = openapi.New(api, openapi.Options{
		Title: "Catalogue of a publishing house", Scheme: c.scheme(), OpenAPI: c.version,
	}); err != nil {
		return nil, err
	}
	s.document = p.document
	if p.houses, err = newHouses(s, records); err != nil {
		return nil, err
	}
	if c.save != "" && c.openapi == "" {
		p.saver, err = newSaver(c.save, c.data, p.houses.main)
	}
	return p, err
}

// A listening is a server with its listener.
type listening struct {
	net.Listener
	server *http.Server
}

// listen opens the addresses and prints them.
func (p *program) listen(stdout io.Writer) ([]listening, error) {
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		return nil, err
	}
	p.houses.setAddress(l.Addr())
	all := []listening{{l, p.newServer(allowOrigins(p.cors, p.houses))}}
	if p.control != "" {
		control, err := listenLoopback(p.control)
		if err != nil {
			l.Close()
			return nil, fmt.Errorf("-control: %w", err)
		}
		all = append(all, listening{control, p.newServer(refusePages(newControl(p.houses)))})
	}
	fmt.Fprintf(stdout, "serving http://%s/api/\n", l.Addr())
	for _, control := range all[1:] {
		fmt.Fprintf(stdout, "control http://%s/\n", control.Addr())
	}
	return all, nil
}

// newServer returns a server with timeouts. Where there can be faults, only the header of a
// request has a timeout, because a delay may be longer.
func (p *program) newServer(h http.Handler) *http.Server {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          p.errorLog,
	}
	if len(p.faults) == 0 && p.control == "" {
		s.ReadTimeout, s.WriteTimeout = 30*time.Second, 30*time.Second
	}
	return s
}

// serve serves and saves until ctx is done.
func (p *program) serve(ctx context.Context, all []listening) error {
	background, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	if p.saver != nil {
		running.Go(func() { p.saver.run(background, p.saveEvery, p.errorLog) })
	}
	err := serve(background, all, func() error {
		stop()
		running.Wait()
		return p.saver.save() // before running requests have ended, which can take long
	})
	return errors.Join(err, p.saver.save())
}

// serve serves until ctx is done, calls stopping, and then waits for running requests. After
// an error, no request is running.
func serve(ctx context.Context, all []listening, stopping func() error) error {
	failed := make(chan error, len(all))
	for _, s := range all {
		go func() { failed <- s.server.Serve(s.Listener) }()
	}
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	shutdown, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	stopped := make(chan error, len(all))
	for _, s := range all {
		go func() { stopped <- s.server.Shutdown(shutdown) }()
	}
	_ = stopping() // an error is that of the last save, too
	for range all {
		if late := <-stopped; late != nil && err == nil {
			err = fmt.Errorf("requests were still running: %w", late)
		}
	}
	for _, s := range all {
		s.server.Close() // an interrupted request gets no answer after the last save
	}
	return err
}
