package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/examples/internal/walk"
)

// errImport is wrapped by the errors of an import that has begun.
var errImport = errors.New("-import")

// importRecords replaces the records of a catalogue with those of the service whose root
// listing has the URL. It writes the number of records of each collection to output.
func importRecords(ctx context.Context, cat *catalogue.Catalogue, from string, output io.Writer) error {
	root, err := rootOf(from)
	if err != nil {
		return err
	}
	shown := progress.Start(output, "importing "+from, 0)
	defer shown.Stop()
	service := &walk.Service{
		Client: &http.Client{Transport: countingTransport{shown}, Timeout: 30 * time.Second},
		Root:   root,
		Size:   1000,
		Pause:  time.Second / 20,
	}
	if err := importAll(ctx, cat, service, output); err != nil {
		return fmt.Errorf("%w: %w", errImport, err)
	}
	return nil
}

// rootOf returns the URL of the root listing. Without a path, it is that of the documented service.
func rootOf(from string) (string, error) {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Path != "" && !strings.HasSuffix(u.Path, "/") {
		return "", fmt.Errorf("-import %s: want a URL such as http://127.0.0.1:8080 or https://books.example/api/", from)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/api/"
	}
	return u.String(), nil
}

// importAll imports the collections that a catalogue has, and names the others.
func importAll(ctx context.Context, cat *catalogue.Catalogue, service *walk.Service, output io.Writer) error {
	all, err := service.Collections(ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, from := range all {
		into, err := cat.Collection(from.Key)
		if err != nil {
			others = append(others, from.Key)
			continue
		}
		records, err := service.All(ctx, from.Segment)
		if err != nil {
			return err
		}
		list := make([]json.RawMessage, len(records))
		for i, r := range records {
			list[i] = r.JSON
		}
		text, err := json.Marshal(list)
		if err != nil {
			return err
		}
		if err := into.Load(bytes.NewReader(text), catalogue.LoadOptions{}); err != nil {
			return err
		}
		fmt.Fprintf(output, "imported %s: %d\n", from.Key, len(records))
	}
	if len(others) == len(all) {
		return fmt.Errorf("the service has no collection of the fake, only %q", others)
	}
	if others != nil {
		fmt.Fprintf(output, "not imported, as the fake has no such collection: %s\n", strings.Join(others, ", "))
	}
	return nil
}

// A countingTransport adds the bytes of response bodies to a meter.
type countingTransport struct{ shown *progress.Meter }

func (c countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		body := resp.Body
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(body, c.shown), body}
	}
	return resp, err
}
