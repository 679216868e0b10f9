package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/client"
	"github.com/gobacklist/backlist/ordering"
)

// collections returns an empty catalogue with the named collections of the service, or with
// all that its root listing has.
func collections(ctx context.Context, opts client.Options, keys []string) (*catalogue.Catalogue, error) {
	root := strings.TrimRight(opts.BaseURL, "/") + opts.Root
	links, err := listing(ctx, root, opts.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	known := slices.Sorted(maps.Keys(links))
	if len(known) == 0 {
		return nil, fmt.Errorf("%s: the root listing has no collections", root)
	}
	if len(keys) == 0 {
		keys = known
	}
	var definitions []catalogue.AnyDefinition
	for _, key := range keys {
		link, ok := links[key]
		if !ok {
			return nil, fmt.Errorf("%s: no collection %q: %s", root, key, ordering.Suggest(key, known))
		}
		about := schema.Description{Key: key, Actions: schema.List}
		if about.Segment, err = segment(link, opts.Root); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", root, key, err)
		}
		definitions = append(definitions, catalogue.Define[schema.Record](key, catalogue.Options{Description: &about}))
	}
	return catalogue.NewOnly(definitions...)
}

// listing returns the links of a root listing by the keys of the collections.
func listing(ctx context.Context, root string, header http.Header) (links map[string]string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, root, nil)
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	r.Header.Set("Accept", "application/json")
	service := http.Client{
		Timeout:       30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := service.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", resp.Status)
	}
	const most = 1 << 20 // bytes of a listing
	if err := json.NewDecoder(io.LimitReader(resp.Body, most)).Decode(&links); err != nil {
		return nil, fmt.Errorf("not a root listing: %w", err)
	}
	return links, nil
}

// segment returns the path segment of the collection to which a link leads.
func segment(link, root string) (string, error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", err
	}
	path := strings.TrimSuffix(u.Path, "/")
	name := path[strings.LastIndexByte(path, '/')+1:]
	if name == "" || !strings.HasSuffix(u.Path, root+name+"/") {
		return "", fmt.Errorf("the link %q does not lead to a collection below %s", link, root)
	}
	return name, nil
}
