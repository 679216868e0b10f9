package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/internal/progress"
	"github.com/gobacklist/backlist/httpapi/client"
)

// errImport is wrapped by the errors of an import that has begun.
var errImport = errors.New("-import")

// importRecords replaces the records of a catalogue with those of the service whose root
// listing has the URL. It writes the number of records of each collection to output.
func importRecords(ctx context.Context, cat *catalogue.Catalogue, from string, output io.Writer) error {
	base, root, err := splitRoot(from)
	if err != nil {
		return err
	}
	shown := progress.Start(output, "importing "+from, 0)
	defer shown.Stop()
	service, err := client.New(client.Options{
		BaseURL:  base,
		Root:     root,
		HTTP:     &http.Client{Transport: countingTransport{shown}, Timeout: 30 * time.Second},
		Rate:     20,
		PageSize: 1000,
	})
	if err != nil {
		return fmt.Errorf("-import: %w", err)
	}
	if err := importAll(ctx, cat, service, output); ctx.Err() != nil {
		return fmt.Errorf("%w: interrupted", errImport)
	} else if err != nil {
		return fmt.Errorf("%w: %w", errImport, err)
	}
	return nil
}

// splitRoot returns the base URL and the root of the URL of a root listing. Without a path, the
// root is the documented one.
func splitRoot(from string) (base, root string, err error) {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Path != "" && !strings.HasSuffix(u.Path, "/") {
		return "", "", fmt.Errorf("-import %s: want a URL such as http://127.0.0.1:8080 or https://books.example/api/", from)
	}
	if root = u.Path; root == "/" {
		root = ""
	}
	u.Path = ""
	return u.String(), root, nil
}

// importAll imports the collections that a catalogue has, and names the others.
func importAll(ctx context.Context, cat *catalogue.Catalogue, service *client.Client, output io.Writer) error {
	keys, err := service.Keys(ctx)
	if err != nil {
		return err
	}
	var others []string
	keys = slices.DeleteFunc(keys, func(key string) bool {
		_, err := cat.Collection(key)
		if err != nil {
			others = append(others, key)
		}
		return err != nil
	})
	if len(keys) == 0 {
		return fmt.Errorf("the service has no collection of the fake, only %q", others)
	}
	for imported := range service.Import(ctx, cat, keys...) {
		if imported.Err != nil {
			return imported.Err
		}
		fmt.Fprintf(output, "imported %s: %d\n", imported.Collection, imported.Records)
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
