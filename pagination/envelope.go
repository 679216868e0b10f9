package pagination

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Page returns the page of items that the query of a URL requests, bounded by l. A nil u is
// an empty URL, and nil items are an empty list.
//
// The links are absolute if u is. They contain the path of u as it is spelled in u, but
// not its fragment or user information. The URL of a server's request usually has no
// scheme and host. For absolute links, set both in a copy of it. If u has no host and
// its path begins with two slashes, the second slash is written as %2F in the links,
// because the path would otherwise begin with the name of another host.
//
// The records of the page share memory with items but have no spare capacity, so appending
// to them does not overwrite items. If items is nil, so are the records. The cost does not
// depend on the number of items: O(n log² n) for a query of n bytes.
func Page[T any](items []T, u *url.URL, l Limits) Envelope[T] {
	if u == nil {
		u = new(url.URL)
	}
	q, base := ParseQuery(u.RawQuery), baseOf(*u)
	p, _ := l.Place(q, len(items))
	start, end := p.Window().Bounds(len(items))
	next, previous := l.Neighbours(p, len(items), nil)
	return Envelope[T]{Count: len(items), Next: Link(base, l, q, next), Previous: Link(base, l, q, previous), Records: items[start:end:end]}
}

// baseOf returns the URL without its query, fragment and user information.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	base := u.String()
	// url.URL does not escape such a path, although it parses as a host.
	if path, found := strings.CutPrefix(base, "//"); found && u.Host == "" {
		return "/%2F" + path
	}
	return base
}

// An Envelope is a page of a list with the number of records in the list and links to
// the neighbouring pages. Its JSON is the response of DRF to a request for a list.
type Envelope[T any] struct {
	// Count is the number of records in the whole list.
	Count int
	// Next and Previous are the URLs of the neighbouring pages. If empty, there is
	// no such page, and the JSON has null.
	Next, Previous string
	// Records are the records of this page, "results" in JSON. If nil, the page is
	// empty.
	Records []T
}

// MarshalJSON returns {"count":…,"next":…,"previous":…,"results":[…]}, in this order
// and without white space. An empty link is null, and nil Records are [].
//
// Like DRF, MarshalJSON does not escape '<', '>' and '&'. [json.Marshal] escapes them in the
// result of this method; to avoid that, use a [json.Encoder] with SetEscapeHTML(false).
// MarshalJSON returns an error if a record cannot be encoded. O(length of the JSON).
func (e Envelope[T]) MarshalJSON() ([]byte, error) {
	return encodePage(&e.Count, e.Next, e.Previous, e.Records)
}

// encodePage returns the JSON of a page. It has no count if count is nil.
func encodePage[T any](count *int, next, previous string, records []T) ([]byte, error) {
	// Pointers, because encoding/json encodes []byte as base64.
	results := make([]*T, len(records))
	for i := range records {
		results[i] = &records[i]
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Count    *int    `json:"count,omitempty"`
		Next     *string `json:"next"`
		Previous *string `json:"previous"`
		Results  []*T    `json:"results"`
	}{count, orNull(next), orNull(previous), results})
	if err != nil {
		return nil, fmt.Errorf("pagination: encoding a page: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// UnmarshalJSON is the inverse of [Envelope.MarshalJSON]. A link that is null or absent
// is "". Unknown members are ignored. Records are newly allocated and not nil. By the
// convention of encoding/json, null has no effect.
//
// UnmarshalJSON returns an error if count or results are absent or null, or if count is
// negative, so that an error document is not mistaken for the end of a list. An error of
// [json.Unmarshal] is wrapped. After an error, e is unchanged. O(length of the JSON).
func (e *Envelope[T]) UnmarshalJSON(data []byte) error {
	page, err := decodePage[T](data)
	switch {
	case err != nil || page == nil:
		return err
	case page.Count == nil:
		return errors.New("pagination: not a page: no count")
	case *page.Count < 0:
		return fmt.Errorf("pagination: not a page: count is %d", *page.Count)
	}
	records, err := page.records()
	if err == nil {
		*e = Envelope[T]{*page.Count, page.Next, page.Previous, records}
	}
	return err
}

// A decodedPage has the members of a page.
type decodedPage[T any] struct {
	Count    *int   `json:"count"`
	Next     string `json:"next"`
	Previous string `json:"previous"`
	Results  *[]T   `json:"results"`
}

func (p *decodedPage[T]) records() ([]T, error) {
	if p.Results == nil {
		return nil, errors.New("pagination: not a page: no results")
	}
	return *p.Results, nil
}

// decodePage parses a page. It returns nil for null.
func decodePage[T any](data []byte) (*decodedPage[T], error) {
	if string(data) == "null" {
		return nil, nil
	}
	page := new(decodedPage[T])
	if err := json.Unmarshal(data, page); err != nil {
		return nil, fmt.Errorf("pagination: decoding a page: %w", err)
	}
	return page, nil
}

func orNull(link string) *string {
	if link == "" {
		return nil
	}
	return &link
}
