package client

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// ReadHAR reads the pages that a browser or a proxy recorded: an HTTP Archive,
// version 1.2, as their developer tools save it. Taken are the answers with status
// 200 and JSON to a GET of a collection, at /api/ and its path segment behind
// whatever stands before; all other entries are skipped, and so are those with
// parameters that the service's document does not have, or that cannot be read,
// since they may show a part.
//
// A page may be recorded several times, if alike. What is no HAR is an [ErrHAR]; an
// entry that is taken and is no page is an [ErrAnswer], one whose links contradict
// it an [ErrLink]; the error has the entry's number, from 0. Other errors are r's.
// Nothing is proven yet: [Recording.Walk].
func ReadHAR(r io.Reader) (*Recording, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	var file struct {
		Log *struct{ Entries []entry }
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some tools write it
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("client: %w: %w", ErrHAR, err)
	}
	if file.Log == nil || file.Log.Entries == nil {
		return nil, fmt.Errorf("client: %w: no log with entries", ErrHAR)
	}
	recording := new(Recording)
	for i, e := range file.Log.Entries {
		if err := recording.addEntry(i, e); err != nil {
			return nil, fmt.Errorf("client: entry %d, %s: %w", i, e.Request.URL, err)
		}
	}
	return recording, nil
}

// entry is what matters of a request and its answer.
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

// content is the body of an answer.
type content struct {
	MimeType string
	Text     *string
	Encoding string
}

// addEntry takes a page, or skips what is none.
func (r *Recording) addEntry(i int, e entry) error {
	if e.Request.Method != http.MethodGet || e.Response.Status != http.StatusOK || checkType(e.Response.Content.MimeType) != nil {
		return nil
	}
	asked, err := parseQuestion(e.Request.URL)
	if err != nil {
		return nil
	}
	key, ok := collectionOf(asked.list)
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

// placeAt puts a page where it was asked for.
func (p *page) placeAt(asked question) error {
	next, err := link(p.next)
	if err != nil {
		return err
	}
	previous, err := link(p.previous)
	if err != nil {
		return err
	}
	at := asked.window.Offset // next is looked at by agree, and where pages are joined
	if (at == 0) != (previous == nil) || previous != nil && previous.window.Offset != max(at-previous.window.Limit, 0) {
		return fmt.Errorf("%w: previous is %.200q", ErrLink, p.previous)
	}
	p.offset = at
	if len(p.records) == 0 { // behind the end
		p.offset = min(at, p.count)
	}
	return p.agree(asked.list, next, previous)
}

// body is the answer as it was sent.
func (c content) body() ([]byte, error) {
	if c.Text == nil {
		return nil, fmt.Errorf("%w: its body was not recorded", ErrAnswer)
	}
	switch c.Encoding {
	case "":
		return []byte(*c.Text), nil
	case "base64":
		body, err := base64.StdEncoding.DecodeString(*c.Text)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrAnswer, err)
		}
		return body, nil
	}
	return nil, fmt.Errorf("%w: its body is in encoding %q", ErrAnswer, c.Encoding)
}
