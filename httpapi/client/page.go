package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// page is one page of a list.
type page struct {
	name           string // URL, file or HAR entry, for errors
	offset         int
	count          int
	next, previous string
	records        []record
}

// record is a record as received.
type record struct {
	id   int
	json []byte
}

var errNoID = errors.New("no id")

// parsePage parses the body of a response.
func parsePage(body []byte) (page, error) {
	var envelope pagination.Envelope[json.RawMessage]
	if err := json.Unmarshal(body, &envelope); err != nil {
		return page{}, fmt.Errorf("%w: %w", ErrInvalidPage, err)
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		return page{}, fmt.Errorf("%w: null", ErrInvalidPage)
	}
	p := page{count: envelope.Count, next: envelope.Next, previous: envelope.Previous}
	for i, text := range envelope.Records {
		r, err := schema.ParseRecord(text)
		if err == nil && r.ID == 0 {
			err = errNoID
		}
		if err != nil {
			return page{}, fmt.Errorf("%w: record %d: %w", ErrInvalidPage, i, err)
		}
		p.records = append(p.records, record{r.ID, text})
	}
	return p, nil
}
