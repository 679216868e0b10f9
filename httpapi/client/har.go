package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// ReadHAR reads the pages in an HTTP Archive of the documented service. It is
// Options{}.ReadHAR(r).
func ReadHAR(r io.Reader) (*Recording, error) { return Options{}.ReadHAR(r) }

// ReadHAR reads the pages in an HTTP Archive, version 1.2, as saved by the developer
// tools of browsers and by proxies. It reads the JSON responses with status 200 to a
// GET of a collection, whose path ends in the root and the collection's path segment.
// It skips all other entries, and those whose query is malformed or has parameters
// other than limit, offset, ordering and format, since they may select part of the
// collection.
//
// A page may be recorded several times if the recordings are equal.
//
// ReadHAR returns an error wrapping [ErrInvalidOptions] if the root is invalid,
// [ErrInvalidHAR] if the input is not an HTTP Archive, [ErrInvalidPage] if the response of such an entry is not a page, and
// [ErrInvalidLink] if its links contradict it. The last two include the number of
// the entry, counting from 0. Errors of r are wrapped. ReadHAR does not verify that
// collections are complete; [Recording.Walk] does.
func (o Options) ReadHAR(r io.Reader) (*Recording, error) {
	service, err := o.service()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	var file struct {
		Log *struct{ Entries []entry }
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some tools write a byte order mark
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("client: %w: %w", ErrInvalidHAR, err)
	}
	if file.Log == nil || file.Log.Entries == nil {
		return nil, fmt.Errorf("client: %w: it has no log with entries", ErrInvalidHAR)
	}
	recording := &Recording{service: service}
	for i, e := range file.Log.Entries {
		if err := recording.addEntry(i, e); err != nil {
			return nil, fmt.Errorf("client: entry %d, %s: %w", i, e.Request.URL, err)
		}
	}
	return recording, nil
}

// entry is an entry of a HAR file, limited to the fields in use.
type entry struct {
	Request struct {
		Method string
		URL    string
	}
	Response struct {
		Status  int
		Content content
	}
}

// content is a recorded response body.
type content struct {
	MimeType string
	Text     *string
	Encoding string
}

// addEntry adds the page of an entry, or skips an entry that is not about a page.
func (r *Recording) addEntry(i int, e entry) error {
	if e.Request.Method != http.MethodGet || e.Response.Status != http.StatusOK || checkType(e.Response.Content.MimeType) != nil {
		return nil
	}
	asked, err := parsePageURL(e.Request.URL)
	if err != nil {
		return nil
	}
	key, ok := r.service.collectionOf(asked.list)
	if !ok {
		return nil
	}
	body, err := e.Response.Content.body()
	if err != nil {
		return err
	}
	p, err := parsePage(body)
	if err != nil {
		return err
	}
	if err := p.placeAt(asked); err != nil {
		return err
	}
	p.name = fmt.Sprintf("entry %d, %s", i, e.Request.URL)
	r.add(key, asked.list, p)
	return nil
}

// placeAt sets the offset of a page from the URL it was requested with.
func (p *page) placeAt(asked pageURL) error {
	next, err := link(p.next)
	if err != nil {
		return err
	}
	previous, err := link(p.previous)
	if err != nil {
		return err
	}
	at := asked.window.Offset // next is checked by checkLinks, and when pages are joined
	if (at == 0) != (previous == nil) || previous != nil && previous.window.Offset != max(at-previous.window.Limit, 0) {
		return fmt.Errorf("%w: previous is %.200q", ErrInvalidLink, p.previous)
	}
	p.offset = at
	if len(p.records) == 0 { // past the end
		p.offset = min(at, p.count)
	}
	return p.checkLinks(asked.list, next, previous)
}

// body returns the decoded body.
func (c content) body() ([]byte, error) {
	if c.Text == nil {
		return nil, fmt.Errorf("%w: body not recorded", ErrInvalidPage)
	}
	switch c.Encoding {
	case "":
		return []byte(*c.Text), nil
	case "base64":
		body, err := base64.StdEncoding.DecodeString(*c.Text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalidPage, err)
		}
		return body, nil
	}
	return nil, fmt.Errorf("%w: body has encoding %q", ErrInvalidPage, c.Encoding)
}
